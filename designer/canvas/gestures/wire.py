"""Drawing wires from a port, by mouse or by keyboard, and freeing a port of its wires."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter

from designer.canvas.base import ALT, Canvas, Gesture, Pointer, Press
from designer.canvas.drawing.geometry import Box
from designer.canvas.drawing.loose_wires import paint_loose_wires
from designer.canvas.drawing.style import Style, elided, fonts, text_width
from designer.canvas.speech.graph_walk import nearest
from designer.model.edge_kinds import kind_of

AROUND = 10  # scene pixels around a node within which a wire ends at it
OTHER_PORT = 16  # scene pixels around the other port of a node that mean a self-loop
REASON_WIDTH = 560  # px on the screen


class DrawWire(Gesture):
    """A wire from a port to another node, to a join bar, or to empty canvas, where the
    quick add opens.

    Ports that fit get a ring; over one that does not, the reason is shown at the
    pointer. When several nodes are selected and the wire starts at one of them, all of
    them are connected; when it ends at one of them, it leads to all of them. With
    `group` it becomes one more end of that edge group. The keyboard leads the same
    wire: arrows `aim` it at a node.
    """

    cursor = Qt.CursorShape.CrossCursor
    colour = "accent"

    def __init__(
        self, canvas: Canvas, pointer: Pointer, node: str, side: str, group: str = ""
    ) -> None:
        super().__init__(canvas, pointer)
        self.node = node
        self.side = side
        self.group = group
        self.chosen = [key for key in canvas.order if key in self.scene.boxes]
        self.sources = [node]
        if side == "out" and not group and node in self.chosen:
            self.sources = self.chosen
        self.wiring = canvas.wiring()
        # the node it is aimed at, and with it those that are selected too
        self.target = ""
        self.targets: list[str] = []
        self.join = ""
        self.reason = ""
        self._painted = QRectF()
        self._mark_ports()

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        node, side = press.port if press.edits else ("", "")
        return cls(canvas, press.pointer, node, side) if node else None

    # --- what it may lead to

    def refusal(self, other: str) -> str:
        """Return why the wire may not lead to a node; "" when it may."""
        several = len(self.sources) > 1
        if self.side == "in":
            joined = bool(self.group) or len(self.chosen) > 1
            return self.wiring.refusal(other, self.node, joined=joined)
        if several and other in self.sources:
            return f"{self.wiring.title(other)} is one of the sources"
        for source in self.sources:
            reason = self.wiring.refusal(source, other, joined=several)
            if reason:
                return reason
        return ""

    def _mark_ports(self) -> None:
        """Ring the ports that the wire fits."""
        ring = "accept" if self.side == "out" else "out"
        for key, item in self.scene.nodes.items():
            fits = key != self.node and not self.refusal(key)
            item.port = ring if fits else ""
            item.update()
        if self.side == "out":
            for source in self.sources:
                self.scene.nodes[source].port = "out"

    # --- aiming

    def drag(self) -> None:
        node = self.scene.node_at(self.pointer.scene, AROUND)
        join = self.scene.edges.join_at(self.pointer.scene)
        self.aim(node, join)

    def aim(self, node: str, join: str = "") -> None:
        """Show that the wire would end at a node, or else at the bar of a join."""
        if self.join != join:
            self.scene.edges.repaint([self.join, join])
        takes_join = self.side == "out" and not node
        self.join = join if takes_join else ""
        self.scene.edges.accepting = self.join
        if node == self.node and not self._loops_back():
            node = ""
        for target in self.targets:
            self._light(target, on=False)
        self.target = node
        self.targets = self._meant(node)
        reasons = (self.refusal(target) for target in self.targets)
        self.reason = next(filter(None, reasons), "")
        for target in self.targets:
            self._light(target, on=True)
        self._repaint()

    def _meant(self, node: str) -> list[str]:
        """Return a node, with all selected ones when it is among them.

        Not when the wire starts at one of those, because it would lead back to it.
        """
        if not node:
            return []
        if node in self.chosen and self.node not in self.chosen:
            return self.chosen
        return [node]

    def _loops_back(self) -> bool:
        """Return whether the other port of its own node is meant: a self-loop."""
        box = self.scene.boxes[self.node]
        port = box.inlet if self.side == "out" else box.outlet
        away = port - self.pointer.scene
        return self.started and away.manhattanLength() < OTHER_PORT

    def _light(self, node: str, *, on: bool) -> None:
        item = self.scene.nodes.get(node)
        if item is not None and self.side == "out" and not self.refusal(node):
            item.port = "in" if on else "accept"
            item.update()

    # --- by keys

    def press_arrow(self, direction: str) -> bool:
        """Aim at the next node or join in a direction that takes the wire."""
        boxes = self.scene.boxes
        joins = self._join_boxes()
        fitting = [
            node for node in boxes if node != self.node and not self.refusal(node)
        ]
        places = ChainMap(joins, boxes)
        start = self.target or self.join or self.node
        target = nearest(places, start, direction, [*fitting, *joins])
        if not target:
            self.canvas.status.emit("No node in that direction takes this")
            return True
        box = places[target]
        if target in joins:
            point = box.rect.center()
            edge = self.scene.topology.edges[target]
            node = kind_of(edge).hub(edge)
            words = f"Add to the join of {self.wiring.title(node)} with Enter"
        else:
            point = box.inlet if self.side == "out" else box.outlet
            words = f"Connect to {self.scene.nodes[target].title} with Enter"
        self.pointer = Pointer(point, self.canvas.mapFromScene(point))
        if target in joins:
            self.aim("", target)
        else:
            self.aim(target)
        self.canvas.camera.reveal(box.rect)
        self.canvas.status.emit(words)
        return True

    def _join_boxes(self) -> dict[str, Box]:
        """Return the bars of joins that would take the wire, as places to walk to."""
        if self.side != "out" or self.group:
            return {}
        bars: dict[str, Box] = {}
        for key, figure in self.scene.edges.figures.items():
            if figure.segments and set(self.sources).isdisjoint(figure.sources):
                bars[key] = Box(key, figure.segments[0].united(figure.segments[-1]))
        return bars

    def press_enter(self) -> bool:
        """Connect what the wire is aimed at, or drop the wire."""
        self.canvas.end_gesture()
        if self.target or self.join:
            self.release()
        else:
            self.cancel()
        return True

    def press_tab(self) -> bool:
        """Ask for a new node that the wire leads to."""
        if self.group:
            self.canvas.tell(
                "A new end of an edge group must be an existing node: choose it with the arrow keys."
            )
            return True
        self.canvas.cancel_gesture()
        self.canvas.status.emit("")
        self.canvas.quick_add(None, self.sources, self.port)
        return True

    @property
    def port(self) -> str:
        """Which port the wire leaves: "in", "out" or "error"."""
        return self.side

    # --- at the end

    def release(self) -> None:
        targets = self.targets
        join = self.join
        reason = self.reason
        self.cancel()
        if reason:
            self.canvas.tell(reason)
        elif join:
            self.canvas.commands.join_to(join, self.sources)
        elif targets:
            self._connect(targets)
        elif self.started:
            self.canvas.quick_add(self.pointer.view, self.sources, self.port)

    def _connect(self, others: Sequence[str]) -> None:
        commands = self.canvas.commands
        if self.group:
            commands.add_ways(self.group, others)
        elif self.side == "in":
            commands.connect(others, self.node)
        elif len(others) > 1:
            commands.connect_all(self.node, others)
        else:
            commands.connect(self.sources, others[0])

    def cancel(self) -> None:
        for item in self.scene.nodes.values():
            if item.port:
                item.port = ""
                item.update()
        self.scene.edges.accepting = ""
        self.scene.edges.repaint([self.join])
        self.target = ""
        self.targets = []
        self.join = ""
        self.reason = ""
        self.scene.update(self._painted)

    # --- painting

    def ends(self) -> list[QPointF]:
        """Return where the free ends of the wire are drawn."""
        known = [node for node in self.targets if node in self.scene.boxes]
        if known and not self.reason:
            boxes = [self.scene.boxes[node] for node in known]
            return [box.inlet if self.side == "out" else box.outlet for box in boxes]
        if self.join:
            return [self.scene.edges.figures[self.join].segments[0].center()]
        return [self.pointer.scene]

    def _repaint(self) -> None:
        """Update where the wire was painted and where it is now."""
        self.scene.update(self._painted)
        # An empty rectangle does not count when rectangles are united.
        area = QRectF(self.pointer.scene, self.pointer.scene).adjusted(-1, -1, 1, 1)
        for end in self.ends():
            span = QRectF(end, self.pointer.scene).normalized()
            area = area.united(span.adjusted(-1, -1, 1, 1))
        for source in self.sources:
            area = area.united(self.scene.boxes[source].rect)
        if self.reason:
            # Its words move to where there is room for them, at their size on the
            # screen.
            area = area.united(self.canvas.camera.seen())
        self._painted = area.adjusted(-80, -80, 80, 80)
        self.scene.update(self._painted)

    def paint(self, painter: QPainter, zoom: float) -> None:
        if not self.started:
            return
        role = "bad" if self.reason else self.colour
        for end in self.ends():
            paint_loose_wires(painter, self.scene, self.sources, self.port, end, role)
        if self.reason:
            point = painter.worldTransform().map(self.pointer.scene)
            room = self.canvas.widget.rect()
            _paint_reason(painter, self.scene.style_, self.reason, point, room)


def _paint_reason(
    painter: QPainter, style: Style, words: str, point: QPointF, room: QRect
) -> None:
    """Paint why the wire may not end here, as large at every zoom: beside a point of
    the screen, and inside of a rectangle of it.
    """
    text = elided(words, "tag", min(room.width() - 32, REASON_WIDTH), middle=False)
    width = round(text_width(text, "tag")) + 16
    x = min(point.x() + 14, room.width() - width - 8)
    y = min(point.y() + 18, room.height() - 30)
    rect = QRectF(round(x), round(y), width, 22)
    painter.save()
    painter.resetTransform()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    painter.setPen(style.pen("bad", 1))
    painter.setBrush(style.brush("badSoft"))
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setPen(style.colour("bad"))
    painter.setFont(fonts().tag)
    painter.drawText(QPointF(rect.left() + 8, rect.center().y() + 4), text)
    painter.restore()


class Disconnect(Gesture):
    """Frees a port of its wires, by a click with Alt. A drag does nothing."""

    def __init__(self, canvas: Canvas, pointer: Pointer, node: str, side: str) -> None:
        super().__init__(canvas, pointer)
        self.node = node
        self.side = side

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if not press.is_left or not press.modifiers & ALT:
            return None
        node, side = press.port
        return cls(canvas, press.pointer, node, side) if node else None

    def release(self) -> None:
        if not self.started:
            self.canvas.commands.disconnect(self.node, self.side)
