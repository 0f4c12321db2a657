"""What nodes remember is of one run: a second one on the same instance begins anew, a
restored one does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime.document.definition import WorkflowDefinition
from runtime.workflow.workflow import Workflow
from tests.documents import build
from tests.runtime.nodes.resuming import behind_for_each, looping


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: behind_for_each("counter", send="count"), [1, 2, 3]),
        (lambda: behind_for_each("loop_guard", times=2, then="drop"), ["a", "b"]),
        (lambda: behind_for_each("batch", source="messages", size=2), [["a", "b"]]),
        (lambda: behind_for_each("reduce", source="messages", by="count"), [1, 2, 3]),
    ],
)
async def test_a_second_run_remembers_nothing_of_the_first(
    make: Callable[[], Workflow], expected: list[Any]
) -> None:
    workflow = make()
    for _ in range(3):
        assert (await workflow.run(["a", "b", "c"])).get_outputs() == expected


async def test_a_second_run_begins_anew_where_the_node_comes_later_than_the_first_run_was_long() -> (
    None
):
    """The number of the superstep does not tell one run from another."""
    workflow = looping("counter", "message < 3", send="count")
    assert (await workflow.run("go")).get_outputs() == [1, 2, 3]
    assert (await workflow.run("go")).get_outputs() == [1, 2, 3]


def chain(*nodes: dict[str, Any]) -> Workflow:
    """The nodes one after the other, and from the last one back to the first."""
    ids = [one["id"] for one in nodes]
    edges = [
        {"kind": "direct", "id": f"{one}-{other}", "source": one, "target": other}
        for one, other in zip(ids, [*ids[1:], ids[0]], strict=True)
        if other != ids[0] or ids[-1] == "ask"
    ]
    return build(
        WorkflowDefinition.model_validate(
            {"start": ids[0], "nodes": nodes, "edges": edges}
        )
    )


async def test_the_shared_state_lasts_over_runs_of_one_instance() -> None:
    workflow = chain(
        {
            "id": "get",
            "type": "get_state",
            "params": {"key": "k", "missing": "default", "send": "both"},
        },
        {
            "id": "set",
            "type": "set_state",
            "params": {"key": "k", "value": "message.message"},
        },
        {"id": "out", "type": "output"},
    )
    assert (await workflow.run("a")).get_outputs() == [{"message": "a", "value": None}]
    assert (await workflow.run("b")).get_outputs() == [{"message": "b", "value": "a"}]


async def test_a_question_in_between_is_still_the_same_run() -> None:
    workflow = chain(
        {"id": "count", "type": "counter", "params": {"send": "count"}},
        {"id": "ask", "type": "ask", "params": {"question": "After {message}?"}},
    )
    result = await workflow.run("go")
    for count in (1, 2, 3):
        (question,) = result.get_request_info_events()
        assert question.data.text == f"After {count}?"
        result = await workflow.run(responses={question.request_id: True})
