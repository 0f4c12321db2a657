"""Breakpoints on the canvas: set, turned off, edited in a popover, and painted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, SignalInstance
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from designer.canvas.base import Canvas
from designer.canvas.drawing.breakpoints import (
    breakpoint_at,
    gutter_at,
    mark_area,
    paint_breakpoints,
    place_of_mark,
)
from designer.canvas.verbs.popover import Popover
from designer.model.breakpoint_words import Target, mark_of
from designer.model.breakpoints import DebugNotes, missing_in, new_id, place_of
from runtime.debug.protocol import Breakpoint, BreakpointKind

SELECT = "Select a node, an edge or a join and press F9."
NO_BREAKPOINT = "There is no breakpoint at what is selected. F9 sets one."
_FIRST: dict[Target, BreakpointKind] = {
    "node": "before",
    "edge": "message",
    "join": "fires",
}


class BreakpointEditor(Protocol):
    """The content of the popover. `closed` asks to take it away; with True it keeps
    what was changed.
    """

    closed: SignalInstance
    resized: SignalInstance

    @property
    def entry(self) -> QWidget: ...
    def keep(self) -> None: ...
    def revert(self) -> None: ...


MakeEditor = Callable[[str, Target], BreakpointEditor]


class BreakpointVerbs(QObject):
    """`make_editor` makes an editor for a breakpoint by its id; without it there is no
    popover. `ghost` is the node whose corner is under the pointer.
    """

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.widget)
        self.canvas = canvas
        self.make_editor: MakeEditor | None = None
        self.editor: BreakpointEditor | None = None
        self.ghost = ""
        self._popover: Popover | None = None
        self._anchor = ""
        # The notes before the last click on a mark, which a double click takes back.
        self._before_click: tuple[str, DebugNotes] | None = None
        canvas.document.breakpoints.changed.connect(self.refresh)

    def stop(self) -> None:
        """Follow nothing any more."""
        self.canvas.document.breakpoints.changed.disconnect(self.refresh)

    # --- what is where ----------------------------------------------------------------

    @property
    def notes(self) -> DebugNotes:
        return self.canvas.document.breakpoints.notes

    def at(self, element: str) -> tuple[Breakpoint, ...]:
        """Return the breakpoints of an element on the shown level."""
        return self.notes.at(element, self.canvas.document.inside)

    def target_of(self, element: str) -> Target:
        """Return what kind of thing an element is for a breakpoint."""
        edge = self.canvas.scene().topology.edges.get(element)
        if edge is None:
            return "node"
        return "join" if edge.join is not None else "edge"

    def key_at(self, point: QPointF) -> str:
        """Return the element with a mark at a point, or the node whose corner is there."""
        scene = self.canvas.scene()
        zoom = self.canvas.zoom
        return breakpoint_at(scene, point, zoom) or gutter_at(scene, point, zoom)

    def _chosen(self) -> list[str]:
        """Return the selected nodes and edge groups."""
        scene = self.canvas.scene()
        return [
            key
            for key in self.canvas.order
            if key in scene.nodes or key in scene.topology.edges
        ]

    # --- verbs ------------------------------------------------------------------------

    def toggle(self) -> None:
        """Set breakpoints at what is selected, or delete those of all of it."""
        chosen = self._chosen()
        if not chosen:
            self.canvas.tell(SELECT)
            return
        bare = [key for key in chosen if not self.at(key)]
        if bare:
            self._put([self._new(key) for key in bare])
            return
        self.delete(chosen)

    def turn(self) -> None:
        """Turn the breakpoints of what is selected off, or on if all are off."""
        points = [point for key in self._chosen() for point in self.at(key)]
        if points:
            self._turn(points)
        else:
            self.canvas.tell(NO_BREAKPOINT)

    def edit(self) -> None:
        """Open the editor at what was selected last; set a breakpoint first if it has
        none.
        """
        chosen = self._chosen()
        if chosen:
            self.open(chosen[-1])
        else:
            self.canvas.tell(SELECT)

    def delete(self, elements: Collection[str]) -> None:
        """Delete the breakpoints of elements."""
        ids = {point.id for key in elements for point in self.at(key)}
        self.canvas.document.breakpoints.remove(ids)

    def click(self, element: str) -> None:
        """Set a breakpoint at an element without one, else turn it off or on."""
        points = self.at(element)
        self._before_click = (element, self.notes)
        if points:
            self._turn(points)
        else:
            self._before_click = None
            self._put([self._new(element)])

    def open_at(self, point: QPointF) -> bool:
        """Open the editor of the mark at a point, for the second click of two. Return
        False if there is none.
        """
        element = breakpoint_at(self.canvas.scene(), point, self.canvas.zoom)
        if not element:
            return False
        if self._before_click is not None and self._before_click[0] == element:
            self.canvas.document.breakpoints.take(self._before_click[1])
        self._before_click = None
        return self.open(element)

    def _new(self, element: str) -> Breakpoint:
        return Breakpoint(
            id=new_id(),
            kind=_FIRST[self.target_of(element)],
            where=element,
            inside=self.canvas.document.inside,
        )

    def _put(self, points: Sequence[Breakpoint]) -> None:
        self.canvas.document.breakpoints.put(*points)

    def _turn(self, points: Sequence[Breakpoint]) -> None:
        enabled = not any(point.enabled for point in points)
        self._put([point.model_copy(update={"enabled": enabled}) for point in points])

    # --- the popover ------------------------------------------------------------------

    def open(self, element: str, id: str = "") -> bool:
        """Edit a breakpoint of an element, by default its first. Return False if it
        cannot be edited here.
        """
        self.close()
        anchor = place_of_mark(self.canvas.scene(), element)
        if self.make_editor is None or anchor is None:
            return False
        points = self.at(element)
        if not points:
            points = (self._new(element),)
            self._put(points)
        shown = next((point for point in points if point.id == id), points[0])
        self._anchor = element
        self._show_editor(self.make_editor(shown.id, self.target_of(element)))
        return True

    def open_apart(self, id: str, target: Target) -> None:
        """Edit a breakpoint without a mark on the shown level."""
        self.close()
        if self.make_editor is not None:
            self._anchor = ""
            self._show_editor(self.make_editor(id, target))

    def _show_editor(self, editor: BreakpointEditor) -> None:
        editor.closed.connect(self.close)
        editor.resized.connect(self.place)
        self.editor = editor
        self._popover = Popover(self.canvas, editor)
        self._popover.escaped.connect(self._on_escape)
        self.place()
        self._popover.show()
        self._popover.raise_()
        editor.entry.setFocus(Qt.FocusReason.PopupFocusReason)

    @property
    def popover(self) -> QWidget | None:
        """The open popover."""
        return self._popover

    def _on_escape(self) -> None:
        if self.editor is not None:
            self.editor.revert()
        self.close()

    def close(self) -> None:
        """Take the popover away; what was changed in it stays."""
        editor = self.editor
        popover = self._popover
        self.editor = None
        self._popover = None
        if editor is None or popover is None:
            return
        had_focus = popover.has_focus()
        editor.keep()
        popover.hide()
        popover.deleteLater()
        if had_focus:
            self.canvas.widget.setFocus()

    def place(self) -> None:
        """Put the popover under its target, or over it, inside the view."""
        if self._popover is None:
            return
        rect = self._target_rect()
        if rect is None and self._anchor:
            self.close()
            return
        self._popover.place(rect)

    def _target_rect(self) -> QRectF | None:
        """Return what the popover points at, in pixels of the view."""
        scene = self.canvas.scene()
        box = scene.boxes.get(self._anchor)
        rect = box.rect if box is not None else mark_area(scene, self._anchor, 1.0)
        if rect.isNull():
            return None
        corners = (rect.topLeft(), rect.bottomRight())
        top_left, bottom_right = (self.canvas.mapFromScene(point) for point in corners)
        return QRectF(QPointF(top_left), QPointF(bottom_right))

    def follow_design(self) -> None:
        """Close the popover if what it points at is gone."""
        self.place()

    # --- marks ------------------------------------------------------------------------

    def refresh(self) -> None:
        """Show the present marks of the level that is shown."""
        scene = self.canvas.scene()
        inside = self.canvas.document.inside
        session = self.canvas.session
        notes = self.notes
        hit = session.hit_breakpoint
        reasons = {}
        elements: dict[str, list[Breakpoint]] = {}
        for point in notes.breakpoints:
            if point.inside == inside and place_of(point):
                elements.setdefault(place_of(point), []).append(point)
                reasons[point.id] = missing_in(scene.design, point)
        marks = {
            key: mark_of(
                points,
                session.breakpoint_statuses,
                hit=hit,
                muted=notes.muted,
                reasons=reasons,
            )
            for key, points in elements.items()
            if key in scene.nodes or key in scene.topology.edges
        }
        if marks == scene.breakpoints:
            return
        self._update_areas(scene.breakpoints.keys() | marks.keys())
        scene.breakpoints = marks
        self.canvas.announce()

    def _update_areas(self, keys: Collection[str]) -> None:
        for key in keys:
            self.canvas.scene().update(
                mark_area(self.canvas.scene(), key, self.canvas.zoom)
            )

    def hover(self, point: QPointF) -> str:
        """Show where a click would set a breakpoint. Return the element with a mark or
        a corner at a point.
        """
        key = self.key_at(point)
        ghost = "" if key in self.canvas.scene().breakpoints else key
        if ghost != self.ghost:
            changed = {self.ghost, ghost} - {""}
            self.ghost = ghost
            self._update_areas(changed)
        return key

    def tip(self, point: QPointF) -> str:
        """Return what the tool tip says at a point; "" for nothing."""
        scene = self.canvas.scene()
        key = self.key_at(point)
        mark = scene.breakpoints.get(key)
        if mark is not None:
            words = mark.words[:1].upper() + mark.words[1:]
            return f"{words}. A click turns it on or off, a double click edits it."
        return "A click sets a breakpoint (F9)." if key else ""

    def paint(self, painter: QPainter, exposed: QRectF, zoom: float) -> None:
        """Paint the marks."""
        scene = self.canvas.scene()
        if scene.breakpoints or self.ghost:
            paint_breakpoints(painter, scene, exposed, zoom, self.ghost)
