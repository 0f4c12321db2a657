"""The canvas: a view on one document and one session. It draws what they say, and turns gestures into edits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Protocol

from pydantic import ValidationError
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QRect, QRectF, Qt, Signal, SignalInstance
from PySide6.QtGui import (
    QContextMenuEvent,
    QCursor,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsView, QToolTip, QWidget

from designer.canvas.arranging import Arranger, sizes
from designer.canvas.camera import Camera
from designer.canvas.chrome import MARGIN, EmptyHint, Legend, Toast, ZoomBar
from designer.canvas.clock import GLIDE_MS, PULSE_MS, Clock
from designer.canvas.commands import Commands
from designer.canvas.describe import describe
from designer.canvas.far import FarPainter
from designer.canvas.keys import press_key
from designer.canvas.marks import paint_marks
from designer.canvas.menus import menu_for
from designer.canvas.minimap import MiniMap
from designer.canvas.overlay import NOTHING, overlay_of
from designer.canvas.quick_add import QuickAdd
from designer.canvas.scene import CanvasScene
from designer.canvas.style import COMPACT, paint_grid
from designer.canvas.tools import DrawWire, Pan, Pointer, Tool, tool_for
from designer.canvas.walking import first, nearest, walk
from designer.canvas.wiring import Wiring
from designer.document import Document
from designer.look.theme import Look
from designer.model.design import Design, Position
from designer.model.layout import Direction, arrange
from designer.session.session import DebugSession
from runtime.debug.protocol import Problem
from runtime.definition import NodeInfo, WorkflowDefinition

MIME = "application/x-stepwell-node"
GLIDE_MOST = 300  # nodes whose glide still fits into a frame


class Problems(Protocol):
    """What the canvas wants of the checks: the problems of each node and edge, and to be told."""

    changed: SignalInstance
    by_location: dict[str, tuple[Problem, ...]]


class CanvasView(QGraphicsView):
    """Draws `document.design`, or the graph of the moment that `session` looks at; editable only in mode "edit".

    status           what is under the pointer, in words; empty when nothing is
    message          why something was refused; it is shown on the canvas too
    node_activated   double click or Enter on a node or edge group: its id
    example_requested  the empty canvas was asked for an example
    zoom_changed     the zoom, 1.0 for 100 %
    """

    status = Signal(str)
    message = Signal(str)
    node_activated = Signal(str)
    example_requested = Signal()
    zoom_changed = Signal(float)

    camera: Camera
    minimap: MiniMap
    snap: bool

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        look: Look,
        parent: QWidget | None = None,
        *,
        checks: Problems | None = None,
    ) -> None:
        super().__init__(parent)
        self.document, self.session, self.look, self.checks = document, session, look, checks
        self.canvas = CanvasScene(look.theme, self)
        self.setScene(self.canvas)
        self.clock = Clock(self)
        self.commands = Commands(self)
        self.camera = Camera(self)
        self.far = FarPainter(self.canvas)
        self.arranger = Arranger(self._take_layout)
        self.snap = True
        self.tool: Tool | None = None
        self.space_held = self._space_panned = False
        self.order: list[str] = []  # the selection in the order in which it was made
        self.popup: QuickAdd | None = None
        self.travel = 1.0  # how far the pulses have come
        self._hovered = ""
        self._told: tuple[object, ...] = ()  # what the overlay was made from
        self._seen: tuple[dict[str, Any], Design, Design] | None = None  # definition, document's design, shown
        self._infos: dict[str, NodeInfo] = {}
        self._set_up()
        self._build_chrome()
        self._connect()
        self.refresh()

    def _set_up(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.BoundingRectViewportUpdate)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setOptimizationFlag(QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.viewport().setMouseTracking(True)

    def _build_chrome(self) -> None:
        # Always there, so children of the viewport: a sibling over it would make every scroll a whole repaint.
        self.legend = Legend(self.canvas.style_, self.viewport())
        self.zoom_bar = ZoomBar(self.look, self.viewport())
        self.minimap = MiniMap(self.canvas, self.viewport())
        self.minimap.hide()
        self.toast = Toast(self.look, self)
        self.hint = EmptyHint(self.look, self)
        bar = self.zoom_bar
        bar.snap_button.setChecked(self.snap)
        bar.zoom_by.connect(self.camera.zoom_by)
        bar.zoom_to.connect(self.set_zoom)
        bar.fit.connect(self.zoom_to_fit)
        bar.map_toggled.connect(self.show_minimap)
        bar.snap_toggled.connect(self.set_snap)
        self.minimap.moved.connect(self.camera.look_at)
        self.hint.add.connect(lambda: self.quick_add(self.viewport().rect().center()))
        self.hint.example.connect(self.example_requested)

    def _connect(self) -> None:
        self.document.changed.connect(self._on_design)
        self.document.replaced.connect(self._on_replaced)
        self.document.selection_changed.connect(self._on_selection)
        self.session.changed.connect(self.refresh)
        self.session.viewed.connect(self.refresh)
        self.session.progressed.connect(self._on_progress)
        self.session.catalogue_ready.connect(self.refresh)
        self.look.changed.connect(self._on_theme)
        self.canvas.content_changed.connect(self._on_content)
        if self.checks is not None:
            self.checks.changed.connect(self._on_problems)

    def dispose(self) -> None:
        """Stop timers and let go of items before Qt deletes them. Call once, before the view goes."""
        self.arranger.stop()
        self.clock.stop()
        self.toast.stop()
        self._close_popup()
        self.tool = None
        for signal, slot in self._connections():
            signal.disconnect(slot)
        self.canvas.dispose()
        self.far.forget()

    def _connections(self) -> list[tuple[SignalInstance, Callable[..., object]]]:
        pairs: list[tuple[SignalInstance, Callable[..., object]]] = [
            (self.document.changed, self._on_design),
            (self.document.replaced, self._on_replaced),
            (self.document.selection_changed, self._on_selection),
            (self.session.changed, self.refresh),
            (self.session.viewed, self.refresh),
            (self.session.progressed, self._on_progress),
            (self.session.catalogue_ready, self.refresh),
            (self.look.changed, self._on_theme),
            (self.canvas.content_changed, self._on_content),
        ]
        if self.checks is not None:
            pairs.append((self.checks.changed, self._on_problems))
        return pairs

    # --- following document and session -------------------------------------------------------------------------

    @property
    def editable(self) -> bool:
        return self.session.mode == "edit"

    def refresh(self) -> None:
        """Show the present design and moment. Costs what differs from what is shown."""
        if not self.editable:
            self._end_edit_gestures()
        design = self._shown_design()
        if self._infos != self.session.infos:
            self._infos = dict(self.session.infos)
        if design is not self.canvas.design or self._infos is not self.canvas.infos:
            self.canvas.show(design, self._infos)
            self._on_selection()
        self._on_progress()
        self._on_problems()
        self._follow_content()

    def _on_design(self, _diff: object) -> None:
        self.refresh()

    def _on_replaced(self) -> None:
        self._end_edit_gestures()
        self.order.clear()
        self.refresh()
        self.zoom_to_fit(glide=False)

    def _on_selection(self) -> None:
        selection = frozenset(self.document.selection)
        self.order = [key for key in self.order if key in selection]
        self.order += sorted(selection.difference(self.order))
        self.canvas.select(selection)
        self._announce()

    def _on_progress(self) -> None:
        session, scene = self.session, self.canvas
        before = scene.overlay
        progress = session.progress if session.running else None
        told = (session.mode, session.moment, progress, session.running, scene.design.workflow)
        if len(told) == len(self._told) and all(a is b for a, b in zip(told, self._told, strict=True)):
            return
        self._told = told
        overlay = NOTHING
        if not self.editable:
            overlay = overlay_of(session.moment, progress, scene.design.workflow, running=session.running)
        scene.set_overlay(overlay, editing=self.editable)
        self.legend.show_rows(overlay.legend)
        self.clock.turn(scene.turn if overlay.running else None)
        if overlay.pulses and overlay.superstep == before.superstep + 1 and session.mode == "live":
            self.clock.start("pulse", PULSE_MS, self._pulse)
        self._announce()

    def _on_problems(self) -> None:
        counts: dict[str, tuple[int, int]] = {}
        for location, problems in (self.checks.by_location if self.checks is not None else {}).items():
            severities = [problem.severity for problem in problems]
            at = self._badge_at(location)
            errors, warnings = counts.get(at, (0, 0))
            counts[at] = (errors + severities.count("error"), warnings + severities.count("warning"))
        self.canvas.set_problems(counts)
        self.far.forget()

    def _badge_at(self, location: str) -> str:
        """Problems of an edge are shown at its diamond, if it is drawn as one, else at its first end."""
        edge = self.canvas.topology.edges.get(location)
        if edge is None:
            return location
        return edge.target if edge.kind == "fan_in" else edge.source

    def _on_theme(self) -> None:
        self.canvas.set_theme(self.look.theme)
        self.legend.style_ = self.canvas.style_
        for part in (self.zoom_bar, self.toast, self.hint):
            part.restyle()
        self.resetCachedContent()
        self.viewport().update()

    def _on_content(self) -> None:
        self.far.forget()
        if self.zoom <= COMPACT:
            self.viewport().update()

    def _follow_content(self) -> None:
        self.hint.setVisible(self.editable and not self.canvas.nodes)
        self.zoom_bar.snap_button.setVisible(self.editable)
        self._place_chrome()

    def _shown_design(self) -> Design:
        """The graph that the run ran with, where the document drew it; the document itself when editing."""
        moment, design = self.session.moment, self.document.design
        if self.editable or moment is None or moment.definition is None:
            return design
        if self._seen is not None and self._seen[1] is design and self._seen[0] == moment.definition:
            return self._seen[2]
        try:
            workflow = WorkflowDefinition.model_validate(moment.definition)
        except ValidationError as error:
            self.tell(
                f"The graph of this checkpoint cannot be read ({error.error_count()} faults); the present one is shown."
            )
            return design
        shown = design if workflow == design.workflow else _placed(workflow, design)
        self._seen = (moment.definition, design, shown)
        return shown

    def _announce(self) -> None:
        """The name that a screen reader says: the canvas and what is selected on it."""
        chosen = [describe(self.canvas, key) for key in self.order[-3:]]
        words = "; ".join(filter(None, chosen)) or f"{len(self.canvas.nodes)} nodes, nothing selected"
        if len(self.order) > 3:
            words = f"{len(self.order)} selected; {words}"
        self.setAccessibleName(f"Canvas: {words}")

    def _pulse(self, share: float) -> None:
        self.travel = share
        for mark in self.canvas.marks:
            if mark.path is not None:
                self.canvas.update(mark.rect)

    # --- selection ----------------------------------------------------------------------------------------------

    @property
    def selection(self) -> frozenset[str]:
        return self.canvas.selection

    def select(self, ids: Collection[str]) -> None:
        self.document.select(frozenset(ids))

    def chosen_nodes(self) -> list[str]:
        """The selected nodes in the order in which they were selected."""
        return [key for key in self.order if key in self.canvas.nodes]

    def select_all(self) -> None:
        self.select(frozenset(self.canvas.nodes) | frozenset(self.canvas.edges.figures))

    def invert_selection(self) -> None:
        self.select((frozenset(self.canvas.nodes) | frozenset(self.canvas.edges.figures)) - self.selection)

    def walk(self, direction: str) -> None:
        """To the next node in a direction; while a wire is drawn by keyboard, to the next one that takes it."""
        scene = self.canvas
        wire = self.tool if isinstance(self.tool, DrawWire) else None
        here = (wire.target or wire.node) if wire is not None else next(reversed(self.chosen_nodes()), "")
        if not here:
            self.select({first(scene.boxes)} - {""})
            return
        if wire is not None:
            fitting = [key for key in scene.boxes if key != wire.node and not wire.refusal(key)]
            found = nearest(scene.boxes, here, direction, fitting)
            if found:
                wire.at = self.pointer(scene.boxes[found].inlet)
                wire.aim(found)
                self.camera.reveal(scene.boxes[found].rect)
            words = f"Connect to {scene.nodes[found].title} with Enter" if found else "No node there takes this"
            self.status.emit(words)
            return
        found = walk(scene.boxes, scene.topology, here, direction)
        if found:
            self.select({found})
            self.camera.reveal(scene.boxes[found].rect)

    # --- verbs --------------------------------------------------------------------------------------------------

    def add_node(self, type: str) -> str:
        """A node of a type in the middle of the view; its id."""
        return self.commands.add_node(type)

    def delete_selection(self) -> None:
        self.commands.delete()

    def copy(self) -> None:
        self.commands.copy()

    def cut(self) -> None:
        self.commands.cut()

    def paste(self, *, keep_links: bool = False) -> None:
        self.commands.paste(keep_links=keep_links)

    def duplicate(self) -> None:
        self.commands.duplicate()

    def connect_selected(self) -> None:
        self.commands.connect_selected()

    def join_selected(self) -> None:
        self.commands.join_selected()

    def start_wire(self, node: str = "") -> None:
        """A wire from a node, driven by the keyboard: arrows choose the target, Enter connects, Esc drops it."""
        node = node or next(iter(self.chosen_nodes()), "")
        if not self.editable or not node:
            self.tell(
                "Select the node that the wire starts at." if self.editable else "Go back to editing to connect nodes."
            )
            return
        box = self.canvas.boxes[node]
        self.tool = DrawWire(self, self.pointer(box.outlet + QPointF(32, 0)), node, "out")
        self.tool.started = True
        self.tool.aim("")
        self.status.emit("Choose the target with the arrow keys, connect with Enter, drop the wire with Esc")

    def arrange(self, direction: Direction = "LR", *, selected: bool = False) -> None:
        """Lay out everything, or the selected nodes; one undo step, and the items glide to their places."""
        if not self.editable:
            self.tell("Go back to editing to change the layout.")
            return
        only = self.chosen_nodes() if selected else None
        if self.canvas.nodes and (only is None or len(only) > 1):
            boxes = sizes(self.canvas.boxes, self.canvas.edges.figures.values())
            self.arranger.start(self.document.design, direction, only, boxes)

    def _take_layout(self, laid_out: Design, positions: Mapping[str, Position]) -> None:
        if not self.editable or laid_out.workflow.nodes != self.document.design.workflow.nodes:
            return  # edited meanwhile: a layout of something else helps nobody
        old = {key: (box.rect.x(), box.rect.y()) for key, box in self.canvas.boxes.items() if key in positions}
        whole = len(positions) == len(self.canvas.nodes)
        if self.commands.move(positions):
            self._glide(old, positions)
            if whole:
                self.zoom_to_fit()

    def _glide(self, old: Mapping[str, Position], new: Mapping[str, Position]) -> None:
        if len(old) > GLIDE_MOST or not self.isVisible():
            return

        def step(share: float) -> None:
            places = {
                key: (x + (new[key][0] - x) * share, y + (new[key][1] - y) * share)
                for key, (x, y) in old.items()
                if key in self.canvas.boxes
            }
            self.canvas.preview(places)

        self.clock.start("glide", GLIDE_MS, step, self.canvas.end_preview)

    def render_image(self, scale: float = 2.0) -> QImage:
        """The whole drawing as a picture; without a document an empty one of 1 x 1."""
        area = self.canvas.drawing_rect().adjusted(-32, -32, 32, 32)
        size = (area.size() * scale).toSize() if self.canvas.nodes else QRect(0, 0, 1, 1).size()
        image = QImage(size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(self.look.theme.canvas)
        painter = QPainter(image)
        self.canvas.render(painter, QRectF(image.rect()), area)
        painter.scale(scale, scale)
        painter.translate(-area.topLeft())
        paint_marks(painter, self.canvas.style_, self.canvas.marks, area, max(scale, 1.0), 1.0)
        painter.end()
        return image

    def tell(self, text: str) -> None:
        """Say why something cannot be done, on the canvas and through `message`."""
        self.toast.tell(text)
        self._place_chrome()
        self.message.emit(text)

    # --- the quick add ------------------------------------------------------------------------------------------

    def quick_add(self, at: QPoint | None = None) -> None:
        """Search a node type; at the pointer when it is over the canvas. `at` is in pixels of the viewport."""
        place = at if at is not None else self.mapFromScene(self.paste_place())
        self.open_quick_add(place, (), "out")

    def open_quick_add(self, at: QPoint, wired: Sequence[str], side: str) -> None:
        """With `wired`, only types that fit those nodes' ports; what is chosen gets connected to them."""
        if not self.editable:
            self.tell("Go back to editing to add nodes.")
            return
        self._close_popup()
        wiring, infos = self.wiring(), list(self.session.infos.values())
        fitting = [info for info in infos if all(wiring.fits_type(node, side, info) for node in wired)]
        popup = QuickAdd(fitting, self.look, self, wiring.accepts_line(wired[0], side) if wired else None)
        where = self.mapToScene(at)
        popup.chosen.connect(lambda chosen: self._add_chosen(chosen, where, wired, side))
        popup.dropped.connect(self._close_popup)
        popup.place(QRect(at, at), self.rect())
        self.popup = popup
        popup.start()

    def _add_chosen(self, type: str, at: QPointF, wired: Sequence[str], side: str) -> None:
        self._close_popup()
        self.commands.add_node(type, at, wired=wired, side=side)

    def _close_popup(self) -> None:
        popup, self.popup = self.popup, None
        if popup is not None:
            popup.drop()
            popup.deleteLater()
            self.setFocus()

    def wiring(self) -> Wiring:
        return Wiring(self.document.design.workflow, self.session.infos)

    # --- camera -------------------------------------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        self.camera.zoom_by(zoom / self.zoom)

    def zoom_to_fit(self, *, glide: bool = True) -> None:
        self.camera.fit(self.canvas.drawing_rect(), glide=glide)

    def fit_selection(self) -> None:
        """The selection, or everything when nothing is selected."""
        self.camera.fit(self.canvas.drawing_rect(self.selection))

    def reveal(self, key: str) -> None:
        """Scroll a node or edge group into view, and select it."""
        rect = self.canvas.drawing_rect({key}) if key in self.canvas.nodes or self.canvas.figure(key) else QRectF()
        if not rect.isEmpty():
            self.select({key})
            self.camera.reveal(rect)

    def scroll_by(self, step: QPoint) -> None:
        self.camera.scroll(step)

    def centre(self) -> QPointF:
        return self.mapToScene(self.viewport().rect().center())

    def paste_place(self) -> QPointF:
        """Where pasted and added things go: at the pointer if it is over the canvas, else in the middle."""
        at = self.viewport().mapFromGlobal(QCursor.pos())
        return self.mapToScene(at) if self.viewport().rect().contains(at) and self.underMouse() else self.centre()

    def set_snap(self, on: bool) -> None:
        self.snap = on
        self.zoom_bar.snap_button.setChecked(on)

    def show_minimap(self, on: bool) -> None:
        self.minimap.setVisible(on)
        self.zoom_bar.map_button.setChecked(on)
        self._place_chrome()

    def camera_moved(self) -> None:
        """The camera tells: another zoom or place."""
        self.zoom_bar.show_zoom(self.zoom)
        self.minimap.set_frame(self.mapToScene(self.viewport().rect()).boundingRect())

    # --- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.zoom > COMPACT:
            super().paintEvent(event)
            return
        painter = QPainter(self.viewport())
        painter.setClipRegion(event.region())
        painter.fillRect(event.rect(), self.look.theme.canvas)
        painter.setTransform(self.viewportTransform())
        exposed = self.mapToScene(event.rect().adjusted(-8, -8, 8, 8)).boundingRect()
        self.far.paint(painter, exposed, self.zoom)
        self.drawForeground(painter, exposed)
        painter.end()

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        paint_grid(painter, self.look.theme, QRectF(rect), self.zoom)

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        paint_marks(painter, self.canvas.style_, self.canvas.marks, QRectF(rect), self.zoom, self.travel)
        if self.tool is not None:
            self.tool.paint(painter, self.zoom)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self._place_chrome()  # the scroll has moved the viewport's children along

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.camera.resized()
        self._place_chrome()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.camera.resized()
        self._place_chrome()

    def _place_chrome(self) -> None:
        right, bottom = self.width() - MARGIN, self.height() - MARGIN
        self.zoom_bar.adjustSize()
        self.zoom_bar.move(right - self.zoom_bar.width(), bottom - self.zoom_bar.height())
        self.minimap.move(right - self.minimap.width(), self.zoom_bar.y() - 8 - self.minimap.height())
        self.legend.move(MARGIN, bottom - self.legend.height())
        self.hint.move((self.width() - self.hint.width()) // 2, (self.height() - self.hint.height()) // 2)
        self.toast.move((self.width() - self.toast.width()) // 2, MARGIN)

    # --- mouse --------------------------------------------------------------------------------------------------

    def pointer(self, scene: QPointF) -> Pointer:
        return Pointer(scene, self.mapFromScene(scene), Qt.KeyboardModifier.NoModifier)

    def _pointer(self, event: QMouseEvent) -> Pointer:
        view = event.position().toPoint()
        return Pointer(self.mapToScene(view), view, event.modifiers())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._close_popup()
        self.cancel_tool()
        at = self._pointer(event)
        left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (left and self.space_held):
            self.tool = Pan(self, at)
            self._space_panned = True
        elif left:
            self.clock.finish("glide")
            self.tool = tool_for(self, at)
        if self.tool is not None:
            self.viewport().setCursor(self.tool.cursor if isinstance(self.tool, Pan) else Qt.CursorShape.ArrowCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.tool is not None and event.buttons() != Qt.MouseButton.NoButton:
            self.tool.move(self._pointer(event))
            if self.tool.started:
                self.viewport().setCursor(self.tool.cursor)
        elif self.tool is None:
            self._hover(self.mapToScene(event.position().toPoint()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        tool, self.tool = self.tool, None
        if tool is not None:
            tool.at = self._pointer(event)
            tool.release()
        self._show_cursor()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self._pointer(event)
        key = self.canvas.node_at(at.scene) or self.canvas.edges.edge_at(at.scene)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if key:
            self.select({key})
            self.node_activated.emit(key)
        elif self.editable:
            self.quick_add(at.view)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.cancel_tool()
        at = self.mapToScene(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self.chosen_nodes():
            at = self.canvas.boxes[self.chosen_nodes()[-1]].rect.center()
        menu = menu_for(self, at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(self.mapFromScene(at)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer. Two fingers on a touchpad scroll, unless Ctrl is held."""
        if event.hasPixelDelta() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.scroll_by(-event.pixelDelta())
        elif event.angleDelta().y():
            self.camera.zoom_by(1.0015 ** event.angleDelta().y(), event.position().toPoint())
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._set_hovered("")

    def _hover(self, at: QPointF) -> None:
        node, side = self.canvas.port_at(at) if self.editable else ("", "")
        item = self.canvas.nodes.get(self._hovered)
        if item is not None and item.port:
            item.port = ""
            item.update()
        key = node or self.canvas.node_at(at) or self.canvas.edges.edge_at(at, 6 / min(1.0, self.zoom))
        if node:
            self.canvas.nodes[node].port = "out" if side == "out" else "accept"
            self.canvas.nodes[node].update()
        self._set_hovered(key)
        self._show_cursor(wire=bool(node))

    def _set_hovered(self, key: str) -> None:
        if key == self._hovered:
            return
        for other, on in ((self._hovered, False), (key, True)):
            item = self.canvas.nodes.get(other)
            if item is not None:
                item.hovered = on
                item.port = item.port if on else ""
                item.update()
        self.canvas.edges.repaint([self._hovered, key])
        self._hovered = self.canvas.edges.hovered = key
        self.status.emit(describe(self.canvas, key))

    def _show_cursor(self, *, wire: bool = False) -> None:
        shape = Qt.CursorShape.OpenHandCursor if self.space_held else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.CrossCursor if wire else shape)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            text = describe(self.canvas, self._hovered)
            QToolTip.showText(event.globalPos(), text, self.viewport()) if text else QToolTip.hideText()
            return True
        return super().viewportEvent(event)

    def cancel_tool(self) -> bool:
        """End the gesture as if it had not been. False when there was none."""
        tool, self.tool = self.tool, None
        if tool is not None:
            tool.cancel()
            self._show_cursor()
        return tool is not None

    def _end_edit_gestures(self) -> None:
        if not isinstance(self.tool, Pan):
            self.cancel_tool()
        self._close_popup()

    # --- keyboard -----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Tab is a command here, and leads out of the canvas only as F6; Qt would move the focus before asking."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Tab:
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_key(self, event):
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            tapped, self.space_held = self.space_held and not self._space_panned, False
            self._show_cursor()
            if tapped:
                self.quick_add()
        else:
            super().keyReleaseEvent(event)

    def hold_space(self) -> None:
        self.space_held, self._space_panned = True, False
        self._show_cursor()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.space_held = False
        super().focusOutEvent(event)

    # --- drops from the palette ---------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._accept_drag(event, event.mimeData())

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._accept_drag(event, event.mimeData())

    def _accept_drag(self, event: QDragMoveEvent, data: QMimeData) -> None:
        if self.editable and data.hasFormat(MIME):
            event.acceptProposedAction()
        else:
            event.ignore()

    def dropEvent(self, event: QDropEvent) -> None:
        data = event.mimeData()
        if self.editable and data.hasFormat(MIME):
            type = bytes(data.data(MIME).data()).decode("utf-8", "replace")
            if self.commands.add_node(type, self.mapToScene(event.position().toPoint())):
                event.acceptProposedAction()
                self.setFocus()


def _placed(workflow: WorkflowDefinition, design: Design) -> Design:
    """An older graph, with the places that its nodes still have; those that are gone stand where a layout puts them."""
    known = {node.id: design.positions[node.id] for node in workflow.nodes if node.id in design.positions}
    if len(known) < len(workflow.nodes):
        known = {**arrange(Design(workflow)), **known} if known else arrange(Design(workflow))
    return Design(workflow, known)
