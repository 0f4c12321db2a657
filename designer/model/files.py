"""A drawing as a `*.stepwell.json` file: the workflow, and under `layout` places of
nodes and dots of wires.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from designer.model.design import Design, Points, Position
from runtime.document import files
from runtime.document.definition import WorkflowFile
from runtime.errors import DefinitionError

# Pixels from the middle. Beyond it Qt's results lose whole pixels.
FARTHEST = 1e9
_POSITIONS = "positions"
_DOTS = "dots"


def load(path: Path) -> Design:
    """Return the drawing in a file, also a half-finished one.

    Raise `OSError`, and `DefinitionError` for a file that is no drawing.
    """
    return to_design(files.read_file(path))


def save(path: Path, design: Design) -> bytes:
    """Write a file and return what was written.

    Afterwards the old file or the new one is there, never a part. Raise `OSError`, and
    `DefinitionError` for a value that JSON does not have.
    """
    return files.write_file(path, to_file(design))


def loads(text: str) -> Design:
    """Return the drawing in the text of a file. Raise `DefinitionError` if it is none."""
    return to_design(files.parse(text))


def dumps(design: Design) -> str:
    """Return the text of the file that `save` writes. Raise `DefinitionError` for a
    value that JSON does not have.
    """
    return files.serialise(to_file(design)).decode()


def to_design(file: WorkflowFile) -> Design:
    layout = dict(file.layout)
    positions = _positions(layout.pop(_POSITIONS, {}))
    dots = _dots(layout.pop(_DOTS, {}))
    return Design(file.workflow, positions, dict(file.model_extra or {}), layout, dots)


def to_file(design: Design) -> WorkflowFile:
    positions = {node_id: _pair(place) for node_id, place in design.positions.items()}
    dots = {
        edge_id: {
            wire: [_pair(point) for point in points] for wire, points in lines.items()
        }
        for edge_id, lines in design.dots.items()
    }
    layout: dict[str, Any] = {}
    if positions:
        layout[_POSITIONS] = positions
    if dots:
        layout[_DOTS] = dots
    layout.update(design.layout_extra)
    return WorkflowFile(workflow=design.workflow, layout=layout, **design.extra)


def _pair(place: Position) -> list[float]:
    return [_short(value) for value in place]


def _positions(value: Any) -> dict[str, Position]:
    if not isinstance(value, Mapping):
        text = "positions by node id are expected; remove the entry for a new layout"
        raise DefinitionError(text, "layout.positions")
    return {
        str(node_id): _position(f"layout.positions.{node_id}", place)
        for node_id, place in value.items()
    }


def _dots(value: Any) -> dict[str, dict[str, Points]]:
    """Return the points that wires run through, by edge id and wire."""
    remedy = "remove the entry for straight wires"
    if not isinstance(value, Mapping):
        text = f"points by edge and wire are expected; {remedy}"
        raise DefinitionError(text, "layout.dots")
    dots: dict[str, dict[str, Points]] = {}
    for edge_id, lines in value.items():
        where = f"layout.dots.{edge_id}"
        is_lines = isinstance(lines, Mapping) and all(
            isinstance(points, list | tuple) for points in lines.values()
        )
        if not is_lines:
            text = f"lists of points by wire are expected; {remedy}"
            raise DefinitionError(text, where)
        dots[str(edge_id)] = {
            str(wire): tuple(_position(f"{where}.{wire}", point) for point in points)
            for wire, points in lines.items()
        }
    return dots


def _position(where: str, value: Any) -> Position:
    match value:
        case [int() | float() as x, int() | float() as y] if (
            abs(x) <= FARTHEST and abs(y) <= FARTHEST
        ):
            return x, y
    text = (
        f"[x, y] in pixels is expected, not {str(value)[:60]}; "
        "remove the entry for a new layout"
    )
    raise DefinitionError(text, where)


def _short(value: float) -> float:
    """Return 40 for 40.0, because most positions are whole."""
    return int(value) if float(value).is_integer() else value
