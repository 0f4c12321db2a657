"""The gestures, one class each. A tool lives from a press to a release; Esc ends it and leaves everything as it was.

Tools draw over the canvas while they live, and change the document only at their end, through the same commands as the
keyboard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath

from designer.canvas.drawing import routes
from designer.canvas.drawing.figures import error_port
from designer.canvas.drawing.geometry import SNAP, Box, on_grid
from designer.canvas.drawing.style import COMPACT, elided, fonts, rounded, text_width
from designer.canvas.gestures.splice import is_loose
from designer.canvas.speech.walking import neighbours

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene
    from designer.canvas.view import CanvasView
    from designer.model.design import Position

THRESHOLD = 4  # px on the screen before a press is a drag
# nodes from which a group is drawn as it is while it is dragged, and led round others when it is let go
CARRIED = 20
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where the mouse is, in scene pixels and on the viewport, with the modifiers of its own event."""

    scene: QPointF
    view: QPoint
    modifiers: Qt.KeyboardModifier


class Tool:
    """One gesture. `started` is true once the pointer has moved far enough to mean it."""

    cursor = Qt.CursorShape.ArrowCursor

    def __init__(self, view: CanvasView, at: Pointer) -> None:
        self.view = view
        self.scene = view.scene()
        self.began = self.at = at
        self.started = False
        # Begun by a key or a menu: it follows the mouse without a button, and a click ends it.
        self.floating = False

    def move(self, at: Pointer) -> None:
        self.at = at
        if not self.started:
            self.started = (at.view - self.began.view).manhattanLength() >= THRESHOLD
        if self.started:
            self.drag()

    def drag(self) -> None:
        """The pointer moved, and this is a drag."""

    def release(self) -> None:
        """The gesture is complete: do it."""

    def cancel(self) -> None:
        """Esc, or the window lost the mouse: as if nothing had been."""

    def paint(self, painter: QPainter, zoom: float) -> None:
        """Over the canvas, in scene pixels."""


class Pan(Tool):
    cursor = Qt.CursorShape.ClosedHandCursor

    def move(self, at: Pointer) -> None:
        step = at.view - self.at.view
        self.started = self.started or not step.isNull()
        self.at = at
        self.view.scroll_by(-step)


class RubberBand(Tool):
    """Selects what it touches; Shift adds, Ctrl removes. A click on nothing selects nothing."""

    def __init__(self, view: CanvasView, at: Pointer) -> None:
        super().__init__(view, at)
        self.before = self.scene.selection
        self.band = QRectF()

    def drag(self) -> None:
        self.scene.update(self.band.adjusted(-2, -2, 2, 2))
        self.band = QRectF(self.began.scene, self.at.scene).normalized()
        self.scene.update(self.band.adjusted(-2, -2, 2, 2))
        self.view.select(self._selection())

    def _selection(self) -> frozenset[str]:
        inside = self.scene.inside(self.band)
        if self.at.modifiers & CTRL:
            return self.before - inside
        return self.before | inside if self.at.modifiers & SHIFT else inside

    def release(self) -> None:
        if not self.started and not self.at.modifiers & (SHIFT | CTRL):
            self.view.select(frozenset())
        self._clear()

    def cancel(self) -> None:
        self.view.select(self.before)
        self._clear()

    def _clear(self) -> None:
        self.scene.update(self.band.adjusted(-2, -2, 2, 2))
        self.band = QRectF()

    def paint(self, painter: QPainter, zoom: float) -> None:
        if self.band.isEmpty():
            return
        style = self.scene.style_
        pen = style.pen("accent", 1)
        pen.setCosmetic(True)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(self.band)


class MoveSelected(Tool):
    """The press selects a thing, and the drag moves all that is selected; one undo step at release. With Alt held at
    the start, copies of it.
    """

    cursor = Qt.CursorShape.SizeAllCursor

    def __init__(self, view: CanvasView, at: Pointer, key: str) -> None:
        super().__init__(view, at)
        self.key = key
        self.was_selected = key in self.scene.selection
        if at.modifiers & (SHIFT | CTRL):
            view.select(self.scene.selection ^ {key})
        elif not self.was_selected:
            view.select(frozenset({key}))
        self.copying = bool(at.modifiers & ALT)
        self.shift = QPointF()

    def places_now(self) -> list[QRectF]:
        """Where that which moves stands in the design."""
        raise NotImplementedError

    def release(self) -> None:
        """A click on one of several that were selected: it alone stays so."""
        if (
            self.was_selected
            and not self.started
            and not self.began.modifiers & (SHIFT | CTRL)
        ):
            self.view.select(frozenset({self.key}))

    def paint(self, painter: QPainter, zoom: float) -> None:
        """The outlines of the copies."""
        if not self.copying or self.shift.isNull():
            return
        painter.setPen(self.scene.style_.pen("accent", 1.5, "5 3"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for rect in self.places_now():
            painter.drawPath(
                rounded(rect.width(), rect.height(), 8).translated(
                    rect.topLeft() + self.shift
                )
            )


class MoveNodes(MoveSelected):
    """Drags nodes. One that has no wires goes into a wire that it is let go on."""

    def __init__(self, view: CanvasView, at: Pointer, node: str) -> None:
        super().__init__(view, at, node)
        boxes = self.scene.boxes
        self.places = {
            key: (boxes[key].rect.x(), boxes[key].rect.y())
            for key in self.scene.selection
            if key in boxes
        }
        self.group = frozenset(self.places)
        before, after = neighbours(self.scene.topology, node)
        self.fixed = [
            key for key in (before | after) & boxes.keys() if key not in self.places
        ]
        loose = (
            len(self.places) == 1
            and node in self.places
            and not self.copying
            and is_loose(view, node)
        )
        self.fits = view.splicing.fits_node(node) if loose else None

    def drag(self) -> None:
        if not self.places or self.key not in self.places:
            return
        old = self.shift
        self.shift = self._snapped(self.at.scene - self.began.scene)
        self._look_for_wire()
        if self.shift == old:
            return
        if self.copying:
            self.scene.update()
        elif len(self.group) > CARRIED or self.view.zoom <= COMPACT:
            self.scene.carry(self.group, self.shift)
        else:
            self.scene.preview(self.moved())

    def _look_for_wire(self) -> None:
        """A node without wires goes into one that it is let go on, unless Alt is held."""
        if self.fits is None:
            return
        if self.at.modifiers & ALT:
            self.view.splicing.clear()
        else:
            x, y = self.moved()[self.key]
            self.view.splicing.over(
                QRectF(QPointF(x, y), self.scene.boxes[self.key].rect.size()), self.fits
            )

    def _snapped(self, shift: QPointF) -> QPointF:
        """In steps of 8 from where the node was, so that what was in line stays in line; and level with a neighbour
        when that is near, so that the wire between them is straight.
        """
        if not self.view.snap:
            return QPointF(round(shift.x()), round(shift.y()))
        step = QPointF(*on_grid(shift.x(), shift.y()))
        level = (
            self.places[self.key][1]
            + self.scene.boxes[self.key].rect.height() / 2
            + step.y()
        )
        gaps = [self.scene.boxes[other].inlet.y() - level for other in self.fixed]
        near = min(gaps, key=abs, default=SNAP)
        return step + QPointF(0, near if abs(near) <= SNAP / 2 else 0)

    def moved(self) -> dict[str, Position]:
        return {
            key: (x + self.shift.x(), y + self.shift.y())
            for key, (x, y) in self.places.items()
        }

    def release(self) -> None:
        if not self.started or self.shift.isNull():
            self.view.splicing.clear()
            self.scene.end_preview()
            super().release()
        elif self.copying:
            self.view.commands.duplicate(self.shift.x(), self.shift.y())
        elif (spot := self.view.splicing.take()) and not self.at.modifiers & ALT:
            self.view.commands.splice(self.key, spot, self.moved())
        else:
            self.view.commands.move(self.moved())

    def cancel(self) -> None:
        self.view.splicing.clear()
        self.scene.end_preview()
        self.scene.update()

    def places_now(self) -> list[QRectF]:
        return [self.scene.boxes[key].rect for key in self.places]


class DrawWire(Tool):
    """From a port to another node, to a join bar, or to empty canvas, where the quick add opens.

    Ports that fit get a ring; over one that does not, the reason stands at the pointer. When several nodes are selected
    and the wire starts at one of them, all of them are joined; when it ends at one of them, it leads to all of them.
    With `group` it is one more way of that edge group. The keyboard drives the same tool: `aim` at a node.
    """

    cursor = Qt.CursorShape.CrossCursor

    def __init__(
        self, view: CanvasView, at: Pointer, node: str, side: str, group: str = ""
    ) -> None:
        super().__init__(view, at)
        self.node = node
        self.side = side
        self.group = group
        self.chosen = [key for key in view.order if key in self.scene.boxes]
        several = (
            side == "out" and not group and len(self.chosen) > 1 and node in self.chosen
        )
        self.sources = self.chosen if several else [node]
        self.wiring = view.wiring()
        self.target = ""
        # with the others that are selected when it is one of them
        self.targets: list[str] = []
        self.join = ""
        self.reason = ""
        self._painted = QRectF()
        self._mark_ports()

    def refusal(self, other: str) -> str:
        joined = len(self.sources) > 1
        if self.side == "in":
            return self.wiring.refusal(
                other, self.node, joined=bool(self.group) or len(self.chosen) > 1
            )
        if joined and other in self.sources:
            return f"{self.wiring.title(other)} is one of the sources"
        reasons = (
            self.wiring.refusal(source, other, joined=joined) for source in self.sources
        )
        return next((reason for reason in reasons if reason), "")

    def _mark_ports(self) -> None:
        for key, item in self.scene.nodes.items():
            if self.side == "out" and key != self.node and not self.refusal(key):
                item.port = "accept"
            else:
                item.port = ""
            if self.side == "in" and key != self.node and not self.refusal(key):
                item.port = "out"
            item.update()
        if self.side == "out":
            for source in self.sources:
                self.scene.nodes[source].port = "out"

    def drag(self) -> None:
        self.aim(
            self.scene.node_at(self.at.scene, 10),
            self.scene.edges.join_at(self.at.scene),
        )

    def aim(self, node: str, join: str = "") -> None:
        """What the wire would end at."""
        if self.join != join:
            self.scene.edges.repaint([self.join, join])
        self.join = self.scene.edges.accepting = (
            join if self.side == "out" and not node else ""
        )
        if node == self.node and not self._loops_back():
            node = ""
        for old in self.targets:
            self._light(old, on=False)
        self.target, self.targets = node, self._meant(node)
        self.reason = next(
            (reason for one in self.targets if (reason := self.refusal(one))), ""
        )
        for new in self.targets:
            self._light(new, on=True)
        self._repaint()

    def _meant(self, node: str) -> list[str]:
        """A node, with all that are selected when it is among them and the wire does not start there."""
        if not node:
            return []
        if node in self.chosen and self.node not in self.chosen:
            return self.chosen
        return [node]

    def _loops_back(self) -> bool:
        """On its own node only the other port means a self-loop."""
        box = self.scene.boxes[self.node]
        port = box.inlet if self.side == "out" else box.outlet
        away = port - self.at.scene
        return self.started and abs(away.x()) + abs(away.y()) < 16

    def _light(self, node: str, *, on: bool) -> None:
        item = self.scene.nodes.get(node)
        if item is not None and self.side == "out" and not self.refusal(node):
            item.port = "in" if on else "accept"
            item.update()

    def release(self) -> None:
        aimed = self.targets
        join = self.join
        reason = self.reason
        self.cancel()
        if reason:
            self.view.tell(reason)
        elif join:
            self.view.commands.join_to(join, self.sources)
        elif aimed:
            self._connect(aimed)
        elif self.started:
            self.view.adding.open(self.at.view, self.sources, self.side)

    def _connect(self, others: Sequence[str]) -> None:
        if self.group:
            self.view.commands.add_ways(self.group, others)
        elif self.side == "in":
            self.view.commands.connect(others, self.node)
        elif len(others) > 1:
            self.view.commands.connect_all(self.node, others)
        else:
            self.view.commands.connect(self.sources, others[0])

    def cancel(self) -> None:
        for item in self.scene.nodes.values():
            if item.port:
                item.port = ""
                item.update()
        self.scene.edges.accepting = ""
        self.scene.edges.repaint([self.join])
        self.target = self.join = self.reason = ""
        self.targets = []
        self.scene.update(self._painted)

    # --- painting -----------------------------------------------------------------------------------------------

    def ends(self) -> list[QPointF]:
        boxes = [
            self.scene.boxes[target]
            for target in self.targets
            if target in self.scene.boxes
        ]
        if boxes and not self.reason:
            return [box.inlet if self.side == "out" else box.outlet for box in boxes]
        if self.join:
            return [self.scene.edges.figures[self.join].segments[0].center()]
        return [self.at.scene]

    def _repaint(self) -> None:
        self.scene.update(self._painted)
        # A rectangle without any size would not count when rectangles are united.
        area = QRectF(self.at.scene, self.at.scene).adjusted(-1, -1, 1, 1)
        for end in self.ends():
            area = area.united(
                QRectF(end, self.at.scene).normalized().adjusted(-1, -1, 1, 1)
            )
        for source in self.sources:
            area = area.united(self.scene.boxes[source].rect)
        # its words stand where there is room for them, at their size on the screen
        if self.reason:
            area = area.united(
                self.view.mapToScene(self.view.viewport().rect()).boundingRect()
            )
        self._painted = area.adjusted(-80, -80, 80, 80)
        self.scene.update(self._painted)

    def paint(self, painter: QPainter, zoom: float) -> None:
        if not self.started:
            return
        for end in self.ends():
            paint_loose(
                painter,
                self.scene,
                self.sources,
                self.side,
                end,
                "bad" if self.reason else "accent",
            )
        if self.reason:
            paint_reason(painter, self)


def _port(box: Box, side: str) -> QPointF:
    match side:
        case "in":
            return box.inlet
        case "error":
            return error_port(box)
    return box.outlet


def _loose(start: QPointF, end: QPointF) -> QPainterPath:
    if end.x() - start.x() > 8:
        return routes.forward(start, end)
    return routes.between(start, end, (start.y() + end.y()) / 2)


def paint_loose(
    painter: QPainter,
    scene: CanvasScene,
    nodes: Sequence[str],
    side: str,
    end: QPointF,
    role: str = "accent",
) -> None:
    """Wires whose other end is nowhere yet: dashed, with a dot at both ends. `role` is their colour."""
    style = scene.style_
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=True)
    boxes = [scene.boxes[node] for node in nodes if node in scene.boxes]
    starts = [_port(box, side) for box in boxes]
    painter.setPen(style.pen(role, 1.75, "6 3"))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for start in starts:
        painter.drawPath(_loose(end, start) if side == "in" else _loose(start, end))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.brush(role))
    for point in (*starts, end):
        painter.drawEllipse(point, 4.5, 4.5)


def paint_reason(painter: QPainter, tool: DrawWire) -> None:
    """At the pointer, inside of the view, as large at every zoom."""
    style = tool.scene.style_
    view = tool.view
    at = painter.worldTransform().map(tool.at.scene)
    text = elided(tool.reason, "tag", min(view.width() - 32, 560), middle=False)
    width = round(text_width(text, "tag")) + 16
    x = min(at.x() + 14, view.width() - width - 8)
    y = min(at.y() + 18, view.height() - 30)
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


def tool_for(view: CanvasView, at: Pointer) -> Tool:
    """What a press of the left button begins here. Read-only canvases select, pan and nothing else."""
    # They are tools, and build on these.
    from designer.canvas.gestures.dots import dot_tool
    from designer.canvas.gestures.frames import MoveFrames, frame_tool
    from designer.canvas.gestures.rewire import lead_elsewhere

    scene = view.scene()
    node, side = (
        scene.port_at(at.scene) if view.editable or at.modifiers & ALT else ("", "")
    )
    if node and at.modifiers & ALT:
        return Disconnect(view, at, node, side)
    if (
        node
        and at.modifiers & CTRL
        and (leading := lead_elsewhere(view, at, node, side))
    ):
        return leading
    if node:
        return DrawWire(view, at, node, side)
    node = scene.node_at(at.scene)
    if node and view.editable:
        framed = node in scene.selection and not scene.selection.isdisjoint(
            scene.backdrop.frames
        )
        return MoveFrames(view, at, node) if framed else MoveNodes(view, at, node)
    dotting = None if node else dot_tool(view, at)
    if dotting is not None:
        return dotting
    edge = "" if node else scene.edges.edge_at(at.scene, view.reach)
    if node or edge:
        return Pick(view, at, node or edge)
    frame = scene.backdrop.at(at.scene, view.zoom)
    if frame:
        return frame_tool(view, at, frame) if view.editable else Pick(view, at, frame)
    return RubberBand(view, at)


class Disconnect(Tool):
    """Frees a port of its wires, when the press with Alt was a click."""

    def __init__(self, view: CanvasView, at: Pointer, node: str, side: str) -> None:
        super().__init__(view, at)
        self.node = node
        self.side = side

    def release(self) -> None:
        if not self.started:
            self.view.commands.disconnect(self.node, self.side)


class Pick(Tool):
    """A click on an edge group, or on anything when the canvas is only looked at, where a drag is refused."""

    def __init__(self, view: CanvasView, at: Pointer, key: str) -> None:
        super().__init__(view, at)
        if at.modifiers & (SHIFT | CTRL):
            view.select(self.scene.selection ^ {key})
        else:
            view.select(frozenset({key}))
        self.refused = False

    def drag(self) -> None:
        self.refused = self.refused or self.view.refuse_edit()
