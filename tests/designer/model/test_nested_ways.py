"""Sub-workflows with ways of their own: what they name follows when others are
collapsed, expanded, put in or taken out around them, so that a run puts out the same
all the while.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import edits
from designer.model.design import Design
from designer.model.diff import diff
from designer.model.edge_kinds import kind_of
from designer.model.edits import Way
from designer.model.edits.clipboard import copy, paste
from designer.model.edits.collapse import collapse, forgotten_between_messages
from designer.model.edits.expand import expand
from designer.model.edits.inside import with_child
from designer.model.errors import EditError
from designer.model.inside import child
from runtime.checks.check import check
from runtime.document.definition import NodeDefinition, Off, Outputs, WorkflowDefinition
from tests.designer.model.designs import direct, fan_out
from tests.designer.model.test_collapse import SOME_OF_THEM, flows, running
from tests.documents import build


def outputs(design: Design) -> list[Any]:
    async def run() -> list[Any]:
        return sorted((await build(design.workflow).run("m")).get_outputs())

    return asyncio.run(run())


def changed(design: Design, node_id: str, **fields: Any) -> Design:
    nodes = tuple(
        node.model_copy(update=fields) if node.id == node_id else node
        for node in design.workflow.nodes
    )
    return Design(design.workflow.model_copy(update={"nodes": nodes}), design.positions)


# b and c have ways of their own into the sub-workflow of d and e, and out of it.
TWO_WAYS = running(
    fan_out("a", "bc"),
    direct("b", "d"),
    direct("c", "e"),
    direct("d", "out"),
    direct("e", "out", "message != ''"),
)


@pytest.mark.parametrize(
    "around", ["b", "c", "bc", "abc", "s", "bs", "cs", "bcs", ("s", "out"), ("out",)]
)
def test_who_is_collapsed_around_a_sub_workflow_with_ways_is_told_apart_as_before_or_refused(
    around: Collection[str],
) -> None:
    first, sub = collapse(TWO_WAYS, "de")
    ids = {sub if one == "s" else one for one in around}
    if {"b", "c"} <= ids and sub not in ids:
        with pytest.raises(EditError, match=r"'b' and 'c'.*Take it along"):
            collapse(first, ids)
        return
    second, outer = collapse(first, ids)
    assert not [
        problem for problem in check(second.workflow) if problem.severity == "error"
    ]
    assert outputs(second) == outputs(TWO_WAYS)
    assert not diff(expand(second, outer)[0], first)


@given(flows(joins=False), SOME_OF_THEM, SOME_OF_THEM, st.booleans())
def test_what_is_collapsed_twice_puts_out_the_same_and_comes_back(
    before: Design, ids: set[str], more: set[str], with_first: bool
) -> None:
    try:
        first, inner = collapse(before, ids)
        second, outer = collapse(first, more - ids | ({inner} if with_first else set()))
    except EditError:
        return
    expected = outputs(before)
    assert outputs(second) == expected
    assert not diff(expand(second, outer)[0], first)
    if second.workflow.node(inner) is None:
        return
    try:
        opened, _ = expand(second, inner)
    except EditError:
        return
    assert outputs(opened) == expected


@given(flows(joins=False), SOME_OF_THEM, st.data())
def test_a_node_put_into_a_wire_of_a_sub_workflow_and_taken_out_changes_no_way(
    before: Design, ids: set[str], data: st.DataObject
) -> None:
    try:
        made, sub = collapse(before, ids)
    except EditError:
        return
    edges = [
        edge for edge in made.workflow.edges if sub in str(kind_of(edge).wires(edge))
    ]
    if not edges:
        return
    edge = data.draw(st.sampled_from(edges))
    way = data.draw(st.sampled_from(kind_of(edge).wires(edge)))
    added, node = edits.add_node(made, "template", (0, 0), params={"text": "{message}"})
    spliced = edits.splice(added, edge.id, way, node)
    expected = outputs(before)
    assert outputs(spliced) == expected
    assert outputs(edits.remove_healed(spliced, {node})) == expected


def test_one_node_is_not_put_where_the_ways_of_a_sub_workflow_part() -> None:
    sub = NodeDefinition(
        id="s", type="sub_workflow", params={"exits": {"x": ["b"], "y": ["c"]}}
    )
    made = Design(
        WorkflowDefinition(
            nodes=(sub, *(NodeDefinition(id=one, type="log") for one in "bcn")),
            edges=(fan_out("s", "bc"),),
        )
    )
    with pytest.raises(EditError, match="'b' and 'c'"):
        edits.splice(made, "fan_out:s", Way("s", ""), "n")


# --- what is off, or put out as progress ----------------------------------------------------------------------------

CHAIN = running(
    direct("a", "b"),
    direct("b", "c"),
    direct("c", "d"),
    direct("d", "e"),
    direct("e", "out"),
)


@pytest.mark.parametrize(
    ("type_", "off"),
    [("output", "disabled"), ("output", "bypassed"), ("input", "disabled")],
)
def test_an_end_inside_that_is_off_is_not_dropped_as_if_it_were_on(
    type_: str, off: Off
) -> None:
    before = running(
        fan_out("a", "bc"), direct("b", "d"), direct("c", "d"), direct("d", "out")
    )
    made, sub = collapse(before, "bc")
    inner = child(made, sub)
    (end,) = [node.id for node in inner.workflow.nodes if node.type == type_]
    with pytest.raises(EditError, match="Enable it first"):
        expand(with_child(made, sub, edits.set_off(inner, [end], off)), sub)


def test_an_output_of_the_workflow_that_is_off_stays_so_when_it_is_expanded() -> None:
    before = edits.set_off(CHAIN, ["out"], "disabled")
    made, sub = collapse(before, {"d", "out"})
    assert not diff(expand(made, sub)[0], before)


@pytest.mark.parametrize("outputs_", ["intermediate", "none"])
def test_what_a_sub_workflow_does_not_count_as_output_is_none_when_it_is_expanded(
    outputs_: Outputs,
) -> None:
    made, sub = collapse(CHAIN, {"e", "out"})
    quiet = changed(made, sub, outputs=outputs_)
    assert outputs(quiet) == outputs(expand(quiet, sub)[0]) == []


def test_a_bypassed_sub_workflow_is_expanded_only_where_its_nodes_send_on_the_same() -> (
    None
):
    made, sub = collapse(CHAIN, "bc")
    assert expand(edits.set_off(made, [sub], "bypassed"), sub)
    forked, sub = collapse(
        running(
            direct("a", "b"), fan_out("b", "cd"), direct("c", "out"), direct("d", "out")
        ),
        "bcd",
    )
    with pytest.raises(EditError, match="Enable it"):
        expand(edits.set_off(forked, [sub], "bypassed"), sub)


def test_a_guard_that_puts_out_does_not_send_on_what_it_puts_out_when_it_is_collapsed() -> (
    None
):
    guard = NodeDefinition(
        id="b", type="loop_guard", params={"times": 2, "then": "output"}
    )
    each = NodeDefinition(id="a", type="for_each", params={"items": "['x', 'y', 'z']"})
    before = running(
        direct("a", "b"),
        direct("b", "c"),
        direct("c", "d"),
        direct("d", "e"),
        direct("e", "out"),
    )
    before = changed(changed(before, "a", **dict(each)), "b", **dict(guard))
    assert (
        outputs(collapse(before, "ab")[0])
        == outputs(before)
        == ["e(d(c(x)))", "e(d(c(y)))", "z"]
    )


@pytest.mark.parametrize(
    ("type_", "params", "words"),
    [
        ("counter", {}, "b starts again"),
        ("reduce", {"source": "messages"}, "b starts again"),
        ("reduce", {}, ""),
        ("template", {}, ""),
        ("get_state", {}, "shared state of its own"),
    ],
)
def test_what_would_not_be_remembered_inside_is_said(
    type_: str, params: dict[str, Any], words: str
) -> None:
    before = changed(
        changed(CHAIN, "b", type=type_, params=params), "d", type="set_state"
    )
    said = forgotten_between_messages(before, "b")
    assert (words in said) if words else not said
    # one run outside is one run inside
    assert "starts again" not in forgotten_between_messages(before, "ab")


def test_a_copy_that_keeps_its_links_enters_a_sub_workflow_where_its_original_does() -> (
    None
):
    sub = NodeDefinition(
        id="s",
        type="sub_workflow",
        params={"entries": {"b": "x"}, "exits": {"o": ["c"]}},
    )
    edges = (direct("b", "s"), direct("a", "s"), direct("s", "c"), direct("b", "a"))
    before = Design(
        WorkflowDefinition(
            nodes=(*(NodeDefinition(id=one, type="log") for one in "abc"), sub),
            edges=edges,
        )
    )
    made, _ = paste(before, copy(before, "abc"), (0, 0), keep_links=True)
    found = made.workflow.node("s")
    assert found is not None
    assert found.params == {
        "entries": {"b": "x", "b_2": "x"},
        "exits": {"o": ["c", "c_2"]},
    }
    alone, _ = paste(before, copy(before, "abc"), (0, 0))
    assert alone.workflow.node("s") == sub


def test_a_way_out_and_an_output_for_all_edges_are_not_mixed_up() -> None:
    made, sub = collapse(TWO_WAYS, "de")
    inner = child(made, sub)
    more, node = edits.add_node(inner, "output", (0, 0))
    target = next(node.id for node in inner.workflow.nodes if node.id in "de")
    mixed = with_child(made, sub, edits.connect(more, target, node)[0])
    exits = {"output": ["out"]}
    mixed = changed(
        mixed,
        sub,
        params={
            **mixed.workflow.node(sub).params,
            "exits": exits,
            "direct_output": False,
        },
    )  # type: ignore[union-attr]
    with pytest.raises(EditError, match="Give each one"):
        expand(mixed, sub)
