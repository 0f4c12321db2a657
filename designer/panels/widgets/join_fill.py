"""What a join had after a superstep, as a small button in the ledger of the join."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton

from designer.look.fonts import ui_font
from designer.look.theme import Look
from runtime.debug.protocol import JoinFill, JoinMoment


class Fill(QAbstractButton):
    """What a join had after a superstep, a segment per source; what it released is in
    the colour of a fired join. A click views the superstep.
    """

    def __init__(
        self,
        look: Look,
        view: Callable[[int], object],
        title: Callable[[str], str],
    ) -> None:
        super().__init__()
        self._look = look
        self._title = title
        self._fill = JoinFill(superstep=0)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.clicked.connect(lambda _checked: view(self._fill.superstep))
        look.changed.connect(self.update)

    def show_fill(self, join: JoinMoment, fill: JoinFill) -> None:
        self._fill = fill
        self.setFixedSize(fill_width(len(fill.have)), 36)
        words = self._words(join, fill)
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.update()

    def _words(self, join: JoinMoment, fill: JoinFill) -> str:
        words = f"Superstep {fill.superstep}: "
        names = [self._title(source.id) for source in join.sources]
        left = _counts(names, fill.released)
        if left:
            words += f"released {left}; "
        return f"{words}holds {_counts(names, fill.have) or 'nothing'}"

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        count = max(1, len(self._fill.have))
        width = _segment_width(count)
        left = (self.width() - count * (width + 2) + 2) / 2
        for index, have in enumerate(self._fill.have):
            rect = QRectF(left + index * (width + 2) + 0.5, 3.5, width - 1, 12)
            painter.setPen(QPen(theme.edge, 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if self._fill.released[index]:
                painter.setPen(QPen(theme.ok, 1))
                painter.setBrush(theme.ok)
            elif have:
                painter.setPen(QPen(theme.warn, 1))
                painter.setBrush(theme.warnFill)
            painter.drawRoundedRect(rect, 2, 2)
        painter.setFont(ui_font(11))
        painter.setPen(theme.text2)
        text = f"s{self._fill.superstep}"
        if any(self._fill.released):
            text = f"fired {text}"
        area = QRectF(0, 18, self.width(), 16)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_ground(self, painter: QPainter) -> None:
        """Paint that the mouse or the focus is here."""
        theme = self._look.theme
        rect = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.underMouse():
            painter.setBrush(theme.hover)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent, 1))
        painter.drawRoundedRect(rect, 4, 4)


def _counts(names: Sequence[str], counts: Sequence[int]) -> str:
    parts = [
        f"{count} from {name}"
        for name, count in zip(names, counts, strict=False)
        if count
    ]
    return ", ".join(parts)


def _segment_width(sources: int) -> int:
    return max(4, min(9, 40 // max(1, sources)))


def fill_width(sources: int) -> int:
    """Return the width of a superstep, which has room for "fired s12"."""
    return max(52, sources * (_segment_width(sources) + 2) + 6)
