"""The arrow that says where a run begins is there at every zoom and in every mode,
clear of the wires.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from designer.model import edits
from tests.designer.canvas.conftest import Bench, on_screen
from tests.designer.canvas.support import half_full

START = "installed_packages"


def shows_arrow(bench: Bench) -> bool:
    """Whether there is a patch in the arrow's colour left of the start's border, where
    its head is on the screen.
    """
    bench.view.centerOn(bench.scene.boxes[START].rect.center())
    QApplication.processEvents()
    box = bench.scene.boxes[START].rect
    tip = bench.view.mapFromScene(QPointF(box.left(), box.top() + box.height() / 4))
    picture = on_screen(bench)
    colour = QColor(bench.view.look.theme.text2)
    return any(
        picture.pixelColor(tip.x() + dx, tip.y() + dy) == colour
        for dx in range(-9, -3)
        for dy in range(-2, 3)
    )


@pytest.mark.parametrize("zoom", [2.0, 1.0, 0.6, 0.4, 0.3, 0.1])
def test_the_start_is_marked_at_every_zoom(bench: Bench, zoom: float) -> None:
    bench.view.camera.zoom_to(zoom)
    assert shows_arrow(bench)


@pytest.mark.parametrize("mode", ["past", "live"])
def test_the_start_is_marked_while_a_run_is_looked_at(bench: Bench, mode: str) -> None:
    bench.session.look_at(half_full(), mode)
    bench.view.camera.zoom_to(1.0)
    assert shows_arrow(bench)


def test_a_wire_that_leads_back_to_the_start_does_not_cover_the_arrow(
    bench: Bench,
) -> None:
    bench.document.apply(
        "connect", edits.connect(bench.document.design, "age_check", START)[0]
    )
    bench.view.camera.zoom_to(1.0)
    assert shows_arrow(bench)


def test_the_mark_goes_with_the_start(bench: Bench) -> None:
    bench.view.camera.zoom_to(1.0)
    bench.document.apply("start", edits.set_start(bench.document.design, "age_check"))
    assert not shows_arrow(bench)
