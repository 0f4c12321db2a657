"""Wires that begin with a key or a menu: arrows choose the target, Enter connects."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from designer.canvas.base import Canvas, Pointer
from designer.canvas.drawing.figures import error_port
from designer.canvas.drawing.geometry import Box
from designer.canvas.gestures.rewire import ErrorWire, Rewire
from designer.canvas.gestures.wire import DrawWire
from designer.model.edge_kinds import kind_of
from designer.model.edits import Side

BESIDE = QPointF(32, 0)  # from the port to where the wire ends before it is aimed
LOOSE_END = "This edge has a loose end: connect it in the properties first."


def start_wire(canvas: Canvas, node: str = "", *, on_error: bool = False) -> None:
    """Begin a wire at a node, or at what is selected.

    From a selected edge group it is one more end of the group; otherwise it begins at
    the first of the selected nodes. With `on_error` it is for the node's failures.
    """
    edges = canvas.scene().topology.edges
    selected = next(reversed(canvas.order), "")
    if not node and canvas.editable and selected in edges:
        edge = edges[selected]
        kind = kind_of(edge)
        if edge.carries_failures:
            _start_at(canvas, kind.hub(edge), "error")
        else:
            _start_at(canvas, kind.hub(edge), kind.hub_side, edge.id)
        return
    node = node or next(iter(canvas.chosen_nodes()), "")
    if not canvas.editable:
        canvas.tell("Go back to editing to connect nodes.")
    elif not node:
        canvas.tell("Select the node that the wire starts at.")
    else:
        _start_at(canvas, node, "error" if on_error else "out")


def _start_at(canvas: Canvas, node: str, port: str, group: str = "") -> None:
    canvas.cancel_gesture()
    box = canvas.scene().boxes.get(node)
    if box is None:
        canvas.tell(LOOSE_END)
        return
    wire: DrawWire
    if port == "error":
        wire = ErrorWire(canvas, _pointer(canvas, error_port(box) + BESIDE), node)
    else:
        place = box.inlet - BESIDE if port == "in" else box.outlet + BESIDE
        wire = DrawWire(canvas, _pointer(canvas, place), node, port, group)
    _follow_keys(canvas, wire)
    end = "source" if port == "in" else "target"
    or_new = "" if group else ", Tab for a new node"
    canvas.status.emit(
        f"Choose the {end} by a click or the arrow keys and Enter{or_new}; Esc drops the wire"
    )


def start_rewire(canvas: Canvas) -> None:
    """Begin to lead the selected edge group to another node.

    It is the end that is one node; of an edge with one node at both ends, its target.
    """
    if canvas.refuse_edit():
        return
    edge = canvas.scene().topology.edges.get(next(reversed(canvas.order), ""))
    if edge is None:
        canvas.tell(
            "Select the wire to lead to another node first: a click on it, or E from its node."
        )
        return
    side = kind_of(edge).movable_side
    (node,) = edge.target_ids if side == "in" else edge.source_ids
    canvas.cancel_gesture()
    box = canvas.scene().boxes.get(node)
    wire: Rewire | None = None
    if box is not None:
        wire = Rewire.at_port(canvas, _pointer(canvas, _port(box, side)), node, side)
    if wire is None:
        canvas.tell(LOOSE_END)
        return
    _follow_keys(canvas, wire)
    end = "target" if side == "in" else "source"
    canvas.status.emit(
        f"Choose the new {end} with the arrow keys; Enter leads it there, Esc cancels"
    )


def _port(box: Box, side: Side) -> QPointF:
    return box.inlet if side == "in" else box.outlet


def _follow_keys(canvas: Canvas, wire: DrawWire) -> None:
    """Make a wire the gesture of the canvas that keys and the mouse lead."""
    canvas.begin(wire)
    wire.aim("")


def _pointer(canvas: Canvas, place: QPointF) -> Pointer:
    return Pointer(place, canvas.mapFromScene(place))
