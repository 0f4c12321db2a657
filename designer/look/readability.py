"""The texts of a theme that are hard to read."""

from __future__ import annotations

from collections.abc import Iterator

from designer.look.contrast import contrast
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


def text_pairs() -> Iterator[tuple[str, str]]:
    """Yield each text colour with each of its surfaces. All may appear on a selected
    row.
    """
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
