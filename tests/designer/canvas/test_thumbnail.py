"""A card shows the real drawing, inside of its rectangle, also without a layout."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from designer.canvas.drawing.thumbnail import paint_thumbnail
from designer.look.fonts import load_fonts
from designer.look.theme import load_theme
from designer.model import edits
from designer.model.design import Design
from tests.designer.canvas.support import licence_audit


def picture(design: Design) -> QImage:
    load_fonts()
    image = QImage(300, 150, QImage.Format.Format_RGB32)
    image.fill(load_theme("light").canvas)
    painter = QPainter(image)
    paint_thumbnail(painter, QRectF(20, 10, 260, 130), design, load_theme("light"))
    painter.end()
    return image


def is_empty(image: QImage) -> bool:
    canvas = load_theme("light").canvas
    return all(
        image.pixelColor(x, y) == canvas
        for x in range(0, 300, 2)
        for y in range(0, 150, 2)
    )


@pytest.mark.parametrize("design", [licence_audit(), Design(licence_audit().workflow)])
def test_it_is_drawn_inside_of_its_rectangle(qtbot: QtBot, design: Design) -> None:
    image = picture(design)
    assert not is_empty(image)
    canvas = load_theme("light").canvas
    assert all(
        image.pixelColor(x, y) == canvas
        for x in range(300)
        for y in (*range(9), *range(141, 150))
    )


def test_nothing_is_drawn_of_nothing(qtbot: QtBot) -> None:
    assert is_empty(picture(Design()))


def test_a_node_that_is_off_is_drawn_as_such() -> None:
    design = licence_audit()
    assert picture(design) != picture(edits.set_off(design, ["age_check"], "disabled"))
