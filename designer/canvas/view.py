"""The canvas: a view on one document and one session. It draws what they say, and turns gestures into edits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
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

from designer.canvas.camera import Camera
from designer.canvas.clock import Clock
from designer.canvas.drawing.close_up import paint_near
from designer.canvas.drawing.marks import paint_marks
from designer.canvas.drawing.overview import FarPainter
from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.drawing.style import COMPACT, paint_grid
from designer.canvas.floating import Floating
from designer.canvas.gestures.cut import CutWires
from designer.canvas.gestures.dots import new_dot
from designer.canvas.gestures.drop import drop, welcome
from designer.canvas.gestures.edge_scroll import EdgeScroll
from designer.canvas.gestures.keyboard_wire import start_wire
from designer.canvas.gestures.splice import Splicing
from designer.canvas.gestures.tools import Pan, Pointer, RubberBand, Tool, tool_for
from designer.canvas.hover import Hover
from designer.canvas.minimap import MiniMap
from designer.canvas.panel_targets import panel_at
from designer.canvas.speech.accessible import Accessible
from designer.canvas.speech.walking import reach
from designer.canvas.sync import Follower
from designer.canvas.verbs.add import Adding
from designer.canvas.verbs.arrange import Arranger, Kind
from designer.canvas.verbs.bookmarks import Marking
from designer.canvas.verbs.commands import READ_ONLY, Commands
from designer.canvas.verbs.condition_editor import InPlace
from designer.canvas.verbs.dots import Dots
from designer.canvas.verbs.frame_text import FrameText
from designer.canvas.verbs.frames import FrameVerbs
from designer.canvas.verbs.keys import KEYS, Key, press_key
from designer.canvas.verbs.menus import menu_for
from designer.canvas.verbs.placing import add_place, chosen_place
from designer.canvas.verbs.quick_add import QuickAdd
from designer.canvas.verbs.wiring import Wiring
from designer.document.document import Document
from designer.look.theme import Look
from designer.qt import wheel
from designer.qt.keys import Press, rebound
from designer.session.session import DebugSession
from runtime.document.problem import Problem

# the focus comes back by itself
_STAYS = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason)
NOWHERE = QRect(-9, -9, 1, 1)
REST_MS = 120  # after the last change of the zoom


class Problems(Protocol):
    """What the canvas wants of the checks: the problems of each node and edge, and to be told."""

    changed: SignalInstance
    by_location: dict[str, tuple[Problem, ...]]


class CanvasView(QGraphicsView):
    """Draws `document.design`, or the graph of the moment that `session` looks at; editable only in mode "edit".

    status           what is under the pointer, in words; empty when nothing is
    message          why something was refused; it is shown on the canvas too
    node_activated   double click or Enter on a node or edge group: its id; Enter on nothing: empty, for the workflow
    example_requested  the empty canvas was asked for an example
    zoom_changed     the zoom, 1.0 for 100 %
    """

    status = Signal(str)
    message = Signal(str)
    node_activated = Signal(str)
    # the title of the panel that tells more of what was double clicked
    panel_requested = Signal(str)
    page_requested = Signal(str)  # a sub-workflow that shall have a tab
    out_requested = Signal()  # out of the document, to the one that has it inside
    example_requested = Signal()
    zoom_changed = Signal(float)

    camera: Camera
    commands: Commands
    dots: Dots
    frames: FrameVerbs
    frame_text: FrameText
    marking: Marking
    inplace: InPlace
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
        self.document = document
        self.session = session
        self.look = look
        self.checks = checks
        self.accessible = Accessible(self)  # first: Qt asks once, and keeps the answer
        self._scene = CanvasScene(look.theme, self)
        self.setScene(self._scene)
        self.clock = Clock(self)
        self.commands = Commands(self)
        self.frames = FrameVerbs(self)
        self.marking = Marking(self)
        self.camera = Camera(self)
        self.far = FarPainter(self._scene)
        self.arranger = Arranger(self)
        self.adding = Adding(self)
        self.splicing = Splicing(self)
        self.dots = Dots(self)
        self.inplace = InPlace(self)
        self.frame_text = FrameText(self)
        self.hover = Hover(self)
        self.edge_scroll = EdgeScroll(self)
        self.snap = True
        self.keys: Mapping[Press, Key] = KEYS
        self.key_names: Mapping[str, str] = {}
        self.tool: Tool | None = None
        # the button whose release ends the gesture
        self._began_by = Qt.MouseButton.NoButton
        self.space_held = self._space_panned = False
        self.edges_of = ""  # the node whose edges the keyboard goes through
        # the document is the file of a sub-workflow, and there is a way back
        self.can_go_out = False
        self._by_keys = False
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._on_rest)
        self._set_up()
        self.floating = Floating(self)
        self.legend = self.floating.legend
        self.zoom_bar = self.floating.zoom_bar
        self.minimap = self.floating.minimap
        self.toast = self.floating.toast
        self.hint = self.floating.hint
        self.zoom_bar.snap_button.setChecked(self.snap)
        self.follower = Follower(self)
        self.refresh()

    def _set_up(self) -> None:
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

    def dispose(self) -> None:
        """Stop timers and let go of items before Qt deletes them. Call once, before the view goes."""
        self.accessible.stop()
        self.arranger.stop()
        self.clock.stop()
        self._rest.stop()
        self.toast.stop()
        self.edge_scroll.stop()
        self.adding.close()
        self.inplace.close()
        self.frame_text.close()
        self.tool = None
        self.follower.stop()
        self.dots.stop()
        self._scene.dispose()
        self.far.forget()

    # --- what is shown ------------------------------------------------------------------------------------------

    def scene(self) -> CanvasScene:
        """Return the drawing, by its own class instead of Qt's."""
        return self._scene

    @property
    def editable(self) -> bool:
        return self.session.mode == "edit"

    @property
    def is_empty(self) -> bool:
        """Whether there is no node to be seen."""
        return not self._scene.nodes

    def refresh(self) -> None:
        """Show the present design and moment. Costs what differs from what is shown."""
        self.follower.refresh()

    def restyle(self) -> None:
        self.floating.restyle()
        self.viewport().update()

    # --- selection ----------------------------------------------------------------------------------------------

    @property
    def order(self) -> list[str]:
        """The selection in the order in which it was made."""
        return self.follower.order

    @property
    def selection(self) -> frozenset[str]:
        return self._scene.selection

    def select(self, ids: Collection[str]) -> None:
        self.document.select(frozenset(ids))

    def chosen_nodes(self) -> list[str]:
        """The selected nodes in the order in which they were selected."""
        return [key for key in self.order if key in self._scene.nodes]

    def select_all(self) -> None:
        self.select(self._everything())

    def invert_selection(self) -> None:
        self.select(self._everything() - self.selection)

    def _everything(self) -> frozenset[str]:
        return frozenset(
            (
                *self._scene.nodes,
                *self._scene.edges.figures,
                *self._scene.backdrop.frames,
            )
        )

    def activate(self, key: str) -> None:
        """Double click or Enter: the words of a frame or note are edited there, of all else the window knows more."""
        if key in self._scene.backdrop.frames:
            self.frame_text.open(key)
        else:
            self.node_activated.emit(key)

    # --- verbs --------------------------------------------------------------------------------------------------

    def add_node(self, type: str) -> str:
        """A node of a type in the middle of the view; its id."""
        return self.commands.add_node(type)

    def delete_selection(self) -> None:
        """The dot that is chosen on a wire, else all that is selected."""
        if not self.dots.remove():
            self.commands.delete()

    def select_linked(self, direction: str) -> None:
        """Add to the selection all that comes "before" it, "after" it, or is "connected" to it."""
        found = reach(self._scene.topology, self.chosen_nodes(), direction)
        if found:
            self.select(self.selection | found)
        else:
            self.tell(
                "Select a node first: what comes before or after it is added to the selection."
            )

    def start_wire(self, node: str = "", *, on_error: bool = False) -> None:
        """A wire from a node, driven by the keyboard: arrows choose the target, Enter connects, Esc drops it. With
        `on_error` it is for the node's failures.
        """
        start_wire(self, node, on_error=on_error)

    def arrange(self, kind: Kind | None = None, *, selected: bool = False) -> None:
        """Lay out everything, or the selected nodes; one undo step, and the items glide to their places. Without a kind
        as the last time.
        """
        if not self.editable:
            self.tell("Go back to editing to change the layout.")
            return
        only = self.chosen_nodes() if selected else None
        if self._scene.nodes and (only is None or len(only) > 1):
            self.arranger.start(kind or self.arranger.last, only)

    def tell(self, text: str) -> None:
        """Say why something cannot be done, on the canvas and through `message`."""
        self.toast.tell(text)
        self.floating.place()
        self.message.emit(text)

    def refuse_edit(self) -> bool:
        """Say so when what is shown is a run, which no edit changes. False when there is nothing to refuse."""
        if not self.editable:
            self.tell(READ_ONLY)
        return not self.editable

    # --- the quick add ------------------------------------------------------------------------------------------

    def quick_add(self, at: QPoint | None = None) -> None:
        """Search a node type; `at` is in pixels of the viewport. Without it the node stands where there is room: at the
        pointer when it is over the canvas, else beside what is selected, or in the middle.
        """
        if at is None:
            self.adding.open(self.mapFromScene(add_place(self)), (), "out", free=True)
        else:
            self.adding.open(at, (), "out")

    @property
    def popup(self) -> QuickAdd | None:
        """The quick add while it is open."""
        return self.adding.popup

    def wiring(self) -> Wiring:
        return Wiring(
            self.document.design.workflow, self.session.infos, self.document.folder
        )

    # --- camera -------------------------------------------------------------------------------------------------

    @property
    def zoom(self) -> float:
        return self.transform().m11()

    def set_zoom(self, zoom: float) -> None:
        self.camera.zoom_to(zoom)

    def zoom_to_fit(self, *, glide: bool = True) -> None:
        self.camera.fit(self._scene.drawing_rect(), glide=glide)

    def fit_selection(self) -> None:
        """The selection, or everything when nothing is selected."""
        self.camera.fit(self._scene.drawing_rect(self.selection))

    def reveal(self, key: str) -> None:
        """Scroll a node or edge group into view, and select it."""
        self._lead_to(key, self.camera.reveal)

    def approach(self, key: str) -> None:
        """The same, and so near that it can be read."""
        self._lead_to(key, self.camera.approach)

    def _lead_to(self, key: str, look: Callable[[QRectF], None]) -> None:
        there = (
            key in self._scene.nodes
            or self._scene.figure(key)
            or key in self._scene.backdrop.frames
        )
        rect = self._scene.drawing_rect({key}) if there else QRectF()
        if not rect.isEmpty():
            self.select({key})
            look(rect)

    def hurry(self) -> None:
        """The zoom changes: draw rough until it rests."""
        self._scene.edges.hurried = True
        self._rest.start()

    def _on_rest(self) -> None:
        self._scene.edges.hurried = False
        self.viewport().update()

    def scroll_by(self, step: QPoint) -> None:
        self.camera.scroll(step)

    def centre(self) -> QPointF:
        return self.mapToScene(self.viewport().rect().center())

    def set_snap(self, on: bool) -> None:
        self.snap = on
        self.zoom_bar.snap_button.setChecked(on)

    def show_minimap(self, on: bool) -> None:
        self.minimap.setVisible(on)
        self.zoom_bar.map_button.setChecked(on)
        self.floating.place()

    # --- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        # The scene takes no more updates of parts after one of everything until it has painted: so it paints, nowhere.
        super().paintEvent(QPaintEvent(NOWHERE))
        painter = QPainter(self.viewport())
        painter.setClipRegion(event.region())
        painter.setTransform(self.viewportTransform())
        exposed = self.mapToScene(event.rect().adjusted(-8, -8, 8, 8)).boundingRect()
        if self.zoom > COMPACT:
            self.drawBackground(painter, exposed)
            self._scene.backdrop.paint(
                painter, self._scene.style_, exposed, self.selection
            )
            paint_near(painter, self._scene, exposed)
        else:
            painter.fillRect(exposed, self.look.theme.canvas)
            self._scene.backdrop.paint(
                painter, self._scene.style_, exposed, self.selection
            )
            self.far.paint(painter, exposed, self.zoom)
        self.drawForeground(painter, exposed)
        painter.end()

    def drawBackground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        paint_grid(painter, self.look.theme, QRectF(rect), self.zoom)

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        paint_marks(
            painter,
            self._scene.style_,
            self._scene.marks,
            QRectF(rect),
            self.zoom,
            self.follower.travel,
        )
        self.marking.paint(painter, QRectF(rect), self.zoom)
        self.splicing.paint(painter)
        self.adding.paint(painter)
        if self.tool is not None:
            self.tool.paint(painter, self.zoom)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        self.floating.place()  # the scroll has moved the viewport's children along
        self.inplace.place()
        self.frame_text.place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.camera.before_resize()
        super().resizeEvent(event)
        self.camera.resized()
        self.floating.place()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.camera.shown()
        self.floating.place()

    # --- mouse --------------------------------------------------------------------------------------------------

    def pointer(self, scene: QPointF) -> Pointer:
        return Pointer(scene, self.mapFromScene(scene), Qt.KeyboardModifier.NoModifier)

    def _pointer(self, event: QMouseEvent) -> Pointer:
        view = event.position().toPoint()
        return Pointer(self.mapToScene(view), view, event.modifiers())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._by_keys = False
        self.show_focus()
        self.adding.close()
        self.inplace.close()
        self.frame_text.close()
        if (
            self.tool is not None
            and self.tool.floating
            and event.button() == Qt.MouseButton.LeftButton
        ):
            self._began_by = event.button()
            self.tool.move(self._pointer(event))
            return
        self.cancel_tool()
        self._began_by = event.button()
        at = self._pointer(event)
        left = event.button() == Qt.MouseButton.LeftButton
        if event.button() == Qt.MouseButton.MiddleButton or (left and self.space_held):
            self.tool = Pan(self, at)
            self._space_panned = True
        elif left:
            self.clock.finish("glide")
            self.tool = tool_for(self, at)
        elif event.button() == Qt.MouseButton.RightButton and _is_cut(at.modifiers):
            self.tool = CutWires(self, at) if self.editable else None
            self.refuse_edit()
        if self.tool is not None:
            self.show_cursor(self.tool.cursor if isinstance(self.tool, Pan) else None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.tool is not None and (
            self.tool.floating or event.buttons() != Qt.MouseButton.NoButton
        ):
            tool = self.tool
            tool.move(self._pointer(event))
            if tool.started and self.tool is tool:
                self.show_cursor(tool.cursor)
                if not isinstance(tool, Pan):
                    self.edge_scroll.follow(tool.at)
        elif self.tool is None:
            self.hover.over(self.mapToScene(event.position().toPoint()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != self._began_by:
            return
        tool = self.tool
        self.tool = None
        self.edge_scroll.stop()
        if tool is not None:
            tool.at = self._pointer(event)
            tool.release()
        self.show_cursor()
        self.hover.over(self.mapToScene(event.position().toPoint()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = self._pointer(event)
        key = self.thing_at(at.scene)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self.cancel_tool()
        if self.inplace.open_at(at.scene):
            self.select({self.inplace.edge})
        elif dotting := new_dot(self, at):
            self.tool = dotting
            self._began_by = event.button()
        elif panel := panel_at(self, at.scene):
            self.select({key} if key else self.selection)
            self.panel_requested.emit(panel)
        elif key:
            self.select({key})
            self.activate(key)
        else:
            self.quick_add(at.view)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse and _is_cut(
            event.modifiers()
        ):
            # it comes with the press on some systems and with the release on others
            return
        self.cancel_tool()
        at = self.mapToScene(event.pos())
        if (
            event.reason() == QContextMenuEvent.Reason.Keyboard
            and (chosen := chosen_place(self)) is not None
        ):
            at = chosen
        menu = menu_for(self, at)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.viewport().mapToGlobal(self.mapFromScene(at)))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer. Two fingers scroll, unless Ctrl is held, and so does a wheel that is tipped."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        moved = wheel.pixels(event)
        angle = wheel.angle(event)
        if moved is not None and not control:
            self.scroll_by(-moved)
        elif control or angle.y():
            self.camera.zoom_by(1.0015 ** wheel.turn(event), event.position().toPoint())
        else:
            self.scroll_by(QPoint(-angle.x(), 0))
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.hover.set("")

    def thing_at(self, point: QPointF) -> str:
        """The node, edge group, frame or note that is there; empty for none."""
        scene = self._scene
        return (
            scene.node_at(point)
            or scene.edges.edge_at(point, self.reach)
            or scene.backdrop.at(point, self.zoom)
        )

    @property
    def reach(self) -> float:
        """How near to a wire is on it, in scene pixels: 6 on the screen."""
        return 6 / min(1.0, self.zoom)

    def show_cursor(self, shape: Qt.CursorShape | None = None) -> None:
        if self.space_held:
            rest = Qt.CursorShape.OpenHandCursor
        else:
            rest = Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(shape or rest)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            self.hover.tip(event)
            return True
        return super().viewportEvent(event)

    def cancel_tool(self) -> bool:
        """End the gesture as if it had not been. False when there was none."""
        tool = self.tool
        self.tool = None
        self.edge_scroll.stop()
        if tool is not None:
            tool.cancel()
            self.show_cursor()
        return tool is not None

    def end_edit_gestures(self) -> None:
        """What was begun does not fit what there is now: a run, or another design. Looking and selecting go on."""
        if not isinstance(self.tool, Pan | RubberBand):
            self.cancel_tool()
        self.adding.close()
        self.splicing.clear()
        self.inplace.follow_design()
        self.frame_text.follow_design()

    # --- keyboard -----------------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Tab is a command here, and leads out of the canvas only as F6; Qt would move the focus before asking."""
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Tab
        ):
            if (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier) not in self.keys:
                return super().event(event)
            self.keyPressEvent(event)
            return True
        return super().event(event)

    def use_keys(
        self, present: Mapping[str, Iterable[str]], names: Mapping[str, str]
    ) -> None:
        """The keys that a person wants, by the words of what they do; what is not named keeps ours. `names` has the
        present key for each of ours that a menu names.
        """
        self.keys = rebound(
            KEYS, {press: entry.words for press, entry in KEYS.items()}, present
        )
        self.key_names = names

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._by_keys = True
        if not press_key(self, event):
            event.ignore()
        self.show_focus()

    def show_focus(self) -> None:
        """A ring round the node that keys mean, while it is keys that are used."""
        if self._by_keys and self.hasFocus():
            wanted = next(reversed(self.order), "")
        else:
            wanted = ""
        self._scene.focus(wanted)
        self.accessible.follow()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space and not event.isAutoRepeat():
            tapped = self.space_held and not self._space_panned
            self.space_held = False
            self.show_cursor()
            if tapped:
                self.quick_add()
        else:
            super().keyReleaseEvent(event)

    def hold_space(self) -> None:
        self.space_held = True
        self._space_panned = False
        self.show_cursor()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._by_keys = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        )
        self.show_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.space_held = False
        # the release of a button or key may never come here
        if event.reason() not in _STAYS:
            self.cancel_tool()
            self.show_cursor()
        super().focusOutEvent(event)
        self.show_focus()

    # --- drops from the palette ---------------------------------------------------------------------------------

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.splicing.clear()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        welcome(self, event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        welcome(self, event)

    def dropEvent(self, event: QDropEvent) -> None:
        drop(self, event)


def _is_cut(modifiers: Qt.KeyboardModifier) -> bool:
    return bool(modifiers & Qt.KeyboardModifier.ControlModifier)
