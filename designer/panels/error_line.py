"""A message under a field, with its glyph."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from designer.look.theme import Look
from designer.panels.widgets import Glyph, column, label, row


class ErrorLine(QWidget):
    """A message under a field, with its glyph; gone when there is nothing to say."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._text: QLabel = label("", "error", wrap=True)
        glyph = Glyph(look, "failed", "bad", 14)
        line = row(glyph, gap=6)
        line.addWidget(self._text, 1)
        line.setAlignment(glyph, Qt.AlignmentFlag.AlignTop)
        column(self).addLayout(line)
        self.hide()

    def say(self, text: str) -> None:
        self._text.setText(text)
        self.setVisible(bool(text))

    def text(self) -> str:
        return self._text.text()
