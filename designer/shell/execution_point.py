"""Leads to the executor that failed, at which the run stands, or that made a value."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.session.session import DebugSession
from designer.shell.focus import is_writing
from designer.shell.levels import Levels
from designer.shell.runs.repair import Repairs
from runtime.debug.protocol import OriginStep


class ExecutionPoint(QObject):
    """A part of the workspace, which is `around` it."""

    panel_requested = Signal(str)
    stop_shown = Signal()

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        canvas: CanvasView,
        levels: Levels,
        repairs: Repairs,
        around: QWidget,
    ) -> None:
        super().__init__(around)
        self._document = document
        self._session = session
        self._canvas = canvas
        self._levels = levels
        self._repairs = repairs
        self._around = around

    def lead_to_failure(self) -> None:
        """Select and show the element that failed, unless the user writes or looks
        elsewhere.
        """
        element, _part = self._repairs.failed
        is_looking = self._session.mode == "live" and not is_writing(
            self._around.focusWidget()
        )
        if element and is_looking:
            if self._document.inside:
                self._levels.leave(len(self._document.inside))
            self._document.select({element})
            self._canvas.reveal(element)
            self.panel_requested.emit("Selected")

    def lead_to_stop(self) -> None:
        """Select and show the executor before which the run was stopped, unless the
        user writes or looks elsewhere.
        """
        stopped = self._session.stopped
        is_looking = self._session.mode == "live" and not is_writing(
            self._around.focusWidget()
        )
        if stopped is None or stopped.delivery is None or not is_looking:
            return
        delivery = stopped.delivery
        way = tuple(key.rpartition("#")[0] for key in delivery.path)
        self._levels.go_along(way)
        if self._document.inside == way:
            if way:
                self._session.look_inside(way, delivery.path[-1])
            self._document.select({delivery.executor})
            self._canvas.reveal(delivery.executor)
            self.stop_shown.emit()

    def lead_to_origin(self, step: OriginStep) -> None:
        """View the superstep in which a value was made, and select who made it."""
        if step.checkpoint_id is not None:
            self._session.view(step.checkpoint_id)
        way = tuple(run.rpartition("#")[0] for run in step.runs)
        self._levels.go_along(way)
        if self._document.inside != way:
            return
        if way:
            self._session.look_inside(way, keys=step.runs)
        if step.executor:
            self._document.select({step.executor})
            self._canvas.reveal(step.executor)
