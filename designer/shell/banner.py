"""The strip above the canvas that says, in words, that one is not editing: viewing the past, or a live run at rest."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from designer.look.fonts import ui_font
from designer.look.icons import icon_pixmap, themed_icon
from designer.look.theme import Look, Theme

HEIGHT = 36


class Banner(QWidget):
    """One sentence and its verbs. Hidden while there is nothing to say."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(HEIGHT)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._look = look
        self._role, self._icon = "past", "restore"
        self._picture, self._title, self._text = QLabel(), QLabel(), QLabel()
        self._title.setFont(ui_font(13, ui_font().Weight.DemiBold))
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 0, 8, 0)
        self._row.setSpacing(8)
        for widget in (self._picture, self._title, self._text):
            self._row.addWidget(widget)
        self._row.addStretch(1)
        self._buttons: list[QPushButton] = []
        look.changed.connect(self._restyle)

    def say(self, role: str, icon: str, title: str, text: str) -> None:
        """Show a sentence; `role` is `past` or `live`, and gives the colours."""
        self._role, self._icon = role, icon
        self._title.setText(title)
        self._text.setText(text)
        self._restyle()
        self.show()

    def offer(self, verbs: list[tuple[str, str, bool, Callable[[], None]]]) -> None:
        """Replace the buttons: (text, icon, primary, what it does)."""
        for button in self._buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self._buttons = []
        for text, icon, primary, slot in verbs:
            button = QPushButton(themed_icon(icon, self._look, "on" if primary else "text2"), text)
            button.setProperty("primary", primary)
            button.setFixedHeight(24)
            button.clicked.connect(slot)
            self._row.addWidget(button)
            self._buttons.append(button)

    def _restyle(self) -> None:
        theme: Theme = self._look.theme
        line, fill = (theme.past, theme.pastSoft) if self._role == "past" else (theme.ok, theme.okSoft)
        self._picture.setPixmap(icon_pixmap(self._icon, line.name(), 16, self.devicePixelRatioF()))
        self.setStyleSheet(
            f"Banner {{ background: {fill.name()}; border-bottom: 1px solid {line.name()}; }}"
            f"Banner QLabel {{ color: {theme.text2.name()}; background: transparent; }}"
            "Banner QPushButton { padding: 1px 10px; min-height: 16px; }"
        )
        self._title.setStyleSheet(f"color: {theme.text.name()};")
