"""Layouts on the canvas: by keys, as one step, of all, of some or of what is new; and
how loops are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, Qt

from designer.canvas.drawing.strokes import polyline_meets
from designer.canvas.verbs.arrange import ORGANIC_AT_ONCE, Kind
from designer.model import edits
from designer.model.design import Design
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition
from tests.designer.canvas.conftest import Bench
from tests.designer.model.designs import designs

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
KINDS: tuple[Kind, ...] = ("LR", "TB", "organic", "tidy")


def overlapping(boxes: Mapping[str, object]) -> list[tuple[str, str]]:
    rects = {key: box.rect for key, box in boxes.items()}  # type: ignore[attr-defined]
    return [
        pair
        for pair in combinations(rects, 2)
        if rects[pair[0]].intersects(rects[pair[1]])
    ]


def loop(*ids: str) -> Design:
    edges = [
        DirectEdge(id=f"{a}{b}", source=a, target=b)
        for a, b in zip(ids, (*ids[1:], ids[0]), strict=True)
    ]
    nodes = tuple(NodeDefinition(id=one, type="template") for one in ids)
    return Design(WorkflowDefinition(start=ids[0], nodes=nodes, edges=tuple(edges)))


@pytest.mark.parametrize("kind", KINDS)
def test_each_layout_is_one_step_that_undo_takes_back_exactly(
    bench: Bench, kind: Kind
) -> None:
    before = bench.design
    bench.view.arranger.arrange(kind)
    assert bench.steps == 1
    assert overlapping(bench.scene.boxes) == []
    bench.document.undo_stack.undo()
    assert bench.design == before


def test_a_layout_glides_unless_motion_is_reduced(bench: Bench) -> None:
    bench.view.arranger.arrange("LR")
    at_once = {node: bench.scene.boxes[node].rect for node in bench.scene.nodes}
    assert [(rect.x(), rect.y()) for rect in at_once.values()] == [
        bench.position(node) for node in at_once
    ]
    bench.view.clock.reduce_motion = False
    bench.view.arranger.arrange("organic")
    motion = bench.view.clock._motions["glide"]
    begin = at_once["age_check"].topLeft()
    end = QPointF(*bench.position("age_check"))
    motion.step(0.5)
    assert bench.scene.boxes["age_check"].rect.topLeft() == (begin + end) / 2
    bench.view.clock.finish("glide")
    assert bench.scene.boxes["age_check"].rect.topLeft() == end


def test_keys_lay_out_the_whole_the_selection_and_what_is_new(bench: Bench) -> None:
    bench.key(Qt.Key.Key_L, CTRL)
    whole = bench.design.positions
    bench.document.apply(
        "Move",
        edits.move(
            bench.design, {"age_check": (3000, 1400), "rank_by_reach": (3000, 1500)}
        ),
    )
    bench.view.select({"age_check", "rank_by_reach"})
    bench.key(Qt.Key.Key_L)
    changed = {node for node in whole if bench.position(node) != whole[node]}
    assert changed == {"age_check", "rank_by_reach"}
    assert overlapping(bench.scene.boxes) == []


def test_the_selection_is_laid_out_as_the_whole_was(bench: Bench) -> None:
    bench.view.arranger.arrange("TB")
    bench.view.select({"dependency_graph", "rank_by_reach"})
    bench.key(Qt.Key.Key_L)
    assert (
        bench.position("rank_by_reach")[1] > bench.position("dependency_graph")[1] + 60
    )


def test_tidying_finds_a_place_for_new_nodes_and_leaves_what_was_put_somewhere(
    bench: Bench,
) -> None:
    bench.view.arranger.arrange("LR")
    added, made = edits.add_node(bench.design, "template", (-900, 900))
    wired, _ = edits.connect(added, "age_check", made)
    bench.document.apply("Add", wired)
    put, other = edits.add_node(bench.design, "template", (-900, 500))
    bench.document.apply("Add", put)
    bench.document.apply("Put", edits.move(bench.design, {other: (-1200, 700)}))
    before = dict(bench.design.positions)
    steps = bench.steps
    bench.key(Qt.Key.Key_L, SHIFT)
    assert bench.steps == steps + 1
    assert {node for node in before if bench.position(node) != before[node]} == {made}
    assert bench.position(made)[0] > bench.position("age_check")[0]
    assert overlapping(bench.scene.boxes) == []


def test_tidying_when_all_is_tidy_changes_nothing_and_says_so(bench: Bench) -> None:
    bench.view.arranger.arrange("LR")
    with bench.qtbot.waitSignal(bench.view.message) as told:
        bench.key(Qt.Key.Key_L, SHIFT)
    assert "Nothing to tidy" in told.args[0]
    assert bench.steps == 1


# --- how loops are drawn --------------------------------------------------------------------------------------------


def test_case_164_one_node_stands_in_the_middle_of_the_view(bench: Bench) -> None:
    kinds: tuple[Kind, ...] = ("LR", "organic")
    for kind in kinds:
        bench.document.apply(
            "One",
            Design(
                WorkflowDefinition(nodes=(NodeDefinition(id="a", type="template"),))
            ),
        )
        bench.view.arranger.arrange(kind)
        bench.view.camera.fit_all(glide=False)
        middle = QPointF(bench.px(bench.scene.boxes["a"].rect.center()))
        view = QRectF(bench.view.viewport().rect())
        assert abs(middle.x() - view.center().x()) < 40
        assert abs(middle.y() - view.center().y()) < 60


def test_case_170_three_loops_of_one_node_are_three_wires(bench: Bench) -> None:
    edges = [
        DirectEdge(id=f"l{n}", source="a", target="a", condition=f"message > {n}")
        for n in range(3)
    ]
    nodes = (NodeDefinition(id="a", type="template"),)
    bench.document.apply(
        "Loops",
        Design(
            WorkflowDefinition(start="a", nodes=nodes, edges=tuple(edges)),
            {"a": (0, 0)},
        ),
    )
    bench.view.arranger.arrange("LR")
    tops = [
        bench.scene.edges.figures[edge.id].wires[0].path.boundingRect().top()
        for edge in edges
    ]
    assert len({round(top) for top in tops}) == 3
    assert max(tops) < bench.scene.boxes["a"].rect.top()


@pytest.mark.parametrize("kind", ["LR", "TB", "organic"])
def test_case_170_there_is_room_over_a_node_for_its_loop(
    bench: Bench, kind: Kind
) -> None:
    ways = [(one, other) for one in "abc" for other in "xyz"] + [
        (one, one) for one in "xyz"
    ]
    edges = [
        DirectEdge(id=f"{one}{other}", source=one, target=other) for one, other in ways
    ]
    nodes = tuple(NodeDefinition(id=one, type="template") for one in "abcxyz")
    bench.document.apply(
        "Loops", Design(WorkflowDefinition(start="a", nodes=nodes, edges=tuple(edges)))
    )
    bench.view.arranger.arrange(kind)
    for one in "xyz":
        wire = bench.scene.edges.figures[one * 2].wires[0].path.boundingRect()
        others = [box.rect for key, box in bench.scene.boxes.items() if key != one]
        over = QRectF(bench.scene.boxes[one].rect.left(), wire.top(), 168, 34)
        assert not any(rect.intersects(over) for rect in others)


@pytest.mark.parametrize("kind", ["LR", "organic"])
def test_case_172_each_edge_of_a_loop_runs_between_its_own_nodes(
    bench: Bench, kind: Kind
) -> None:
    bench.document.apply("Loop", loop("a", "b", "c"))
    bench.view.arranger.arrange(kind)
    boxes = bench.scene.boxes
    for edge in ("ab", "bc", "ca"):
        path = bench.scene.edges.figures[edge].wires[0].path
        begin = path.pointAtPercent(0)
        end = path.pointAtPercent(1)
        assert (begin - boxes[edge[0]].outlet).manhattanLength() < 1
        assert (end - boxes[edge[1]].tip).manhattanLength() < 12


def crossed(path: object, rect: QRectF) -> bool:
    steps = [path.pointAtPercent(k / 60) for k in range(2, 59)]  # type: ignore[attr-defined]
    return any(rect.adjusted(3, 3, -3, -3).contains(point) for point in steps)


@given(designs())
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_case_172_edges_back_run_outside_of_their_nodes(
    bench: Bench, drawing: Design
) -> None:
    bench.document.apply("Any", drawing)
    bench.view.arranger.arrange("LR")
    back = bench.scene.topology.back
    for figure in bench.scene.edges.figures.values():
        for wire in figure.wires:
            if (wire.source, wire.target) in back and wire.source != wire.target:
                for end in (wire.source, wire.target):
                    assert not crossed(wire.path, bench.scene.boxes[end].rect), (
                        figure.id
                    )
    bench.document.undo_stack.clear()


def through(bench: Bench) -> list[tuple[str, str]]:
    """Wires that run through a node which is none of their ends."""
    return [
        (figure.id, key)
        for figure in bench.scene.edges.figures.values()
        for line in bench.scene.edges.lines(figure)
        for key, box in bench.scene.boxes.items()
        if key not in bench.scene.topology.ends[figure.id]
        and polyline_meets(line, box.rect.adjusted(1, 1, -1, -1))
    ]


@given(designs())
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_wire_of_any_kind_runs_through_a_node_after_a_layout(
    bench: Bench, drawing: Design
) -> None:
    bench.document.apply("Any", drawing)
    # several groups at one port hang lower than a layout knows
    assume(not bench.scene.topology.ranks)
    bench.view.arranger.arrange("LR")
    assert through(bench) == []
    bench.document.undo_stack.clear()


pairs = st.lists(
    st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=45, unique=True
)


@given(pairs)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_no_plain_wire_of_twenty_nodes_runs_through_a_node_after_a_layout(
    bench: Bench, found: list[tuple[int, int]]
) -> None:
    nodes = tuple(NodeDefinition(id=f"n{k}", type="function") for k in range(20))
    edges = tuple(
        DirectEdge(id=f"{a}-{b}", source=f"n{a}", target=f"n{b}") for a, b in found
    )
    bench.document.apply(
        "Any", Design(WorkflowDefinition(start="n0", nodes=nodes, edges=edges))
    )
    bench.view.arranger.arrange("LR")
    assert through(bench) == []
    bench.document.undo_stack.clear()


def test_a_larger_organic_layout_is_made_in_another_thread_and_is_one_step(
    bench: Bench,
) -> None:
    nodes = tuple(
        NodeDefinition(id=f"n{at}", type="template")
        for at in range(ORGANIC_AT_ONCE + 1)
    )
    edges = tuple(
        DirectEdge(id=f"e{at}", source=f"n{at // 2}", target=f"n{at}")
        for at in range(1, len(nodes))
    )
    places = {node.id: (at * 10.0, 0.0) for at, node in enumerate(nodes)}
    bench.document.apply(
        "Tree", Design(WorkflowDefinition(start="n0", nodes=nodes, edges=edges), places)
    )
    before = bench.design
    steps = bench.steps
    bench.view.arranger.arrange("organic")
    assert bench.design is before
    bench.qtbot.waitUntil(lambda: bench.design is not before)
    assert bench.steps == steps + 1
    assert overlapping(bench.scene.boxes) == []
