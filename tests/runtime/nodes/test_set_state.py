"""Set state: a value in the shared state, and the message passed on."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.engine.runner import Runner
from runtime.errors import NodeError
from runtime.stores.memory import MemoryStore
from tests.runtime.nodes.single import one_node, outputs, problems


@pytest.mark.parametrize(
    ("params", "message", "expected"),
    [
        ({"key": "draft"}, {"a": 1}, {"draft": {"a": 1}}),
        (
            {"key": "order-{message.id}", "value": "message.total * 2"},
            {"id": 7, "total": 3},
            {"order-7": 6},
        ),
        # the message itself goes through no expression
        ({"key": "set"}, {1, 2}, {"set": {1, 2}}),
    ],
)
async def test_the_value_is_kept_and_the_message_goes_on(
    params: dict[str, Any], message: Any, expected: dict[str, Any]
) -> None:
    runner = Runner(one_node("set_state", **params), MemoryStore())
    await runner.start(message)
    await runner.step()
    assert dict(runner.state.shared) == expected
    assert [one.data for one in runner.state.queue] == [message]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"key": "_{message}"}, "begins with '_'"),
        ({"key": "{message}"}, "the key is empty"),
        ({"key": "{message} "}, "the key is empty"),
        ({"key": "{message.gone}"}, "has no 'gone'"),
        ({"key": "a", "value": "message.gone"}, "failed"),
    ],
)
async def test_what_cannot_be_kept_is_refused(
    params: dict[str, Any], words: str
) -> None:
    with pytest.raises(NodeError, match=f"Node 'it': .*{words}"):
        await outputs("set_state", "", **params)


def test_a_key_is_needed() -> None:
    assert [one.part for one in problems("set_state")] == ["params.key"]
