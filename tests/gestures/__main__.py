"""The command: plays a seed in windows one after the other, and cuts what fails down to
few steps.
"""

from __future__ import annotations

import argparse
import faulthandler
import sys

from PySide6.QtWidgets import QApplication

from designer.app import make_application
from designer.look.stylesheet import palette
from designer.look.theme import Theme
from designer.shell.settings.theme_change import Restyling
from tests.gestures.playing import play, shrink, steps


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.gestures", description="Random gestures in a real window."
    )
    parser.add_argument("--edits", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--every", type=int, default=500, help="a new window after so many steps"
    )
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument(
        "--unstyled",
        action="store_true",
        help="without a style sheet, in half the time",
    )
    wanted = parser.parse_args(arguments)
    faulthandler.enable()
    make_application()
    if wanted.unstyled:
        # the class, because each window makes one for itself
        Restyling.start = _use_palette_alone  # type: ignore[method-assign]
    program = steps(wanted.seed, wanted.edits)
    for start in range(0, len(program), wanted.every):
        part = program[start : start + wanted.every]
        done = 0

        def heard(place: int) -> None:
            nonlocal done
            done = place

        fault = play(part, heard)
        if fault is None:
            print(f"{start + len(part):,} steps", flush=True)  # noqa: T201
            continue
        part = part[: done + 1]
        print(  # noqa: T201
            f"Seed {wanted.seed}, step {start + done}: {part[-1]}\n{fault}", flush=True
        )
        if not wanted.no_shrink:
            part = shrink(part, fault)
            print(  # noqa: T201
                f"\n{len(part)} of {done + 1} steps have the same fault:",
                *part,
                sep="\n  ",
            )
        return 1
    return 0


def _use_palette_alone(_restyling: Restyling, theme: Theme) -> None:
    QApplication.setPalette(palette(theme))


if __name__ == "__main__":
    sys.exit(main())
