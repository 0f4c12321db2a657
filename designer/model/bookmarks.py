"""Bookmarks: nodes, edges, frames and notes one wants to come back to. They stand in `layout.bookmarks` of the file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from designer.model.design import Design
from designer.model.frames import frame_ids
from designer.model.names import ids_of

BOOKMARKS = "bookmarks"


def bookmarks_of(design: Design) -> tuple[str, ...]:
    """What is bookmarked and there, in the order in which it was marked."""
    marked = _marked(design)
    if not marked:
        return ()
    existing = frame_ids(design).union(ids_of(design.workflow))
    return tuple(key for key in dict.fromkeys(marked) if key in existing)


def toggle(design: Design, ids: Collection[str]) -> Design:
    """Mark all of these, or none of them any more when all are marked."""
    marked = _marked(design)
    if set(ids) <= set(marked):
        return _with(design, [key for key in marked if key not in ids])
    return _with(design, [*marked, *(key for key in ids if key not in marked)])


def renamed(design: Design, old: str, new: str) -> Design:
    """A node has another id, and keeps its bookmark."""
    marked = _marked(design)
    if old in marked:
        return _with(design, [new if key == old else key for key in marked])
    return design


def without(design: Design, ids: Collection[str]) -> Design:
    """These were deleted: what is made later under an id of theirs has no bookmark."""
    marked = _marked(design)
    if set(ids).isdisjoint(marked):
        return design
    return _with(design, [key for key in marked if key not in ids])


def _marked(design: Design) -> list[str]:
    found = design.layout_extra.get(BOOKMARKS)
    if isinstance(found, list | tuple):
        return [key for key in found if isinstance(key, str)]
    return []


def _with(design: Design, marked: list[str]) -> Design:
    others = {
        key: value for key, value in design.layout_extra.items() if key != BOOKMARKS
    }
    return replace(
        design, layout_extra={**others, BOOKMARKS: marked} if marked else others
    )
