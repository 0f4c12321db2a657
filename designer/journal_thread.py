"""Writes the recovery file of a document beside the window: a slow disk must not stop who draws.

Newest wins: while one design is being written, only the last that came meanwhile waits. `finish` ends that, so that
what follows in the window's thread (a last write, or the end of the file) is in order.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal

from designer.journal import Journal
from designer.model.design import Design
from runtime.errors import DefinitionError


class _Content(NamedTuple):
    design: Design
    path: Path | None
    name: str


class _Answer(QObject):
    ended = Signal(int, str)  # which write; why it failed, or ""


class _Write(QRunnable):
    def __init__(self, number: int, journal: Journal, content: _Content, answer: _Answer) -> None:
        super().__init__()
        self._number, self._journal, self._content, self._answer = number, journal, content, answer

    def run(self) -> None:
        why = "an error of the program"  # what else is raised is reported as any, and must not end the writing
        try:
            self._journal.write(*self._content)
            why = ""
        except (OSError, DefinitionError) as error:
            why = str(error)
        finally:
            self._answer.ended.emit(self._number, why)


class JournalThread(QObject):
    """`told` says after each write why it failed, "" for one that did not; not of those that `finish` has ended."""

    told = Signal(str)

    def __init__(self, journal: Journal, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._journal = journal
        self._number = 0
        self._is_writing = False
        self._waiting: _Content | None = None
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._answer = _Answer(self)
        self._answer.ended.connect(self._on_ended)

    def write(self, design: Design, path: Path | None, name: str) -> None:
        """Write this soon, and nothing that still waits."""
        self._waiting = _Content(design, path, name)
        if not self._is_writing:
            self._begin()

    def finish(self) -> None:
        """Wait for what is being written, and give up what waits."""
        self._waiting, self._is_writing = None, False
        self._number += 1
        self._pool.waitForDone()

    def _begin(self) -> None:
        content, self._waiting = self._waiting, None
        if content is not None:
            self._is_writing = True
            self._number += 1
            self._pool.start(_Write(self._number, self._journal, content, self._answer))

    def _on_ended(self, number: int, why: str) -> None:
        if number != self._number:
            return  # `finish` was called meanwhile
        self._is_writing = False
        self.told.emit(why)
        self._begin()
