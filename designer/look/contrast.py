"""The contrast of two colours (WCAG 2.2)."""

from __future__ import annotations

from PySide6.QtGui import QColor


def contrast(a: QColor, b: QColor) -> float:
    """Return the contrast, from 1 for equal colours to 21 for black on white."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: QColor) -> float:
    def linear(value: float) -> float:
        if value <= 0.03928:
            return value / 12.92
        return float(((value + 0.055) / 1.055) ** 2.4)

    return (
        0.2126 * linear(colour.redF())
        + 0.7152 * linear(colour.greenF())
        + 0.0722 * linear(colour.blueF())
    )
