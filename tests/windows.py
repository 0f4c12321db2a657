"""Hundreds of windows in one process, with the collector of garbage at its most eager:
`python -m tests.windows`.

Each window is opened, used by a few random gestures and closed, with tabs open and with
what was typed unfinished. The collector walks with every object that is made, and over
everything before and after each gesture. What is told: whether the process died,
wrappers that PySide keeps of what Qt deletes unseen, warnings and errors, and windows
that stay. The exit code is 1 when there was any.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import subprocess
import sys
from collections import Counter

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.windows", description=__doc__
    )
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--steps", type=int, default=6, help="gestures in each window")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args(arguments)
    if wanted.inside:
        return _use_windows(wanted.times, wanted.steps, wanted.seed)
    numbers = [
        f"--{name}={getattr(wanted, name)}" for name in ("times", "steps", "seed")
    ]
    code = subprocess.run(
        [sys.executable, "-m", "tests.windows", "--inside", *numbers], check=False
    ).returncode
    if code not in (0, 1):
        print(f"The process died with {code}.")  # noqa: T201
    return 1 if code else 0


def _use_windows(times: int, count: int, seed: int) -> int:
    from PySide6.QtWidgets import QApplication

    from designer.app import make_application
    from designer.shell.window import Window
    from tests.gestures.playing import play, steps
    from tests.wrappers import kept

    faulthandler.enable()
    make_application()
    wrappers: Counter[str] = Counter()
    faults = []
    staying = 0

    def look(_step: int = 0) -> None:
        # opening a document keeps what it made out of the collector's way
        gc.unfreeze()
        gc.collect()
        wrappers.update(kept())

    gc.collect()
    gc.set_threshold(1, 1, 1)
    for number in range(times):
        fault = play(steps(seed * 10_000 + number, count), look)
        if fault is not None:
            faults.append(f"window {number}: {fault}")
        look()
        staying = sum(
            isinstance(widget, Window) for widget in QApplication.topLevelWidgets()
        )
        if number % 25 == 24:
            print(f"{number + 1} windows", flush=True)  # noqa: T201
    print(  # noqa: T201
        f"{times} windows of {count} gestures: no crash, {sum(wrappers.values())} stale wrappers {dict(wrappers)}, "
        f"{len(faults)} faults, {staying} windows that stay"
    )
    print(*faults, sep="\n", end="\n" if faults else "")  # noqa: T201
    return 1 if wrappers or faults or staying else 0


if __name__ == "__main__":
    sys.exit(main())
