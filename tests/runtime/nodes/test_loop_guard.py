"""Loop guard: a loop goes round so many times, and ends as it was chosen."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.document.definition import WorkflowDefinition
from runtime.errors import NodeError
from runtime.workflow.workflow import Workflow
from tests.documents import build
from tests.runtime.nodes.resuming import behind_for_each, straight_and_restored


def loop(**params: Any) -> Workflow:
    """guard -> add one -> guard, without an end of its own."""
    nodes = [
        {"id": "it", "type": "loop_guard", "params": params},
        {
            "id": "more",
            "type": "json_transform",
            "params": {"expression": "message + 1"},
        },
    ]
    edges = [
        {"kind": "direct", "id": "a", "source": "it", "target": "more"},
        {"kind": "direct", "id": "b", "source": "more", "target": "it"},
    ]
    return build(
        WorkflowDefinition.model_validate(
            {"start": "it", "nodes": nodes, "edges": edges}
        )
    )


def routed() -> Workflow:
    """A switch leads out of the guard: back through `more`, or to the output."""
    nodes = [
        {"id": "it", "type": "loop_guard", "params": {"times": 3, "then": "route"}},
        {
            "id": "more",
            "type": "json_transform",
            "params": {"expression": "message.message + 1"},
        },
        {
            "id": "last",
            "type": "json_transform",
            "params": {"expression": "message.message"},
        },
        {"id": "out", "type": "output"},
    ]
    edges = [
        {
            "kind": "switch",
            "id": "s",
            "source": "it",
            "cases": [{"when": "message.again", "target": "more"}],
            "default": "last",
        },
        {"kind": "direct", "id": "b", "source": "more", "target": "it"},
        {"kind": "direct", "id": "c", "source": "last", "target": "out"},
    ]
    return build(
        WorkflowDefinition.model_validate(
            {"start": "it", "nodes": nodes, "edges": edges}
        )
    )


async def test_after_so_many_rounds_the_message_is_a_result() -> None:
    assert (await loop(times=4, then="output").run(0)).get_outputs() == [4]


async def test_after_so_many_rounds_it_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(
        NodeError,
        match=r"Node 'it': 2 messages have passed, and this is one more.*raise 'Times'",
    ):
        await loop(times=2).run(0)


async def test_after_so_many_rounds_the_message_may_be_let_go() -> None:
    assert (await loop(times=2, then="drop").run(0)).get_outputs() == []


async def test_a_switch_leads_out_of_the_loop() -> None:
    assert (await routed().run(0)).get_outputs() == [3]


async def test_each_key_is_counted_by_itself() -> None:
    workflow = behind_for_each("loop_guard", times=1, then="drop", key="{message.id}")
    rows = [{"id": 1, "n": 0}, {"id": 2, "n": 1}, {"id": 1, "n": 2}]
    assert (await workflow.run(rows)).get_outputs() == rows[:2]


@pytest.mark.parametrize("make", [lambda: loop(times=3, then="output"), routed])
async def test_a_restore_in_the_middle_does_not_begin_the_count_anew(make: Any) -> None:
    seen, rests = await straight_and_restored(make, 0)
    assert seen == [3]
    assert rests == [seen] * len(rests)
