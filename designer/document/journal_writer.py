"""Writes the recovery file of a document in another thread, because a slow disk must
not stop the user.

While one design is written, only the newest waits. `finish` waits for the write and
drops the design that waits, so that a write or a removal in the window's thread can
follow.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from designer.document.journal import Journal
from designer.model.design import Design
from designer.qt.background import Lane, Outcome
from runtime.errors import DefinitionError


class _Content(NamedTuple):
    design: Design
    path: Path | None
    name: str


class JournalThread(QObject):
    """`written` carries after each write why it failed, or ""; not for writes that
    `finish` ended.
    """

    written = Signal(str)

    def __init__(self, journal: Journal, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._journal = journal
        self._number = 0  # of the write in the lane; 0 for none
        self._waiting: _Content | None = None
        self._lane = Lane("journal")

    def write(self, design: Design, path: Path | None, name: str) -> None:
        """Write a design soon, instead of the one that waits."""
        self._waiting = _Content(design, path, name)
        if not self._number:
            self._begin()

    def finish(self) -> None:
        """Wait for the present write, and drop the design that waits."""
        self._lane.drop(self._number)
        self._waiting = None
        self._number = 0
        self._lane.wait()

    def _begin(self) -> None:
        content = self._waiting
        self._waiting = None
        if content is not None:
            self._number = self._lane.start(
                self, partial(self._journal.write, *content), self._on_ended
            )

    def _on_ended(self, outcome: Outcome[None]) -> None:
        self._number = 0
        self.written.emit(str(outcome.error) if outcome.error else "")
        self._begin()
        if not isinstance(outcome.error, OSError | DefinitionError | None):
            # A bug is reported like any other, and must not end the writing.
            raise outcome.error
