"""How well colours are told apart (WCAG 2.2), and which texts of a theme cannot be read on what they stand on."""

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
    """From 1 for the same colour to 21 for black on white."""
    high, low = sorted((_luminance(a), _luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def text_pairs() -> Iterator[tuple[str, str]]:
    """Every token that text is painted in, on each surface that it may stand on: a selected row has all of them."""
    yield from (
        (role, surface)
        for surface in SURFACES
        for role in ("text", "text2", "text3", *TONES)
    )
    yield from (("on", fill) for fill in ("accentFill", "pastFill", "liveFill"))


def unreadable(theme: Theme) -> list[tuple[str, str, float]]:
    """Text, surface and contrast of what is below 4.5 : 1, the worst first."""
    found = [
        (role, on, contrast(getattr(theme, role), getattr(theme, on)))
        for role, on in text_pairs()
    ]
    return sorted((one for one in found if one[2] < READABLE), key=lambda one: one[2])


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
