"""Leading wires to another node: their ends leave one port and go to that of another."""

from __future__ import annotations

from collections.abc import Sequence

from designer.canvas.base import CTRL, Canvas, Gesture, Pointer, Press
from designer.canvas.gestures.wire import DrawWire
from designer.model.edits import Side
from runtime.document.definition import EdgeDefinition


class Rewire(DrawWire):
    """Moves the ends of edge groups from a port to the node where they are released.

    It is one undo step for all of them. Of the groups at the port those that are
    selected are led elsewhere, or all when none is.
    """

    def __init__(
        self,
        canvas: Canvas,
        pointer: Pointer,
        node: str,
        side: Side,
        edges: Sequence[str],
    ) -> None:
        self.port_node = node
        self.end = side
        self.edges = tuple(edges)
        topology = canvas.scene().topology
        self.groups = [topology.edges[edge] for edge in edges]
        far_ends = dict.fromkeys(
            end
            for group in self.groups
            for end in _far_ends(group, side)
            if end in canvas.scene().boxes
        )
        sources = list(far_ends)
        other_side = "out" if side == "in" else "in"
        super().__init__(canvas, pointer, sources[0], other_side, edges[0])
        self.sources = sources
        self.chosen = []

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if not press.edits or not press.modifiers & CTRL:
            return None
        node, side = press.port
        if not node:
            return None
        end: Side = "in" if side == "in" else "out"
        return cls.at_port(canvas, press.pointer, node, end)

    @classmethod
    def at_port(
        cls, canvas: Canvas, pointer: Pointer, node: str, side: Side
    ) -> Rewire | None:
        """Return the gesture for the wires of a port; None where there is no wire."""
        boxes = canvas.scene().boxes
        edges = [
            key
            for key, edge in canvas.scene().topology.edges.items()
            if node in _near_ends(edge, side)
            and not boxes.keys().isdisjoint(_far_ends(edge, side))
        ]
        chosen = [key for key in edges if key in canvas.selection]
        return cls(canvas, pointer, node, side, chosen or edges) if edges else None

    def refusal(self, other: str) -> str:
        if other == self.port_node:
            return "It leads there already"
        for group in self.groups:
            for far_end in _far_ends(group, self.end):
                reason = self._refusal_of(group, far_end, other)
                if reason:
                    return reason
        return ""

    def _refusal_of(self, group: EdgeDefinition, far_end: str, other: str) -> str:
        if self.end == "in":
            source, target = far_end, other
        else:
            source, target = other, far_end
        if group.carries_failures:
            return self.wiring.refusal_of_failure(target)
        return self.wiring.refusal(source, target, joined=group.join is not None)

    def aim(self, node: str, join: str = "") -> None:
        super().aim(node, join)
        if node == self.port_node:
            # The drag begins here, and may end here to leave all as it was.
            self.reason = ""

    def release(self) -> None:
        target = self.target
        reason = self.reason
        self.cancel()
        if reason:
            self.canvas.tell(reason)
        elif target and target != self.port_node:
            self.canvas.commands.lead(self.edges, self.end, self.port_node, target)
        elif self.started and not target:
            self.canvas.tell(
                "Release on the node that the wires should lead to. Alt+click on the port removes them."
            )


class ErrorWire(DrawWire):
    """A new edge for failures: from their port to another node, or to a new one."""

    colour = "bad"
    port = "error"

    def __init__(self, canvas: Canvas, pointer: Pointer, node: str) -> None:
        super().__init__(canvas, pointer, node, "out", "")
        self.sources = [node]
        self.chosen = []

    def refusal(self, other: str) -> str:
        return self.wiring.refusal_of_failure(other)

    def aim(self, node: str, join: str = "") -> None:
        # Never at a join, because a join waits for messages.
        super().aim(node)

    def _connect(self, others: Sequence[str]) -> None:
        self.canvas.commands.connect_on_error(self.node, others[0])


def _near_ends(edge: EdgeDefinition, side: Side) -> tuple[str, ...]:
    return edge.target_ids if side == "in" else edge.source_ids


def _far_ends(edge: EdgeDefinition, side: Side) -> tuple[str, ...]:
    """Return the ends of an edge group that stay where they are."""
    return edge.source_ids if side == "in" else edge.target_ids
