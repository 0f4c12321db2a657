"""Frames and notes: boxes with words around and beside the nodes, which no run sees. They stand in `layout.frames`.

An entry of the file that cannot be read is not drawn, and stays in the file as it is; so do fields that are not known.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

from designer.model.design import FAR, Design, Rect
from designer.model.errors import EditError
from designer.model.names import ids_of

FRAMES = "frames"  # in the layout of a file
LEAST = (96.0, 48.0)  # width and height, in pixels
Kind = Literal["frame", "note"]


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame has a title and stands around nodes; a note has a text of many lines."""

    id: str
    kind: Kind
    text: str
    rect: Rect


def frames_of(design: Design) -> tuple[Frame, ...]:
    """All that can be read, the lowest first. An id counts once."""
    found: dict[str, Frame] = {}
    for entry in _entries(design):
        frame = _read(entry)
        if frame is not None:
            found.setdefault(frame.id, frame)
    return tuple(found.values())


def frame_ids(design: Design) -> frozenset[str]:
    return frozenset(frame.id for frame in frames_of(design))


def add(design: Design, kind: Kind, rect: Rect, text: str = "") -> tuple[Design, str]:
    """One more, over the others; and its id. Ids of frames begin with `#`, which no id that is made of a name does."""
    made = next(_free_ids(design))
    entry = {"id": made, "kind": kind, "text": text, **_placed(made, rect)}
    return _with(design, [*_entries(design), entry]), made


def _free_ids(design: Design) -> Iterator[str]:
    known = frame_ids(design)
    taken = known.union(ids_of(design.workflow))
    yield from (
        f"#{number}" for number in count(len(known) + 1) if f"#{number}" not in taken
    )


def set_text(design: Design, frame_id: str, text: str) -> Design:
    """Other words. The same design comes back when they are the same."""
    if _require(design, frame_id).text == text:
        return design
    return _changed(design, {frame_id: {"text": text}})


def place(design: Design, rects: Mapping[str, Rect]) -> Design:
    """Put frames at these rectangles; none gets smaller than `LEAST`."""
    changes = {
        key: _placed(key, rect)
        for key, rect in rects.items()
        if _require(design, key).rect != rect
    }
    return _changed(design, changes) if changes else design


def without(design: Design, ids: Collection[str]) -> Design:
    """Without these frames; what stands on them stays. Other ids are passed over."""
    if FRAMES in design.layout_extra:
        gone = frame_ids(design).intersection(ids)
    else:
        gone = frozenset()
    if not gone:
        return design
    return _with(
        design, [entry for entry in _entries(design) if _id(entry) not in gone]
    )


def copied(design: Design, ids: Collection[str]) -> list[dict[str, Any]]:
    """The entries of these frames, as they stand in the file."""
    wanted = frame_ids(design).intersection(ids)
    return [dict(entry) for entry in _entries(design) if _id(entry) in wanted]


def pasted(
    design: Design, entries: Sequence[Any], dx: float, dy: float
) -> tuple[Design, tuple[str, ...]]:
    """Copies of entries under new ids, moved by so much; those that cannot be read are left out."""
    ids = _free_ids(design)
    copies = list[dict[str, Any]]()
    for entry in entries:
        frame = _read(entry)
        if frame is not None:
            (x, y, width, height), new = frame.rect, next(ids)
            copies.append(
                {**entry, "id": new, **_placed(new, (x + dx, y + dy, width, height))}
            )
    made = tuple(copy["id"] for copy in copies)
    if copies:
        return (_with(design, [*_entries(design), *copies]), made)
    return (design, ())


def rects_of(entries: Sequence[Any]) -> list[Rect]:
    """The rectangles of those entries that can be read."""
    return [frame.rect for entry in entries if (frame := _read(entry)) is not None]


def held(frame: Rect, rects: Mapping[str, Rect]) -> list[str]:
    """What stands wholly inside of a frame."""
    x, y, width, height = frame
    return [
        key
        for key, (left, top, wide, high) in rects.items()
        if left >= x
        and top >= y
        and left + wide <= x + width
        and top + high <= y + height
    ]


def _entries(design: Design) -> list[Any]:
    found = design.layout_extra.get(FRAMES)
    return list(found) if isinstance(found, list | tuple) else []


def _id(entry: Any) -> str:
    frame = _read(entry)
    return frame.id if frame is not None else ""


def _read(entry: Any) -> Frame | None:
    match entry:
        case {"id": str() as key, "at": [x, y], "size": [width, height]} if key:
            rect = (x, y, width, height)
            if all(_is_place(number) for number in rect) and width > 0 and height > 0:
                kind: Kind = "note" if entry.get("kind") == "note" else "frame"
                return Frame(
                    key,
                    kind,
                    str(entry.get("text") or ""),
                    (float(x), float(y), float(width), float(height)),
                )
    return None


def _is_place(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value) and abs(value) <= FAR


def _require(design: Design, frame_id: str) -> Frame:
    found = next((frame for frame in frames_of(design) if frame.id == frame_id), None)
    if found is None:
        raise EditError(
            "This frame is not there any more. Undo brings it back.", frame_id
        )
    return found


def _placed(key: str, rect: Rect) -> dict[str, list[float]]:
    x, y, width, height = rect
    if not all(map(_is_place, rect)):
        raise EditError(
            f"({x}, {y}) is no place for a frame: move it nearer to the nodes.", key
        )
    size = [max(width, LEAST[0]), max(height, LEAST[1])]
    return {"at": [_short(x), _short(y)], "size": [_short(value) for value in size]}


def _short(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _changed(design: Design, changes: Mapping[str, Mapping[str, Any]]) -> Design:
    done: set[str] = set()
    entries: list[Any] = []
    for entry in _entries(design):
        key = _id(entry)
        if key in changes and key not in done:
            done.add(key)
            entry = {**entry, **changes[key]}  # noqa: PLW2901 - the list holds what is written
        entries.append(entry)
    return _with(design, entries)


def _with(design: Design, entries: list[Any]) -> Design:
    others = {key: value for key, value in design.layout_extra.items() if key != FRAMES}
    return replace(
        design, layout_extra={**others, FRAMES: entries} if entries else others
    )
