"""One clock for everything that moves on the canvas: glides, pulses, and the arcs of
running nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QElapsedTimer, QObject, QTimer

GLIDE_MS = 180
PULSE_MS = 600
_FRAME = 16
_SLOW_FRAME = 33


@dataclass
class _Motion:
    began: int
    length: int
    step: Callable[[float], None]
    done: Callable[[], None]


class Clock(QObject):
    """Calls what moves, with the time. Its timer runs only while something does.

    `reduce_motion` makes every motion end at once.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reduce_motion = False
        self._motions: dict[str, _Motion] = {}
        self._turning: Callable[[int], None] | None = None
        self._watch = QElapsedTimer()
        self._watch.start()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)

    def start(
        self,
        name: str,
        length: int,
        step: Callable[[float], None],
        done: Callable[[], None] = lambda: None,
    ) -> None:
        """Call `step` with 0 to 1, eased out, then `done`. End a motion of this name
        first.
        """
        self.finish(name)
        if self.reduce_motion:
            step(1.0)
            done()
            return
        self._motions[name] = _Motion(self._watch.elapsed(), length, step, done)
        self._adjust()

    def finish(self, name: str) -> None:
        """Bring a motion to its end at once."""
        motion = self._motions.pop(name, None)
        if motion is not None:
            motion.step(1.0)
            motion.done()
            self._adjust()

    @property
    def is_moving(self) -> bool:
        """Whether a motion goes on. Arcs of running nodes have no end and do not count."""
        return bool(self._motions)

    def turn(self, step: Callable[[int], None] | None) -> None:
        """Call `step` with the milliseconds of the clock, 30 times a second, until it
        is None.
        """
        self._turning = None if self.reduce_motion else step
        self._adjust()

    def stop(self) -> None:
        """Call nothing any more; what moved stays where it is."""
        self._motions.clear()
        self._turning = None
        self._timer.stop()

    def _adjust(self) -> None:
        if self._motions:
            self._timer.start(_FRAME)
        elif self._turning is not None:
            self._timer.start(_SLOW_FRAME)
        else:
            self._timer.stop()

    def _tick(self) -> None:
        milliseconds = self._watch.elapsed()
        for name, motion in list(self._motions.items()):
            share = (milliseconds - motion.began) / motion.length
            if share >= 1:
                self.finish(name)
            else:
                motion.step(1 - (1 - share) ** 3)
        if self._turning is not None:
            self._turning(milliseconds)
