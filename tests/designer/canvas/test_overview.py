"""Far and small: what is left out when one zooms out, and the overview, which costs
nothing while nobody sees it.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtWidgets import QApplication

from designer.canvas.camera import LEAST
from designer.model import edits
from tests.designer.canvas.conftest import Bench, on_screen

K = Qt.Key
M = Qt.KeyboardModifier


def wheel(bench: Bench, turns: int, at: QPointF | None = None) -> None:
    """Turn the wheel over a place of the viewport, or over its middle."""
    viewport = bench.view.viewport()
    at = at or QPointF(viewport.rect().center())
    for _ in range(abs(turns)):
        event = QWheelEvent(
            at,
            viewport.mapToGlobal(at),
            QPoint(),
            QPoint(0, 120 if turns > 0 else -120),
            Qt.MouseButton.NoButton,
            M.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(viewport, event)
    bench.qtbot.waitUntil(lambda: not bench.scene.edges.hurried)


class Paints(QObject):
    """Counts how often a widget is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt gives the name
        self.count += event.type() == QEvent.Type.Paint
        return False


def colours(bench: Bench, node: str) -> int:
    """How many colours there are where a node is: its words and its icon have many."""
    QApplication.processEvents()
    box = (
        bench.view.mapFromScene(bench.scene.boxes[node].rect)
        .boundingRect()
        .adjusted(3, 3, -3, -3)
    )
    picture: QImage = on_screen(bench).copy(box)
    return len(
        {
            picture.pixel(x, y)
            for x in range(picture.width())
            for y in range(picture.height())
        }
    )


def test_zooming_out_by_the_wheel_leaves_out_detail_and_keeps_what_counts(
    bench: Bench,
) -> None:
    near = colours(bench, "age_check")
    wheel(bench, -3)
    assert 0.35 < bench.view.zoom < 0.7
    middle = colours(bench, "age_check")
    wheel(bench, -4)
    assert bench.view.zoom < 0.35
    assert near > middle > colours(bench, "age_check")
    assert colours(bench, "age_check") <= 2, "from afar a node is a plain box"
    bench.click(bench.centre("age_check"))
    assert bench.document.selection == {"age_check"}, "and still there to be taken"
    wheel(bench, 7)
    assert colours(bench, "age_check") > middle


def test_what_is_under_the_pointer_stays_there_when_the_wheel_turns(
    bench: Bench,
) -> None:
    at = QPointF(900, 200)
    fixed = bench.view.mapToScene(at.toPoint())
    before = bench.view.zoom
    wheel(bench, 2, at)
    assert bench.view.zoom > before
    assert (bench.view.mapToScene(at.toPoint()) - fixed).manhattanLength() < 2
    wheel(bench, -4, at)
    assert bench.view.zoom < before
    assert (bench.view.mapToScene(at.toPoint()) - fixed).manhattanLength() < 4
    assert bench.steps == 0


def test_a_hidden_overview_draws_nothing_whatever_is_done(bench: Bench) -> None:
    minimap = bench.view.minimap
    paints = Paints()
    minimap.installEventFilter(paints)
    assert minimap.isHidden()
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(80, 0))
    bench.key(K.Key_A, M.ControlModifier)
    bench.key(K.Key_Right, M.ControlModifier)
    wheel(bench, -2)
    QApplication.processEvents()
    assert paints.count == 0
    assert minimap._picture is None
    bench.key(K.Key_M)
    QApplication.processEvents()
    assert paints.count
    assert minimap._picture is not None
    bench.key(K.Key_M)
    QApplication.processEvents()
    paints.count = 0
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(40, 0))
    QApplication.processEvents()
    assert (paints.count, minimap._picture) == (0, None), (
        "hidden again, it keeps no picture up to date"
    )


def test_a_fit_shows_all_however_long_and_the_wheel_goes_no_lower_than_before(
    bench: Bench,
) -> None:
    bench.document.apply("Far", edits.move(bench.design, {"write_report": (60_000, 0)}))
    bench.view.camera.fit_all(glide=False)
    fitted = bench.view.zoom
    assert fitted < LEAST
    seen = bench.view.mapToScene(bench.view.viewport().rect()).boundingRect()
    assert seen.contains(bench.scene.drawing_rect())
    wheel(bench, -3)
    assert bench.view.zoom == fitted
    wheel(bench, 1)
    assert fitted < bench.view.zoom < LEAST
    bench.view.camera.zoom_to(0.001)
    assert bench.view.zoom < LEAST  # as near as one is
    bench.view.camera.zoom_to(1)
    wheel(bench, -40)
    assert bench.view.zoom == pytest.approx(LEAST)


def test_a_size_that_it_got_just_before_it_was_hidden_is_fitted_when_it_is_shown(
    bench: Bench,
) -> None:
    bench.view.camera.fit_all(glide=False)
    bench.view.resize(500, 400)
    bench.view.hide()
    QApplication.processEvents()
    bench.view.show()
    QApplication.processEvents()
    seen = bench.view.mapToScene(bench.view.viewport().rect()).boundingRect()
    assert seen.contains(bench.scene.drawing_rect())


def test_the_bar_in_the_corner_shows_the_overview_and_lets_nodes_stand_anywhere(
    bench: Bench,
) -> None:
    bar = bench.view.zoom_bar
    left = Qt.MouseButton.LeftButton
    bench.qtbot.mouseClick(bar.map_button, left)
    assert bench.view.minimap.isVisible()
    bench.qtbot.mouseClick(bar.map_button, left)
    assert bench.view.minimap.isHidden()
    bench.qtbot.mouseClick(bar.snap_button, left)
    assert not bench.view.snap
    before = bench.view.zoom
    bench.qtbot.mouseClick(bar.less, left)
    assert bench.view.zoom < before
