"""How the outcome of a restore proof looks: a tick, an octagon, an hourglass or a dash."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from designer.look.theme import Theme
from runtime.debug.protocol import ProofOutcome


class Mark(NamedTuple):
    """A glyph, its colour role, and what it means."""

    glyph: str
    role: str
    words: str


MARKS: dict[ProofOutcome, Mark] = {
    "proved": Mark("done", "ok", "proved"),
    "failed": Mark("failed", "bad", "failed"),
    "unchecked": Mark("waiting", "warn", "not checked"),
    "none": Mark("none", "text3", "nothing to check"),
}

# The outcome that a mark of several checkpoints shows.
WORST_FIRST: tuple[ProofOutcome, ...] = ("failed", "unchecked", "proved")


def paint_dash(painter: QPainter, rect: QRectF, theme: Theme) -> None:
    """Paint the dash of a check for which there is nothing to check."""
    painter.setPen(QPen(theme.text3, 1.5))
    centre = rect.center()
    painter.drawLine(centre - QPointF(3.5, 0), centre + QPointF(3.5, 0))
