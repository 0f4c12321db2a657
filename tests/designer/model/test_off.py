"""Switching nodes off as an edit: what it changes, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import edits
from designer.model.design import Design
from runtime.document.definition import NodeDefinition, Off, WorkflowDefinition

IDS = ("a", "b", "c")


def design(**off: Off) -> Design:
    nodes = tuple(
        NodeDefinition(id=one, type="log", off=off.get(one, "")) for one in IDS
    )
    return Design(
        WorkflowDefinition(start="a", nodes=nodes), dict.fromkeys(IDS, (0.0, 0.0))
    )


def states(made: Design) -> list[str]:
    return [node.off for node in made.workflow.nodes]


@given(
    st.sets(st.sampled_from(IDS), min_size=1), st.sampled_from(["disabled", "bypassed"])
)
def test_toggling_twice_gives_the_same_document(ids: set[str], off: Off) -> None:
    before = design()
    assert edits.toggle_off(edits.toggle_off(before, ids, off), ids, off) == before


def test_a_mixed_selection_is_switched_off_whole_first() -> None:
    half = design(a="disabled")
    assert states(edits.toggle_off(half, ["a", "b"], "disabled")) == [
        "disabled",
        "disabled",
        "",
    ]
    assert states(edits.toggle_off(half, ["a"], "bypassed")) == ["bypassed", "", ""]


def test_what_is_so_already_is_no_edit() -> None:
    half = design(a="disabled")
    assert edits.set_off(half, ["a"], "disabled") is half
    assert edits.set_off(half, ["b"], "") is half


def test_only_the_node_that_is_meant_is_made_anew() -> None:
    before = design()
    after = edits.set_off(before, ["b"], "bypassed")
    assert after.workflow.nodes[0] is before.workflow.nodes[0]
    assert after.positions is before.positions


def test_a_node_that_is_gone_is_refused() -> None:
    with pytest.raises(edits.EditError, match="no node 'x'"):
        edits.set_off(design(), ["x"], "disabled")
