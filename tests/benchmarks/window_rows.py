"""What the window's benchmarks share: a row of the table, times of frames, and the
finished window itself.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QWidget

from designer import warm
from designer.app import make_application, make_window
from designer.look.theme import Look
from designer.qt.garbage_collector import collect_from_timer
from designer.screenshots import wait_until
from designer.shell.settings.settings import Settings
from designer.shell.window import Window

SIZE = QSize(1600, 1000)
Clock = Callable[[], float]


@dataclass(frozen=True)
class Row:
    """One line of the table. `target` is the most that is allowed, None for a number
    that only informs; with `least` it is the least.
    """

    group: str
    name: str
    value: float
    unit: str
    target: float | None = None
    note: str = ""
    least: bool = False

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.least else self.value <= self.target

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "met": self.met}


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of them lie, 0.99 for p99; the nearest of them, not
    one between two.
    """
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * len(ordered)))]


def memory() -> float:
    """Megabytes that this process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def milliseconds(act: Callable[[], object], clock: Clock = time.process_time) -> float:
    """What a call costs in CPU time of this process, which other programs do not
    change.
    """
    began = clock()
    act()
    return (clock() - began) * 1000


def frames(
    step: Callable[[int], object],
    count: int,
    shown: QWidget | None = None,
    clock: Clock = time.process_time,
) -> list[float]:
    """CPU milliseconds of each frame: a step, and everything that the window does and
    paints because of it. With `shown` that widget is painted whole, as a compositor
    that keeps nothing would ask for.
    """

    def frame(k: int) -> None:
        step(k)
        if shown is not None:
            shown.update()
        QApplication.processEvents()

    return [milliseconds(lambda k=k: frame(k), clock) for k in range(count)]  # type: ignore[misc]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


@contextmanager
def finished_window() -> Iterator[tuple[Window, Path]]:
    """The window as the program shows it, with hosts and a folder of its own that it
    trusts.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.environ["STEPWELL_DATA_DIR"] = str(folder / "data")
        make_application()
        settings = Settings(folder / "settings.json")
        settings.trust(str(folder))
        # a glide would be many frames, of which only the last is asked for
        settings.values.reduce_motion = True
        window = make_window(settings, Look("dark"))
        window.resize(SIZE)
        window.show()
        collect_from_timer(window)
        warm.start()
        wait_until(lambda: not warm.is_busy(), "the warm-up")
        try:
            yield window, folder
        finally:
            for workspace in window.workspaces:
                # nobody is here to say whether to save
                workspace.document.undo_stack.setClean()
            window.close()
            QApplication.processEvents()


def show_canvas_at(window: Window, size: QSize) -> None:
    """Make the window as large as it takes to have a canvas of this size: the peers'
    whole windows are a canvas.
    """
    for _ in range(3):
        window.resize(window.size() + size - window.workspace.canvas.size())
        QApplication.processEvents()
