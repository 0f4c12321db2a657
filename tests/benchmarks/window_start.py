"""From the start of the process to the first window that is painted."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from tests.benchmarks.window_rows import Row, median

START = 0.8  # s
PROGRAM = """
import sys
from designer.app import make_application, make_window, data_dir
from designer.look.theme import Look
from designer.shell.settings.settings import Settings
application = make_application()
window = make_window(Settings(data_dir() / "settings.json"), Look("light"))
window.show()
application.processEvents()
window.repaint()
import os
os._exit(0)
"""


def measure(*, short: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "STEPWELL_DATA_DIR": folder}
        # the first one warms the disk's cache
        times = [_start(environment) for _ in range(4 if short else 11)][1:]
    wall, cpu = zip(*times, strict=True)
    yield Row(
        "start",
        "to the first window, warm",
        median(cpu),
        "s",
        START,
        f"CPU; wall {median(wall):.2f}",
    )


def _start(environment: dict[str, str]) -> tuple[float, float]:
    began = time.perf_counter()
    before = os.times()
    subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment,
        check=True,
        capture_output=True,
    )
    after = os.times()
    spent = (
        after.children_user
        + after.children_system
        - before.children_user
        - before.children_system
    )
    return time.perf_counter() - began, spent
