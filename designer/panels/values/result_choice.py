"""The switch between the results that an executor gets: recorded, live, pinned."""

from __future__ import annotations

from typing import get_args

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from designer.qt.layouts import put, row
from runtime.debug.protocol import CallMode

# What each means on going on from the past.
MEANINGS: dict[CallMode, str] = {
    "recorded": "Use the recorded result where code, messages and state read are the "
    "same. Otherwise the run stops and asks.",
    "live": "Make each call again.",
    "pinned": "Use your pinned result in place of each call.",
}


class ResultChoice(QWidget):
    """`chosen` carries the mode that the user has pressed. What is shown stays until it
    is set, because choosing "pinned" may begin with making the result.
    """

    chosen = Signal(str)

    def __init__(self, name: str, mode: CallMode = "recorded") -> None:
        super().__init__()
        self.setAccessibleName(f"Results of {name}")
        self._group = QButtonGroup(self)
        self.buttons: dict[CallMode, QPushButton] = {}
        modes: tuple[CallMode, ...] = get_args(CallMode)
        places = ("first", "true", "last")
        for text, place in zip(modes, places, strict=True):
            choice = QPushButton(text)
            choice.setCheckable(True)
            choice.setAutoDefault(False)
            choice.setProperty("segment", place)
            choice.setToolTip(MEANINGS[text])
            choice.clicked.connect(lambda _checked=False, mode=text: self._press(mode))
            self._group.addButton(choice)
            self.buttons[text] = choice
        self.mode: CallMode = mode
        put(self, row(*self.buttons.values(), gap=0))
        self.show_mode(mode)

    def show_mode(self, mode: CallMode) -> None:
        """Show a mode, without a signal."""
        self.mode = mode
        self.buttons[mode].setChecked(True)

    def _press(self, mode: CallMode) -> None:
        self.show_mode(self.mode)
        self.chosen.emit(mode)
