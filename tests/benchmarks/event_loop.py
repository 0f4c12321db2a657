"""How long the event loop of the window stands still."""

from __future__ import annotations

import time
from typing import Self

from PySide6.QtCore import QTimer


class Stall:
    """Measures the longest time in which the event loop did not come round."""

    def __enter__(self) -> Self:
        self.longest = 0.0
        self._last = time.perf_counter()
        self._timer = QTimer(interval=1)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        return self

    def _beat(self) -> None:
        time_now = time.perf_counter()
        self.longest = max(self.longest, time_now - self._last)
        self._last = time_now

    def so_far(self) -> float:
        """Return the longest until now, in seconds."""
        self._beat()
        return self.longest

    def __exit__(self, *_: object) -> None:
        self._beat()
        self._timer.stop()
