"""Looks again and again whether another process has saved checkpoints of the run that is
shown.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from designer.session.client import Client
from designer.session.history import History
from designer.session.opener import Opener, store_exists
from designer.session.phase import RunState
from designer.session.timeline_model import TimelineModel

INTERVAL = 1000  # ms between two looks


class Growth(QObject):
    """A part of the session. It looks only while somebody watches, and while the run
    does not move here, because the host of a moving run reports each checkpoint.
    """

    def __init__(
        self,
        client: Client,
        opener: Opener,
        run: RunState,
        history: History,
        timeline: TimelineModel,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._opener = opener
        self._run = run
        self._history = history
        self._timeline = timeline
        self._watchers: set[str] = set()
        self._timer = QTimer(self, interval=INTERVAL)
        self._timer.timeout.connect(self.look)

    @property
    def is_looking(self) -> bool:
        return self._timer.isActive()

    def watch(self, watcher: str, *, is_watching: bool) -> None:
        """A view that shows the run begins or ends to watch, by its name."""
        if is_watching:
            self._watchers.add(watcher)
        else:
            self._watchers.discard(watcher)
        if bool(self._watchers) != self._timer.isActive():
            self._timer.start() if self._watchers else self._timer.stop()

    def look(self) -> None:
        """Fetch what was saved since, or the first run of a store that had none."""
        if self._run.is_running or not self._client.is_open:
            return
        if not store_exists(self._opener.store):
            return
        if self._timeline.run_id:
            self._history.look_for_more()
        elif self._opener.looks_only:
            self._history.load_all()
