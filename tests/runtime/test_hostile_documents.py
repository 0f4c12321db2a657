"""A document from somebody else: opening, checking, drawing and comparing it runs and
imports nothing that it names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
EVIL = "__import__('os').system('touch MARKER')"


def document() -> dict[str, Any]:
    """Every place of a document that can hold a text or name a module has one that
    would leave a mark if it ran.
    """
    nodes = [
        {"id": "a", "type": "python_function", "params": {"function": "evil:run"}},
        {
            "id": "b",
            "type": "python_class",
            "params": {"class_name": "os:system", "arguments": {"x": EVIL}},
        },
        {
            "id": "c",
            "type": "template",
            "params": {
                "text": "{" + EVIL + "}{message.__class__.__init__.__globals__}"
            },
        },
        {"id": EVIL, "type": "evil:Node", "params": {"module": "os", "call": "system"}},
        {
            "id": "d",
            "type": "collect",
            "params": {"!!python/object/apply:os.system": ["touch MARKER"]},
        },
    ]
    edges = [
        {"id": "1", "kind": "direct", "source": "a", "target": "b", "condition": "py:evil:test"},
        {"id": "2", "kind": "direct", "source": "a", "target": "c", "condition": EVIL},
        {"id": "3", "kind": "switch", "source": "b", "default": EVIL,
         "cases": [{"when": "py:os:system", "target": "c"}, {"when": EVIL, "target": "d"}]},
        {"id": "4", "kind": "multi_selection", "source": "c", "selections": [{"target": "d", "when": "py:evil:pick"}]},
    ]  # fmt: skip
    workflow = {
        "name": EVIL,
        "description": EVIL,
        "start": "a",
        "nodes": nodes,
        "edges": edges,
    }
    return {
        "format": 1,
        "workflow": workflow,
        "layout": {"positions": {"a": [0, 0]}, "evil": EVIL},
    }


OPENED = """
import sys
from pathlib import Path
import designer.model.layout.layered
import networkx
from designer.model.diff import diff
from designer.model.files import dumps, load
from designer.model.layout.arrange import arrange
from runtime.expressions.cel import Condition
from runtime.document.files import read_file, serialise
from runtime.nodes import catalogue
from runtime.checks.check import check

assert Condition("message == 1")(1)
infos = {info.type: info for info in catalogue().infos()}

def all_of_it(path):
    file = read_file(path)
    check(file.workflow, infos)
    design = load(Path(path))
    assert arrange(design)
    diff(design, design)
    assert dumps(design) and serialise(file)

all_of_it(sys.argv[1])  # with a harmless one: what is loaded when it is first used is loaded now
happened, watching = [], True
events = ("import", "exec", "compile", "os.system", "os.exec", "os.fork", "os.posix_spawn", "subprocess.Popen")
sys.addaudithook(lambda event, said: watching and event in events and happened.append((event, str(said)[:99])))
before = set(sys.modules)
all_of_it(sys.argv[2])
watching = False
assert happened == [], happened
assert set(sys.modules) == before
"""


def test_case_134_opening_checking_drawing_and_comparing_a_document_runs_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "evil.py").write_text("open('MARKER', 'w').close()")
    hostile = tmp_path / "evil.stepwell.json"
    hostile.write_text(json.dumps(document()), encoding="utf-8")
    harmless = next((ROOT / "resources" / "examples").rglob("*.stepwell.json"))
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    subprocess.run(
        [sys.executable, "-c", OPENED, harmless, hostile],
        check=True,
        env=environment,
        cwd=tmp_path,
    )
    assert not (tmp_path / "MARKER").exists()
