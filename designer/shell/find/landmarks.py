"""What people put into a drawing to find their way: bookmarks, frames and notes, as entries of Find."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from designer.model.bookmarks import bookmarks_of
from designer.model.design import Design
from designer.model.frames import frames_of
from designer.model.names import one_line
from designer.shell.find.command_palette import Entry


def landmarks(design: Design, go: Callable[[str], object]) -> list[Entry]:
    """Bookmarks first, in the order in which they were set; then frames and notes, by their words."""
    frames = frames_of(design)
    names = {node.id: one_line(node.title) for node in design.workflow.nodes}
    names |= {frame.id: one_line(frame.text) or "No words" for frame in frames}
    marked = [
        Entry(
            names.get(key, key), "bookmark", "flag", partial(go, key), f"bookmark {key}"
        )
        for key in bookmarks_of(design)
    ]
    boxes = [
        Entry(
            names[frame.id],
            frame.kind,
            "text" if frame.kind == "note" else "box",
            partial(go, frame.id),
            frame.text,
        )
        for frame in frames
    ]
    return marked + boxes
