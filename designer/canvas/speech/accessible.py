"""The canvas for screen readers: nodes, edge groups and frames as children of the view,
and events that say where keys lead.

Qt asks for these interfaces, and takes the events, only while a screen reader is there;
otherwise nothing here costs.

Lifetimes: Qt keeps an interface by a number until it is deleted through Qt, and knows
nothing of the Python object that owns it. A part that Python freed before would leave
Qt with a dangling pointer. So `Accessible` holds every part that it has made, and
deletes it through Qt. The interface of the view is deleted with the view; PySide never
frees the Python object that a factory returned, so that object refers to the rest only
weakly.
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

# From so many changes of the selection on, one event says that the selection changed.
MANY = 50
HELP = "Arrow keys walk from node to node, E goes through the edges of a node, Enter opens, Tab adds a node."


class Accessible:
    """The children of one view, by the ids of what is drawn; it lives as long as the
    view.

    notify, is_active   where events go, and whether a screen reader listens
    """

    def __init__(
        self,
        canvas: Canvas,
        notify: Callable[[QAccessibleEvent], object] = QAccessible.updateAccessibility,
        is_active: Callable[[], bool] = QAccessible.isActive,
    ) -> None:
        self.canvas = canvas
        self._notify = notify
        self._is_active = is_active
        self._parts: dict[str, Part] = {}
        self._places: dict[str, int] = {}
        # the design that `_places` and `frames` were made from
        self._design: object = None
        self.frames: dict[str, Frame] = {}
        self._stopped = False
        self._selected: frozenset[str] = frozenset()
        self._focused = ""
        self._spoken = ""
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
        """The ids of nodes, edge groups, frames and notes in the order of the document,
        each with its place.
        """
        scene = self.canvas.scene()
        if self._stopped:
            return {}
        if scene.design is not self._design:
            self._design = scene.design
            self.frames = {frame.id: frame for frame in frames_of(scene.design)}
            keys = (*scene.nodes, *scene.topology.edges, *self.frames)
            self._places = {key: place for place, key in enumerate(keys)}
        return self._places

    def part(self, key: str) -> Part:
        """Return the interface of something drawn, made when it is first asked for."""
        part = self._parts.get(key)
        if part is None:
            part = self._parts[key] = Part(self, key)
            QAccessible.registerAccessibleInterface(part)
        return part

    def part_at(self, place: int) -> Part | None:
        """Return the interface at a place in the order, or None."""
        keys = list(self.places)
        return self.part(keys[place]) if 0 <= place < len(keys) else None

    def _drop(self, key: str) -> None:
        part = self._parts.pop(key)
        if self._is_active():
            self._notify(QAccessibleEvent(part, QAccessible.Event.ObjectDestroyed))
        QAccessible.deleteAccessibleInterface(QAccessible.uniqueId(part))

    @property
    def focused(self) -> str:
        """What keys are for: what was selected last, while the canvas has the focus."""
        return (
            next(reversed(self.canvas.order), "")
            if self.canvas.widget.hasFocus()
            else ""
        )

    def at(self, place: QPoint) -> str:
        """Return what is drawn at a place of the screen; "" for nothing, or when
        something floats over it.
        """
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
        """Return where something is on the screen."""
        viewport = self.canvas.widget.viewport()
        frame = self.frames.get(key)
        if frame is not None:
            area = QRectF(*frame.rect)
        else:
            area = self.canvas.scene().drawing_rect({key})
        drawn = self.canvas.widget.mapFromScene(area).boundingRect()
        return QRect(viewport.mapToGlobal(drawn.topLeft()), drawn.size())

    # --- events

    def follow(self) -> None:
        """Send events for what changed: the selection, what keys are for, and its
        state.
        """
        if self._stopped:
            return
        if self._parts:
            # Not as soon as they are gone: that may be while Qt is asking one of them.
            for key in self._parts.keys() - self.places.keys():
                self._drop(key)
        if not self._is_active():
            return
        before = self._selected
        self._selected = self.canvas.selection
        self._notify_selection(self._selected - before, before - self._selected)
        before_focus = self._focused
        self._focused = self.focused
        before_spoken = self._spoken
        self._spoken = ""
        if self._focused in self.places:
            part = self.part(self._focused)
            self._spoken = part.text(QAccessible.Text.Name)
            if self._focused != before_focus:
                self._notify(QAccessibleEvent(part, QAccessible.Event.Focus))
            elif self._spoken != before_spoken:  # the run went on
                self._notify(QAccessibleEvent(part, QAccessible.Event.NameChanged))

    def _notify_selection(self, added: frozenset[str], removed: frozenset[str]) -> None:
        if len(added) + len(removed) > MANY:
            self._notify(
                QAccessibleEvent(self.canvas.widget, QAccessible.Event.SelectionWithin)
            )
            return
        for keys, event in (
            (removed, QAccessible.Event.SelectionRemove),
            (added, QAccessible.Event.SelectionAdd),
        ):
            for key in sorted(keys & self.places.keys()):
                self._notify(QAccessibleEvent(self.part(key), event))

    def announce(self, text: str) -> None:
        """Let it be said at once: why something was refused."""
        if text and self._is_active() and not self._stopped:
            self._notify(QAccessibleAnnouncementEvent(self.canvas.widget, text))

    def _on_status(self, text: str) -> None:
        """Announce what Enter would do while a wire is drawn, or which dot is chosen,
        but not what the mouse passes over.
        """
        if text != describe(self.canvas.scene(), self.canvas.scene().edges.hovered):
            self.announce(text)


class Part(QAccessibleInterface):
    """A node, an edge group, a frame or a note."""

    def __init__(self, accessible: Accessible, key: str) -> None:
        super().__init__()
        self.key = key
        self._accessible = ref(accessible)

    @property
    def _owner(self) -> Accessible | None:
        """Its canvas; None when that, or this part of it, is gone."""
        accessible = self._accessible()
        if accessible is not None and self.key in accessible.places:
            return accessible
        return None

    def isValid(self) -> bool:
        return self._owner is not None

    def object(self) -> QObject:
        return None  # type: ignore[return-value] # the stubs do not know that an interface may have none

    def window(self) -> QWindow:
        owner = self._owner
        if owner is None:
            return None  # type: ignore[return-value] # as above
        return owner.canvas.widget.window().windowHandle()

    def parent(self) -> QAccessibleInterface:
        owner = self._owner
        if owner is None:
            return None  # type: ignore[return-value]
        return QAccessible.queryAccessibleInterface(owner.canvas.widget)

    def child(self, _index: int) -> QAccessibleInterface:
        return None  # type: ignore[return-value]

    def childAt(self, _x: int, _y: int) -> QAccessibleInterface:
        return None  # type: ignore[return-value]

    def childCount(self) -> int:
        return 0

    def indexOfChild(self, _child: QAccessibleInterface) -> int:
        return -1

    def role(self) -> QAccessible.Role:
        # Windows and AT-SPI know these roles to be selectable. The name says whether it
        # is a node, or what kind of edge.
        owner = self._owner
        framed = owner is not None and self.key in owner.frames
        return QAccessible.Role.Grouping if framed else QAccessible.Role.ListItem

    def state(self) -> QAccessible.State:
        state = QAccessible.State()
        owner = self._owner
        if owner is None:
            state.invalid = True
            return state
        state.selectable = state.focusable = True
        state.selected = self.key in owner.canvas.selection
        state.focused = self.key == owner.focused
        state.readOnly = not owner.canvas.editable
        state.offscreen = not owner.rect(self.key).intersects(_on_screen(owner.canvas))
        return state

    def rect(self) -> QRect:
        owner = self._owner
        return owner.rect(self.key) if owner is not None else QRect()

    def text(self, kind: QAccessible.Text) -> str:
        owner = self._owner
        if owner is None:
            return ""
        match kind:
            case QAccessible.Text.Name:
                frame = owner.frames.get(self.key)
                if frame is None:
                    return name_of(owner.canvas.scene(), self.key)
                return f"{frame.kind.capitalize()} {frame.text}".strip()
            case QAccessible.Text.Description:
                return description_of(owner.canvas.scene(), self.key)
        return ""

    def setText(self, _kind: QAccessible.Text, _text: str) -> None:
        """Change nothing: names are edited on the canvas."""


class CanvasInterface(QAccessibleWidget):
    """The view itself: its widgets first, then what is drawn on it.

    Its name is that of the widget.
    """

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
        text = super().text(kind)
        if kind == QAccessible.Text.Description and not text:
            return HELP
        return text


def _on_screen(canvas: Canvas) -> QRect:
    viewport = canvas.widget.viewport()
    return QRect(viewport.mapToGlobal(QPoint()), viewport.size())


def _interface_of(class_name: str, thing: QObject) -> QAccessibleInterface | None:
    """Return the interface of a view. Qt asks with each class of a thing, its own
    first.
    """
    if class_name != "CanvasView":
        return None
    accessible = getattr(thing, "accessible", None)
    return CanvasInterface(accessible) if isinstance(accessible, Accessible) else None


@cache
def _install() -> None:
    """Install the factory once for the process: Qt has no way to remove one."""
    QAccessible.installFactory(_interface_of)
