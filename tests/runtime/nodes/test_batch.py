"""Batch: chunks of a list, and messages that are gathered over supersteps and restores."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.engine.runner import Runner
from runtime.errors import NodeError
from runtime.nodes.batch import BatchExecutor, BatchParams
from runtime.stores.memory import MemoryStore
from tests.runtime.nodes.resuming import (
    behind_for_each,
    counting_into,
    straight_and_restored,
)
from tests.runtime.nodes.single import definition, one_node, outputs, problems


async def test_a_list_is_cut_into_chunks_and_the_last_may_be_shorter() -> None:
    assert await outputs("batch", [1, 2, 3, 4, 5], size=2) == [[1, 2], [3, 4], [5]]
    assert await outputs("batch", [], size=2) == []
    with pytest.raises(NodeError, match="a list is needed, not str"):
        await outputs("batch", "text")


class Sink:
    """A context that only takes what is sent."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.is_first = True
        self.executor_state: dict[str, Any] = {}

    def send_message(self, message: Any) -> None:
        self.sent.append(message)


@given(st.lists(st.integers()), st.integers(1, 7))
def test_chunks_put_together_are_the_list(items: list[int], size: int) -> None:
    sink = Sink()
    BatchExecutor("it", BatchParams(size=size)).batch(items, sink)  # type: ignore[arg-type]
    assert [item for one in sink.sent for item in one] == items
    assert all(len(one) == size for one in sink.sent[:-1])


async def test_messages_are_gathered_until_there_are_enough() -> None:
    workflow = behind_for_each("batch", source="messages", size=2)
    assert (await workflow.run([1, 2, 3])).get_outputs() == [[1, 2]]


async def test_what_is_not_full_waits_in_the_state_of_the_node() -> None:
    runner = Runner(behind_for_each("batch", source="messages", size=2), MemoryStore())
    await runner.start([1, 2, 3])
    await runner.finish()
    assert runner.state.executors["it"].state == {"held": [3]}


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ([1, 2], []),
        (
            [1, 2, 3, 4, 5, 6, 7, 8],
            [
                "'it' has kept 2 messages that do not fill a batch of 3. They were not sent on"
            ],
        ),
        ([1], ["'it' has kept a message. It was not sent on"]),
    ],
)
async def test_what_is_not_sent_on_when_the_run_is_over_is_told(
    items: list[int], expected: list[str]
) -> None:
    size = 3 if expected else 2
    result = await behind_for_each("batch", source="messages", size=size).run(items)
    told = [one.data for one in result if one.type == "warning"]
    assert [text.partition(":")[0] for text in told] == expected
    assert all("say in 'Ends with' which message is the last" in text for text in told)


async def test_a_sub_workflow_that_ends_with_a_batch_half_full_is_told_of() -> None:
    inside = definition("batch", {"source": "messages", "size": 3}).model_dump()
    result = await outputs_and_warnings(inside, "a")
    assert result == ([], ["In the sub-workflow it#1, 'it' has kept a message"])


async def outputs_and_warnings(
    inside: dict[str, Any], message: Any
) -> tuple[list[Any], list[str]]:
    done = await one_node("sub_workflow", inline={"format": 1, "workflow": inside}).run(
        message
    )
    return done.get_outputs(), [
        one.data.partition(".")[0] for one in done if one.type == "warning"
    ]


async def test_a_condition_ends_a_batch_before_it_is_full() -> None:
    workflow = behind_for_each(
        "batch", source="messages", size=10, ends_with="message == 0"
    )
    assert (await workflow.run([1, 0, 2, 3, 0, 4])).get_outputs() == [[1, 0], [2, 3, 0]]


async def test_a_restore_in_the_middle_has_what_was_gathered() -> None:
    def make() -> Any:
        return counting_into("batch", 7, source="messages", size=3)

    seen, rests = await straight_and_restored(make, "go")
    assert seen == [[1, 2, 3], [4, 5, 6]]
    assert rests == [seen] * len(rests)


def test_check_finds_a_condition_that_is_wrong_and_takes_an_empty_one() -> None:
    assert problems("batch", ends_with="") == []
    (problem,) = problems("batch", ends_with="messag")
    assert (problem.part, problem.column) == ("params.ends_with", 1)
