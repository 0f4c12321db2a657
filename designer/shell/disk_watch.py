"""Notices what happens to the file of an open document: changed or removed by another program, open in another window.

It looks every few seconds: notifications of the system are lost on network drives and when a file is replaced.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from designer.document.document import DiskNews, Document
from designer.qt.background import is_waiting

# ms between two looks, each of which asks the system for the file's time and size
PAUSE = 2000


class DiskWatch(QObject):
    """`news` and `other_window` are as the document tells them; `changed` tells when one differs."""

    changed = Signal()

    def __init__(self, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self.news: DiskNews = ""
        self.other_window = 0
        self._timer = QTimer(self, interval=PAUSE)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        document.title_changed.connect(self.look)

    def look(self) -> None:
        """Ask now."""
        if is_waiting():  # the news may be our own, half done
            return
        found = self._document.disk_news(), self._document.other_window
        if found != (self.news, self.other_window):
            self.news, self.other_window = found
            self.changed.emit()

    def stop(self) -> None:
        self._timer.stop()
