"""The signs of differences and the chips of the two sides of a comparison, as the canvas,
the timeline and the panels paint them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from designer.look.fonts import ui_font
from designer.look.theme import Theme

Side = Literal["A", "B"]
CHIP = 16
_SIZE = 12.0
_SIDE_ROLES: dict[str, str] = {"A": "text2", "B": "past"}

Line = tuple[tuple[float, float], tuple[float, float]]
_PLUS: tuple[Line, ...] = (((6, 1.5), (6, 10.5)), ((1.5, 6), (10.5, 6)))
_MINUS: tuple[Line, ...] = (((1.5, 6), (10.5, 6)),)
_UNEQUAL: tuple[Line, ...] = (
    ((2, 4), (10, 4)),
    ((2, 8), (10, 8)),
    ((8.5, 1), (3.5, 11)),
)
_MOVED: tuple[Line, ...] = (
    ((3.5, 10.5), (3.5, 1.5)),
    ((1, 4), (3.5, 1.5)),
    ((6, 4), (3.5, 1.5)),
    ((8.5, 1.5), (8.5, 10.5)),
    ((6, 8), (8.5, 10.5)),
    ((11, 8), (8.5, 10.5)),
)


class Sign(NamedTuple):
    """How a kind of difference looks: its colour role, and what it means."""

    role: str
    words: str
    lines: tuple[Line, ...]


# By the kinds of `ChangeItem`, in the order of the legend.
SIGNS: dict[str, Sign] = {
    "added": Sign("ok", "only in B", _PLUS),
    "removed": Sign("bad", "only in A", _MINUS),
    "changed": Sign("accent", "changed", _UNEQUAL),
    "moved": Sign("past", "moved", _MOVED),
}


def paint_sign(painter: QPainter, kind: str, rect: QRectF, colour: QColor) -> bool:
    """Paint the sign of a kind of difference into a square. Return False for an unknown
    kind.
    """
    sign = SIGNS.get(kind)
    if sign is None:
        return False
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(rect.topLeft())
    painter.scale(rect.width() / _SIZE, rect.height() / _SIZE)
    cap = Qt.PenCapStyle.RoundCap
    painter.setPen(QPen(colour, 1.6, Qt.PenStyle.SolidLine, cap))
    for start, end in sign.lines:
        painter.drawLine(QPointF(*start), QPointF(*end))
    painter.restore()
    return True


def paint_chip(painter: QPainter, side: Side, rect: QRectF, theme: Theme) -> None:
    """Paint the chip of a side: its letter on its colour."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(getattr(theme, _SIDE_ROLES[side]))
    painter.drawRoundedRect(rect, 3, 3)
    painter.setPen(theme.panel)
    painter.setFont(ui_font(11, QFont.Weight.Bold))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, side)
    painter.restore()
