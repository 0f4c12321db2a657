"""A difference is exact: none means equal, and each kind of change is named."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given

from designer.model import edits
from designer.model.design import Design
from designer.model.diff import Diff, diff
from designer.model.edits.nodes import with_workflow
from tests.designer.model.designs import (
    Edit,
    any_edit,
    design,
    designs,
    direct,
    fan_out,
)


@given(designs(), any_edit())
def test_no_difference_means_equal(drawing: Design, step: Edit) -> None:
    after = step(drawing)
    assert bool(diff(drawing, after)) == (drawing != after)
    assert bool(diff(after, drawing)) == (drawing != after)


@given(designs(), designs())
def test_a_move_is_told_as_any_other_edit_would_be(old: Design, other: Design) -> None:
    moved = replace(old, positions=other.positions, extra=other.extra)
    copied = replace(moved, workflow=old.workflow.model_copy())
    assert diff(old, moved) == diff(old, copied)


@given(designs(), designs())
def test_a_difference_reads_the_same_from_both_sides(old: Design, new: Design) -> None:
    there = diff(old, new)
    back = diff(new, old)
    assert (there.nodes_added, there.edges_added) == (
        back.nodes_removed,
        back.edges_removed,
    )
    assert (there.nodes_changed, there.nodes_moved, there.edges_changed) == (
        back.nodes_changed,
        back.nodes_moved,
        back.edges_changed,
    )


def test_every_change_is_told_by_its_kind() -> None:
    old = design("abc", direct("a", "b"), fan_out("b", "ac"))
    new = edits.set_params(
        edits.move(edits.rename(old, "a", "A"), {"b": (8, 8)}), "c", {"n": 1}
    )
    assert diff(old, new) == Diff(
        nodes_changed=frozenset("ac"), nodes_moved=frozenset("b")
    )
    grown = edits.connect(
        edits.add_node(edits.set_edge(old, "a->b", condition="true"), "x", (0, 0))[0],
        "a",
        "c",
    )[0]
    assert diff(old, grown) == Diff(
        nodes_added=frozenset({"x"}),
        edges_added=frozenset({"a->c"}),
        edges_changed=frozenset({"a->b"}),
    )
    left = edits.remove(old, "c")
    assert diff(old, left) == Diff(
        nodes_removed=frozenset("c"),
        edges_added=frozenset({"b->a"}),
        edges_removed=frozenset({"fan_out:b"}),
    )


def test_what_belongs_to_no_node_or_edge_is_a_change_of_the_workflow() -> None:
    old = design("ab", direct("a", "b"), direct("b", "a"))
    for new in [
        edits.set_start(old, "b"),
        edits.set_workflow(old, input=[1]),
        with_workflow(old, edges=old.workflow.edges[::-1]),
        with_workflow(old, nodes=old.workflow.nodes[::-1]),
        with_workflow(old, owner="me"),
        replace(old, extra={"x": 1}),
        replace(old, layout_extra={"x": 1}),
        replace(old, positions={**old.positions, "nowhere": (0, 0)}),
    ]:
        assert diff(old, new) == Diff(workflow_changed=True)


def test_values_that_python_calls_equal_but_a_file_does_not_are_a_change() -> None:
    old = edits.set_params(edits.set_workflow(design("a"), input=1), "a", {"n": 1})
    assert diff(old, edits.set_params(old, "a", {"n": True})).nodes_changed == {"a"}
    assert diff(old, edits.set_workflow(old, input=1.0)).workflow_changed


def test_nodes_of_one_id_are_compared_all() -> None:
    twins = with_workflow(
        design("ab"), nodes=(*design("ab").workflow.nodes, *design("a").workflow.nodes)
    )
    second = twins.workflow.nodes[2].model_copy(update={"name": "other"})
    assert diff(
        twins, with_workflow(twins, nodes=(*twins.workflow.nodes[:2], second))
    ).nodes_changed == {"a"}
