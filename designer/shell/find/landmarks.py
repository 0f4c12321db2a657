"""Bookmarks, frames and notes as entries of Find."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from designer.model.bookmarks import bookmarks_of
from designer.model.design import Design
from designer.model.frames import frames_of
from designer.model.names import one_line
from designer.shell.find.command_palette import Entry


def landmarks(design: Design, go: Callable[[str], object]) -> list[Entry]:
    """Return bookmarks in the order in which they were set; then frames and notes, by
    their texts.
    """
    frames = frames_of(design)
    names = {node.id: one_line(node.title) for node in design.workflow.nodes}
    names |= {frame.id: one_line(frame.text) or "No words" for frame in frames}
    entries = []
    for id in bookmarks_of(design):
        name = names.get(id, id)
        entry = Entry(name, "bookmark", "flag", partial(go, id), f"bookmark {id}")
        entries.append(entry)
    for frame in frames:
        icon = "text" if frame.kind == "note" else "box"
        act = partial(go, frame.id)
        entries.append(Entry(names[frame.id], frame.kind, icon, act, frame.text))
    return entries
