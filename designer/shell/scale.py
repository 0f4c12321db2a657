"""How large everything in the window is: Qt reads it once, when the application is made: see `use`."""

from __future__ import annotations

import os

SIZES = (80, 90, 100, 110, 125, 150, 175, 200)  # per cent
_VARIABLE = "QT_SCALE_FACTOR"


def use(percent: int) -> None:
    """To be called before the application is made. What the user has set in the environment stays."""
    if percent != 100:
        os.environ.setdefault(_VARIABLE, f"{percent / 100:g}")


def next_size(percent: int, step: int) -> int:
    """The size that is `step` further in the row, at most its end."""
    return SIZES[max(0, min(len(SIZES) - 1, SIZES.index(percent) + step))]
