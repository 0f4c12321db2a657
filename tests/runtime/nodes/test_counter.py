"""Counter: the number of messages of a run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.nodes.resuming import behind_for_each, looping, straight_and_restored


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"send": "count"}, [1, 2]),
        ({"send": "message"}, ["a", "b"]),
        ({}, [{"count": 1, "message": "a"}, {"count": 2, "message": "b"}]),
        ({"send": "count", "start": 10, "step": -5}, [5, 0]),
    ],
)
async def test_messages_are_counted(
    params: dict[str, Any], expected: list[Any]
) -> None:
    assert (
        await behind_for_each("counter", **params).run(["a", "b"])
    ).get_outputs() == expected


async def test_a_restore_in_the_middle_goes_on_counting() -> None:
    seen, rests = await straight_and_restored(
        lambda: looping("counter", "message < 4", send="count"), "go"
    )
    assert seen == [1, 2, 3, 4]
    assert rests == [seen] * len(rests)
