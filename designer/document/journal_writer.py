"""Writes the recovery file of a document beside the window: a slow disk must not stop who draws.

Newest wins: while one design is being written, only the last that came meanwhile waits. `finish` ends that, so that
what follows in the window's thread (a last write, or the end of the file) is in order.
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
    """`told` says after each write why it failed, "" for one that did not; not of those that `finish` has ended."""

    told = Signal(str)

    def __init__(self, journal: Journal, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._journal = journal
        self._number = 0  # of what is being written; 0 when nothing is
        self._waiting: _Content | None = None
        self._lane = Lane("journal")

    def write(self, design: Design, path: Path | None, name: str) -> None:
        """Write this soon, and nothing that still waits."""
        self._waiting = _Content(design, path, name)
        if not self._number:
            self._begin()

    def finish(self) -> None:
        """Wait for what is being written, and give up what waits."""
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
        self.told.emit(str(outcome.error) if outcome.error else "")
        self._begin()
        if not isinstance(outcome.error, OSError | DefinitionError | None):
            # an error of the program is reported as any, and must not end the writing
            raise outcome.error
