"""How long the window stands still while a run's code spins without end, and how long
Stop takes to end it.

    python -m tests.benchmarks.stall

The real window with a real host behind it, five rounds each for a function that is
plain and one that is async. Prints the median and the longest; asserts nothing, since
on a busy machine the numbers say more about the machine.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from designer import warm
from designer.app import make_application, make_window
from designer.look.theme import Look
from designer.screenshots import settle, wait_until
from designer.shell.settings.settings import Settings
from designer.shell.window import Window
from runtime.debug.protocol import StoppedBody
from tests.benchmarks.event_loop import Stall

ROUNDS = 5
WATCHED = 0.5  # seconds
CODE = """
def plain(message: str) -> str:
    while True:
        pass

async def asynchronous(message: str) -> str:
    while True:
        pass
"""


class Round(NamedTuple):
    """In seconds."""

    stall: float
    stall_at_stop: float
    stop: float


def document(folder: Path, function: str) -> Path:
    """A file with an input, and a node whose function never ends."""
    (folder / "stepwell_stall.py").write_text(CODE)
    nodes = [
        {"id": "first", "type": "input"},
        {
            "id": "spin",
            "type": "python_function",
            "params": {"function": f"stepwell_stall:{function}"},
        },
    ]
    edges = [{"id": "a", "kind": "direct", "source": "first", "target": "spin"}]
    workflow = {
        "name": function,
        "start": "first",
        "input": "hello",
        "nodes": nodes,
        "edges": edges,
    }
    path = folder / f"{function}.stepwell.json"
    path.write_text(json.dumps({"format": 1, "workflow": workflow}))
    return path


def measure(window: Window) -> Round:
    """Run the workflow in front until it spins, watch the window, and stop."""
    workspace = window.workspace
    session = workspace.session
    session.leave()
    workspace.run()
    wait_until(
        lambda: (
            session.running and session.head is not None and session.head.superstep == 1
        ),
        "the loop",
    )
    with Stall() as spinning:
        end = time.perf_counter() + WATCHED
        wait_until(lambda: time.perf_counter() > end, "the time to watch")
    begin = time.perf_counter()
    with Stall() as stopping:
        session.stop()
        wait_until(lambda: not session.running, "Stop")
    took = time.perf_counter() - begin
    wait_until(
        lambda: isinstance(session.stopped, StoppedBody) and session.moment is not None,
        "standing still",
    )
    return Round(spinning.longest, stopping.longest, took)


def tell(name: str, rounds: list[Round]) -> None:
    for title, values in zip(
        ("stall, spinning", "stall, at Stop", "Stop took"),
        zip(*rounds, strict=True),
        strict=True,
    ):
        milliseconds = [1000 * value for value in values]
        line = f"{name:<14}{title:<18}{statistics.median(milliseconds):8.1f} ms{max(milliseconds):10.1f} ms"
        sys.stdout.write(f"{line}\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.environ["STEPWELL_DATA_DIR"] = str(folder / "data")
        make_application()
        settings = Settings(folder / "settings.json")
        settings.trust(str(folder))
        window = make_window(settings, Look("light"))
        window.resize(1400, 900)
        window.show()
        warm.start()
        wait_until(lambda: not warm.is_busy(), "the warm-up")
        sys.stdout.write(f"{'':<14}{'':<18}{'median':>11}{'longest':>13}\n")
        for function in ("plain", "asynchronous"):
            window.files.open(document(folder, function))
            settle()
            tell(function, [measure(window) for _ in range(ROUNDS)])
        window.close()
        QApplication.processEvents()


if __name__ == "__main__":
    main()
