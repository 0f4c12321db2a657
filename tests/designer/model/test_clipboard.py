"""Copies are new nodes of their own; text from elsewhere is refused in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import edits, files
from designer.model.design import Design
from designer.model.edits import EditError
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from tests.designer.model.designs import (
    design,
    designs,
    direct,
    fan_out,
    join,
    selection,
    switch,
)


def ids(drawing: Design) -> list[str]:
    return [node.id for node in drawing.workflow.nodes]


def test_case_142_pasting_twice_makes_separate_pairs_and_no_second_start() -> None:
    drawing = design("ab", direct("a", "b"))
    text = edits.copy(drawing, ["a", "b"])
    drawing, first = edits.paste(drawing, text, (0, 100))
    drawing, second = edits.paste(drawing, text, (0, 200))
    assert (first, second) == (("a_2", "b_2"), ("a_3", "b_3"))
    assert list(drawing.workflow.edges) == [
        direct("a", "b"),
        direct("a_2", "b_2"),
        direct("a_3", "b_3"),
    ]
    assert drawing.workflow.start == "a"


def test_the_copy_stands_where_it_is_pasted_in_the_same_shape() -> None:
    drawing = edits.move(design("abc"), {"b": (100, -40), "c": (20, 60)})
    drawing, new = edits.paste(drawing, edits.copy(drawing, ["b", "c"]), (1000, 500))
    assert [drawing.positions[key] for key in new] == [(1080, 500), (1000, 600)]


def test_of_a_text_with_some_places_only_the_rest_is_laid_out() -> None:
    drawing = design("abc", direct("a", "b"), direct("b", "c"))
    some = Design(drawing.workflow, {key: drawing.positions[key] for key in "ab"})
    pasted, new = edits.paste(Design(), edits.copy(some, "abc"), (0, 0))
    (ax, ay), (bx, by), c = (pasted.positions[key] for key in new)
    (old_ax, old_ay), (old_bx, old_by) = drawing.positions["a"], drawing.positions["b"]
    assert (bx - ax, by - ay) == (old_bx - old_ax, old_by - old_ay)
    assert c not in ((ax, ay), (bx, by))


def test_nodes_that_were_never_laid_out_do_not_pile_up() -> None:
    bare = Design(
        WorkflowDefinition(
            nodes=tuple(NodeDefinition(id=key, type="x") for key in "ab")
        )
    )
    drawing, new = edits.paste(Design(), edits.copy(bare, "ab"), (8, 8))
    assert len({drawing.positions[key] for key in new}) == 2
    assert min(x for x, _ in drawing.positions.values()) == 8


def test_only_edges_between_copied_nodes_come_along() -> None:
    edges = (
        fan_out("a", "bcd"),
        join("bc", "e"),
        switch("b", "cd", "a"),
        switch("c", "bd", "d"),
    )
    drawing = design("abcde", *edges)
    pasted, _ = edits.paste(drawing, edits.copy(drawing, "abc"), (0, 0))
    assert [edge.id for edge in pasted.workflow.edges[4:]] == [
        "fan_out:a_2",
        "switch:b_2",
    ]
    assert pasted.workflow.edges[4].targets == ("b_2", "c_2")  # type: ignore[union-attr]


def test_with_links_a_copy_joins_the_groups_of_its_original() -> None:
    edges = (
        fan_out("a", "bc"),
        direct("d", "b", "true"),
        join("bc", "e"),
        selection("d", "ce"),
    )
    drawing = design("abcde", *edges, direct("b", "a"))
    pasted, _ = edits.paste(drawing, edits.copy(drawing, "b"), (0, 0), keep_links=True)
    assert pasted.workflow.edges[0].targets == ("b", "c", "b_2")  # type: ignore[union-attr]
    assert pasted.workflow.edges[2].sources == ("b", "c", "b_2")  # type: ignore[union-attr]
    assert list(pasted.workflow.edges[5:]) == [
        direct("d", "b_2", "true"),
        direct("b_2", "a"),
    ]


def test_with_links_a_copy_keeps_its_own_groups_and_stays_out_of_a_switch() -> None:
    drawing = design(
        "abcd", switch("a", "b", "c"), switch("b", "cd", "a"), join("cd", "b")
    )
    pasted, _ = edits.paste(drawing, edits.copy(drawing, "b"), (0, 0), keep_links=True)
    added = pasted.workflow.edges[3:]
    assert [edge.id for edge in added] == ["switch:b_2", "fan_in:b_2"]
    assert added[0].default == "a"  # type: ignore[union-attr]
    assert added[1].sources == ("c", "d")  # type: ignore[union-attr]
    assert pasted.workflow.edges[0] == drawing.workflow.edges[0]


def test_links_to_nodes_that_are_not_in_the_other_window_are_left_out() -> None:
    text = edits.copy(design("abc", direct("a", "b"), join("ac", "b")), "b")
    pasted, _ = edits.paste(design("x"), text, (0, 0), keep_links=True)
    assert pasted.workflow.edges == ()


def test_cut_and_paste_of_the_start_brings_the_start_back() -> None:
    drawing = design("ab", direct("a", "b"))
    text = edits.copy(drawing, "a")
    pasted, new = edits.paste(edits.remove(drawing, "a"), text, (0, 0))
    assert pasted.workflow.start == new[0] == "a"


@given(designs(), designs(), st.booleans())
def test_any_copy_can_be_pasted_anywhere(
    source: Design, target: Design, keep_links: bool
) -> None:
    if not source.workflow.nodes:
        return
    pasted, new = edits.paste(
        target, edits.copy(source, ids(source)), (4, 4), keep_links=keep_links
    )
    assert ids(pasted) == [*ids(target), *new]
    assert set(new) <= pasted.positions.keys()
    assert len(set(new)) == len(source.workflow.nodes)


def test_case_145_a_copy_of_an_unknown_type_keeps_all_its_fields() -> None:
    node = NodeDefinition.model_validate(
        {"id": "n", "type": "from.the.future", "params": {"a": [1]}, "rank": 9}
    )
    text = edits.copy(Design(WorkflowDefinition(nodes=(node,)), {"n": (0, 0)}), ["n"])
    drawing, new = edits.paste(Design(), text, (40, 80))
    assert drawing.workflow.nodes == (node,)
    assert drawing.positions == {new[0]: (40, 80)}


@pytest.mark.parametrize(
    "rubbish",
    [
        "",
        "hello",
        '{"stepwell": "clip", "nodes": [{"id": "a", "type": "b", "params": {"x": 1e999}}]}',
        '{"stepwell": "clip", "nodes": [{"id": "a", "type": "b", "params": {"x": NaN}}]}',
        '{"stepwell": "clip", "nodes": [{"id": "a", "id": "c", "type": "b"}]}',
        "[1]",
        "{}",
        "[" * 100_000,
        '{"stepwell": "clip"}',
        '{"stepwell": "clip", "format": 2, "nodes": [{"id": "a", "type": "b"}]}',
        '{"stepwell": "clip", "nodes": [{"id": "a"}]}',
        '{"stepwell": "clip", "nodes": [{"id": "a", "type": "b"}], "positions": {"a": [0, NaN]}}',
        '{"stepwell": "clip", "nodes": [{"id": "a", "type": "b"}, {"id": "a", "type": "b"}]}',
    ],
)
def test_case_145_rubbish_is_refused_with_a_message(rubbish: str) -> None:
    with pytest.raises(EditError, match=r"(Copy|copy)"):
        edits.paste(design("a"), rubbish, (0, 0))


def test_copying_nothing_is_refused() -> None:
    with pytest.raises(EditError, match="Nothing to copy"):
        edits.copy(design("a", direct("a", "b")), ["a->b"])


def test_case_145_five_megabytes_paste_in_seconds() -> None:
    nodes = tuple(
        NodeDefinition(id=f"node_{n}", type="python", params={"text": "x" * 420})
        for n in range(9_000)
    )
    drawing = Design(
        WorkflowDefinition(nodes=nodes), {node.id: (0.0, 0.0) for node in nodes}
    )
    text = edits.copy(drawing, ids(drawing))
    assert len(text) > 4_500_000
    pasted, new = edits.paste(drawing, text, (0, 0))
    assert len(set(ids(pasted))) == 18_000 == 2 * len(new)


def test_the_text_is_json_with_a_marker() -> None:
    assert json.loads(edits.copy(design("a"), "a"))["stepwell"] == "clip"


def test_the_text_of_a_workflow_file_is_pasted_with_its_edges_and_places() -> None:
    drawing = edits.move(design("abc", join("ab", "c")), {"b": (0, 100)})
    pasted, new = edits.paste(design("a"), files.dumps(drawing), (400, 200))
    assert new == ("a_2", "b", "c")
    assert list(pasted.workflow.edges) == [join(["a_2", "b"], "c")]
    assert pasted.positions["b"][1] - pasted.positions["a_2"][1] == 100
    assert (pasted.workflow.start, pasted.workflow.name) == ("a", "workflow")


def test_a_file_pasted_into_an_empty_drawing_brings_its_settings_along() -> None:
    workflow = design("ab", direct("a", "b")).workflow
    source = Design(
        workflow.model_copy(
            update={"name": "orders", "input": [1], "reducers": {"log": "operator:add"}}
        )
    )
    pasted, _ = edits.paste(Design(), files.dumps(source), (0, 0))
    assert pasted.workflow == source.workflow


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"format": 1, "workflow": {"nodes": [{"id": 5}]}}', "cannot be read"),
        ('{"format": 99, "workflow": {}}', "format 99"),
        ('{"format": 1, "workflow": {}}', "without nodes"),
        (
            '{"workflow": {"nodes": [{"id": "a", "type": "b"}, {"id": "a", "type": "b"}]}}',
            "two of them have one id",
        ),
    ],
)
def test_a_file_that_cannot_be_pasted_is_refused_with_the_reason(
    text: str, reason: str
) -> None:
    with pytest.raises(EditError, match=reason):
        edits.paste(design("a"), text, (0, 0))
