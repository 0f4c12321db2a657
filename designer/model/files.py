"""A drawing as a `*.stepwell.json` file: the workflow, and under `layout` places of nodes and dots of wires."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from designer.model.design import Design, Points, Position
from runtime.document import files
from runtime.document.definition import WorkflowFile
from runtime.errors import DefinitionError

# pixels from the middle: beyond it, what Qt calculates loses whole pixels
FARTHEST = 1e9
_POSITIONS = "positions"
_DOTS = "dots"


def load(path: Path) -> Design:
    """The drawing in a file, half-finished ones too. Raise `OSError`, and `DefinitionError` if it is none."""
    return to_design(files.read_file(path))


def save(path: Path, design: Design) -> bytes:
    """Write a file: afterwards there is the old one or the new one, whole. Return what was written. Raise `OSError`,
    and `DefinitionError` for a value that JSON does not have.
    """
    return files.write_file(path, to_file(design))


def loads(text: str) -> Design:
    """The drawing in the text of a file. Raise `DefinitionError` if it is none."""
    return to_design(files.parse(text))


def dumps(design: Design) -> str:
    """The text of the file that `save` writes. Raise `DefinitionError` for a value that JSON does not have."""
    return files.serialise(to_file(design)).decode()


def to_design(file: WorkflowFile) -> Design:
    layout = dict(file.layout)
    positions = _positions(layout.pop(_POSITIONS, {}))
    dots = _dots(layout.pop(_DOTS, {}))
    return Design(file.workflow, positions, dict(file.model_extra or {}), layout, dots)


def to_file(design: Design) -> WorkflowFile:
    positions = {
        key: [_short(value) for value in at] for key, at in design.positions.items()
    }
    dots = {
        edge: {
            wire: [[_short(value) for value in at] for at in points]
            for wire, points in wires.items()
        }
        for edge, wires in design.dots.items()
    }
    known = {
        key: value for key, value in ((_POSITIONS, positions), (_DOTS, dots)) if value
    }
    layout = {**known, **design.layout_extra}
    return WorkflowFile(workflow=design.workflow, layout=layout, **design.extra)


def _positions(value: Any) -> dict[str, Position]:
    if not isinstance(value, Mapping):
        raise DefinitionError(
            "positions by node id are expected; remove the entry to lay out anew",
            "layout.positions",
        )
    return {
        str(key): _position(f"layout.positions.{key}", at) for key, at in value.items()
    }


def _dots(value: Any) -> dict[str, dict[str, Points]]:
    """What wires run through, by edge id and wire."""
    if not isinstance(value, Mapping):
        raise DefinitionError(
            "points by edge and wire are expected; remove the entry for straight wires",
            "layout.dots",
        )
    found: dict[str, dict[str, Points]] = {}
    for edge, wires in value.items():
        where = f"layout.dots.{edge}"
        if not isinstance(wires, Mapping) or not all(
            isinstance(points, list | tuple) for points in wires.values()
        ):
            raise DefinitionError(
                "lists of points by wire are expected; remove the entry for straight wires",
                where,
            )
        found[str(edge)] = {
            str(wire): tuple(_position(f"{where}.{wire}", at) for at in points)
            for wire, points in wires.items()
        }
    return found


def _position(where: str, at: Any) -> Position:
    match at:
        case [int() | float() as x, int() | float() as y] if (
            abs(x) <= FARTHEST and abs(y) <= FARTHEST
        ):
            return x, y
    raise DefinitionError(
        f"[x, y] in pixels is expected, not {str(at)[:60]}; remove the entry to lay out anew",
        where,
    )


def _short(value: float) -> float:
    """40 rather than 40.0: positions are mostly whole."""
    return int(value) if float(value).is_integer() else value
