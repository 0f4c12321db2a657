"""Dots of wires: they are layout, follow their wires through every edit, and survive
the file and the clipboard.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import edits, files
from designer.model.design import Design, Position
from designer.model.edits import EditError, Way
from designer.model.edits.dots import followed, parted, set_dots, wires, without_dots
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    Selection,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.errors import DefinitionError

HERE: tuple[Position, ...] = ((150, 40), (200, 80))


def drawn(*edges: EdgeDefinition, nodes: str = "abcd") -> Design:
    workflow = WorkflowDefinition(
        start="a", nodes=[NodeDefinition(id=n, type="t") for n in nodes], edges=edges
    )
    return Design(workflow, {node: (300 * k, 0) for k, node in enumerate(nodes)})


def dotted(
    edge: EdgeDefinition, wire: str, points: Sequence[Position] = HERE
) -> Design:
    return set_dots(drawn(edge), edge.id, wire, points)


AB = DirectEdge(id="ab", source="a", target="b")
FAN = FanOutEdge(id="fan", source="a", targets=("b", "c"))
JOIN = FanInEdge(id="join", sources=("a", "b"), target="c")
MULTI = MultiSelectionEdge(
    id="multi", source="a", selections=(Selection(target="b"), Selection(target="c"))
)
SWITCH = SwitchEdge(
    id="switch",
    source="a",
    cases=(
        SwitchCase(name="x", when="1 == 1", target="b"),
        SwitchCase(name="y", when="2 == 2", target="b"),
    ),
    default="c",
)
KINDS = [(AB, "b"), (FAN, "c"), (JOIN, "b"), (MULTI, "b"), (SWITCH, "2"), (SWITCH, "0")]


@pytest.mark.parametrize(("edge", "wire"), KINDS)
def test_dots_are_in_the_file_apart_from_the_logic(
    edge: EdgeDefinition, wire: str
) -> None:
    design = dotted(edge, wire)
    again = files.loads(files.dumps(design))
    assert again.dots == {edge.id: {wire: HERE}}
    assert again.workflow == design.workflow == drawn(edge).workflow
    assert files.dumps(without_dots(design, "abcd")) == files.dumps(drawn(edge))


def test_a_file_keeps_dots_of_wires_that_are_not_there() -> None:
    design = replace(drawn(AB), dots={"gone": {"x": HERE}, "ab": {"nobody": HERE}})
    assert files.loads(files.dumps(design)).dots == design.dots
    moved = edits.move(design, {"a": (5, 5), "b": (305, 5)})
    assert followed(design, edits.remove(moved, ["d"])).dots == design.dots


@pytest.mark.parametrize(
    "value",
    [
        "[]",
        '{"ab": 1}',
        '{"ab": {"b": 3}}',
        '{"ab": {"b": [[1]]}}',
        '{"ab": {"b": [[1, true]]}}',
    ],
)
def test_what_are_no_dots_is_refused_with_its_place(value: str) -> None:
    text = files.dumps(drawn(AB)).replace(
        '"layout": {', f'"layout": {{ "dots": {value},'
    )
    # a truth value counts as a number in JSON readers that know no better
    if "true" in value:
        assert files.loads(text).dots
        return
    with pytest.raises(DefinitionError, match=r"layout\.dots.*"):
        files.loads(text)


@pytest.mark.parametrize(("edge", "wire"), KINDS)
def test_dots_follow_when_both_ends_move_together_and_stay_when_one_does(
    edge: EdgeDefinition, wire: str
) -> None:
    design = dotted(edge, wire)
    both = edits.move(
        design, {node: (x + 8, y + 16) for node, (x, y) in design.positions.items()}
    )
    assert both.dots[edge.id][wire] == tuple((x + 8, y + 16) for x, y in HERE)
    one = edits.move(design, {wires(edge)[wire][0]: (1, 2)})
    assert one.dots == design.dots


@pytest.mark.parametrize(("edge", "wire"), KINDS)
def test_dots_go_with_their_wire_and_do_not_come_back_with_another(
    edge: EdgeDefinition, wire: str
) -> None:
    design = dotted(edge, wire)
    assert followed(design, edits.remove(design, [edge.id])).dots == {}
    assert followed(design, edits.remove(design, [wires(edge)[wire][0]])).dots == {}


def test_dots_stay_when_a_wire_becomes_part_of_another_group() -> None:
    design = drawn(AB, DirectEdge(id="ac", source="a", target="c"))
    design = set_dots(design, "ab", "b", HERE)
    fan, (made,) = edits.convert(design, ["ab", "ac"], "fan_out")
    assert followed(design, fan).dots == {made: {"b": HERE}}
    plain, _ = edits.convert(followed(design, fan), [made], "direct")
    assert [*followed(fan, followed(design, plain)).dots.values()] in (
        [{"b": HERE}],
        [],
    )
    back = followed(followed(design, fan), plain)
    assert [*back.dots.values()] == [{"b": HERE}]


def test_a_case_keeps_its_dots_when_the_order_changes() -> None:
    design = dotted(SWITCH, "2")
    turned = edits.set_edge(design, "switch", cases=(SWITCH.cases[1], SWITCH.cases[0]))
    assert followed(design, turned).dots == {"switch": {"1": HERE}}


@pytest.mark.parametrize(("edge", "wire"), KINDS)
def test_dots_stay_when_a_node_gets_another_id(edge: EdgeDefinition, wire: str) -> None:
    design = dotted(edge, wire)
    for end in wires(edge)[wire]:
        renamed = followed(design, edits.set_id(design, end, "new"))
        assert list(renamed.dots) == [edge.id]
        ((key, points),) = renamed.dots[edge.id].items()
        assert points == HERE
        assert "new" in wires(renamed.workflow.edges[0])[key]


@pytest.mark.parametrize(
    ("edge", "wire", "way"),
    [
        (AB, "b", Way("a", "b")),
        (FAN, "b", Way("a", "b")),
        (JOIN, "a", Way("a", "c")),
        (MULTI, "b", Way("a", "b")),
        (SWITCH, "2", Way("a", "b", 2)),
    ],
)
def test_a_node_put_into_a_wire_stands_between_its_dots(
    edge: EdgeDefinition, wire: str, way: Way
) -> None:
    design = edits.move(dotted(edge, wire), {"d": (91, 30)})
    spliced = followed(design, edits.splice(design, edge.id, way, "d"))
    found = {
        wires(one)[key]: points
        for one in spliced.workflow.edges
        for key, points in spliced.dots.get(one.id, {}).items()
    }
    assert found == {(way.source, "d"): HERE[:1], ("d", way.target): HERE[1:]}


@pytest.mark.parametrize(("edge", "wire"), KINDS)
def test_a_copy_has_the_dots_of_its_wires_as_far_away(
    edge: EdgeDefinition, wire: str
) -> None:
    design = dotted(edge, wire)
    pasted, new = edits.paste(design, edits.copy(design, "abc"), (10, 100))
    pasted = followed(design, pasted)
    assert pasted.dots[edge.id] == {wire: HERE}
    (copy,) = [key for key in pasted.dots if key != edge.id]
    ((key, points),) = pasted.dots[copy].items()
    assert points == tuple((x + 10, y + 100) for x, y in HERE)
    made = next(one for one in pasted.workflow.edges if one.id == copy)
    old = dict(zip("abc", new, strict=True))
    assert wires(made)[key] == tuple(old[end] for end in wires(edge)[wire])


def test_parallel_wires_keep_their_own_dots_in_a_copy() -> None:
    twins = (AB, DirectEdge(id="ab2", source="a", target="b"))
    design = set_dots(drawn(*twins), "ab2", "b", HERE)
    pasted, _ = edits.paste(design, edits.copy(design, "ab"), (0, 100))
    copies = [edge.id for edge in pasted.workflow.edges[2:]]
    assert [pasted.dots.get(copy) is not None for copy in copies] == [False, True]


def test_a_layout_drops_the_dots_of_the_wires_that_it_leads() -> None:
    design = set_dots(dotted(AB, "b"), "ab", "b", HERE)
    assert edits.without_dots(design, ["c", "d"]) is design
    assert edits.without_dots(design, ["a"]).dots == {}


@pytest.mark.parametrize(
    ("edge", "wire", "points"),
    [
        ("gone", "b", HERE),
        ("ab", "c", HERE),
        ("ab", "b", [(float("nan"), 1)]),
        ("ab", "b", [(1, 1)] * 101),
    ],
)
def test_dots_that_cannot_be_are_refused_with_words(
    edge: str, wire: str, points: Sequence[Position]
) -> None:
    with pytest.raises(EditError, match=r"\."):
        set_dots(drawn(AB), edge, wire, points)


places = st.tuples(st.integers(-500, 500), st.integers(-500, 500))


@given(st.lists(places, max_size=5), places, places, places)
def test_parting_loses_no_dot_and_keeps_their_order(
    points: list[Position], a: Position, b: Position, at: Position
) -> None:
    first, second = parted(tuple(points), a, at, b)
    assert [*first, *second] == points
