"""Routes through dots and round nodes, as laws: whatever stands there, they go where
they should and nowhere else.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath

from designer.canvas.drawing import routes
from designer.canvas.drawing.detours import detour
from designer.canvas.drawing.strokes import on_path, path_distance, polyline_meets

places = st.builds(QPointF, st.integers(-600, 600), st.integers(-400, 400))
nodes = st.lists(
    st.builds(
        lambda x, y: QRectF(x, y, 168, 60), st.integers(0, 1200), st.integers(-200, 200)
    ),
    max_size=12,
)
START = QPointF(-60, 0)
END = QPointF(1500, 40)


def line(path: QPainterPath) -> list[tuple[float, float]]:
    return [
        (at.x(), at.y())
        for polygon in path.toSubpathPolygons()
        for at in polygon.toList()
    ]


@given(nodes, st.sampled_from([0.0, 4.0, 8.0]))
def test_a_way_round_nodes_meets_none_of_them_and_never_goes_back(
    boxes: list[QRectF], spread: float
) -> None:
    points = detour(START, END, boxes, spread)
    if points is None:
        return
    way = line(routes.through(START, points, END))
    assert not any(polyline_meets(way, box) for box in boxes)
    assert all(a[0] <= b[0] + 1e-6 for a, b in pairwise(way))


@given(nodes)
def test_there_is_a_way_round_where_any_level_is_free_all_along(
    boxes: list[QRectF],
) -> None:
    free = [
        level
        for level in (-270.0, 270.0)
        if not any(box.top() - 9 < level < box.bottom() + 9 for box in boxes)
    ]
    assume(free and all(box.left() > 20 and box.right() < 1400 for box in boxes))
    assert detour(START, END, boxes, 0.0) is not None


def test_a_way_with_nothing_before_it_leaves_the_levels_of_its_ends_to_none() -> None:
    points = detour(START, END, [QRectF(100, 200, 168, 60)], 0.0)
    assert points is not None
    assert {point.y() for point in points} <= {START.y(), END.y()}


def test_a_node_in_the_way_is_passed_on_the_nearer_side() -> None:
    points = detour(QPointF(0, 0), QPointF(800, 0), [QRectF(300, -50, 168, 60)], 0.0)
    assert points is not None
    assert {point.y() for point in points} == {19.0}


def test_where_there_is_no_gap_there_is_no_way() -> None:
    wall = [QRectF(300, y, 168, 60) for y in range(-300, 300, 62)]
    assert (
        detour(
            QPointF(0, 0),
            QPointF(800, 0),
            [*wall, QRectF(-50, 40, 900, 20), QRectF(-50, -60, 900, 20)],
            0.0,
        )
        is None
    )


@given(places, st.lists(places, min_size=1, max_size=5), places)
def test_a_wire_runs_through_all_of_its_dots_in_order(
    start: QPointF, dots: list[QPointF], end: QPointF
) -> None:
    way = [start, *dots, end]
    assume(all(a != b for a, b in pairwise(way)))
    path = routes.through(start, dots, end)
    legs = routes.legs(path)
    assert [QPointF(leg.elementAt(0).x, leg.elementAt(0).y) for leg in legs] == way[:-1]
    assert [leg.currentPosition() for leg in legs] == way[1:]
    assert all(path_distance(path, dot) < 0.5 for dot in dots)


@given(st.lists(places, min_size=2, max_size=6, unique_by=lambda at: at.x()))
def test_between_dots_no_leg_swings_out(dots: list[QPointF]) -> None:
    dots = sorted(dots, key=QPointF.x)
    legs = routes.legs(
        routes.through(dots[0] - QPointF(80, 0), dots, dots[-1] + QPointF(80, 0))
    )
    for leg, (a, b) in zip(legs[1:-1], pairwise(dots), strict=True):
        box = QRectF(a, b).normalized().adjusted(-0.5, -0.5, 0.5, 0.5)
        # A level leg has no height, and Qt says of no rectangle that it contains one
        # without height.
        assert box.contains(leg.controlPointRect().adjusted(-0.25, -0.25, 0.25, 0.25))


def test_level_dots_give_a_level_wire() -> None:
    dots = [QPointF(200, 100), QPointF(400, 100), QPointF(600, 100)]
    legs = routes.legs(routes.through(QPointF(0, 0), dots, QPointF(800, 0)))
    assert [leg.boundingRect().height() for leg in legs[1:3]] == [0, 0]


@pytest.mark.parametrize("away", [QPointF(0, 5), QPointF(0, -5), QPointF(0, 0)])
def test_the_nearest_place_on_a_wire_is_on_it(away: QPointF) -> None:
    path = routes.forward(QPointF(0, 0), QPointF(400, 0))
    assert on_path(path, QPointF(130, 0) + away) == QPointF(130, 0)
