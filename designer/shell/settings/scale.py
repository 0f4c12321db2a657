"""How large everything in the window is: Qt reads it once, when the application is made: see `use`."""

from __future__ import annotations

import os

SIZES = (80, 90, 100, 110, 125, 150, 175, 200)  # per cent
_VARIABLE = "QT_SCALE_FACTOR"
# what we have put there ourselves, for windows that this one starts too
_OURS = "STEPWELL_SCALE_FACTOR"


def use(percent: int) -> None:
    """To be called before the application is made. What the user has set in the environment stays."""
    if percent != 100 and not is_set_outside():
        os.environ[_VARIABLE] = f"{percent / 100:g}"
        os.environ[_OURS] = os.environ[_VARIABLE]


def is_set_outside() -> bool:
    """Whether somebody has said the size in the environment, where it counts more than the settings."""
    return os.environ.get(_VARIABLE, "") != os.environ.get(_OURS, "")
