"""Notices when the node types of a folder change: a file in `nodes/` is new, was saved, or is gone.

It looks every few seconds, as for the document itself; see `designer/shell/disk_watch.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from runtime.document.references import NODES_FOLDER

PAUSE = 2000  # ms between two looks, each of which asks the system for times and sizes
Stamp = tuple[str, int, int]


class NodeFiles(QObject):
    """`changed` tells of a difference since the last look at the same folder. Nothing is read or run."""

    changed = Signal()

    def __init__(
        self, folder: Callable[[], Path], wanted: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._folder = folder
        self._wanted = wanted
        self._seen = self._now()
        self._timer = QTimer(self, interval=PAUSE)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        if not self._wanted():
            return
        before = self._seen
        self._seen = self._now()
        if self._seen != before and self._seen[0] == before[0]:
            self.changed.emit()

    def _now(self) -> tuple[Path, tuple[Stamp, ...]]:
        folder = self._folder()
        return folder, tuple(sorted(_stamps(folder / NODES_FOLDER)))


def _stamps(folder: Path) -> Iterator[Stamp]:
    for path in folder.glob("*.py"):
        with suppress(OSError):  # it may be gone by now; the next look tells
            status = path.stat()
            yield path.name, status.st_mtime_ns, status.st_size
