"""The keyboard as a pointer: walking from node to node, along edge groups, and drawing a wire without a mouse."""

from __future__ import annotations

from collections import ChainMap
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF

from designer.canvas.drawing.figures import error_port
from designer.canvas.drawing.geometry import Box
from designer.canvas.gestures.rewire import ErrorWire
from designer.canvas.gestures.tools import DrawWire
from designer.canvas.speech.walking import first, nearest, walk
from designer.canvas.verbs.placing import add_place
from designer.model.edge_kinds import kind_of
from runtime.document.definition import (
    EdgeDefinition,
    edge_pairs,
)

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


def step(view: CanvasView, direction: str, *, extend: bool = False) -> None:
    """To the next node in a direction, or with `extend` also to it; while a wire is drawn, to the next that takes it.
    From an edge group left leads to where it comes from, right to where it goes.
    """
    if isinstance(view.tool, DrawWire):
        _aim(view, view.tool, direction)
        return
    scene = view.scene()
    here = next(reversed(view.chosen_nodes()), "")
    edge = next(reversed(view.order), "")
    if here:
        found = walk(scene.boxes, scene.topology, here, direction)
    elif edge in scene.topology.edges and direction in ("left", "right"):
        pairs = [
            pair
            for pair in edge_pairs(scene.topology.edges[edge])
            if scene.boxes.keys() >= set(pair)
        ]
        found = pairs[0][0 if direction == "left" else 1] if pairs else ""
    else:
        found = first(scene.boxes)
    if found:
        view.select({*view.selection, found} if extend else {found})
        view.camera.reveal(scene.boxes[found].rect)


def next_edge(view: CanvasView) -> None:
    """Select the next of the edge groups at the node that was selected last, one after the other."""
    scene = view.scene()
    chosen = view.chosen_nodes()
    here = next(reversed(view.order), "")
    node = chosen[-1] if chosen else view.edges_of
    touching = [
        edge
        for edge in scene.topology.edges
        if edge in scene.topology.touching.get(node, ())
    ]
    if not touching:
        view.tell("Select a node that has edges; E then goes through them.")
        return
    if here in touching:
        found = touching[(touching.index(here) + 1) % len(touching)]
    else:
        found = touching[0]
    view.select({found})
    view.edges_of = node
    view.camera.reveal(scene.drawing_rect({found}))


def _aim(view: CanvasView, wire: DrawWire, direction: str) -> None:
    scene = view.scene()
    joins = _join_boxes(view, wire)
    fitting = [key for key in scene.boxes if key != wire.node and not wire.refusal(key)]
    found = nearest(
        ChainMap(joins, scene.boxes),
        wire.target or wire.join or wire.node,
        direction,
        [*fitting, *joins],
    )
    words = "No node there takes this"
    if found in joins:
        wire.at = view.pointer(joins[found].rect.center())
        wire.aim("", found)
        view.camera.reveal(joins[found].rect)
        words = (
            f"Add to the join of {view.wiring().title(_target(view, found))} with Enter"
        )
    elif found:
        wire.at = view.pointer(
            scene.boxes[found].inlet
            if wire.side == "out"
            else scene.boxes[found].outlet
        )
        wire.aim(found)
        view.camera.reveal(scene.boxes[found].rect)
        words = f"Connect to {scene.nodes[found].title} with Enter"
    view.status.emit(words)


def _join_boxes(view: CanvasView, wire: DrawWire) -> dict[str, Box]:
    """The bars of joins that would take the wire, as places to walk to."""
    if wire.side != "out" or wire.group:
        return {}
    scene = view.scene()
    found = {}
    for key, figure in scene.edges.figures.items():
        if figure.segments and not set(wire.sources) & set(figure.sources):
            found[key] = Box(key, figure.segments[0].united(figure.segments[-1]))
    return found


def _target(view: CanvasView, join: str) -> str:
    edge = view.scene().topology.edges[join]
    return kind_of(edge).hub(edge) if kind_of(edge).waits else ""


def add_node(view: CanvasView) -> None:
    """The quick add; while a wire is drawn, for the node that it leads to."""
    wire = view.tool
    if not isinstance(wire, DrawWire):
        view.quick_add()
    elif wire.group:
        view.tell(
            "One more way of an edge group leads to a node that is there: choose it with the arrow keys."
        )
    else:
        view.cancel_tool()
        view.status.emit("")
        side = "error" if isinstance(wire, ErrorWire) else wire.side
        view.adding.open(
            view.mapFromScene(add_place(view)), wire.sources, side, free=True
        )


def start_wire(view: CanvasView, node: str = "", *, on_error: bool = False) -> None:
    """From a node, or the first of the selected ones; from an edge group that is selected, as one more way of it."""
    edge = next(reversed(view.order), "")
    if not node and view.editable and edge in view.scene().topology.edges:
        chosen = view.scene().topology.edges[edge]
        _start(view, *_start_of(chosen), on_error=kind_of(chosen).carries_failures)
        return
    node = node or next(iter(view.chosen_nodes()), "")
    if not view.editable or not node:
        if view.editable:
            words = "Select the node that the wire starts at."
        else:
            words = "Go back to editing to connect nodes."
        view.tell(words)
        return
    _start(view, node, "out", on_error=on_error)


def _start_of(edge: EdgeDefinition) -> tuple[str, str, str]:
    kind = kind_of(edge)
    return kind.hub(edge), kind.hub_side, edge.id


def _start(
    view: CanvasView, node: str, side: str, group: str = "", *, on_error: bool = False
) -> None:
    view.cancel_tool()
    box = view.scene().boxes.get(node)
    if box is None:
        view.tell("This edge has a loose end: connect it in the properties first.")
        return
    at = box.outlet + QPointF(32, 0) if side == "out" else box.inlet - QPointF(32, 0)
    if on_error:
        at = error_port(box) + QPointF(32, 0)
        group = ""
    wire: DrawWire | ErrorWire
    if on_error:
        wire = ErrorWire(view, view.pointer(at), node)
    else:
        wire = DrawWire(view, view.pointer(at), node, side, group)
    view.tool = wire
    wire.started = True
    wire.floating = True
    wire.aim("")
    what = "source" if side == "in" else "target"
    new = "" if group else ", Tab for a new node"
    view.status.emit(
        f"Choose the {what} by a click or the arrow keys and Enter{new}, drop the wire with Esc"
    )
