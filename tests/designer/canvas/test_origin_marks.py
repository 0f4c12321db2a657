"""The way of a value on the canvas: which wires have a band, and which numbers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from designer.canvas.drawing.origin_marks import (
    number_words,
    paint_bands,
    paint_numbers,
    wires_on,
)
from designer.canvas.drawing.scene import CanvasScene
from designer.look.theme import load_theme
from designer.model.origin_path import NO_PATH, OriginPath
from tests.designer.panels.fakes import design, infos

PATH = OriginPath(
    {"scan": (1,), "rank": (2, 4)},
    frozenset(
        {
            ("fan", "scan", "rank", None),
            ("switch", "route", "ask", 2),
            ("gone", "scan", "rank", None),
        }
    ),
    "rank",
)


@pytest.fixture
def scene(qapp: object) -> CanvasScene:
    scene = CanvasScene(load_theme("light"))
    scene.show(design(), {info.type: info for info in infos()})
    return scene


def test_a_band_lies_under_the_wires_of_the_pair_and_of_the_case_taken(
    scene: CanvasScene,
) -> None:
    wires = list(wires_on(scene, PATH))
    ends = {(wire.source, wire.target) for wire in wires}
    assert ends <= {("scan", ""), ("", "rank"), ("scan", "rank"), ("route", "ask")}
    assert {wire.way for wire in wires if wire.target == "ask"} == {2}


def test_nodes_of_the_way_have_a_rim_and_their_numbers(scene: CanvasScene) -> None:
    rect = scene.boxes["rank"].rect.adjusted(-20, -20, 20, 20)
    blank = _painted(scene, rect)
    scene.show_origin(PATH)
    assert _painted(scene, rect) != blank
    scene.show_origin(NO_PATH)
    assert _painted(scene, rect) == blank


@pytest.mark.parametrize(
    ("numbers", "words"),
    [((3,), "3"), ((1, 2, 3, 4), "1, 2, 3, 4"), ((1, 2, 3, 4, 9), "1, 2 … 9")],
)
def test_of_many_numbers_the_ends_are_written(
    numbers: tuple[int, ...], words: str
) -> None:
    assert number_words(numbers) == words


def _painted(scene: CanvasScene, rect: QRectF) -> QImage:
    image = QImage(rect.size().toSize(), QImage.Format.Format_RGB32)
    image.fill(scene.style_.theme.canvas)
    painter = QPainter(image)
    painter.translate(-rect.topLeft())
    paint_bands(painter, scene, rect)
    paint_numbers(painter, scene, rect, 1.0)
    painter.end()
    return image
