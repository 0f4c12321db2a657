"""The field for the name of a new key of the shared state."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from designer.panels.widgets.basic import allow, button, label
from designer.qt.layouts import put, row, stack

WIDTH = 280


class KeyName(QFrame):
    """A popup that asks how a new key is called."""

    chosen = Signal(str)

    def __init__(self, taken: Collection[str], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "popup")
        self._taken = frozenset(taken)
        self.name = QLineEdit()
        self.name.setPlaceholderText("Name of the key")
        self.name.setAccessibleName("Name of the key")
        self.why_not = label("", "secondary", wrap=True)
        self.add = button("Add", primary=True)
        parts = stack(
            self.name,
            row((self.why_not, 1), self.add),
            gap=8,
            margins=(12, 10, 12, 10),
        )
        put(self, parts)
        self.setFixedWidth(WIDTH)
        self.name.textChanged.connect(self._check)
        self.name.returnPressed.connect(self._choose)
        self.add.clicked.connect(self._choose)
        self._check("")

    def popup(self, where: QPoint) -> None:
        """Show it at a point of the screen, as far as there is room."""
        area = self.screen().availableGeometry()
        self.adjustSize()
        x = max(area.left(), min(where.x(), area.right() - WIDTH))
        y = max(area.top(), min(where.y(), area.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.name.setFocus()

    def _check(self, text: str) -> None:
        why_not = ""
        if text.strip() in self._taken:
            why_not = "The state has this key already."
        self.why_not.setText(why_not)
        allow(self.add, why_not or ("" if text.strip() else "Type a name first."))

    def _choose(self) -> None:
        if self.add.isEnabled():
            self.close()
            self.chosen.emit(self.name.text().strip())
