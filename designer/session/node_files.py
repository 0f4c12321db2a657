"""Watches the node types of a folder: files in `nodes/` that are added, saved or
removed.

It looks every few seconds, as for the document itself; see
`designer/shell/disk_watch.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from runtime.document.references import NODES_FOLDER

PAUSE = 2000  # ms between two looks, which ask the system for times and sizes
Stamp = tuple[str, int, int]


class NodeFiles(QObject):
    """`changed` is emitted for a difference since the last look at the same folder. No
    file is read or run.
    """

    changed = Signal()

    def __init__(
        self, folder: Callable[[], Path], wanted: Callable[[], bool], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._folder = folder
        self._wanted = wanted
        self._stamps = self._present()
        self._timer = QTimer(self, interval=PAUSE)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def look(self) -> None:
        if not self._wanted():
            return
        before = self._stamps
        self._stamps = self._present()
        is_same_folder = self._stamps[0] == before[0]
        if self._stamps != before and is_same_folder:
            self.changed.emit()

    def _present(self) -> tuple[Path, tuple[Stamp, ...]]:
        folder = self._folder()
        return folder, tuple(sorted(_stamps(folder / NODES_FOLDER)))


def _stamps(folder: Path) -> Iterator[Stamp]:
    for path in folder.glob("*.py"):
        with suppress(OSError):  # because it may be removed meanwhile
            status = path.stat()
            yield path.name, status.st_mtime_ns, status.st_size
