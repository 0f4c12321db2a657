"""Bookmarks: nodes, edges, frames and notes that a person wants to come back to;
`layout.bookmarks` of the file.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from designer.model.design import Design
from designer.model.frames import frame_ids
from designer.model.names import ids_of

BOOKMARKS = "bookmarks"


def bookmarks_of(design: Design) -> tuple[str, ...]:
    """Return the bookmarked elements that exist, in the order in which they were
    marked.
    """
    marked = _marked(design)
    if not marked:
        return ()
    existing = frame_ids(design).union(ids_of(design.workflow))
    return tuple(key for key in dict.fromkeys(marked) if key in existing)


def toggle(design: Design, ids: Collection[str]) -> Design:
    """Mark all of these; if all are marked, mark none of them."""
    marked = _marked(design)
    if set(ids) <= set(marked):
        return _with(design, [key for key in marked if key not in ids])
    return _with(design, [*marked, *(key for key in ids if key not in marked)])


def renamed(design: Design, node_id: str, new_id: str) -> Design:
    """Keep the bookmark of a node that got another id."""
    marked = _marked(design)
    if node_id not in marked:
        return design
    return _with(design, [new_id if key == node_id else key for key in marked])


def without(design: Design, ids: Collection[str]) -> Design:
    """Remove the bookmarks of deleted elements, so that an element made later under the
    same id has none.
    """
    marked = _marked(design)
    if set(ids).isdisjoint(marked):
        return design
    return _with(design, [key for key in marked if key not in ids])


def _marked(design: Design) -> list[str]:
    value = design.layout_extra.get(BOOKMARKS)
    if isinstance(value, list | tuple):
        return [key for key in value if isinstance(key, str)]
    return []


def _with(design: Design, marked: list[str]) -> Design:
    layout = dict(design.layout_extra)
    layout.pop(BOOKMARKS, None)
    if marked:
        layout[BOOKMARKS] = marked
    return replace(design, layout_extra=layout)
