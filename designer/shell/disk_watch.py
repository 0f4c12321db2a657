"""Watches the file of an open document: whether another program changed or removed it,
and whether another window has it open.

It looks every few seconds, because notifications of the system are lost on network
drives and when a file is replaced.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from designer.document.document import DiskNews, Document
from designer.qt.background import is_waiting

# ms between two looks, which ask the system for the file's time and size
PAUSE = 2000


class DiskWatch(QObject):
    """`news` and `other_window` are those of the document; `changed` is emitted when
    one differs.
    """

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
        """Look now."""
        # Because the change may be our own save, which is not done.
        if is_waiting():
            return
        news = self._document.disk_news()
        other_window = self._document.other_window
        if (news, other_window) != (self.news, self.other_window):
            self.news = news
            self.other_window = other_window
            self.changed.emit()

    def stop(self) -> None:
        self._timer.stop()
