"""What a screen reader meets on the canvas: nodes, edge groups and frames as children, and news of where keys lead.

Qt asks for these interfaces, and takes the news, only while a screen reader is there; otherwise nothing here costs.

Lifetimes: Qt keeps an interface by a number until it is told to delete it, and knows nothing of the Python object that
owns it. A part that Python let go before would leave Qt with a dangling pointer. So `Accessible` holds every part that
it has made, and deletes it through Qt. The interface of the view goes with the view; PySide never lets go of the Python
object that a factory gave, so that one knows the rest only weakly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from weakref import ref

from PySide6.QtCore import QObject, QPoint, QRect, QRectF
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QAccessibleEvent,
    QAccessibleInterface,
    QWindow,
)
from PySide6.QtWidgets import QAccessibleWidget

from designer.canvas.base import Canvas
from designer.canvas.speech.describe import describe
from designer.canvas.speech.spoken import description_of, name_of
from designer.model.frames import Frame, frames_of

MANY = 50  # changes of the selection from which only the whole is told
HOW = "Arrow keys walk from node to node, E goes through the edges of a node, Enter opens, Tab adds a node."


class Accessible:
    """The children of one view, by the ids of what is drawn; it lives as long as the canvas.

    tell, is_active   where news go, and whether anybody listens
    """

    def __init__(
        self,
        canvas: Canvas,
        tell: Callable[[QAccessibleEvent], object] = QAccessible.updateAccessibility,
        is_active: Callable[[], bool] = QAccessible.isActive,
    ) -> None:
        self.canvas = canvas
        self._tell = tell
        self._is_active = is_active
        self._parts: dict[str, Part] = {}
        self._places: dict[str, int] = {}
        self._of: object = None  # the design that `_places` and `frames` are of
        self.frames: dict[str, Frame] = {}
        self._stopped = False
        self._selected: frozenset[str] = frozenset()
        self._focused = self._said = ""
        canvas.message.connect(self.announce)
        canvas.status.connect(self._on_status)
        _install()

    def stop(self) -> None:
        """Take every part back from Qt. Call before the scene goes."""
        self._stopped = True
        for key in list(self._parts):
            self._drop(key)

    # --- parts

    @property
    def places(self) -> dict[str, int]:
        """The ids of nodes, edge groups, frames and notes, in the order of the document, each with its place."""
        scene = self.canvas.scene()
        if self._stopped:
            return {}
        if scene.design is not self._of:
            self._of = scene.design
            self.frames = {frame.id: frame for frame in frames_of(scene.design)}
            keys = (*scene.nodes, *scene.topology.edges, *self.frames)
            self._places = {key: place for place, key in enumerate(keys)}
        return self._places

    def part(self, key: str) -> Part:
        """The interface of a node or edge group, made when it is asked for."""
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = Part(self, key)
            QAccessible.registerAccessibleInterface(part)
        return part

    def part_at(self, place: int) -> Part | None:
        keys = list(self.places)
        return self.part(keys[place]) if 0 <= place < len(keys) else None

    def _drop(self, key: str) -> None:
        part = self._parts.pop(key)
        if self._is_active():
            self._tell(QAccessibleEvent(part, QAccessible.Event.ObjectDestroyed))
        QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(part))

    @property
    def focused(self) -> str:
        """What keys mean now: what was selected last, while the canvas has the focus."""
        return (
            next(reversed(self.canvas.order), "")
            if self.canvas.widget.hasFocus()
            else ""
        )

    def at(self, place: QPoint) -> str:
        """What is drawn at a place of the screen; "" when nothing is, or something floats there."""
        viewport = self.canvas.widget.viewport()
        local = viewport.mapFromGlobal(place)
        if not viewport.rect().contains(local) or viewport.childAt(local) is not None:
            return ""
        scene = self.canvas.mapToScene(local)
        framed = [
            key
            for key, frame in self.frames.items()
            if QRectF(*frame.rect).contains(scene)
        ]
        return (
            self.canvas.scene().node_at(scene)
            or self.canvas.scene().edges.edge_at(scene)
            or (framed or [""])[-1]
        )

    def rect(self, key: str) -> QRect:
        """Where it is on the screen."""
        viewport = self.canvas.widget.viewport()
        frame = self.frames.get(key)
        if frame is not None:
            area = QRectF(*frame.rect)
        else:
            area = self.canvas.scene().drawing_rect({key})
        drawn = self.canvas.widget.mapFromScene(area).boundingRect()
        return QRect(viewport.mapToGlobal(drawn.topLeft()), drawn.size())

    # --- news

    def follow(self) -> None:
        """Tell what is selected now, what keys mean, and how that stands, as far as it is new."""
        if self._stopped:
            return
        if self._parts:
            # Not as soon as they are missed: that may be while Qt is asking one of them.
            for key in self._parts.keys() - self.places.keys():
                self._drop(key)
        if not self._is_active():
            return
        before = self._selected
        self._selected = self.canvas.selection
        self._tell_selection(self._selected - before, before - self._selected)
        before_focus = self._focused
        self._focused = self.focused
        before_said = self._said
        self._said = ""
        if self._focused in self.places:
            part = self.part(self._focused)
            self._said = part.text(QAccessible.Text.Name)
            if self._focused != before_focus:
                self._tell(QAccessibleEvent(part, QAccessible.Event.Focus))
            elif self._said != before_said:  # the run went on
                self._tell(QAccessibleEvent(part, QAccessible.Event.NameChanged))

    def _tell_selection(self, added: frozenset[str], gone: frozenset[str]) -> None:
        if len(added) + len(gone) > MANY:
            self._tell(
                QAccessibleEvent(self.canvas.widget, QAccessible.Event.SelectionWithin)
            )
            return
        for keys, event in (
            (gone, QAccessible.Event.SelectionRemove),
            (added, QAccessible.Event.SelectionAdd),
        ):
            for key in sorted(keys & self.places.keys()):
                self._tell(QAccessibleEvent(self.part(key), event))

    def announce(self, text: str) -> None:
        """Have it said at once: why something was refused."""
        if text and self._is_active() and not self._stopped:
            self._tell(QAccessibleAnnouncementEvent(self.canvas.widget, text))

    def _on_status(self, text: str) -> None:
        """What Enter would do while a wire is drawn, which dot is chosen; not what the mouse passes by."""
        if text != describe(self.canvas.scene(), self.canvas.scene().edges.hovered):
            self.announce(text)


class Part(QAccessibleInterface):
    """A node, an edge group, a frame or a note."""

    def __init__(self, accessible: Accessible, key: str) -> None:
        super().__init__()
        self.key = key
        self._accessible = ref(accessible)

    @property
    def _of(self) -> Accessible | None:
        """Its canvas; None when it, or this part of it, is gone."""
        accessible = self._accessible()
        if accessible is not None and self.key in accessible.places:
            return accessible
        return None

    def isValid(self) -> bool:
        return self._of is not None

    def object(self) -> QObject:
        return None  # type: ignore[return-value] # the stubs do not know that an interface may have none

    def window(self) -> QWindow:
        of = self._of
        if of is None:
            return None  # type: ignore[return-value] # as above
        return of.canvas.widget.window().windowHandle()

    def parent(self) -> QAccessibleInterface:
        of = self._of
        if of is None:
            return None  # type: ignore[return-value]
        return QAccessible.queryAccessibleInterface(of.canvas.widget)

    def child(self, _index: int) -> QAccessibleInterface:
        return None  # type: ignore[return-value]

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface:
        return None  # type: ignore[return-value]

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        # What Windows and AT-SPI know to be selectable; the name says whether it is a node or what kind of edge.
        of = self._of
        framed = of is not None and self.key in of.frames
        return QAccessible.Role.Grouping if framed else QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        of = self._of
        if of is None:
            state.invalid = True
            return state
        state.selectable = state.focusable = True
        state.selected = self.key in of.canvas.selection
        state.focused = self.key == of.focused
        state.readOnly = not of.canvas.editable
        state.offscreen = not of.rect(self.key).intersects(_on_screen(of.canvas))
        return state

    def rect(self) -> QRect:
        of = self._of
        return of.rect(self.key) if of is not None else QRect()

    def text(self, kind: QAccessible.Text) -> str:
        of = self._of
        if of is None:
            return ""
        match kind:
            case QAccessible.Text.Name:
                frame = of.frames.get(self.key)
                if frame is None:
                    return name_of(of.canvas.scene(), self.key)
                return f"{frame.kind.capitalize()} {frame.text}".strip()
            case QAccessible.Text.Description:
                return description_of(of.canvas.scene(), self.key)
        return ""

    def setText(self, _kind: QAccessible.Text, _text: str) -> None:
        """Nothing is changed this way."""


class CanvasInterface(QAccessibleWidget):
    """The view itself: its widgets first, then what is drawn on it. Its name is that of the widget."""

    def __init__(self, accessible: Accessible) -> None:
        super().__init__(accessible.canvas.widget, QAccessible.Role.Canvas)
        self._accessible = ref(accessible)

    def childCount(self) -> int:
        accessible = self._accessible()
        return super().childCount() + (
            len(accessible.places) if accessible is not None else 0
        )

    def child(self, index: int) -> QAccessibleInterface:
        widgets = super().childCount()
        accessible = self._accessible()
        if index < widgets or accessible is None:
            return super().child(index)
        return accessible.part_at(index - widgets)  # type: ignore[return-value] # None for a child that is not there

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        accessible = self._accessible()
        if isinstance(child, Part):
            if accessible is not None:
                place = accessible.places.get(child.key, -1)
            else:
                place = -1
            return super().childCount() + place if place >= 0 else -1
        return super().indexOfChild(child)

    def childAt(self, x: int, y: int) -> QAccessibleInterface:
        accessible = self._accessible()
        key = accessible.at(QPoint(x, y)) if accessible is not None else ""
        if accessible is not None and key:
            return accessible.part(key)
        return super().childAt(x, y)

    def focusChild(self) -> QAccessibleInterface:
        accessible = self._accessible()
        focused = accessible.focused if accessible is not None else ""
        if accessible is not None and focused in accessible.places:
            return accessible.part(focused)
        return super().focusChild()

    def state(self) -> QAccessible.State:
        state = super().state()
        state.multiSelectable = True
        return state

    def text(self, kind: QAccessible.Text) -> str:
        said = super().text(kind)
        return HOW if kind == QAccessible.Text.Description and not said else said


def _on_screen(canvas: Canvas) -> QRect:
    viewport = canvas.widget.viewport()
    return QRect(viewport.mapToGlobal(QPoint()), viewport.size())


def _interface_of(class_name: str, thing: QObject) -> QAccessibleInterface | None:
    """Qt asks with each class of a thing, its own first."""
    if class_name == "CanvasView":
        accessible = getattr(thing, "accessible", None)
    else:
        accessible = None
    return CanvasInterface(accessible) if isinstance(accessible, Accessible) else None


@cache
def _install() -> None:
    """Once for the process: Qt has no way to take a factory back."""
    QAccessible.installFactory(_interface_of)
