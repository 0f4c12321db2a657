"""What a dead window had not saved can be brought back; what a living one is working on
is left alone.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

from designer.document.journal import FOLDER, Journal, recoverable
from designer.model import edits, files
from designer.model.design import Design
from tests.designer.model.designs import design, direct

_KILLED = """
import os, signal, sys
from pathlib import Path
from designer.document.journal import Journal
from designer.model import files
Journal(Path(sys.argv[1])).write(files.loads(sys.stdin.read()), Path("flow.stepwell.json"), "flow")
os.kill(os.getpid(), signal.SIGKILL)
"""


def drawing() -> Design:
    return Design(design("ab").workflow, {"a": (4, 8)}, {"tool": [1]}, {"zoom": 2})


def pretend_dead(journal: Journal, **changes: object) -> None:
    """As if the process that wrote the journal had gone and another had its number."""
    content = json.loads(journal.file.read_text("utf-8"))
    content["journal"] |= {"born": "before the flood", **changes}
    journal.file.write_text(json.dumps(content), "utf-8")


def test_a_killed_process_leaves_its_whole_drawing(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _KILLED, tmp_path],
        input=files.dumps(drawing()),
        text=True,
        check=False,
    )
    assert ran.returncode < 0
    (entry,) = recoverable(tmp_path)
    assert entry.design == drawing()
    assert (entry.name, entry.path) == ("flow", Path("flow.stepwell.json").resolve())
    entry.discard()
    assert recoverable(tmp_path) == []


def test_the_journal_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    Journal(tmp_path).write(drawing(), None, "Untitled")
    assert recoverable(tmp_path) == []


def test_a_process_that_only_has_the_same_number_is_another(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(drawing(), None, "Untitled")
    pretend_dead(journal)
    (entry,) = recoverable(tmp_path)
    assert (entry.path, entry.pid) == (None, os.getpid())


def test_a_newer_design_replaces_the_older_and_clearing_leaves_nothing(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path)
    journal.write(design("a"), None, "x")
    journal.write(drawing(), None, "x")
    assert list((tmp_path / FOLDER).iterdir()) == [journal.file]
    pretend_dead(journal)
    assert [entry.design for entry in recoverable(tmp_path)] == [drawing()]
    journal.clear()
    journal.clear()
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_the_newest_comes_first(tmp_path: Path) -> None:
    for number in (1, 3, 2):
        journal = Journal(tmp_path)
        journal.write(design("a"), None, str(number))
        pretend_dead(journal, time=number)
    assert [entry.name for entry in recoverable(tmp_path)] == ["3", "2", "1"]


@pytest.mark.parametrize(
    "content", ["", "rubbish", "{}", '{"journal": {"pid": 1}}', '{"format": 99}']
)
def test_a_journal_that_cannot_be_read_is_named_and_kept(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / FOLDER).mkdir()
    broken = tmp_path / FOLDER / "broken.json"
    broken.write_text(content, "utf-8")
    with caplog.at_level(logging.WARNING):
        assert recoverable(tmp_path) == []
    assert str(broken) in caplog.text
    assert broken.read_text("utf-8") == content


def test_a_journal_opens_as_a_workflow_file(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    edited = edits.connect(drawing(), "a", "b")[0]
    journal.write(edited, None, "x")
    assert files.load(journal.file).workflow.edges == (direct("a", "b"),)
