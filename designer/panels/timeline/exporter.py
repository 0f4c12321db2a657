"""Writes checkpoints of the timeline into a text of JSON lines, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from designer.session.session import DebugSession
from runtime.debug.protocol import ExportBody

PAGE = 32  # checkpoints of a question


class Exporter(QObject):
    """One export at a time; another one replaces it."""

    ready = Signal(str, str)  # a name for the file, its text

    def __init__(self, session: DebugSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._name = ""
        self._left: list[str] = []
        self._lines: list[str] = []
        self._number = 0  # of the export, because answers to one before may arrive

    def export(self, checkpoint_ids: Sequence[str], name: str) -> None:
        """Read checkpoints, then emit `ready` with a name for their file."""
        self._number += 1
        self._name = name
        self._left = list(checkpoint_ids)
        self._lines = []
        self._ask()

    def _ask(self) -> None:
        number = self._number
        page = self._left[:PAGE]
        del self._left[:PAGE]
        self._session.questions.export(page, lambda body: self._on_page(number, body))

    def _on_page(self, number: int, body: ExportBody | None) -> None:
        if body is None or number != self._number:
            return
        self._lines += body.lines
        if self._left:
            self._ask()
        else:
            self.ready.emit(self._name, "\n".join(self._lines) + "\n")
            self._lines = []
