"""What the parts of the canvas may ask of it.

`Canvas` is the contract between the view and its parts. Gestures, verbs and speech are
written against it and never see the view itself, so each of them can be read, tested
and replaced alone; the view implements it and puts the parts together. Gestures and
verbs meet only here: a gesture ends in one of the commands below, and a key or a menu
begins a gesture through `start_wire` and `start_rewire`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, SignalInstance

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter
    from PySide6.QtWidgets import QGraphicsView

    from designer.canvas.camera import Camera
    from designer.canvas.clock import Clock
    from designer.canvas.drawing.edge_item import Dot
    from designer.canvas.drawing.scene import CanvasScene
    from designer.canvas.drawing.spots import Spot
    from designer.document.document import Document
    from designer.look.theme import Look
    from designer.model.design import Design, Position
    from designer.model.edits import Side, Way
    from designer.model.wiring import Wiring
    from designer.session.session import DebugSession
    from runtime.document.problem import Problem

THRESHOLD = 4  # px on the screen before a press is a drag
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
READ_ONLY = "This is a run, and read-only. Go back to editing to change the workflow."


class Problems(Protocol):
    """The checks, as far as the canvas uses them: the problems of each node and edge."""

    changed: SignalInstance
    by_location: dict[str, tuple[Problem, ...]]


class EditCommands(Protocol):
    """What a gesture does to nodes and edges at its end. Each is one undo step."""

    def edit(
        self, text: str, change: Callable[[Design], Design], *, merge: str = ""
    ) -> bool:
        """Apply one edit. Return False, and tell the reason, when it was refused."""

    def called(self, ids: Collection[str]) -> str:
        """Return what these things are called in the history of edits."""

    def add_node(
        self,
        type: str,
        at: QPointF | None = None,
        *,
        wired: Sequence[str] = (),
        side: str = "out",
        free: bool = False,
        spot: Spot | None = None,
    ) -> str:
        """Add a node of a type; return its id, or "" when that was refused."""

    def move(self, positions: Mapping[str, Position]) -> bool:
        """Move nodes to these places."""

    def duplicate(self, dx: float = 24, dy: float = 24) -> None:
        """Copy the selection, so far away from the originals."""

    def splice(self, node: str, spot: Spot, positions: Mapping[str, Position]) -> None:
        """Move nodes, and put one of them into a wire."""

    def connect(self, sources: Sequence[str], target: str) -> None:
        """Draw an edge from one source, or a join of several, to a target."""

    def connect_all(self, source: str, targets: Sequence[str]) -> None:
        """Draw a fan-out from a source to all targets."""

    def connect_on_error(self, source: str, target: str) -> None:
        """Draw an edge for the failures of a node."""

    def join_to(self, edge: str, sources: Sequence[str]) -> None:
        """Add sources to a join."""

    def add_ways(self, edge: str, nodes: Sequence[str]) -> None:
        """Add ends to an edge group."""

    def lead(self, edges: Collection[str], side: Side, node: str, other: str) -> None:
        """Move the ends of edges from a node to another one."""

    def disconnect(self, node: str, side: str) -> None:
        """Remove all wires of a port."""

    def cut_wires(self, wires: Mapping[str, Collection[Way]]) -> None:
        """Remove wires, by the edge group that each is part of."""


class FrameCommands(Protocol):
    """What a gesture does to frames and notes at its end."""

    def with_content(self, ids: Collection[str]) -> tuple[list[str], list[str]]:
        """Return the frames among these ids and the nodes on them, with what they hold."""

    def shift(
        self,
        moved: Mapping[str, QRectF],
        nodes: Mapping[str, QPointF],
        by: QPointF,
        merge: str = "",
    ) -> None:
        """Move frames and nodes together; both are given as they are before."""

    def resize(self, key: str, rect: QRectF) -> None:
        """Give a frame or note another rectangle."""


class DotCommands(Protocol):
    """What a gesture does to the reroute dots of wires."""

    @property
    def chosen(self) -> Dot | None:
        """The dot that keys are for."""

    def choose(self, dot: Dot | None) -> None:
        """Choose a dot and select its edge; None chooses no dot."""

    def put(
        self, dot: Dot, points: Sequence[Position], words: str, *, merge: str = ""
    ) -> bool:
        """Lead the wire of a dot through these points."""


class BreakpointCommands(Protocol):
    """What a gesture does to breakpoints."""

    def key_at(self, point: QPointF) -> str:
        """Return the element with a mark at a point, or the node whose corner is there."""

    def click(self, element: str) -> None:
        """Set a breakpoint at an element without one, else turn it off or on."""

    def hover(self, point: QPointF) -> str:
        """Show where a click would set one. Return the element whose mark or corner is
        at a point.
        """

    def tip(self, point: QPointF) -> str:
        """Return what the tool tip says at a point; "" for nothing."""


class ResultMarks(Protocol):
    """What hovering shows of the results that the user has chosen."""

    def tip(self, point: QPointF) -> str:
        """Return what the tool tip says at a point; "" for nothing."""


class Canvas(Protocol):
    """One drawing of one document, as the parts of the canvas see it."""

    # --- what is drawn

    @property
    def document(self) -> Document: ...
    @property
    def session(self) -> DebugSession: ...
    @property
    def look(self) -> Look: ...
    @property
    def checks(self) -> Problems | None: ...
    @property
    def editable(self) -> bool:
        """Whether the document is edited; False while a run is shown."""

    def scene(self) -> CanvasScene:
        """Return the drawing."""

    def thing_at(self, point: QPointF) -> str:
        """Return the node, edge group, frame or note at a place of the scene, or ""."""

    def wiring(self) -> Wiring:
        """Return the rule about which node may send to which."""

    # --- the selection

    @property
    def selection(self) -> frozenset[str]: ...
    @property
    def order(self) -> list[str]:
        """The selection in the order in which it was made."""

    def chosen_nodes(self) -> list[str]:
        """Return the selected nodes in the order in which they were selected."""

    def select(self, ids: Collection[str]) -> None:
        """Select exactly these."""

    def reveal(self, key: str) -> None:
        """Select something that is drawn, and scroll it into view."""

    # --- where one looks

    @property
    def camera(self) -> Camera: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def zoom(self) -> float: ...
    @property
    def reach(self) -> float:
        """How near to a wire counts as on it, in scene pixels."""

    @property
    def snap(self) -> bool:
        """Whether what is dragged snaps to the grid."""

    @property
    def widget(self) -> QGraphicsView:
        """The view as a Qt widget: the parent of menus and fields, and where the focus
        is.
        """

    def mapToScene(self, point: QPoint, /) -> QPointF: ...
    def mapFromScene(self, point: QPointF, /) -> QPoint: ...

    # --- what is done

    @property
    def commands(self) -> EditCommands: ...
    @property
    def frames(self) -> FrameCommands: ...
    @property
    def dots(self) -> DotCommands: ...
    @property
    def breakpoints(self) -> BreakpointCommands: ...
    @property
    def results(self) -> ResultMarks: ...
    @property
    def gesture(self) -> Gesture | None:
        """The gesture that goes on."""

    def hand_over(self, gesture: Gesture) -> None:
        """Let another gesture go on with the press of the present one."""

    def begin(self, gesture: Gesture) -> None:
        """Let a gesture follow the mouse without a button, until a click or Enter ends
        it.
        """

    def end_gesture(self) -> Gesture | None:
        """Take the gesture away and return it. The caller releases or cancels it."""

    def cancel_gesture(self) -> bool:
        """End the gesture without effect. Return False when there was none."""

    def start_wire(self, node: str = "", *, on_error: bool = False) -> None:
        """Begin a wire that the keyboard leads, from a node or from what is selected."""

    def start_rewire(self) -> None:
        """Begin to lead the selected edge to another node by keyboard."""

    def quick_add(
        self,
        at: QPoint | None = None,
        wired: Sequence[str] = (),
        side: str = "out",
    ) -> None:
        """Ask for a node type, at a place of the viewport or where there is room. With
        `wired` only types that fit those nodes' ports are offered, and connected.
        """

    def activate(self, key: str) -> None:
        """Open a node or edge group; "" for the workflow."""

    # --- messages

    @property
    def status(self) -> SignalInstance:
        """Carries what is under the pointer, in words."""

    @property
    def message(self) -> SignalInstance:
        """Carries why something was refused."""

    @property
    def page_requested(self) -> SignalInstance:
        """Asks for a tab for a sub-workflow; "" for the one that is shown."""

    @property
    def panel_requested(self) -> SignalInstance:
        """Asks for the panel with this title."""

    @property
    def copy_requested(self) -> SignalInstance:
        """Asks to edit a copy of the checkpoint that is shown, at a node of it."""

    @property
    def out_requested(self) -> SignalInstance:
        """Asks for the document that has this one inside."""

    def tell(self, text: str) -> None:
        """Say why something cannot be done."""

    def refuse_edit(self) -> bool:
        """While a run is shown, say that no edit changes it and return True."""

    def announce(self) -> None:
        """Tell screen readers what is selected, because its words are others now."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where the mouse is, in scene pixels and on the viewport, with its modifiers."""

    scene: QPointF
    view: QPoint
    modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier


class Press:
    """A press of a mouse button, and what is there; each is looked up at most once."""

    def __init__(
        self,
        canvas: Canvas,
        pointer: Pointer,
        button: Qt.MouseButton,
        *,
        panning: bool = False,
    ) -> None:
        """`panning` while Space is held."""
        self.pointer = pointer
        self.modifiers = pointer.modifiers
        self.button = button
        self.panning = panning
        self._canvas = canvas

    @property
    def is_left(self) -> bool:
        """Whether the left button was pressed, and not to move the view."""
        return self.button == Qt.MouseButton.LeftButton and not self.panning

    @property
    def edits(self) -> bool:
        """Whether the left button was pressed while the document is edited."""
        return self.is_left and self._canvas.editable

    @cached_property
    def port(self) -> tuple[str, str]:
        """The node and the side of the port that is there; two empty strings for none."""
        return self._canvas.scene().port_at(self.pointer.scene)

    @cached_property
    def node(self) -> str:
        """The node that is there, or ""."""
        return self._canvas.scene().node_at(self.pointer.scene)

    @cached_property
    def dot(self) -> Dot | None:
        """The reroute dot that is there, when no node lies over it."""
        if self.node:
            return None
        return self._canvas.scene().edges.dot_at(self.pointer.scene)

    @cached_property
    def thing(self) -> str:
        """The node, edge group, frame or note that is there, or ""."""
        return self.node or self._canvas.thing_at(self.pointer.scene)

    @property
    def frame(self) -> str:
        """The frame or note that is there, or "" when anything lies over it."""
        frames = self._canvas.scene().backdrop.frames
        return self.thing if self.thing in frames else ""


class Gesture:
    """What the mouse does from a press to a release.

    A gesture draws over the canvas while it lives and changes the document only at its
    end, by the same commands as keys and menus. Esc cancels it and leaves everything as
    it was. To add a gesture, write a class in a file of `gestures/`, say in `start`
    when it begins, and name it in `gestures/table.py`.
    """

    # the shape of the pointer while it is dragged, and already at the press
    cursor: Qt.CursorShape = Qt.CursorShape.ArrowCursor
    cursor_at_press: ClassVar[Qt.CursorShape | None] = None
    # Looking and selecting go on when the document changes; what edits it does not,
    # because it is about the design that it began with.
    edits: ClassVar[bool] = True
    # whether the view scrolls when it is dragged to the rim
    scrolls: ClassVar[bool] = True

    def __init__(self, canvas: Canvas, pointer: Pointer) -> None:
        self.canvas = canvas
        self.scene = canvas.scene()
        self.began = pointer
        self.pointer = pointer
        # whether the pointer has moved far enough to mean a drag
        self.started = False
        # Begun by a key or a menu: it follows the mouse without a button.
        self.floating = False

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        """Return the gesture that a press begins, or None when the press means another."""
        raise NotImplementedError

    def move(self, pointer: Pointer) -> None:
        """Follow the pointer."""
        self.pointer = pointer
        if not self.started:
            way = pointer.view - self.began.view
            self.started = way.manhattanLength() >= THRESHOLD
        if self.started:
            self.drag()

    def drag(self) -> None:
        """Follow the pointer, once the press is a drag."""

    def release(self) -> None:
        """Do what the gesture is for."""

    def cancel(self) -> None:
        """Leave everything as it was before."""

    def paint(self, painter: QPainter, zoom: float) -> None:
        """Paint over the canvas, in scene pixels."""

    # --- by keys, while it lives

    def press_arrow(self, direction: str) -> bool:
        """Follow an arrow key. Return False when arrows mean nothing to this gesture."""
        return False

    def press_enter(self) -> bool:
        """Finish by Enter. Return False when Enter means nothing to this gesture."""
        return False

    def press_tab(self) -> bool:
        """Go on with a new node. Return False when Tab means nothing to this gesture."""
        return False


class Popup(Protocol):
    """A field or a list at a place of the drawing, until something else is done."""

    def close(self) -> None:
        """Take it away, if it is there."""

    def place(self) -> None:
        """Follow the drawing, which was scrolled or zoomed."""

    def follow_design(self) -> None:
        """Close it when the design is another now, and not by its own edit."""
