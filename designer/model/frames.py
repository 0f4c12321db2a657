"""Frames and notes: boxes with words around and beside the nodes, which no run sees;
`layout.frames` of the file.

An entry of the file that cannot be read is not drawn, and stays in the file as it is;
so do fields that are not known.
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
    """A frame has a title and is around nodes; a note has a text of many lines."""

    id: str
    kind: Kind
    text: str
    rect: Rect


def frames_of(design: Design) -> tuple[Frame, ...]:
    """Return all frames that can be read, the lowest first. An id counts once."""
    frames: dict[str, Frame] = {}
    for entry in _entries(design):
        frame = _read(entry)
        if frame is not None:
            frames.setdefault(frame.id, frame)
    return tuple(frames.values())


def frame_ids(design: Design) -> frozenset[str]:
    return frozenset(frame.id for frame in frames_of(design))


def add(design: Design, kind: Kind, rect: Rect, text: str = "") -> tuple[Design, str]:
    """Add a frame over the others, and return its id too.

    Ids of frames begin with `#`, which no id that is made from a name does.
    """
    frame_id = next(_free_ids(design))
    place_fields = _placed(frame_id, rect)
    entry = {"id": frame_id, "kind": kind, "text": text, **place_fields}
    return _with(design, [*_entries(design), entry]), frame_id


def _free_ids(design: Design) -> Iterator[str]:
    known = frame_ids(design)
    taken = known.union(ids_of(design.workflow))
    for number in count(len(known) + 1):
        if f"#{number}" not in taken:
            yield f"#{number}"


def set_text(design: Design, frame_id: str, text: str) -> Design:
    """Set the words of a frame. Return the same design when they are the same."""
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
    """Remove frames; the nodes on them stay. Other ids are passed over."""
    if FRAMES not in design.layout_extra:
        return design
    removed = frame_ids(design).intersection(ids)
    if not removed:
        return design
    entries = [entry for entry in _entries(design) if _id(entry) not in removed]
    return _with(design, entries)


def copied(design: Design, ids: Collection[str]) -> list[dict[str, Any]]:
    """Return the entries of these frames, as the file has them."""
    chosen = frame_ids(design).intersection(ids)
    return [dict(entry) for entry in _entries(design) if _id(entry) in chosen]


def pasted(
    design: Design, entries: Sequence[Any], dx: float, dy: float
) -> tuple[Design, tuple[str, ...]]:
    """Add copies of entries under new ids, moved by (dx, dy), and return the ids too.

    Entries that cannot be read are left out.
    """
    free_ids = _free_ids(design)
    copies: list[dict[str, Any]] = []
    for entry in entries:
        frame = _read(entry)
        if frame is not None:
            new_id = next(free_ids)
            x, y, width, height = frame.rect
            place_fields = _placed(new_id, (x + dx, y + dy, width, height))
            copies.append({**entry, "id": new_id, **place_fields})
    if not copies:
        return design, ()
    ids = tuple(entry["id"] for entry in copies)
    return _with(design, [*_entries(design), *copies]), ids


def rects_of(entries: Sequence[Any]) -> list[Rect]:
    """Return the rectangles of those entries that can be read."""
    return [frame.rect for entry in entries if (frame := _read(entry)) is not None]


def held(frame: Rect, rects: Mapping[str, Rect]) -> list[str]:
    """Return the elements that are fully inside of a frame."""
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
    value = design.layout_extra.get(FRAMES)
    return list(value) if isinstance(value, list | tuple) else []


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
    for frame in frames_of(design):
        if frame.id == frame_id:
            return frame
    text = "This frame is not there any more. Undo brings it back."
    raise EditError(text, frame_id)


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
    layout = dict(design.layout_extra)
    layout.pop(FRAMES, None)
    if entries:
        layout[FRAMES] = entries
    return replace(design, layout_extra=layout)
