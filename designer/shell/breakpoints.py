"""The breakpoints of a document: the run stops at them, and the canvas shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.model.breakpoint_words import target_without_place
from designer.model.breakpoints import place_of
from designer.session.session import DebugSession
from designer.shell.levels import Levels


class Breakpoints(QObject):
    """A part of the workspace."""

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        canvas: CanvasView,
        levels: Levels,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._document = document
        self._session = session
        self._canvas = canvas
        self._levels = levels

    def use(self) -> None:
        """Let the run stop at them."""
        notes = self._document.breakpoints.notes
        self._session.use_breakpoints(notes.breakpoints, muted=notes.muted)

    def run_back(self) -> None:
        """Look at the nearest hit or breakpoint before the checkpoint that is shown."""
        notes = self._document.breakpoints.notes
        stops = [point for point in notes.breakpoints if point.enabled]
        self._session.past.run_back([] if notes.muted else stops)

    def edit(self, id: str) -> None:
        """Edit a breakpoint on the canvas, at its mark if it has one there."""
        is_shown = self.show(id)
        point = self._document.breakpoints.notes.get(id)
        if point is None:
            return
        verbs = self._canvas.breakpoints
        if not is_shown or not verbs.open(place_of(point), id):
            verbs.open_apart(id, target_without_place(point))

    def show(self, id: str) -> bool:
        """Go to the mark of a breakpoint on the canvas. Return False if it has none."""
        point = self._document.breakpoints.notes.get(id)
        if point is None or not place_of(point):
            return False
        self._levels.go_along(point.inside)
        if self._document.inside != point.inside:
            return False
        element = place_of(point)
        self._document.select({element})
        self._canvas.reveal(element)
        return bool(self._document.selection)
