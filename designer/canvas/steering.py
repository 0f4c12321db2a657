"""The keyboard as a pointer: walking from node to node, along edge groups, and drawing a wire without a mouse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from designer.canvas.tools import DrawWire
from designer.canvas.walking import first, nearest, walk
from runtime.definition import edge_pairs

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


def step(view: CanvasView, direction: str, *, extend: bool = False) -> None:
    """To the next node in a direction, or with `extend` also to it; while a wire is drawn, to the next that takes it.
    From an edge group left leads to where it comes from, right to where it goes.
    """
    if isinstance(view.tool, DrawWire):
        _aim(view, view.tool, direction)
        return
    scene = view.canvas
    here, edge = next(reversed(view.chosen_nodes()), ""), next(reversed(view.order), "")
    if here:
        found = walk(scene.boxes, scene.topology, here, direction)
    elif edge in scene.topology.edges and direction in ("left", "right"):
        pairs = [pair for pair in edge_pairs(scene.topology.edges[edge]) if scene.boxes.keys() >= set(pair)]
        found = pairs[0][0 if direction == "left" else 1] if pairs else ""
    else:
        found = first(scene.boxes)
    if found:
        view.select({*view.selection, found} if extend else {found})
        view.camera.reveal(scene.boxes[found].rect)


def next_edge(view: CanvasView) -> None:
    """Select the next of the edge groups at the node that was selected last, one after the other."""
    scene, chosen = view.canvas, view.chosen_nodes()
    here = next(reversed(view.order), "")
    node = chosen[-1] if chosen else view.edges_of
    touching = [edge for edge in scene.topology.edges if edge in scene.topology.touching.get(node, ())]
    if not touching:
        view.tell("Select a node that has edges; E then goes through them.")
        return
    found = touching[(touching.index(here) + 1) % len(touching)] if here in touching else touching[0]
    view.select({found})
    view.edges_of = node
    view.camera.reveal(scene.drawing_rect({found}))


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
