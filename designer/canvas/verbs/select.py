"""Selecting by keys and menus: everything, the opposite, or what is connected."""

from __future__ import annotations

from designer.canvas.base import Canvas
from designer.canvas.speech.graph_walk import reach


def select_all(canvas: Canvas) -> None:
    """Select all nodes, edge groups, frames and notes."""
    canvas.select(_everything(canvas))


def invert_selection(canvas: Canvas) -> None:
    """Select what is not selected, and nothing else."""
    canvas.select(_everything(canvas) - canvas.selection)


def select_linked(canvas: Canvas, direction: str) -> None:
    """Add to the selection what comes "before" it, "after" it, or is "connected"."""
    linked = reach(canvas.scene().topology, canvas.chosen_nodes(), direction)
    if linked:
        canvas.select(canvas.selection | linked)
    else:
        canvas.tell(
            "Select a node first: what comes before or after it is added to the selection."
        )


def _everything(canvas: Canvas) -> frozenset[str]:
    scene = canvas.scene()
    return frozenset((*scene.nodes, *scene.edges.figures, *scene.backdrop.frames))
