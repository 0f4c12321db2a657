"""Wires led to another node: their ends are taken off a port and let go on the port of another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter

from designer.canvas.gestures.tools import DrawWire, Pointer, paint_loose, paint_reason
from designer.model.edge_kinds import kind_of
from designer.model.edits import Side, ends
from runtime.document.definition import (
    EdgeDefinition,
)

if TYPE_CHECKING:
    from designer.canvas.view import CanvasView


class LeadElsewhere(DrawWire):
    """Moves the ends of edge groups from a port to the node where they are let go, as one undo step."""

    def __init__(
        self, view: CanvasView, at: Pointer, node: str, side: Side, edges: Sequence[str]
    ) -> None:
        self.port = node
        self.end = side
        self.edges = tuple(edges)
        self.groups = [view.scene().topology.edges[edge] for edge in edges]
        far = list(
            dict.fromkeys(
                one
                for group in self.groups
                for one in _far(group, side)
                if one in view.scene().boxes
            )
        )
        super().__init__(view, at, far[0], "out" if side == "in" else "in", edges[0])
        self.sources = far
        self.chosen = []

    def refusal(self, other: str) -> str:
        if other == self.port:
            return "It leads there already"
        reasons = (
            self._why_not(one, other, group)
            for group in self.groups
            for one in _far(group, self.end)
        )
        return next((reason for reason in reasons if reason), "")

    def _why_not(self, far: str, other: str, group: EdgeDefinition) -> str:
        source, target = (far, other) if self.end == "in" else (other, far)
        kind = kind_of(group)
        if kind.carries_failures:
            return self.wiring.refusal_of_failure(target)
        return self.wiring.refusal(source, target, joined=kind.waits)

    def aim(self, node: str, join: str = "") -> None:
        super().aim(node, join)
        # where the drag begins, and a way to let all be as it was
        if node == self.port:
            self.reason = ""

    def release(self) -> None:
        aimed = self.target
        reason = self.reason
        self.cancel()
        if reason:
            self.view.tell(reason)
        elif aimed and aimed != self.port:
            self.view.commands.lead(self.edges, self.end, self.port, aimed)
        elif self.started and not aimed:
            self.view.tell(
                "Let go on the node that the wires shall lead to. Alt+click on the port takes them away."
            )


class ErrorWire(DrawWire):
    """A new error edge: from the port of a node's failures to another node, or to a new one."""

    def __init__(self, view: CanvasView, at: Pointer, node: str) -> None:
        super().__init__(view, at, node, "out", "")
        self.sources = [node]
        self.chosen = []

    def refusal(self, other: str) -> str:
        return self.wiring.refusal_of_failure(other)

    def aim(self, node: str, join: str = "") -> None:
        super().aim(node)  # a join waits for messages

    def release(self) -> None:
        aimed = self.target
        reason = self.reason
        self.cancel()
        if reason:
            self.view.tell(reason)
        elif aimed:
            self.view.commands.connect_on_error(self.node, aimed)
        elif self.started:
            self.view.adding.open(self.at.view, [self.node], "error")

    def paint(self, painter: QPainter, zoom: float) -> None:
        for end in self.ends():
            paint_loose(painter, self.scene, [self.node], "error", end, "bad")
        if self.reason:
            paint_reason(painter, self)


def _far(edge: EdgeDefinition, side: Side) -> tuple[str, ...]:
    """The other ends."""
    return ends.sources(edge) if side == "in" else ends.targets(edge)


def lead_elsewhere(
    view: CanvasView, at: Pointer, node: str, port: str
) -> LeadElsewhere | None:
    """The gesture for the wires at a port: of the edge groups that are selected, if some of them are there, else of
    all. None where no wire is.
    """
    side: Side = "in" if port == "in" else "out"
    side_of = ends.targets if side == "in" else ends.sources
    there = [
        key
        for key, edge in view.scene().topology.edges.items()
        if node in side_of(edge)
    ]
    there = [
        key
        for key in there
        if not set(_far(view.scene().topology.edges[key], side)).isdisjoint(
            view.scene().boxes
        )
    ]
    chosen = [key for key in there if key in view.selection]
    return LeadElsewhere(view, at, node, side, chosen or there) if there else None


def lead_selected(view: CanvasView) -> None:
    """By keys: the end of the selected edge group that is one node, of a plain edge its target."""
    edge = view.scene().topology.edges.get(next(reversed(view.order), ""))
    if view.refuse_edit():
        return
    if edge is None:
        view.tell(
            "Select the wire first that shall lead to another node: a click on it, or E from its node."
        )
        return
    side = kind_of(edge).movable_side
    (node,) = ends.targets(edge) if side == "in" else ends.sources(edge)
    box = view.scene().boxes.get(node)
    view.cancel_tool()
    wire = None
    if box is not None:
        wire = lead_elsewhere(
            view, view.pointer(box.inlet if side == "in" else box.outlet), node, side
        )
    if wire is None:
        view.tell("This edge has a loose end: connect it in the properties first.")
        return
    view.tool = wire
    wire.started = True
    wire.floating = True
    wire.aim("")
    what = "target" if side == "in" else "source"
    view.status.emit(
        f"Choose the new {what} with the arrow keys, lead it there with Enter, leave it with Esc"
    )
