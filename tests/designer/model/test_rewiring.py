"""Wires led another way: nothing that was said is lost, or the edit is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import edits
from designer.model.design import Design
from designer.model.edge_kinds.switch_as_selection import exclusive
from designer.model.edits import EditError, Way
from runtime.checks.try_conditions import try_value
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    MultiSelectionEdge,
    Selection,
    SwitchCase,
    SwitchEdge,
)
from tests.designer.model.designs import (
    design,
    direct,
    fan_out,
    join,
    selection,
    switch,
)


def said(drawing: Design) -> list[str]:
    return sorted(
        edge.model_dump_json(exclude={"id"}) for edge in drawing.workflow.edges
    )


def drawn(*edges: EdgeDefinition) -> list[str]:
    return said(design("abcdn", *edges))


# --- splice


@pytest.mark.parametrize(
    ("edge", "way", "wanted"),
    [
        (
            direct("a", "b", "message"),
            Way("a", "b"),
            (direct("a", "n", "message"), direct("n", "b")),
        ),
        (fan_out("a", "bc"), Way("a", "c"), (fan_out("a", "bn"), direct("n", "c"))),
        (fan_out("a", "bc"), Way("a", ""), (fan_out("n", "bc"), direct("a", "n"))),
        (join("ab", "c"), Way("b", "c"), (join("an", "c"), direct("b", "n"))),
        (join("ab", "c"), Way("", "c"), (join("ab", "n"), direct("n", "c"))),
    ],
)
def test_a_node_in_a_wire_stands_between_its_ends_and_all_else_stays(
    edge: EdgeDefinition, way: Way, wanted: tuple[EdgeDefinition, ...]
) -> None:
    assert said(edits.splice(design("abcdn", edge), edge.id, way, "n")) == drawn(
        *wanted
    )


def test_a_node_in_one_case_of_a_switch_leaves_the_other_cases_to_the_same_target() -> (
    None
):
    cases = tuple(
        SwitchCase(name=name, when=name, target="b") for name in ("true", "false")
    )
    drawing = design("abcn", SwitchEdge(id="s", source="a", cases=cases, default="c"))
    spliced = edits.splice(drawing, "s", Way("a", "b", 2), "n")
    assert [case.target for case in spliced.workflow.edges[0].cases] == ["b", "n"]  # type: ignore[union-attr]
    assert spliced.workflow.edges[1] == direct("n", "b")


def test_what_comes_after_moves_aside_and_nothing_before_does() -> None:
    drawing = edits.splice(
        design("abcn", direct("a", "b"), direct("b", "c")), "a->b", Way("a", "b"), "n"
    )
    drawing = edits.move(drawing, {"n": (120.0, 0.0)})
    widths = {"a": 100.0, "n": 168.0}
    pushed = edits.push_aside(drawing, "n", Way("a", "b"), widths)
    assert pushed.positions == {
        "a": (0, 0),
        "b": (380, 0),
        "c": (620, 0),
        "n": (156, 0),
    }
    assert edits.push_aside(pushed, "n", Way("a", "b"), widths) is pushed


# --- heal


@pytest.mark.parametrize(
    ("edges", "healed"),
    [
        ((direct("a", "n"), direct("n", "b")), (direct("a", "b"),)),
        ((direct("a", "n", "message"), direct("n", "b")), (direct("a", "b", "message"),)),
        ((direct("a", "n"), direct("n", "b", "message")), (direct("a", "b", "message"),)),
        ((fan_out("a", "nc"), direct("n", "b")), (fan_out("a", "bc"),)),
        ((direct("a", "n"), fan_out("n", "bc")), (fan_out("a", "bc"),)),
        ((fan_out("a", "nc"), join("nc", "b")), (direct("a", "c"), join("ac", "b"))),
        ((join("ac", "n"), direct("n", "b")), (join("ac", "b"),)),
        ((direct("a", "n"), join("nc", "b")), (join("ac", "b"),)),
        ((direct("a", "n"), switch("n", "b", "c")), (switch("a", "", "c").model_copy(update={"cases": ()}),)),
        ((direct("a", "n"), direct("b", "n"), fan_out("n", "cd")),
         (direct("a", "c"), direct("a", "d"), direct("b", "c"), direct("b", "d"))),
        ((direct("a", "n"), direct("n", "b"), direct("a", "b")), (direct("a", "b"),)),
        ((direct("a", "n"), direct("n", "n")), ()),
    ],
)  # fmt: skip
def test_a_node_that_is_taken_out_leaves_the_wires_that_led_through_it(
    edges: tuple[EdgeDefinition, ...], healed: tuple[EdgeDefinition, ...]
) -> None:
    left = edits.remove_healed(design("abcdn", *edges), {"n"})
    if isinstance(edges[1], SwitchEdge):  # its cases come along
        healed = (edges[1].model_copy(update={"source": "a"}),)
    assert said(left) == drawn(*healed)
    assert left.workflow.node("n") is None


def test_a_chain_heals_over_several_nodes_and_the_start_moves_on() -> None:
    drawing = design("abcd", direct("a", "b"), direct("b", "c"), direct("c", "d"))
    healed = edits.remove_healed(drawing, {"a", "b", "c"})
    assert (healed.workflow.start, healed.workflow.edges) == ("d", ())
    assert edits.remove_healed(drawing, {"b", "c"}).workflow.edges == (
        direct("a", "d"),
    )


@pytest.mark.parametrize(
    "edges",
    [
        # the second looks at another message
        (direct("a", "n", "message"), direct("n", "b", "message")),
        (direct("a", "n"), direct("b", "n"), switch("n", "c", "d")),
        (join("ab", "n"), direct("n", "c"), direct("n", "d")),
    ],
)
def test_what_no_wires_could_say_is_not_healed(
    edges: tuple[EdgeDefinition, ...],
) -> None:
    with pytest.raises(EditError, match="cannot be taken out"):
        edits.remove_healed(design("abcdn", *edges), {"n"})


# --- cut and disconnect


def test_a_wire_that_is_cut_takes_only_its_own_way_along() -> None:
    drawing = design("abcd", fan_out("a", "bcd"), switch("b", "cd", "a"))
    left = edits.cut(
        drawing, {"fan_out:a": [Way("a", "c")], "switch:b": [Way("b", "c", 1)]}
    )
    assert said(left) == said(design("abcd", fan_out("a", "bd"), switch("b", "d", "a")))
    assert edits.cut(drawing, {"fan_out:a": [Way("a", "")]}).workflow.edges == (
        switch("b", "cd", "a"),
    )


def test_a_switch_keeps_its_default_or_goes_as_a_whole() -> None:
    drawing = design("abcd", switch("a", "bc", "d"))
    with pytest.raises(EditError, match="needs a default"):
        edits.cut(drawing, {"switch:a": [Way("a", "d", 0)]})
    assert edits.disconnect(drawing, "a", "out").workflow.edges == ()


def test_a_port_is_freed_of_all_its_wires_and_only_of_them() -> None:
    drawing = design("abcd", direct("a", "b"), join("bc", "d"), direct("b", "a"))
    assert said(edits.disconnect(drawing, "b", "out")) == drawn(
        direct("a", "b"), direct("c", "d")
    )
    assert said(edits.disconnect(drawing, "b", "in")) == drawn(
        join("bc", "d"), direct("b", "a")
    )
    with pytest.raises(EditError, match="Nothing is connected"):
        edits.disconnect(drawing, "c", "in")


# --- groups


def test_plain_edges_become_part_of_the_group_that_takes_their_place() -> None:
    drawing = design("abcd", direct("a", "b"), direct("c", "d"))
    assert said(edits.fan_out_to(drawing, "a", "bc")) == drawn(
        direct("c", "d"), fan_out("a", "bc")
    )
    grown = edits.fan_out_to(edits.fan_out_to(drawing, "a", "bc"), "a", "cd")
    assert said(grown) == drawn(direct("c", "d"), fan_out("a", "bcd"))
    assert said(edits.join_into(drawing, "bc", "d")) == drawn(
        direct("a", "b"), join("bc", "d")
    )
    assert said(
        edits.join_into(edits.join_into(drawing, "bc", "d"), "a", "d")
    ) == drawn(direct("a", "b"), join("bca", "d"))


def test_any_group_takes_one_more_end() -> None:
    groups = (
        fan_out("a", "bc"),
        join("bc", "d"),
        switch("b", "a", "d"),
        selection("c", "ab"),
    )
    drawing = design("abcde", *groups)
    for group in groups:
        drawing = edits.add_way(drawing, group.id, "e")
    fan, bar, cases, ways = drawing.workflow.edges
    assert (fan.targets[-1], bar.sources[-1]) == ("e", "e")  # type: ignore[union-attr]
    assert cases.cases[-1] == SwitchCase(name="case 2", when="", target="e")  # type: ignore[union-attr]
    assert ways.selections[-1] == Selection(target="e")  # type: ignore[union-attr]


# --- a switch as a multi-selection


_ANSWERS = st.sampled_from([True, False, 1])  # 1 is no answer: the condition fails


@given(
    st.lists(
        st.sampled_from(["message.a", "message.b", "message.c // why", "message.d"]),
        min_size=1,
        max_size=4,
    ),
    st.fixed_dictionaries(dict.fromkeys("abcd", _ANSWERS)),
)
def test_a_switch_and_its_multi_selection_choose_the_same_for_every_message(
    conditions: list[str], message: dict[str, object]
) -> None:
    cases = tuple(
        SwitchCase(name=f"n{at}", when=when, target=f"t{at}")
        for at, when in enumerate(conditions)
    )
    nodes = " ".join(["s", "rest", *(case.target for case in cases)])
    drawing = design(
        nodes, SwitchEdge(id="switch:s", source="s", cases=cases, default="rest")
    )
    turned, (key,) = edits.convert(drawing, "switch:s", "multi_selection")
    before, after = (
        try_value(one.workflow.edges[0], message) for one in (drawing, turned)
    )
    assert before.targets == after.targets
    assert edits.convert(turned, key, "switch")[0] == drawing


def test_two_ways_of_which_one_negates_the_other_are_a_switch() -> None:
    drawing = design(
        "abc", direct("a", "b", "message.ok"), direct("a", "c", "!message.ok")
    )
    (edge,) = edits.convert(drawing, "a->b", "switch")[0].workflow.edges
    assert edge == SwitchEdge(
        id="switch:a",
        source="a",
        cases=(SwitchCase(name="case 1", when="message.ok", target="b"),),
        default="c",
    )


@pytest.mark.parametrize(
    ("edge", "kind", "reason"),
    [
        (selection("a", "bc"), "switch", "may take several ways or none"),
        (fan_out("a", "bc"), "switch", "may take several ways or none"),
        (switch("a", "b", "b"), "multi_selection", "lead to 'b'"),
        (SwitchEdge(id="s", source="a", cases=(SwitchCase(when="", target="b"),), default="c"), "multi_selection",
         "needs a condition"),
        (MultiSelectionEdge(id="m", source="a", selections=(
            Selection(target="b", when="true"),
            Selection(target="c", when="!(true) && (false) || (true)"),
            Selection(target="d", when="!(true) && !(false) || (true)"))), "switch", "may take several ways or none"),
    ],
)  # fmt: skip
def test_what_is_no_choice_of_one_way_is_not_turned(
    edge: EdgeDefinition, kind: edits.ConvertKind, reason: str
) -> None:
    with pytest.raises(EditError, match=reason):
        edits.convert(design("abcd", edge), edge.id, kind)


def test_conditions_are_set_one_by_one() -> None:
    drawing = design(
        "abcd",
        switch("a", "bc", "d"),
        selection("b", "cd"),
        DirectEdge(id="e", source="c", target="d"),
    )
    for edge, at in (("switch:a", 1), ("multi_selection:b", 0), ("e", 0)):
        drawing = edits.set_condition(drawing, edge, at, "true")
    found = [edits.conditions_of(edge) for edge in drawing.workflow.edges]
    assert found == [("message == 'b'", "true"), ("true", "message == 'd'"), ("true",)]
    with pytest.raises(EditError, match="no condition 3"):
        edits.set_condition(drawing, "switch:a", 2, "true")


def test_the_last_way_is_taken_when_no_other_is() -> None:
    assert exclusive(["a", "b"]) == ["a", "!(a) && (b)", "!(a) && !(b)"]
