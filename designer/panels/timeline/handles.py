"""The handles of a comparison on the timeline: where A and B are, how they are painted,
and the part of a lane that is the same in both.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from designer.look.difference_marks import CHIP, Side, paint_chip
from designer.look.fonts import ui_font
from designer.look.theme import Theme

# px from the middle of a mark to that of its chip
RIGHT = 18
ABOVE = 16
BRACKET_ABOVE = 17
BRACKET_END = 4
SAME = "the same in both"


class Handles(NamedTuple):
    """The rows of A and B, None where there is none, and the last row that both sides
    have the same.
    """

    base: int | None = None
    other: int | None = None
    equal: int | None = None

    def places(self) -> Iterator[tuple[Side, int]]:
        """Yield each handle with its row."""
        if self.base is not None:
            yield "A", self.base
        if self.other is not None:
            yield "B", self.other


NO_HANDLES = Handles()


def chip_rect(mark: QPointF, side: Side, handles: Handles) -> QRectF:
    """Return where the chip of a side is, by the middle of its mark. Where both are at
    one mark, A is at its left.
    """
    right = RIGHT
    if side == "A" and handles.base == handles.other:
        right = -RIGHT
    centre = mark + QPointF(right, -ABOVE)
    return QRectF(centre.x() - CHIP / 2, centre.y() - CHIP / 2, CHIP, CHIP)


def paint_chips(
    painter: QPainter, marks: dict[Side, QPointF], handles: Handles, theme: Theme
) -> None:
    for side, mark in marks.items():
        paint_chip(painter, side, chip_rect(mark, side, handles), theme)


def paint_bracket(
    painter: QPainter, start: QPointF, end: QPointF, theme: Theme
) -> None:
    """Paint a bracket over the part of a lane that is the same on both sides."""
    y = end.y() - BRACKET_ABOVE
    painter.setPen(QPen(theme.ok, 1.5))
    painter.drawLine(QPointF(start.x(), y), QPointF(end.x(), y))
    for x in (start.x(), end.x()):
        painter.drawLine(QPointF(x, y - BRACKET_END), QPointF(x, y + BRACKET_END))
    font = ui_font(11)
    width = QFontMetricsF(font).horizontalAdvance(SAME) + 14
    if width > end.x() - start.x():
        return
    middle = (start.x() + end.x()) / 2
    box = QRectF(middle - width / 2, y - 8.5, width, 17)
    painter.setBrush(theme.okSoft)
    painter.setPen(QPen(theme.ok, 1))
    painter.drawRoundedRect(box, 4, 4)
    painter.setFont(font)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, SAME)
