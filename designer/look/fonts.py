"""The two families the window is set in, shipped with it so that every machine shows the same text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase

UI_FAMILY = "Inter"
DATA_FAMILY = "JetBrains Mono"


def load_fonts() -> None:
    """Make the shipped families known to Qt. Call once, after the application object exists."""
    for entry in sorted(
        files("resources").joinpath("fonts").iterdir(), key=lambda entry: entry.name
    ):
        if entry.name.endswith((".otf", ".ttf")):
            QFontDatabase.addApplicationFontFromData(QByteArray(entry.read_bytes()))


@cache
def ui_font(pixels: float = 13, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Inter at a size in logical pixels, with figures of equal width."""
    font = QFont(UI_FAMILY)
    font.setPixelSize(round(pixels)) if float(
        pixels
    ).is_integer() else font.setPointSizeF(pixels * 0.75)
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def data_font(pixels: int = 12) -> QFont:
    """JetBrains Mono for data, without ligatures."""
    font = QFont(DATA_FAMILY)
    font.setPixelSize(pixels)
    for tag in ("liga", "calt"):
        font.setFeature(QFont.Tag(tag), 0)
    return font
