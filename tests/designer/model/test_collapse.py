"""Collapse and expand: what becomes a sub-workflow comes back as it was, and does in
between what it did.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import edits, files
from designer.model.design import Design
from designer.model.diff import diff
from designer.model.edits.clipboard import copy, paste
from designer.model.edits.collapse import collapse
from designer.model.edits.expand import expand
from designer.model.edits.inside import replaced_at, with_child
from designer.model.errors import EditError
from designer.model.inside import (
    at,
    child,
    is_inside,
    reach,
    titles,
)
from runtime.checks.check import check
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    NodeDefinition,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)
from tests.designer.model.designs import (
    design,
    designs,
    direct,
    fan_out,
    join,
    selection,
    switch,
)
from tests.documents import build


def same(one: Design, other: Design) -> bool:
    return not diff(one, other)


def there_and_back(before: Design, ids: Collection[str]) -> Design:
    made, node = collapse(before, ids)
    assert not {one.id for one in made.workflow.nodes} & set(ids)
    return expand(made, node)[0]


# --- the law ------------------------------------------------------------------------------------------------------


@given(designs(), st.sets(st.sampled_from("abcdef"), min_size=1))
def test_expand_gives_back_what_collapse_took(before: Design, ids: set[str]) -> None:
    try:
        made, node = collapse(before, ids)
    except EditError:
        return
    back, shown = expand(made, node)
    assert same(back, before)
    assert set(shown) == ids & {one.id for one in before.workflow.nodes}


@given(designs(), st.sets(st.sampled_from("abcdef"), min_size=1))
def test_a_sub_workflow_is_the_same_after_save_and_reopen(
    before: Design, ids: set[str]
) -> None:
    try:
        made, node = collapse(before, ids)
    except EditError:
        return
    again = files.loads(files.dumps(made))
    assert same(expand(again, node)[0], files.loads(files.dumps(before)))


CHAIN = design("abcd", direct("a", "b"), direct("b", "c"), direct("c", "d"))
SHAPES = [
    pytest.param(CHAIN, "bc", id="the middle of a chain"),
    pytest.param(CHAIN, "ab", id="with the start"),
    pytest.param(CHAIN, "cd", id="to the end"),
    pytest.param(CHAIN, "abcd", id="everything"),
    pytest.param(CHAIN, "b", id="one node"),
    pytest.param(design("abcd", direct("a", "b", "x"), direct("b", "c", "y"), direct("b", "d")), "b", id="conditions"),
    pytest.param(design("abcd", fan_out("a", "bc"), join("bc", "d")), "bc", id="branches between fan-out and join"),
    pytest.param(design("abcd", fan_out("a", "bc"), join("bc", "d")), "abc", id="fan-out inside, join behind"),
    pytest.param(design("abcd", fan_out("a", "bc"), join("bc", "d")), "b", id="one branch of a join"),
    pytest.param(design("abcd", switch("a", "bc", "d")), "bcd", id="all ways of a switch"),
    pytest.param(design("abc", switch("b", "c", "a"), direct("a", "b")), "ab", id="a loop with its exit"),
    pytest.param(design("abcd", selection("b", "cd"), direct("a", "b")), "b", id="a selection that leaves"),
    pytest.param(design("abcd", direct("a", "b"), direct("a", "c", "x"), direct("b", "d"), direct("c", "d")), "bc",
                 id="several plain edges from one node"),
    pytest.param(design("abcde", direct("a", "c"), direct("b", "c"), direct("c", "d")), "cd", id="two nodes send in"),
    pytest.param(design("abcd", direct("a", "c"), direct("b", "d"), direct("c", "d")), "cd", id="two ways in"),
    pytest.param(design("abcd", switch("a", "bc", "d")), "ab", id="a switch with ways inside and outside"),
    pytest.param(design("abcd", direct("a", "b"), direct("a", "c"), direct("b", "d")), "ab", id="two ways out"),
    pytest.param(design("abcd", fan_out("a", "bcd")), "bc", id="two of three targets of a fan-out"),
    pytest.param(design("abcd", fan_out("a", "bdc")), "bc", id="a fan-out whose order is mixed"),
    pytest.param(design("abcdef", direct("a", "c"), direct("b", "d"), fan_out("c", "ef"), direct("d", "f")), "cd",
                 id="two ways in and out, one by a group"),
    pytest.param(design("abcdef", selection("a", "cd"), direct("b", "c"), direct("c", "e"), direct("d", "f", "x")),
                 "cd", id="a selection that comes in whole beside another"),
    pytest.param(design("abcd", join("ac", "d"), direct("a", "b"), direct("b", "c")), "ab", id="a way out to a join"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "ids"), SHAPES)
def test_shapes_that_have_a_form_without_loss(before: Design, ids: str) -> None:
    assert same(there_and_back(before, ids), before)


def test_what_a_later_version_wrote_comes_back() -> None:
    nodes = tuple(
        node.model_copy(update={"colour": "red"}) for node in CHAIN.workflow.nodes
    )
    before = replace(CHAIN, workflow=CHAIN.workflow.model_copy(update={"nodes": nodes}))
    assert same(there_and_back(before, "bc"), before)


def test_nodes_that_were_scattered_in_the_file_go_back_to_their_places() -> None:
    back = there_and_back(
        design("axbyc", direct("a", "b"), direct("b", "c"), start="a"), "abc"
    )
    assert [node.id for node in back.workflow.nodes] == ["a", "x", "b", "y", "c"]


def test_expanded_nodes_come_along_where_the_sub_workflow_was_moved() -> None:
    made, node = collapse(CHAIN, "bc")
    x, y = made.positions[node]
    back, _ = expand(edits.move(made, {node: (x + 100, y - 8)}), node)
    assert back.positions["b"] == (340.0, -8.0)
    assert back.positions["a"] == CHAIN.positions["a"]


def test_ids_that_are_taken_by_now_get_a_number() -> None:
    made, node = collapse(CHAIN, "bc")
    made, _ = edits.add_node(made, "python", (0, 500), node_id="b")
    back, shown = expand(made, node)
    assert shown == ("b_2", "c")
    assert DirectEdge(id="b->c", source="b_2", target="c") in back.workflow.edges


def test_an_output_inside_takes_no_id_from_the_nodes_that_come_back() -> None:
    before = design(
        "a output output_2 z",
        direct("a", "output_2"),
        direct("output_2", "output"),
        direct("output", "z"),
    )
    assert same(there_and_back(before, {"output_2"}), before)


def test_the_sub_workflow_is_where_its_nodes_were() -> None:
    made, node = collapse(CHAIN, "bc")
    assert made.positions[node] == (360.0, 0.0)
    assert collapse(Design(CHAIN.workflow), "bc")[0].positions == {}


def with_dots(design: Design, **dots: Any) -> Design:
    return replace(design, dots=dots)


def test_dots_of_wires_inside_and_at_the_border_come_back_and_move_along() -> None:
    drawn = [
        edge.model_copy(update={"id": f"e{number}"})
        for number, edge in enumerate(CHAIN.workflow.edges)
    ]
    chain = replace(
        CHAIN, workflow=CHAIN.workflow.model_copy(update={"edges": tuple(drawn)})
    )
    before = with_dots(
        chain,
        e0={"b": ((1.0, 2.0),)},
        e1={"c": ((3.0, 4.0), (5.0, 6.0))},
        e2={"d": ((7.0, 8.0),)},
    )
    made, sub = collapse(before, "bc")
    assert dict(child(made, sub).dots) == {"e1": {"c": ((3.0, 4.0), (5.0, 6.0))}}
    assert same(
        expand(files.loads(files.dumps(made)), sub)[0], files.loads(files.dumps(before))
    )
    x, y = made.positions[sub]
    moved = expand(edits.move(made, {sub: (x + 10, y)}), sub)[0]
    assert moved.dots["e1"]["c"] == ((13.0, 4.0), (15.0, 6.0))


def test_a_copy_of_a_file_comes_into_the_drawing(tmp_path: Path) -> None:
    files.save(tmp_path / "x.json", design("pq", direct("p", "q")))
    drawn = sub(direct("a", "s"), inner=WorkflowDefinition(), file="x.json")
    drawn = edits.set_params(drawn, "s", {"file": "x.json"})
    made, shown = expand(drawn, "s", tmp_path)
    assert shown == ("p", "q")
    assert {edge.id for edge in made.workflow.edges} == {"a->s", "p->q"}
    assert files.load(tmp_path / "x.json").workflow.nodes == design("pq").workflow.nodes
    with pytest.raises(EditError, match="cannot be read"):
        expand(edits.set_params(drawn, "s", {"file": "gone.json"}), "s", tmp_path)
    (tmp_path / "other").mkdir()
    files.save(tmp_path / "other" / "x.json", design("pq"))
    with pytest.raises(EditError, match="Save a copy of it beside this workflow"):
        expand(edits.set_params(drawn, "s", {"file": "other/x.json"}), "s", tmp_path)


def test_the_sub_workflow_lies_on_no_other_node() -> None:
    made, node_id = collapse(CHAIN, "ac")  # b stands between them
    assert made.positions[node_id] == (240.0, 96.0)
    assert same(expand(made, node_id)[0], CHAIN)


def test_the_sub_workflow_lies_on_none_that_is_larger_than_usual_and_moves_no_farther_than_it_must() -> (
    None
):
    spread = replace(
        CHAIN, positions={"a": (0, 0), "b": (300, 0), "c": (600, 0), "d": (60, 70)}
    )
    made, node_id = collapse(spread, "ac", sizes={"d": (248, 60)})
    assert made.positions[node_id] == (300, -96)  # below it there is d
    assert same(expand(made, node_id)[0], spread)
    tight = replace(
        CHAIN, positions={"a": (0, 0), "b": (180, 0), "c": (360, 0), "d": (540, 0)}
    )
    made, node_id = collapse(tight, "b")
    assert made.positions[node_id] == (180, 0)


def test_an_input_that_decides_leaves_room_for_its_diamond_and_tags() -> None:
    before = design("abcd", switch("a", "bc", "d"))
    made, node_id = collapse(before, "bcd")
    inner = child(made, node_id)
    start = inner.positions[inner.workflow.start]
    assert (
        min(x for key, (x, _) in inner.positions.items() if key in "bcd") - start[0]
        == 400
    )


# --- refusals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "ids", "words"),
    [
        (CHAIN, "", "select the nodes"),
        (design("abcde", direct("a", "c"), direct("b", "d"), join("cd", "e")), "cde", "into e .* in several ways"),
        (design("abcd", switch("a", "bc", "d")), "bc", "a decides between b and c, .* and d. Take d along"),
        (design("abcd", join("ab", "d"), direct("a", "c")), "cd", "a sends to .*c.*d.*, to one of them through a join"),
        (design("abcd", join("abc", "d")), "ab", "d gets messages of a and b through a join that also waits for c"),
        (design("abc", join("ab", "c")), "bc", "Take a along"),
        (design("abc", direct("a", "b"), direct("b", "c"), start="b"), "bc", None),
    ],
)  # fmt: skip
def test_what_has_no_form_is_refused_with_the_reason(
    before: Design, ids: str, words: str | None
) -> None:
    if words is None:
        assert same(there_and_back(before, ids), before)
        return
    with pytest.raises(EditError, match=words):
        collapse(before, ids)


def test_an_output_of_the_workflow_may_be_inside_beside_messages_that_leave() -> None:
    out = NodeDefinition(id="out", type="output")
    end = WorkflowDefinition(
        start="a",
        nodes=(
            NodeDefinition(id="a", type="input"),
            NodeDefinition(id="b", type="switch"),
            out,
        ),
        edges=(direct("a", "b"), direct("b", "out")),
    )
    made, node = collapse(Design(end), {"b", "out"})
    assert made.workflow.node(node).params["direct_output"] is True  # type: ignore[union-attr]
    assert same(expand(made, node)[0], Design(end))
    more = end.model_copy(update={"edges": (*end.edges, direct("b", "a"))})
    made, node = collapse(Design(more), {"b", "out"})
    assert made.workflow.node(node).params["exits"] == {"output": ["a"]}  # type: ignore[union-attr]
    assert same(expand(made, node)[0], Design(more))


def sub(*edges: Any, inner: WorkflowDefinition, **params: Any) -> Design:
    drawn = design("a s z", *edges)
    nodes = tuple(
        NodeDefinition(id="s", type="sub_workflow", params=params)
        if node.id == "s"
        else node
        for node in drawn.workflow.nodes
    )
    outer = replace(drawn, workflow=drawn.workflow.model_copy(update={"nodes": nodes}))
    return with_child(outer, "s", Design(inner))


def node(node_id: str, type: str = "python") -> NodeDefinition:
    return NodeDefinition(id=node_id, type=type)


@pytest.mark.parametrize(
    ("edges", "inner", "words"),
    [
        ((direct("a", "s"),), WorkflowDefinition(), "nothing inside"),
        ((direct("a", "s"),), WorkflowDefinition(nodes=(node("x"),)), "no start"),
        (
            (direct("s", "z"),),
            WorkflowDefinition(start="x", nodes=(node("x"),)),
            "Nothing inside yields an output",
        ),
        (
            (direct("a", "s"),),
            WorkflowDefinition(
                start="x",
                nodes=(node("x"), node("o", "output")),
                edges=(direct("x", "o"),),
            ),
            "goes nowhere",
        ),
        (
            (direct("s", "z"), direct("s", "a")),
            WorkflowDefinition(
                start="x",
                nodes=(node("x"), node("o", "output")),
                edges=(direct("x", "o", "true"),),
            ),
            "Let one node inside send out all",
        ),
        (
            (direct("s", "s"),),
            WorkflowDefinition(start="x", nodes=(node("x"),)),
            "sends to itself",
        ),
    ],
)
def test_what_cannot_be_put_together_is_not_expanded(
    edges: Any, inner: WorkflowDefinition, words: str
) -> None:
    with pytest.raises(EditError, match=words):
        expand(sub(*edges, inner=inner), "s")


def test_a_file_is_opened_and_not_expanded() -> None:
    with pytest.raises(EditError, match="tab of its own"):
        expand(design_of_file(), "s")


def design_of_file() -> Design:
    return Design(
        WorkflowDefinition(
            nodes=(
                NodeDefinition(id="s", type="sub_workflow", params={"file": "x.json"}),
            )
        )
    )


# --- it does the same ---------------------------------------------------------------------------------------------


def step(node_id: str) -> NodeDefinition:
    return NodeDefinition(
        id=node_id, type="template", params={"text": f"{node_id}({{message}})"}
    )


def running(*edges: Any) -> Design:
    nodes = (
        NodeDefinition(id="a", type="input"),
        *map(step, "bcde"),
        NodeDefinition(id="out", type="output"),
    )
    return Design(WorkflowDefinition(start="a", nodes=nodes, edges=edges))


async def _outputs(design: Design) -> list[Any]:
    return sorted((await build(design.workflow).run("m")).get_outputs())


BRANCHES = running(
    fan_out("a", "bc"), join("bc", "d"), direct("d", "e"), direct("e", "out")
)
WAYS = running(
    SwitchEdge(
        id="s", source="b", cases=(SwitchCase(when="message.size() < 6", target="c"),), default="out"
    ),
    direct("c", "b"), direct("a", "b"), direct("d", "e"), direct("e", "d", "false"), direct("a", "d", "false"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("before", "ids"),
    [
        (BRANCHES, "bc"),
        (BRANCHES, "bcd"),
        (BRANCHES, "de"),
        (BRANCHES, "d"),
        (BRANCHES, ("d", "e", "out")),
        (BRANCHES, ("a", "b", "c")),
        (WAYS, "bc"),
    ],
)
def test_a_collapsed_workflow_puts_out_what_the_whole_did(
    before: Design, ids: Collection[str]
) -> None:
    made, _ = collapse(before, ids)
    assert not [
        problem for problem in check(made.workflow) if problem.severity == "error"
    ]
    assert asyncio.run(_outputs(made)) == asyncio.run(_outputs(before))
    assert asyncio.run(_outputs(before))


@st.composite
def flows(draw: st.DrawFn, *, joins: bool = True) -> Design:
    """A workflow that can run: each node gets messages of nodes before it, through any
    kind of edge.
    """
    names = "abcdefg"[: draw(st.integers(3, 7))]
    edges: list[Any] = []
    taken: set[tuple[str, str]] = set()
    for place, target in enumerate(names[1:], start=1):
        earlier = draw(
            st.lists(
                st.sampled_from(names[:place]), min_size=1, max_size=3, unique=True
            )
        )
        kind = draw(st.sampled_from(["join", "direct"] if joins else ["direct"]))
        if kind == "join" and len(earlier) > 1:
            made = [join("".join(earlier), target)]
        else:
            made = [
                direct(
                    source, target, draw(st.sampled_from(["", "message.size() < 9"]))
                )
                for source in earlier
            ]
        edges += made
        taken |= {(source, target) for source in earlier}
    for source in names[:-2]:
        free = [
            one
            for one in names[names.index(source) + 1 :]
            if (source, one) not in taken
        ]
        if len(free) > 1 and draw(st.booleans()):
            edges.append(
                draw(st.sampled_from([fan_out, selection]))(source, "".join(free[:3]))
            )
        elif len(free) > 2 and draw(st.booleans()):
            edges.append(switch(source, "".join(free[1:3]), free[0]))
    last = [one for one in names if not any(one in edge.source_ids for edge in edges)]
    nodes = (
        NodeDefinition(id="a", type="input"),
        *map(step, names[1:]),
        NodeDefinition(id="out", type="output"),
    )
    edges += [direct(one, "out") for one in last]
    return Design(WorkflowDefinition(start="a", nodes=nodes, edges=tuple(edges)))


SOME_OF_THEM = st.sets(st.sampled_from("abcdefg"), min_size=1, max_size=5)


@given(
    flows(),
    st.sets(st.sampled_from("ab"), min_size=1).flatmap(
        lambda one: SOME_OF_THEM.map(lambda ids: one | ids)
    ),
)
def test_what_can_run_comes_back_or_the_refusal_says_what_to_choose_instead(
    before: Design, ids: set[str]
) -> None:
    try:
        made, node = collapse(before, ids)
    except EditError as error:
        asks = str(error)
    else:
        asks = "choose nothing else"
        assert same(expand(made, node)[0], before)
    assert "Take" in asks or "choose" in asks


@given(flows(joins=False), SOME_OF_THEM)
def test_what_is_collapsed_puts_out_the_same(before: Design, ids: set[str]) -> None:
    # Without joins: which messages meet in one depends on the superstep in which they
    # come, and a sub-workflow takes one more to hand its messages on.
    try:
        made, _ = collapse(before, ids)
    except EditError:
        return
    assert asyncio.run(_outputs(made)) == asyncio.run(_outputs(before))


# --- what is inside -----------------------------------------------------------------------------------------------


def test_a_way_leads_in_and_an_edit_there_comes_back_out() -> None:
    made, one = collapse(CHAIN, "abcd", name="Outer")
    inner, two = collapse(child(made, one), "bc", name="Inner")
    made = replaced_at(made, (one,), inner)
    assert titles(made, (one, two)) == ["Outer", "Inner"]
    edited = edits.rename(at(made, (one, two)), "b", "Bee")
    whole = replaced_at(made, (one, two), edited)
    assert at(whole, (one, two)).workflow.node("b").name == "Bee"  # type: ignore[union-attr]
    assert reach(whole, (one, two)) == (one, two)
    assert reach(expand(whole, one)[0], (one, two)) == ()
    assert reach(whole, (one, "gone")) == (one,)


def test_a_new_sub_workflow_is_empty_inside_and_a_file_is_not_inside() -> None:
    made, new = edits.add_node(Design(), "sub_workflow", (0, 0))
    assert child(made, new) == Design()
    assert is_inside(made, new)
    assert not is_inside(design_of_file(), "s")
    with pytest.raises(EditError, match="no sub-workflow"):
        child(CHAIN, "a")


def test_unknown_fields_inside_are_kept() -> None:
    made, node_id = collapse(CHAIN, "bc")
    inner = child(made, node_id)
    marked = replace(
        inner, extra={"later": 1}, layout_extra={**inner.layout_extra, "zoom": 2}
    )
    again = files.loads(files.dumps(with_child(made, node_id, marked)))
    assert same(child(again, node_id), marked)


def test_a_join_of_one_branch_outside_keeps_its_policy() -> None:
    before = design(
        "abcd",
        direct("a", "b"),
        FanInEdge(id="j", sources=("b", "c"), target="d", policy="count", count=2),
    )
    made, node_id = collapse(before, "ab")
    assert (
        FanInEdge(id="j", sources=(node_id, "c"), target="d", policy="count", count=2)
        in made.workflow.edges
    )


def test_a_copy_of_a_sub_workflow_with_those_who_send_to_it_has_the_ways_of_the_copies() -> (
    None
):
    made, node_id = collapse(
        design("abcd", direct("a", "c"), direct("b", "d"), direct("c", "d")), "cd"
    )
    pasted, new = paste(made, copy(made, {"a", "b", node_id}), (0, 500))
    copied = pasted.workflow.node(new[-1])
    assert copied is not None
    assert copied.params["entries"] == {new[0]: "c", new[1]: "d"}


def test_ways_follow_when_a_node_gets_another_id_outside_or_inside() -> None:
    before = design(
        "abcdef", direct("a", "c"), direct("b", "d"), direct("c", "e"), direct("d", "f")
    )
    made, node_id = collapse(before, "cd")
    made = edits.set_id(edits.set_id(made, "b", "bee"), "f", "eff")
    made = with_child(made, node_id, edits.set_id(child(made, node_id), "d", "dee"))
    params = made.workflow.node(node_id).params  # type: ignore[union-attr]
    assert params["entries"] == {"a": "c", "bee": "dee"}
    assert params["exits"] == {"output": ["e"], "output_2": ["eff"]}
    back = expand(made, node_id)[0]
    assert {(one.source, one.target) for one in back.workflow.edges} == {  # type: ignore[union-attr]
        ("a", "c"), ("bee", "dee"), ("c", "e"), ("dee", "eff")
    }  # fmt: skip
