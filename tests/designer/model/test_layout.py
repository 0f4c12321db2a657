"""A layout is total, deterministic and free of overlaps, keeps the direction of the
edges, and is quick.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Mapping
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model.design import Design, Position
from designer.model.layout.arrange import NODE_SIZE, Direction, arrange
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition
from runtime.export.crossings import cut, reduce_crossings
from runtime.export.layered import acyclic
from tests.designer.model.designs import design, designs, direct, fan_out, join, switch

Sizes = Mapping[str, tuple[float, float]]


def graph(nodes: int, pairs: Iterable[tuple[int, int]]) -> Design:
    edges = (
        DirectEdge(id=f"e{n}", source=str(a), target=str(b))
        for n, (a, b) in enumerate(pairs)
    )
    ids = (NodeDefinition(id=str(number), type="x") for number in range(nodes))
    return Design(WorkflowDefinition(nodes=tuple(ids), edges=tuple(edges)))


def overlapping(
    places: Mapping[str, Position], sizes: Sizes | None = None
) -> list[tuple[str, str]]:
    def box(key: str) -> tuple[float, float, float, float]:
        (x, y), (width, height) = places[key], (sizes or {}).get(key, NODE_SIZE)
        return x, y, x + width, y + height

    def meet(a: str, b: str) -> bool:
        (l1, t1, r1, b1), (l2, t2, r2, b2) = box(a), box(b)
        return l1 < r2 and l2 < r1 and t1 < b2 and t2 < b1

    return [pair for pair in combinations(places, 2) if meet(*pair)]


_SIZES = st.dictionaries(
    st.sampled_from("abcdef"), st.tuples(st.integers(16, 248), st.integers(16, 300))
)


@given(designs(), st.sampled_from(["LR", "TB"]), _SIZES)
def test_any_drawing_gets_finite_places_on_the_grid_without_overlap(
    drawing: Design, direction: Direction, sizes: Sizes
) -> None:
    places = arrange(drawing, direction, sizes=sizes)
    assert places.keys() == {node.id for node in drawing.workflow.nodes}
    assert all(
        isinstance(value, int) and value % 4 == 0
        for at in places.values()
        for value in at
    )
    assert overlapping(places, sizes) == []
    assert places == arrange(drawing, direction, sizes=sizes)


@given(st.integers(1, 30), st.integers(0, 60), st.randoms(use_true_random=False))
def test_larger_graphs_do_not_overlap_either(
    nodes: int, edges: int, rnd: random.Random
) -> None:
    drawing = graph(
        nodes, [(rnd.randrange(nodes), rnd.randrange(nodes)) for _ in range(edges)]
    )
    assert overlapping(arrange(drawing)) == []


@given(st.integers(2, 12), st.randoms(use_true_random=False))
def test_without_loops_every_edge_runs_forward(nodes: int, rnd: random.Random) -> None:
    pairs = [tuple(sorted(rnd.sample(range(nodes), 2))) for _ in range(nodes)]
    drawing = graph(nodes, pairs)  # type: ignore[arg-type]
    right = arrange(drawing)
    down = arrange(drawing, "TB")
    for source, target in pairs:
        assert right[str(source)][0] + NODE_SIZE[0] < right[str(target)][0]
        assert down[str(source)][1] + NODE_SIZE[1] < down[str(target)][1]


def test_case_164_one_node_with_and_without_a_loop() -> None:
    assert (
        arrange(design("a")) == arrange(design("a", direct("a", "a"))) == {"a": (0, 0)}
    )
    assert arrange(Design()) == {}


def test_case_167_a_long_chain_grows_strictly() -> None:
    places = arrange(graph(500, [(n, n + 1) for n in range(499)]))
    xs = [places[str(n)][0] for n in range(500)]
    assert xs == sorted(set(xs))
    assert {y for _, y in places.values()} == {0}


def test_case_169_parts_are_packed_side_by_side() -> None:
    chain = [(n, n + 1) for n in range(1, 4)]
    tree = [(5 + (n - 1) // 2, 5 + n) for n in range(1, 20)]
    drawing = graph(30, [*chain, *tree])
    places = arrange(drawing)
    assert overlapping(places) == []
    width = max(x for x, _ in places.values()) + NODE_SIZE[0]
    height = max(y for _, y in places.values()) + NODE_SIZE[1]
    own = arrange(graph(20, [(a - 5, b - 5) for a, b in tree]))
    tree_area = (max(x for x, _ in own.values()) + NODE_SIZE[0]) * (
        max(y for _, y in own.values()) + NODE_SIZE[1]
    )
    assert width * height < 2.5 * tree_area
    assert 0.3 < width / height < 4


def test_case_170_a_node_with_many_loops_of_its_own() -> None:
    loops = [DirectEdge(id=f"l{n}", source="b", target="b") for n in range(3)]
    places = arrange(design("abc", direct("a", "b"), *loops, direct("b", "c")))
    assert places["a"][0] < places["b"][0] < places["c"][0]


def test_case_172_a_loop_is_laid_out_from_its_start() -> None:
    drawing = design(
        "cab", direct("a", "b"), direct("b", "c"), direct("c", "a"), start="a"
    )
    places = arrange(drawing)
    assert places["a"][0] < places["b"][0] < places["c"][0]


def test_gaps_leave_room_for_what_is_drawn_in_them() -> None:
    def gap(drawing: Design, source: str, target: str) -> float:
        places = arrange(drawing)
        return places[target][0] - places[source][0] - NODE_SIZE[0]

    assert gap(design("ab", direct("a", "b")), "a", "b") == 64
    assert gap(design("ab", direct("a", "b", "message > 1")), "a", "b") == 140
    assert gap(design("abc", join("ab", "c")), "a", "c") == 80
    assert gap(design("abc", switch("a", "b", "c")), "a", "b") == 140
    assert (
        gap(
            design("abcd", join("ab", "c"), switch("a", "d", "b"), direct("b", "d")),
            "b",
            "c",
        )
        >= 80
    )


def test_rows_are_88_apart_and_a_fork_stands_in_the_middle_of_its_targets() -> None:
    places = arrange(design("abcd", fan_out("a", "bcd")))
    assert [places[key][1] for key in "bcd"] == [0, 88, 176]
    assert places["a"][1] == 88


def test_an_edge_over_several_layers_does_not_run_over_the_nodes_between() -> None:
    places = arrange(
        design(
            "abcd",
            direct("a", "b"),
            direct("b", "c"),
            direct("c", "d"),
            direct("a", "d"),
        )
    )
    (ax, ay), (dx, dy) = places["a"], places["d"]
    for key in "bc":
        x, y = places[key]
        line = ay + (dy - ay) * (x - ax) / (dx - ax)
        assert abs(line - y) > 8


def test_a_selection_keeps_its_centre_and_the_others_stay() -> None:
    drawing = design("abcd", direct("a", "b"), direct("b", "c"), direct("c", "d"))
    scattered = Design(
        drawing.workflow,
        {"a": (0, 0), "b": (812, 400), "c": (400, 800), "d": (1200, 0)},
    )
    places = arrange(scattered, only=["b", "c", "nowhere"])
    assert places.keys() == {"b", "c"}
    assert abs((places["b"][0] + places["c"][0]) / 2 - 606) <= 4
    assert abs((places["b"][1] + places["c"][1]) / 2 - 600) <= 4
    assert arrange(scattered, only=[]) == {}


def test_new_nodes_without_a_place_are_put_below_all_others() -> None:
    drawing = design("abc", direct("b", "c"))
    fresh = Design(drawing.workflow, {"a": (100, 100)})
    places = arrange(fresh, only=["b", "c"])
    assert min(y for _, y in places.values()) > 160
    assert places["b"][0] == 100


@pytest.mark.parametrize(
    ("pairs", "least"),
    [
        ([(0, 3), (1, 2)], 0),  # drawn crosswise in the order of the definition
        ([(0, 4), (0, 5), (1, 3), (1, 4), (2, 3)], 0),
        ([(0, 2), (0, 3), (1, 2), (1, 3)], 1),  # K(2, 2) cannot do without
        ([(0, 4), (1, 3), (2, 5), (4, 8), (3, 7), (5, 6), (0, 8)], 0),
        ([(a, b) for a in range(3) for b in range(3, 6)], 9),  # K(3, 3) on two lines
    ],
)
def test_small_graphs_have_as_few_crossings_as_possible(
    pairs: list[tuple[int, int]], least: int
) -> None:
    count = 1 + max(max(pair) for pair in pairs)
    ranks = [0] * count
    for source, target in sorted(pairs):
        ranks[target] = ranks[source] + 1
    assert reduce_crossings(cut(ranks, pairs)) == least


def test_a_tangle_is_untied_by_sweeps_and_swaps_together() -> None:
    # 52 crossings as it comes; sweeps alone leave 26, swaps alone 30.
    rnd = random.Random(2)  # noqa: S311
    rows = 8
    pairs = [
        (layer * rows + rnd.randrange(rows), (layer + 1) * rows + rnd.randrange(rows))
        for layer in range(5)
        for _ in range(12)
    ]
    ranks = [node // rows for node in range(6 * rows)]
    assert reduce_crossings(cut(ranks, list(dict.fromkeys(pairs)))) <= 22


@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20))
def test_turning_the_back_edges_round_leaves_no_loop(
    pairs: list[tuple[int, int]],
) -> None:
    forward = acyclic(8, pairs)
    assert {frozenset(pair) for pair in forward} == {
        frozenset(pair) for pair in pairs if pair[0] != pair[1]
    }
    order: list[int] = []
    while ready := [
        n
        for n in range(8)
        if n not in order and all(b != n or a in order for a, b in forward)
    ]:
        order += ready
    assert len(order) == 8


def flow(nodes: int, seed: int = 11) -> Design:
    """Chains, fan-outs that are joined again, loops and skips, as workflows have them."""
    rnd = random.Random(seed)  # noqa: S311
    pairs: list[tuple[int, int]] = []
    tail = last = 0
    while last < nodes - 8:
        ends = []
        for _ in range(rnd.randint(1, 4)):
            before = tail
            for _ in range(rnd.randint(1, 2)):
                last += 1
                pairs.append((before, last))
                before = last
            ends.append(before)
        tail = last = last + 1
        pairs += [(end, tail) for end in ends]
        if rnd.random() < 0.2:
            pairs.append((tail, max(0, tail - rnd.randint(1, 40))))
        if rnd.random() < 0.2:
            pairs.append((max(0, tail - rnd.randint(2, 40)), tail))
    return graph(nodes, pairs)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("nodes", [500, 5000])
def test_large_workflows_are_laid_out(nodes: int) -> None:
    places = arrange(flow(nodes))
    assert all(math.isfinite(value) for at in places.values() for value in at)
    assert len(set(places.values())) == nodes


@pytest.mark.timeout(30)
def test_shortcuts_over_a_long_chain_do_not_cost_their_square() -> None:
    pairs = [(n, n + 1) for n in range(1999)] + [(0, n) for n in range(2, 2000)]
    drawing = graph(2000, pairs)
    assert len(arrange(drawing)) == 2000


def test_a_switch_stands_with_its_middle_at_the_wire_that_leads_to_it() -> None:
    """Also where nobody says how large the nodes are, as on the command line."""
    before = design("abcd", direct("a", "b"), switch("b", "cd", "c"))
    nodes = tuple(
        n.model_copy(update={"type": "switch"}) if n.id == "b" else n
        for n in before.workflow.nodes
    )
    places = arrange(Design(before.workflow.model_copy(update={"nodes": nodes})))
    assert places["b"][1] + 22 == places["a"][1] + 30
