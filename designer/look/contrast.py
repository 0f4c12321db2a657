"""The contrast of colours (WCAG 2.2), and the texts of a theme that are hard to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor

if TYPE_CHECKING:
    from designer.look.theme import Theme

READABLE = 4.5  # WCAG 2.2, 1.4.3
TONES = ("accent", "ok", "warn", "bad", "ask", "past")
SURFACES = (
    "window",
    "panel",
    "canvas",
    "node",
    "field",
    "raised",
    "hover",
    *(f"{tone}Soft" for tone in TONES),
)


def contrast(a: QColor, b: QColor) -> float:
    """Return the contrast, from 1 for equal colours to 21 for black on white."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def text_pairs() -> Iterator[tuple[str, str]]:
    """Yield each text colour with each of its surfaces. All may appear on a selected row."""
    yield from (
        (role, surface)
        for surface in SURFACES
        for role in ("text", "text2", "text3", *TONES)
    )
    yield from (("on", fill) for fill in ("accentFill", "pastFill", "liveFill"))


def unreadable(theme: Theme) -> list[tuple[str, str, float]]:
    """Return text, surface and contrast of pairs below 4.5 : 1, the worst first."""
    pairs = []
    for text, surface in text_pairs():
        ratio = contrast(getattr(theme, text), getattr(theme, surface))
        if ratio < READABLE:
            pairs.append((text, surface, ratio))
    return sorted(pairs, key=lambda pair: pair[2])


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
