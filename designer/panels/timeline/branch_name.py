"""The field for the name of a new branch."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QWidget

from designer.panels.widgets.basic import allow, button, label
from designer.qt.layouts import put, row, stack

WIDTH = 320


class BranchName(QFrame):
    """A popup that asks how a new branch will be called. An empty name leaves the
    choice to the host.
    """

    chosen = Signal(str)

    def __init__(self, title: str, taken: Collection[str], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "popup")
        self._taken = frozenset(taken)
        self.name = QLineEdit()
        self.name.setPlaceholderText("Name of the branch")
        self.name.setAccessibleName("Name of the branch")
        self.why_not = label("", "secondary", wrap=True)
        self.restore = button("Restore", primary=True)
        parts = stack(
            label(title, "strong"),
            self.name,
            row(self.why_not, None, self.restore),
            gap=8,
            margins=(12, 10, 12, 10),
        )
        put(self, parts)
        self.setFixedWidth(WIDTH)
        self.name.textChanged.connect(self._check)
        self.name.returnPressed.connect(self._choose)
        self.restore.clicked.connect(self._choose)
        self._check("")

    def popup(self, where: QPoint) -> None:
        """Show it near a point of the screen."""
        area = self.screen().availableGeometry()
        self.adjustSize()
        x = max(area.left(), min(where.x(), area.right() - WIDTH))
        y = max(area.top(), min(where.y(), area.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.name.setFocus()

    def _check(self, text: str) -> None:
        is_taken = text.strip() in self._taken
        why_not = "The run has this branch already." if is_taken else ""
        self.why_not.setText(why_not)
        allow(self.restore, why_not)

    def _choose(self) -> None:
        name = self.name.text().strip()
        if name not in self._taken:
            self.close()
            self.chosen.emit(name)
