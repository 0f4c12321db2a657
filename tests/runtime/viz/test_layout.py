"""Boxes in layers: nothing lies on anything, lines meet no box, and the same graph is
laid out the same way.
"""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.export.picture_layout import Edge, Placed, Point, Size, layered

EDGES = st.lists(
    st.builds(
        lambda a, b, label: (a, b, label),
        st.integers(0, 14),
        st.integers(0, 14),
        st.sampled_from([(0.0, 0.0), (40.0, 12.0), (150.0, 30.0)]),
    ),
    max_size=30,
)
SIZES = st.lists(
    st.tuples(st.integers(20, 200), st.integers(15, 160)), min_size=1, max_size=15
)


def overlap(a: Point, a_size: Size, b: Point, b_size: Size) -> bool:
    return (
        abs(a[0] - b[0]) < (a_size[0] + b_size[0]) / 2 - 1e-6
        and abs(a[1] - b[1]) < (a_size[1] + b_size[1]) / 2 - 1e-6
    )


def check(sizes: list[Size], edges: list[Edge], placed: Placed) -> None:
    things = [*zip(placed.centres, sizes, strict=True)]
    labels = [
        (r.label, edge.label)
        for r, edge in zip(placed.routes, edges, strict=True)
        if r.label is not None
    ]
    assert len(labels) == sum(
        any(edge.label) and edge.source != edge.target for edge in edges
    )
    for (a, a_size), (b, b_size) in combinations([*things, *labels], 2):
        assert not overlap(a, a_size, b, b_size)
    for (x, y), (width, height) in things:
        assert x - width / 2 + 1e-6 >= 0
        assert x + width / 2 <= placed.size[0] + 1e-6
        assert y - height / 2 >= -1e-6
        assert y + height / 2 <= placed.size[1] + 1e-6
    for edge, route in zip(edges, placed.routes, strict=True):
        for a, b in pairwise(route.points):
            for index, (centre, size) in enumerate(things):
                middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
                reach = (abs(a[0] - b[0]), abs(a[1] - b[1]))
                assert index in edge[:2] or not overlap(middle, reach, centre, size)


@settings(max_examples=60)
@given(SIZES, EDGES)
def test_nothing_lies_on_anything_and_lines_meet_no_box(
    sizes: list[tuple[int, int]], pairs: list[tuple[int, int, Size]]
) -> None:
    boxes = [(float(width), float(height)) for width, height in sizes]
    edges = [Edge(a % len(boxes), b % len(boxes), label) for a, b, label in pairs]
    placed = layered(boxes, edges)
    check(boxes, edges, placed)
    assert layered(boxes, edges) == placed


def test_crowded_graphs_are_laid_out_as_cleanly() -> None:
    chance = random.Random(1)  # noqa: S311 - any graphs will do
    for _ in range(150):
        boxes = [
            (float(chance.randint(20, 200)), float(chance.randint(15, 160)))
            for _ in range(chance.randint(3, 15))
        ]
        ends = range(len(boxes))
        edges = [
            Edge(
                chance.choice(ends),
                chance.choice(ends),
                chance.choice([(0.0, 0.0), (40.0, 12.0)]),
            )
            for _ in range(chance.randint(1, 30))
        ]
        check(boxes, edges, layered(boxes, edges))


def test_a_line_begins_and_ends_at_its_boxes_and_a_way_back_leads_up() -> None:
    boxes: list[Size] = [(80.0, 40.0)] * 3
    edges = [Edge(0, 1), Edge(1, 2), Edge(2, 0), Edge(1, 1)]
    placed = layered(boxes, edges)
    ys = [y for _, y in placed.centres]
    assert ys == sorted(ys)
    for edge, route in zip(edges[:3], placed.routes[:3], strict=True):
        (x, y), (end_x, end_y) = route.points[0], route.points[-1]
        sign = -1 if route.back else 1
        assert y == placed.centres[edge.source][1] + sign * 20
        assert end_y == placed.centres[edge.target][1] - sign * 20
        assert abs(x - placed.centres[edge.source][0]) <= 40
        assert abs(end_x - placed.centres[edge.target][0]) <= 40
    assert [route.back for route in placed.routes] == [False, False, True, False]
    assert placed.routes[3].points == []


@pytest.mark.timeout(20)
def test_a_long_chain_and_a_wide_fan_are_laid_out_in_seconds() -> None:
    chain = layered([(80.0, 40.0)] * 500, [Edge(n, n + 1) for n in range(499)])
    assert len({x for x, _ in chain.centres}) == 1
    fan = layered([(80.0, 40.0)] * 201, [Edge(0, n) for n in range(1, 201)])
    assert len({y for _, y in fan.centres[1:]}) == 1


def test_one_box_and_none() -> None:
    assert layered([(80.0, 40.0)], []).size == (80.0, 40.0)
    assert layered([], []).centres == []
