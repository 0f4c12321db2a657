"""What the tests of the commands share: a command line in this process, and small
documents.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from designer.cli.commands import main

CODE = """
import os
import subprocess


def boom(message: object) -> str:
    raise ValueError("the flux is out of range")


def loud(message: object) -> str:
    print("printed")
    subprocess.run(["echo", "from a child"])
    return str(message)


def number(message: int) -> int:
    return message
"""


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value; anything beside it is an error."""
        return json.loads(self.out)


class Stepwell:
    """Runs commands in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Said:
        self._capsys.readouterr()
        code = main([str(word) for word in words])
        return Said(code, *self._capsys.readouterr())


def function(id: str, name: str) -> dict[str, Any]:
    return {
        "id": id,
        "type": "python_function",
        "params": {"function": f"code_of_test:{name}"},
    }


def template(id: str, text: str = "{message}") -> dict[str, Any]:
    return {"id": id, "type": "template", "params": {"text": text}}


def ask(id: str) -> dict[str, Any]:
    return {
        "id": id,
        "type": "ask",
        "params": {"question": "Ship {message}?", "choices": ["yes", "no"]},
    }


def edge(source: str, target: str) -> dict[str, Any]:
    return {
        "id": f"{source}-{target}",
        "kind": "direct",
        "source": source,
        "target": target,
    }


OUTPUT = {"id": "result", "type": "output"}


def write(
    folder: Path,
    name: str,
    nodes: Sequence[dict[str, Any]],
    edges: Sequence[dict[str, Any]],
    *,
    input: Any = "x",
    **more: Any,
) -> Path:
    """A document whose start is its first node, with its code beside it."""
    (folder / "code_of_test.py").write_text(CODE)
    workflow = {
        "name": name,
        "start": nodes[0]["id"],
        "input": input,
        "nodes": nodes,
        "edges": edges,
        **more,
    }
    path = folder / f"{name}.stepwell.json"
    path.write_text(json.dumps({"format": 1, "workflow": workflow}))
    return path


def finishing(folder: Path) -> Path:
    return write(
        folder,
        "finishing",
        [template("start", "{message}!"), OUTPUT],
        [edge("start", "result")],
    )


def asking(folder: Path) -> Path:
    """Asks in superstep 2, and again in superstep 4 about the first answer."""
    nodes = [template("start"), ask("first"), ask("second"), OUTPUT]
    return write(
        folder,
        "asking",
        nodes,
        [edge("start", "first"), edge("first", "second"), edge("second", "result")],
    )


def failing(folder: Path) -> Path:
    nodes = [template("start"), function("breaks", "boom"), OUTPUT]
    return write(
        folder, "failing", nodes, [edge("start", "breaks"), edge("breaks", "result")]
    )


def stalling(folder: Path) -> Path:
    """Only one of two ways into a join is taken."""
    nodes = [
        template("start"),
        template("left"),
        template("right"),
        {"id": "meet", "type": "collect"},
        OUTPUT,
    ]
    case = {"name": "left", "when": "message == 'x'", "target": "left"}
    edges = [
        {
            "id": "way",
            "kind": "switch",
            "source": "start",
            "cases": [case],
            "default": "right",
        },
        {
            "id": "join",
            "kind": "fan_in",
            "sources": ["left", "right"],
            "target": "meet",
        },
        edge("meet", "result"),
    ]
    return write(folder, "stalling", nodes, edges)
