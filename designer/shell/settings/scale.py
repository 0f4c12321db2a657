"""The size of everything in the window. Qt reads it once, when the application is
created.
"""

from __future__ import annotations

import os

SIZES = (80, 90, 100, 110, 125, 150, 175, 200)  # per cent
_VARIABLE = "QT_SCALE_FACTOR"
# The value that we set, also for windows that this one starts.
_OURS = "STEPWELL_SCALE_FACTOR"


def use(percent: int) -> None:
    """Set the size, before the application is created. A value that the user set in the
    environment stays.
    """
    if percent != 100 and not is_set_outside():
        os.environ[_VARIABLE] = f"{percent / 100:g}"
        os.environ[_OURS] = os.environ[_VARIABLE]


def is_set_outside() -> bool:
    """Return whether the user set the size in the environment, which overrides the
    settings.
    """
    return os.environ.get(_VARIABLE, "") != os.environ.get(_OURS, "")
