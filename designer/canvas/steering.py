"""The keyboard as a pointer: walking from node to node, and drawing a wire without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from designer.canvas.tools import DrawWire
from designer.canvas.walking import first, nearest, walk

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


def step(view: CanvasView, direction: str) -> None:
    """To the next node in a direction; while a wire is drawn, to the next one that takes it."""
    if isinstance(view.tool, DrawWire):
        _aim(view, view.tool, direction)
        return
    scene = view.canvas
    here = next(reversed(view.chosen_nodes()), "")
    found = walk(scene.boxes, scene.topology, here, direction) if here else first(scene.boxes)
    if found:
        view.select({found})
        view.camera.reveal(scene.boxes[found].rect)


def _aim(view: CanvasView, wire: DrawWire, direction: str) -> None:
    scene = view.canvas
    fitting = [key for key in scene.boxes if key != wire.node and not wire.refusal(key)]
    found = nearest(scene.boxes, wire.target or wire.node, direction, fitting)
    if found:
        wire.at = view.pointer(scene.boxes[found].inlet)
        wire.aim(found)
        view.camera.reveal(scene.boxes[found].rect)
    words = f"Connect to {scene.nodes[found].title} with Enter" if found else "No node there takes this"
    view.status.emit(words)


def start_wire(view: CanvasView, node: str = "") -> None:
    """From a node, or the first of the selected ones."""
    node = node or next(iter(view.chosen_nodes()), "")
    if not view.editable or not node:
        words = "Select the node that the wire starts at." if view.editable else "Go back to editing to connect nodes."
        view.tell(words)
        return
    view.cancel_tool()
    wire = DrawWire(view, view.pointer(view.canvas.boxes[node].outlet + QPointF(32, 0)), node, "out")
    view.tool, wire.started = wire, True
    wire.aim("")
    view.status.emit("Choose the target with the arrow keys, connect with Enter, drop the wire with Esc")
