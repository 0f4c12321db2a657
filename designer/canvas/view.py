"""The canvas: a view on one document and one session.

It draws what they are, and hands the events of Qt to its parts, which it puts together:
gestures, verbs and speech. What those may ask of it is in `base.Canvas`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QGraphicsView, QWidget

from designer.canvas.base import (
    CTRL,
    READ_ONLY,
    Gesture,
    Pointer,
    Popup,
    Press,
    Problems,
)
from designer.canvas.camera import Camera
from designer.canvas.clock import Clock
from designer.canvas.drawing.close_up import paint_close_up
from designer.canvas.drawing.marks import paint_marks
from designer.canvas.drawing.origin_marks import paint_bands, paint_numbers
from designer.canvas.drawing.overview import OverviewPainter
from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.drawing.style import COMPACT, paint_grid
from designer.canvas.floating import Floating
from designer.canvas.gestures import keyboard_wire
from designer.canvas.gestures.dots import AddDot
from designer.canvas.gestures.drop import PaletteDrop
from designer.canvas.gestures.edge_scroll import EdgeScroll
from designer.canvas.gestures.table import gesture_for
from designer.canvas.hover import Hover
from designer.canvas.panel_targets import panel_at
from designer.canvas.speech.accessible import Accessible
from designer.canvas.sync import Follower
from designer.canvas.verbs.add import NodeSearch
from designer.canvas.verbs.arrange import Arranger
from designer.canvas.verbs.bookmarks import Bookmarks
from designer.canvas.verbs.breakpoints import BreakpointVerbs
from designer.canvas.verbs.commands import Commands
from designer.canvas.verbs.condition_editor import ConditionEditor
from designer.canvas.verbs.dots import Dots
from designer.canvas.verbs.frame_text import FrameText
from designer.canvas.verbs.frames import FrameVerbs
from designer.canvas.verbs.keys import KEYS, press_key
from designer.canvas.verbs.menus import menu_for
from designer.canvas.verbs.places import add_place, chosen_place
from designer.canvas.verbs.results import ResultVerbs
from designer.canvas.verbs.select import select_all
from designer.canvas.verbs.verbs import Key
from designer.canvas.verbs.walk import Walk
from designer.document.document import Document
from designer.look.theme import Look
from designer.model.wiring import Wiring
from designer.qt import wheel
from designer.qt.keys import Press as KeyPress
from designer.qt.keys import rebound
from designer.session.session import DebugSession

# The focus comes back by itself from these, so what goes on goes on.
_STAYS = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason)
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
NOWHERE = QRect(-9, -9, 1, 1)
REST_MS = 120  # after the last change of the zoom
NEAR_WIRE = 6  # px on the screen


class CanvasView(QGraphicsView):
    """Draws `document.design`, or the graph of the moment that `session` looks at; it
    is editable only in mode "edit".

    status             what is under the pointer, in words; "" for nothing
    message            why something was refused; it is shown on the canvas too
    node_activated     a double click or Enter on a node or edge group: its id; "" for the
                       workflow
    panel_requested    the title of the panel that tells more of what was double clicked
    copy_requested     a node at which a copy of the shown checkpoint is to be edited
    page_requested     a sub-workflow that shall have a tab
    out_requested      out of the document, to the one that has it inside
    example_requested  the empty canvas was asked for an example
    zoom_changed       the zoom, 1.0 for 100 %
    """

    status = Signal(str)
    message = Signal(str)
    node_activated = Signal(str)
    panel_requested = Signal(str)
    copy_requested = Signal(str)
    page_requested = Signal(str)
    out_requested = Signal()
    example_requested = Signal()
    zoom_changed = Signal(float)

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
        self.document = document
        self.session = session
        self.look = look
        self.checks = checks
        self.snap = True
        self.gesture: Gesture | None = None
        # the button whose release ends the gesture
        self._began_by = Qt.MouseButton.NoButton
        self.space_held = False
        self._space_used = False
        self._by_keys = False
        self.keys: Mapping[KeyPress, Key] = KEYS
        self.key_names: Mapping[str, str] = {}
        # The document is the file of a sub-workflow, and there is a way back.
        self.can_go_out = False
        # Before the rest, because Qt asks once for the interface, and keeps the answer.
        self.accessible = Accessible(self)
        self._scene = CanvasScene(look.theme, self)
        self._set_up()
        self.clock = Clock(self)
        self.camera = Camera(self, self._scene, self.clock)
        self.overview = OverviewPainter(self._scene)
        self._add_verbs()
        self.hover = Hover(self)
        self.edge_scroll = EdgeScroll(self)
        self.palette_drop = PaletteDrop(self)
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._on_rest)
        self.floating = Floating(self, self._scene, look)
        self._connect_floating()
        self.camera.zoomed.connect(self._on_zoomed)
        self.camera.moved.connect(self._on_camera_moved)
        self.follower = Follower(self)
        self.refresh()

    def _set_up(self) -> None:
        self.setScene(self._scene)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setViewportUpdateMode(
            QGraphicsView.ViewportUpdateMode.BoundingRectViewportUpdate
        )
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setResizeAnchor(QGraphicsView.ViewportAnchor.NoAnchor)
        self.setOptimizationFlag(
            QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.DefaultContextMenu)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAcceptDrops(True)
        self.viewport().setMouseTracking(True)

    def _add_verbs(self) -> None:
        self.commands = Commands(self)
        self.frame_text = FrameText(self)
        self.frames = FrameVerbs(self, self.frame_text)
        self.dots = Dots(self)
        self.bookmarks = Bookmarks(self)
        self.breakpoints = BreakpointVerbs(self)
        self.results = ResultVerbs(self)
        self.arranger = Arranger(self, self.frames)
        self.walk = Walk(self)
        self.conditions = ConditionEditor(self)
        self.node_search = NodeSearch(self)
        # what is at a place of the drawing until something else is done
        self.popups: tuple[Popup, ...] = (
            self.node_search,
            self.conditions,
            self.breakpoints,
            self.frame_text,
        )

    def _connect_floating(self) -> None:
        self.legend = self.floating.legend
        self.zoom_bar = self.floating.zoom_bar
        self.minimap = self.floating.minimap
        self.toast = self.floating.toast
        self.hint = self.floating.hint
        bar = self.zoom_bar
        bar.snap_button.setChecked(self.snap)
        bar.zoom_by.connect(self.camera.zoom_by)
        bar.zoom_to.connect(self.camera.zoom_to)
        bar.fit.connect(self.camera.fit_all)
        bar.map_toggled.connect(self.floating.show_minimap)
        bar.snap_toggled.connect(self.set_snap)
        self.minimap.moved.connect(self.camera.look_at)
        self.hint.add.connect(self._add_in_middle)
        self.hint.example.connect(self.example_requested)

    def _add_in_middle(self) -> None:
        self.quick_add(self.viewport().rect().center())

    def dispose(self) -> None:
        """Stop timers and forget items before Qt deletes them.

        Call it once, before the view goes.
        """
        self.accessible.stop()
        self.arranger.stop()
        self.clock.stop()
        self._rest.stop()
        self.toast.stop()
        self.edge_scroll.stop()
        self.close_popups()
        self.gesture = None
        self.follower.stop()
        self.dots.stop()
        self.breakpoints.stop()
        self._scene.dispose()
        self.overview.forget()

    # --- what is shown ----------------------------------------------------------------

    def scene(self) -> CanvasScene:
        """Return the drawing, by its own class instead of Qt's."""
        return self._scene

    @property
    def widget(self) -> QGraphicsView:
        return self

    @property
    def editable(self) -> bool:
        return self.session.mode == "edit"

    @property
    def is_empty(self) -> bool:
        """Whether no node is drawn."""
        return not self._scene.nodes

    def refresh(self) -> None:
        """Show the present design and moment. Costs what differs from what is shown."""
        self.follower.refresh()

    def restyle(self) -> None:
        """Take over the colours of another theme."""
        self.floating.restyle()
        self.viewport().update()

    def follow_types(self) -> None:
        """Offer the node types that there are now, while one is asked for."""
        self.node_search.follow_types()

    def thing_at(self, point: QPointF) -> str:
        """Return the node, edge group, frame or note at a place of the scene, or ""."""
        scene = self._scene
        return (
            scene.node_at(point)
            or scene.edges.edge_at(point, self.reach)
            or scene.backdrop.at(point, self.zoom)
        )

    def wiring(self) -> Wiring:
        """Return the rule about which node may send to which."""
        workflow = self.document.design.workflow
        return Wiring(workflow, self.session.infos, self.document.folder)

    # --- selection --------------------------------------------------------------------

    @property
    def order(self) -> list[str]:
        return self.follower.order

    @property
    def selection(self) -> frozenset[str]:
        return self._scene.selection

    def select(self, ids: Collection[str]) -> None:
        """Select exactly these."""
        self.document.select(frozenset(ids))

    def select_all(self) -> None:
        """Select all that is drawn."""
        select_all(self)

    def chosen_nodes(self) -> list[str]:
        """Return the selected nodes in the order in which they were selected."""
        return [key for key in self.order if key in self._scene.nodes]

    def activate(self, key: str) -> None:
        """Open a thing: the words of a frame or note here, all else in the window."""
        if key in self._scene.backdrop.frames:
            self.frame_text.open(key)
        else:
            self.node_activated.emit(key)

    # --- verbs ------------------------------------------------------------------------

    def delete_selection(self) -> None:
        """Delete the chosen dot of a wire, else all that is selected."""
        if not self.dots.remove():
            self.commands.delete()

    def start_wire(self, node: str = "", *, on_error: bool = False) -> None:
        """Begin a wire that the keyboard leads, from a node or from what is selected."""
        keyboard_wire.start_wire(self, node, on_error=on_error)

    def start_rewire(self) -> None:
        """Begin to lead the selected edge to another node by keyboard."""
        keyboard_wire.start_rewire(self)

    def quick_add(
        self, at: QPoint | None = None, wired: Sequence[str] = (), side: str = "out"
    ) -> None:
        """Ask for a node type, at a place of the viewport.

        Without a place the node goes where there is room: to the pointer when it is
        over the canvas, else beside what is selected, or into the middle.
        """
        place = at if at is not None else self.mapFromScene(add_place(self))
        self.node_search.open(place, wired, side, free=at is None)

    def tell(self, text: str) -> None:
        """Say why something cannot be done, on the canvas and through `message`."""
        self.toast.tell(text)
        self.floating.place()
        self.message.emit(text)

    def refuse_edit(self) -> bool:
        """While a run is shown, say that no edit changes it and return True."""
        if not self.editable:
            self.tell(READ_ONLY)
        return not self.editable

    def announce(self) -> None:
        """Tell screen readers what is selected, because its words are others now."""
        self.follower.announce()

    def set_snap(self, on: bool) -> None:
        """Let what is dragged snap to the grid, or not."""
        self.snap = on
        self.zoom_bar.snap_button.setChecked(on)

    def toggle_minimap(self) -> None:
        """Show or hide the overview of the drawing."""
        self.floating.show_minimap(self.minimap.isHidden())

    # --- where one looks --------------------------------------------------------------

    @property
    def zoom(self) -> float:
        return self.camera.zoom

    @property
    def reach(self) -> float:
        """How near to a wire counts as on it, in scene pixels."""
        return NEAR_WIRE / min(1.0, self.zoom)

    def reveal(self, key: str) -> None:
        """Select something that is drawn, and scroll it into view."""
        self._lead_to(key, self.camera.reveal)

    def approach(self, key: str) -> None:
        """Do the same, so near that it can be read."""
        self._lead_to(key, self.camera.approach)

    def _lead_to(self, key: str, look: Callable[[QRectF], None]) -> None:
        scene = self._scene
        drawn = (scene.nodes, scene.edges.figures, scene.backdrop.frames)
        if not any(key in things for things in drawn):
            return
        rect = scene.drawing_rect({key})
        if not rect.isEmpty():
            self.select({key})
            look(rect)

    def _on_zoomed(self, zoom: float) -> None:
        # Many wires are drawn rough until the zoom rests.
        self._scene.edges.hurried = True
        self._rest.start()
        self.zoom_changed.emit(zoom)

    def _on_rest(self) -> None:
        self._scene.edges.hurried = False
        self.viewport().update()

    def _on_camera_moved(self) -> None:
        self.floating.follow_camera(self.zoom, self.camera.seen())

    # --- painting ---------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        # The scene paints nowhere, and everything is painted below instead. It has to
        # paint, because after an update of everything it takes no updates of parts
        # until it has painted.
        super().paintEvent(QPaintEvent(NOWHERE))
        painter = QPainter(self.viewport())
        painter.setClipRegion(event.region())
        painter.setTransform(self.viewportTransform())
        exposed = self.mapToScene(event.rect().adjusted(-8, -8, 8, 8)).boundingRect()
        scene = self._scene
        is_near = self.zoom > COMPACT
        if is_near:
            self.drawBackground(painter, exposed)
        else:
            painter.fillRect(exposed, self.look.theme.canvas)
        scene.backdrop.paint(painter, scene.style_, exposed, self.selection)
        paint_bands(painter, scene, exposed)
        if is_near:
            paint_close_up(painter, scene, exposed)
        else:
            self.overview.paint(painter, exposed, self.zoom)
        self.drawForeground(painter, exposed)
        painter.end()

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        paint_grid(painter, self.look.theme, QRectF(rect), self.zoom)

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        exposed = QRectF(rect)
        scene = self._scene
        travel = self.follower.travel
        paint_marks(painter, scene.style_, scene.marks, exposed, self.zoom, travel)
        self.bookmarks.paint(painter, exposed, self.zoom)
        paint_numbers(painter, scene, exposed, self.zoom)
        self.results.paint(painter, exposed, self.zoom)
        self.breakpoints.paint(painter, exposed, self.zoom)
        self.palette_drop.paint(painter)
        self.node_search.paint(painter)
        if self.gesture is not None:
            self.gesture.paint(painter, self.zoom)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        # The scroll has moved the children of the viewport along.
        self.floating.place()
        for popup in self.popups:
            popup.place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.camera.before_resize()
        super().resizeEvent(event)
        self.camera.resized()
        self.floating.place()
        for popup in self.popups:
            popup.place()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.camera.shown()
        self.floating.place()

    # --- gestures ---------------------------------------------------------------------

    def begin(self, gesture: Gesture) -> None:
        """Let a gesture follow the mouse without a button, until a click or Enter."""
        self.gesture = gesture
        gesture.started = True
        gesture.floating = True

    def hand_over(self, gesture: Gesture) -> None:
        """Let another gesture go on with the press of the present one."""
        self.gesture = gesture
        self.show_cursor(gesture.cursor_at_press)

    def end_gesture(self) -> Gesture | None:
        """Take the gesture away and return it. The caller releases or cancels it."""
        gesture = self.gesture
        self.gesture = None
        self.edge_scroll.stop()
        return gesture

    def cancel_gesture(self) -> bool:
        """End the gesture without effect. Return False when there was none."""
        gesture = self.end_gesture()
        if gesture is None:
            return False
        gesture.cancel()
        self.show_cursor()
        return True

    def end_edit_gestures(self) -> None:
        """Cancel what is about a design that is not shown any more.

        Looking and selecting go on.
        """
        if self.gesture is not None and self.gesture.edits:
            self.cancel_gesture()
        self.palette_drop.leave()
        for popup in self.popups:
            popup.follow_design()

    def close_popups(self) -> None:
        """Close the fields and lists at places of the drawing."""
        for popup in self.popups:
            popup.close()

    @property
    def popup(self) -> QWidget | None:
        """The quick add while it is open."""
        return self.node_search.popup

    # --- mouse ------------------------------------------------------------------------

    def _pointer(self, event: QMouseEvent) -> Pointer:
        view = event.position().toPoint()
        return Pointer(self.mapToScene(view), view, event.modifiers())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_keys = False
        self.show_focus()
        self.close_popups()
        pointer = self._pointer(event)
        button = event.button()
        is_left = button == Qt.MouseButton.LeftButton
        if self.gesture is not None and self.gesture.floating and is_left:
            # This click ends a gesture that was begun by a key.
            self._began_by = button
            self.gesture.move(pointer)
            return
        self.cancel_gesture()
        self._began_by = button
        if is_left and not self.space_held:
            self.clock.finish("glide")
        press = Press(self, pointer, button, panning=self.space_held)
        self.gesture = gesture_for(self, press)
        if self.gesture is not None:
            self._space_used = True
            self.show_cursor(self.gesture.cursor_at_press)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        gesture = self.gesture
        if gesture is None:
            self._hover_over(event)
            return
        if event.buttons() == Qt.MouseButton.NoButton and not gesture.floating:
            return
        gesture.move(self._pointer(event))
        if gesture.started and self.gesture is gesture:
            self.show_cursor(gesture.cursor)
            if gesture.scrolls:
                self.edge_scroll.follow(gesture.pointer)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != self._began_by:
            return
        gesture = self.end_gesture()
        if gesture is not None:
            gesture.pointer = self._pointer(event)
            gesture.release()
        self._hover_over(event)

    def _hover_over(self, event: QMouseEvent) -> None:
        point = self.mapToScene(event.position().toPoint())
        self.show_cursor(self.hover.over(point))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        pointer = self._pointer(event)
        key = self.thing_at(pointer.scene)
        self.cancel_gesture()
        if self.breakpoints.open_at(pointer.scene):
            return
        if self.conditions.open_at(pointer.scene):
            self.select({self.conditions.edge})
        elif (new_dot := AddDot.on_wire(self, pointer)) is not None:
            self.gesture = new_dot
            self._began_by = event.button()
        elif panel := panel_at(self, pointer.scene):
            self.select({key} if key else self.selection)
            self.panel_requested.emit(panel)
        elif key:
            self.select({key})
            self.activate(key)
        else:
            self.quick_add(pointer.view)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_mouse = event.reason() == QContextMenuEvent.Reason.Mouse
        if by_mouse and event.modifiers() & CTRL:
            # It belongs to a cut: it comes with the press on some systems, and with the
            # release on others.
            return
        self.cancel_gesture()
        point = self.mapToScene(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            chosen = chosen_place(self)
            point = chosen if chosen is not None else point
        menu = menu_for(self, point)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(self.mapFromScene(point)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer. Two fingers scroll, unless Ctrl is held, and so does a
        wheel that is tipped.
        """
        control = bool(event.modifiers() & CTRL)
        moved = wheel.pixels(event)
        angle = wheel.angle(event)
        if moved is not None and not control:
            self.camera.scroll(-moved)
        elif control or angle.y():
            factor = 1.0015 ** wheel.turn(event)
            self.camera.zoom_by(factor, event.position().toPoint())
        else:
            self.camera.scroll(QPoint(-angle.x(), 0))
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hover.set("")

    def show_cursor(self, shape: Qt.CursorShape | None = None) -> None:
        """Show a cursor, or the usual one."""
        usual = Qt.CursorShape.ArrowCursor
        if self.space_held:
            usual = Qt.CursorShape.OpenHandCursor
        self.viewport().setCursor(shape or usual)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self.hover.tip(event)
            return True
        return super().viewportEvent(event)

    # --- keyboard ---------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Handle Tab as a key of the canvas: Qt would move the focus before asking. The
        way out of the canvas is F6.
        """
        is_press = event.type() == QEvent.Type.KeyPress
        if not is_press or not isinstance(event, QKeyEvent) or not self._is_tab(event):
            return super().event(event)
        self.keyPressEvent(event)
        return True

    def _is_tab(self, event: QKeyEvent) -> bool:
        """Return whether this is Tab, and Tab is a key of the canvas."""
        tab = Qt.Key.Key_Tab
        is_ours = (tab, Qt.KeyboardModifier.NoModifier) in self.keys
        return event.key() == tab and is_ours

    def use_keys(
        self, present: Mapping[str, Iterable[str]], names: Mapping[str, str]
    ) -> None:
        """Use the keys that a person wants, by the words of what they do.

        What is not named keeps ours. `names` has the present key for each of ours that
        a menu names.
        """
        words = {press: entry.words for press, entry in KEYS.items()}
        self.keys = rebound(KEYS, words, present)
        self.key_names = names

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keys = True
        if not press_key(self, event):
            event.ignore()
        self.show_focus()

    def show_focus(self) -> None:
        """Ring the node that keys are for, while it is keys that are used."""
        focused = ""
        if self._by_keys and self.hasFocus():
            focused = next(reversed(self.order), "")
        self._scene.focus(focused)
        self.accessible.follow()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() != Qt.Key.Key_Space or event.isAutoRepeat():
            super().keyReleaseEvent(event)
            return
        was_tapped = self.space_held and not self._space_used
        self.space_held = False
        self.show_cursor()
        if was_tapped:
            self.quick_add()

    def hold_space(self) -> None:
        """Let a drag move the view until Space is released."""
        self.space_held = True
        self._space_used = False
        self.show_cursor()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._by_keys = event.reason() in _BY_TAB
        self.show_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.space_held = False
        if event.reason() not in _STAYS:
            # The release of a button or key may never come here.
            self.cancel_gesture()
            self.show_cursor()
        super().focusOutEvent(event)
        self.show_focus()

    # --- drops from the palette -------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self.palette_drop.over(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self.palette_drop.over(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.palette_drop.leave()

    def dropEvent(self, event: QDropEvent) -> None:
        self.palette_drop.drop(event)
