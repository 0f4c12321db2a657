"""The tag of a change: a few words in a frame of their colour."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from designer.look.fonts import ui_font
from designer.look.theme import Look

HEIGHT = 18
PADDING = 6


class StagedTag(QWidget):
    """Painted, because a style sheet would not give a label its new width when only its
    colour changes.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._words = ""
        self._role = "accent"
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        look.changed.connect(self.update)

    @property
    def words(self) -> str:
        return self._words

    def say(self, words: str, role: str = "accent") -> None:
        """Show words in a colour role; "" for nothing."""
        self._words = words
        self._role = role
        self.setVisible(bool(words))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(ui_font(11)).horizontalAdvance(self._words)
        return QSize(width + 2 * PADDING, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = getattr(theme, self._role)
        painter.setPen(colour)
        painter.setBrush(getattr(theme, f"{self._role}Soft"))
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(frame, 4, 4)
        painter.setFont(ui_font(11))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._words)
