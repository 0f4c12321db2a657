"""The organic layout, and what moves only new nodes: total, without overlap, the same
every time, true to the user.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designer.model.design import Design, Position
from designer.model.layout.arrange import NODE_SIZE, arrange, free_place
from designer.model.layout.tidy import laid_out, tidy
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from tests.designer.model.designs import design, designs, direct, fan_out
from tests.designer.model.test_layout import Sizes, flow, graph, overlapping

_SIZES = st.dictionaries(
    st.sampled_from("abcdef"), st.tuples(st.integers(16, 1200), st.integers(16, 300))
)
KINDS = ["LR", "organic"]


def at_random(
    drawing: Design, rnd: random.Random, *, holes: bool = False, spread: int = 40
) -> Design:
    """With nodes on places of a coarse grid, on which some lie on each other; perhaps
    some without a place.
    """
    places = {
        node.id: (rnd.randrange(spread) * 60.0, rnd.randrange(spread) * 40.0)
        for node in drawing.workflow.nodes
        if not holes or rnd.random() < 0.7
    }
    return Design(drawing.workflow, places)


@given(designs(), _SIZES)
@settings(deadline=None)
def test_any_drawing_gets_finite_organic_places_without_overlap(
    drawing: Design, sizes: Sizes
) -> None:
    places = arrange(drawing, "organic", sizes=sizes)
    assert places.keys() == {node.id for node in drawing.workflow.nodes}
    assert all(
        isinstance(value, int) and value % 4 == 0
        for at in places.values()
        for value in at
    )
    assert overlapping(places, sizes) == []
    assert places == arrange(drawing, "organic", sizes=sizes)


@given(st.integers(1, 40), st.integers(0, 90), st.randoms(use_true_random=False))
@settings(max_examples=30, deadline=None)
def test_multigraphs_of_all_kinds_are_laid_out_organically(
    nodes: int, edges: int, rnd: random.Random
) -> None:
    """Loops of one node, parallel edges, islands, hubs."""
    pairs = [
        (rnd.randrange(nodes), min(rnd.randrange(nodes), rnd.randrange(nodes)))
        for _ in range(edges)
    ]
    places = arrange(graph(nodes, pairs), "organic")
    assert overlapping(places) == []
    assert len(places) == nodes


@pytest.mark.parametrize("kind", KINDS)
def test_case_164_one_node_and_two_with_and_without_a_loop(kind: str) -> None:
    for one in (design("a"), design("a", direct("a", "a"))):
        assert arrange(one, kind) == {"a": (0, 0)}
    two = arrange(design("ab", direct("a", "b"), direct("b", "a")), kind)
    assert overlapping(two) == []


@pytest.mark.timeout(30)
def test_case_167_a_long_chain_is_no_heap_in_the_organic_layout_either() -> None:
    places = arrange(graph(500, [(n, n + 1) for n in range(499)]), "organic")
    assert overlapping(places) == []
    steps = [math.dist(places[str(n)], places[str(n + 1)]) for n in range(499)]
    assert max(steps) < 6 * sorted(steps)[250]  # no part of it is flung away


def test_case_169_parts_stay_apart_and_near_in_the_organic_layout() -> None:
    pairs = [
        *((n, n + 1) for n in range(1, 4)),
        *((5 + (n - 1) // 2, 5 + n) for n in range(1, 20)),
    ]
    places = arrange(graph(30, pairs), "organic")
    assert overlapping(places) == []
    width = max(x for x, _ in places.values()) + NODE_SIZE[0]
    height = max(y for _, y in places.values()) + NODE_SIZE[1]
    assert width * height < 30 * 15 * NODE_SIZE[0] * NODE_SIZE[1]


def test_case_170_a_node_with_three_loops_is_laid_out_organically() -> None:
    loops = [direct("b", "b") for _ in range(3)]
    places = arrange(
        design("abc", direct("a", "b"), *loops, direct("b", "c")), "organic"
    )
    assert overlapping(places) == []


def test_what_is_joined_stands_nearer_than_what_is_not() -> None:
    ring = graph(12, [(n, (n + 1) % 12) for n in range(12)])
    places = arrange(ring, "organic")
    beside = [math.dist(places[str(n)], places[str((n + 1) % 12)]) for n in range(12)]
    across = [math.dist(places[str(n)], places[str((n + 6) % 12)]) for n in range(12)]
    assert max(beside) < min(across)


def test_most_edges_run_to_the_right_where_the_ports_are() -> None:
    pairs = [((n - 1) // 2, n) for n in range(1, 15)]
    places = arrange(graph(15, pairs), "organic")
    right = [
        pair
        for pair in pairs
        if places[str(pair[0])][0] + NODE_SIZE[0] < places[str(pair[1])][0]
    ]
    assert len(right) > 0.7 * len(pairs)


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "drawing",
    [flow(500), graph(600, [(0, n) for n in range(1, 600)])],
    ids=["flow", "star"],
)
def test_large_graphs_are_laid_out_organically_without_overlap(drawing: Design) -> None:
    assert overlapping(arrange(drawing, "organic")) == []


# --- a selection ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(2, 14), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_an_arranged_selection_lies_on_nothing_that_stays(
    kind: str, nodes: int, rnd: random.Random
) -> None:
    pairs = [(rnd.randrange(nodes), rnd.randrange(nodes)) for _ in range(nodes)]
    drawing = at_random(graph(nodes, pairs), rnd, spread=12)
    only = [node.id for node in drawing.workflow.nodes if rnd.random() < 0.5]
    places = arrange(drawing, kind, only=only)
    assert places.keys() == set(only)
    after = {**drawing.positions, **places}
    assert not [pair for pair in overlapping(after) if set(pair) & set(only)]


def test_a_selection_in_a_crowd_goes_below_everything_rather_than_onto_it() -> None:
    crowd = {f"c{x}.{y}": (x * 180.0, y * 70.0) for x in range(40) for y in range(60)}
    nodes = tuple(NodeDefinition(id=one, type="x") for one in [*crowd, "a", "b"])
    drawing = Design(WorkflowDefinition(nodes=nodes, edges=(direct("a", "b"),)))
    middle = {"a": (3600.0, 2100.0), "b": (3600.0, 2100.0)}
    places = arrange(Design(drawing.workflow, {**crowd, **middle}), only=["a", "b"])
    assert min(y for _, y in places.values()) > 59 * 70


# --- only what is new -----------------------------------------------------------------------------------------------


@given(designs(), st.randoms(use_true_random=False), _SIZES)
@settings(deadline=None)
def test_tidying_moves_only_what_is_loose_or_lies_on_another(
    drawing: Design, rnd: random.Random, sizes: Sizes
) -> None:
    before = at_random(drawing, rnd, holes=True)
    loose = {node.id for node in drawing.workflow.nodes if rnd.random() < 0.3}
    places = tidy(before, loose, sizes=sizes)
    assert loose <= places.keys()
    after = {**before.positions, **places}
    assert after.keys() == {node.id for node in drawing.workflow.nodes}
    assert overlapping(after, sizes) == []
    assert places == tidy(before, loose, sizes=sizes)
    assert tidy(Design(drawing.workflow, after), sizes=sizes) == {}


def placed(drawing: Design, **places: Position) -> Design:
    return Design(drawing.workflow, places)


def test_a_new_node_stands_behind_what_leads_to_it_and_the_rest_stays() -> None:
    drawing = design("abc", direct("a", "b"), direct("a", "c"))
    assert tidy(placed(drawing, a=(100, 100), b=(332, 40), c=(0, 900)), {"c"}) == {
        "c": (332, 132)
    }


def test_a_new_node_before_all_others_stands_before_what_it_leads_to() -> None:
    drawing = design("ab", direct("a", "b"))
    assert tidy(placed(drawing, b=(500, 200)))["a"] == (500 - 64 - 168, 200)


def test_new_nodes_of_one_layer_keep_the_order_of_those_that_lead_to_them() -> None:
    drawing = design("abcxyz", direct("a", "z"), direct("b", "y"), direct("c", "x"))
    places = tidy(placed(drawing, a=(0, 0), b=(0, 200), c=(0, 400)))
    assert places["z"][1] < places["y"][1] < places["x"][1]
    assert {x for x, _ in places.values()} == {232}


def test_a_new_chain_grows_from_the_node_that_it_hangs_on() -> None:
    drawing = design("dcba", direct("a", "b"), direct("b", "c"), direct("c", "d"))
    places = tidy(placed(drawing, a=(0, 0)))
    assert [places[key] for key in "bcd"] == [(232, 0), (464, 0), (696, 0)]
    down = tidy(placed(drawing, a=(0, 0)), direction="TB")
    assert [down[key][1] for key in "bcd"] == [124, 248, 372]


def test_of_nodes_that_lie_on_each_other_the_first_stays() -> None:
    places = tidy(placed(design("ab"), a=(0, 0), b=(20, 20)))
    assert places.keys() == {"b"}


def test_a_free_place_is_the_wanted_one_or_the_nearest() -> None:
    drawing: Design = placed(design("a"), a=(0, 0))
    assert free_place(drawing, (400, 0)) == (400, 0)
    x, y = free_place(drawing, (20, 20))
    assert overlapping({"a": (0, 0), "b": (x, y)}) == []
    assert math.dist((x, y), (20, 20)) < 200


def test_fan_out_targets_without_places_come_side_by_side() -> None:
    places: Mapping[str, Position] = tidy(
        placed(design("abcd", fan_out("a", "bcd")), a=(0, 100))
    )
    assert len({y for _, y in places.values()}) == 3
    assert {x for x, _ in places.values()} == {232}


@given(designs(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_whoever_has_no_place_gets_one_and_all_others_stay(
    drawing: Design, rnd: random.Random
) -> None:
    before = at_random(drawing, rnd, holes=True)
    after = laid_out(before)
    assert after.positions.keys() >= {node.id for node in drawing.workflow.nodes}
    assert {key: after.positions[key] for key in before.positions} == before.positions
    beside = dict(before.positions)
    for key in after.positions.keys() - before.positions.keys():
        assert not [
            pair
            for pair in overlapping({**beside, key: after.positions[key]})
            if key in pair
        ]
        beside[key] = after.positions[key]


def test_a_drawing_without_places_is_laid_out_as_by_command() -> None:
    drawing = Design(design("abc", direct("a", "b"), direct("b", "c")).workflow, {})
    assert laid_out(drawing).positions == arrange(drawing)


def test_a_drawing_with_all_places_is_left_as_it_is() -> None:
    drawing = design("abc")
    assert laid_out(drawing) is drawing
