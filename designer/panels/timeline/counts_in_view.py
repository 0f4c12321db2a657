"""Asks what went wrong on the way to the checkpoints that the strip shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import QTimer

from designer.panels.timeline.layout import Mark
from designer.session.session import DebugSession

PAUSE = 80  # ms that the view stays before counts are asked for it


class CountsInView(QTimer):
    """`start` it whenever the view has moved. `marks` returns the marks in view, none if
    they are too many to have a text; `repaint` is called when counts have arrived.
    """

    def __init__(
        self,
        session: DebugSession,
        marks: Callable[[], Iterable[Mark]],
        repaint: Callable[[], object],
    ) -> None:
        super().__init__(singleShot=True, interval=PAUSE)
        self._session = session
        self._marks = marks
        self._repaint = repaint
        self.timeout.connect(self._ask)
        session.counts.changed.connect(self._on_counts)

    def _ask(self) -> None:
        # Not while the run moves, because each answer costs the host a little.
        if self._session.running:
            return
        header_at = self._session.timeline.header_at
        self._session.counts.want(
            header_at(mark.row).id for mark in self._marks() if mark.incident is None
        )

    def _on_counts(self) -> None:
        self._repaint()
        self.start()  # for those that came into view meanwhile
