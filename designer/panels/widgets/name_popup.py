"""A popup with a field for a name and a button that takes it."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QVBoxLayout, QWidget

from designer.panels.widgets.basic import label
from designer.qt.layouts import Plan, put


class NamePopup(QFrame):
    """Asks for a name that is not among those `taken`. A subclass checks what is typed,
    and chooses it.
    """

    chosen = Signal(str)

    def __init__(
        self, what: str, taken: Collection[str], width: int, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "popup")
        self._taken = frozenset(taken)
        self.name = QLineEdit()
        self.name.setPlaceholderText(what)
        self.name.setAccessibleName(what)
        self.why_not = label("", "secondary", wrap=True)
        self.setFixedWidth(width)

    def lay_out(self, parts: Plan[QVBoxLayout], take: QPushButton) -> None:
        """Show these parts, among them the button that takes the name."""
        put(self, parts)
        self.name.textChanged.connect(self.check)
        self.name.returnPressed.connect(self.choose)
        take.clicked.connect(self.choose)
        self.check("")

    def popup(self, where: QPoint) -> None:
        """Show it at a point of the screen, as far as there is room."""
        area = self.screen().availableGeometry()
        self.adjustSize()
        x = max(area.left(), min(where.x(), area.right() - self.width()))
        y = max(area.top(), min(where.y(), area.bottom() - self.height()))
        self.move(x, y)
        self.show()
        self.name.setFocus()

    def check(self, text: str) -> None:
        """Say why the text is no name for it, and allow the button accordingly."""
        raise NotImplementedError

    def choose(self) -> None:
        """Close, and emit the name, if it can be taken."""
        raise NotImplementedError
