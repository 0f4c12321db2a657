"""Whether the system wants little motion.

Qt has no hint of its own for it. On Windows its effects follow "Animation effects" of the system's settings; elsewhere
they are off whatever a person wants, so they say nothing there.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

SAY_SO = frozenset({"windows"})  # platforms whose effects are those that a person has chosen


def system_is_still(
    platform: Callable[[], str] = QGuiApplication.platformName,
    moves: Callable[[Qt.UIEffect], bool] = QApplication.isEffectEnabled,
) -> bool:
    return platform() in SAY_SO and not moves(Qt.UIEffect.UI_General)
