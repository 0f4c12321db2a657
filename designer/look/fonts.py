"""The two font families of the window. They are shipped, so that every machine shows
the same.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFont, QFontDatabase

UI_FAMILY = "Inter"
DATA_FAMILY = "JetBrains Mono"


def load_fonts() -> None:
    """Make the shipped families known to Qt. Call once, after the application object
    exists.
    """
    folder = files("resources").joinpath("fonts")
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith((".otf", ".ttf")):
            QFontDatabase.addApplicationFontFromData(QByteArray(entry.read_bytes()))


@cache
def ui_font(pixels: float = 13, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return Inter at a size in logical pixels, with figures of equal width."""
    font = QFont(UI_FAMILY)
    if float(pixels).is_integer():
        font.setPixelSize(round(pixels))
    else:
        font.setPointSizeF(pixels * 0.75)  # because Qt has pixel sizes as integers only
    font.setWeight(weight)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


@cache
def data_font(pixels: int = 12) -> QFont:
    """Return JetBrains Mono for data, without ligatures."""
    font = QFont(DATA_FAMILY)
    font.setPixelSize(pixels)
    for tag in ("liga", "calt"):
        font.setFeature(QFont.Tag(tag), 0)
    return font
