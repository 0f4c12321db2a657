"""A small choice beside the tabs: "Columns equal width", with a menu of the others."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QPushButton

from designer.look.icons import themed_icon
from designer.look.theme import Look


class MenuChoice(QPushButton):
    """`chosen` carries the text that the user chose; the first is chosen at the
    beginning.
    """

    chosen = Signal(str)

    def __init__(self, look: Look, name: str, choices: Sequence[str], tip: str) -> None:
        super().__init__()
        self._name = name
        self.setIcon(themed_icon("chev", look))
        self.setIconSize(QSize(12, 12))
        # So that the arrow is after the text.
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.setFlat(True)
        self.setProperty("small", True)
        self.setToolTip(tip)
        menu = QMenu(self)
        menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        group = QActionGroup(menu)
        for text in choices:
            action = QAction(text, menu)
            action.setCheckable(True)
            action.setChecked(text == choices[0])
            group.addAction(action)
            menu.addAction(action)
        group.triggered.connect(self._choose)
        self.setMenu(menu)
        self._show(choices[0])

    def _choose(self, action: QAction) -> None:
        self._show(action.text())
        self.chosen.emit(action.text())

    def _show(self, choice: str) -> None:
        self.setText(f"{self._name} {choice}")
        self.setAccessibleName(f"{self._name}: {choice}")
