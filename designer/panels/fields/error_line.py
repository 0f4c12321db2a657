"""A message under a field, with its glyph."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from designer.look.theme import Look
from designer.panels.widgets.basic import Glyph, label, set_style
from designer.qt.layouts import put, row


class ErrorLine(QWidget):
    """A message under a field, with its glyph; hidden while the text is empty."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._text: QLabel = label("", "error", wrap=True)
        self._glyph = Glyph(look, "failed", "bad", 14)
        line = put(self, row(self._glyph, (self._text, 1), gap=6))
        line.setAlignment(self._glyph, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def say(self, text: str, *, calm: bool = False) -> None:
        """Show a text. `calm` is for a value that is missing yet, which is not marked
        as wrong.
        """
        self._glyph.setVisible(not calm)
        set_style(self._text, role="secondary" if calm else "error")
        self._text.setText(text)
        self.setVisible(bool(text))

    def text(self) -> str:
        return self._text.text()
