"""Reduce: a list, or the messages of a run, become one value."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from runtime.engine.runner import Runner
from runtime.errors import NodeError
from runtime.stores.memory import MemoryStore
from tests.runtime.nodes.resuming import behind_for_each, looping, straight_and_restored
from tests.runtime.nodes.single import outputs, problems

CART = [{"price": 2, "count": 3}, {"price": 5, "count": 1}]


@pytest.mark.parametrize(
    ("message", "params", "expected"),
    [
        ([1, 2, 3], {}, 6),
        ([Decimal("0.1"), Decimal("0.2")], {}, Decimal("0.3")),
        ([], {}, 0),
        ([2**70, 1], {}, 2**70 + 1),
        ([3, 1, 2], {"by": "min"}, 1),
        (["b", "c", "a"], {"by": "max"}, "c"),
        (["x", None], {"by": "count"}, 2),
        (["a", "b"], {"by": "concat", "separator": "-"}, "a-b"),
        ([1, "b"], {"by": "concat"}, "1b"),
        ([[1], [2, 3]], {"by": "concat"}, [1, 2, 3]),
        (
            CART,
            {
                "by": "expression",
                "expression": "acc + item.price * item.count",
                "start": 0,
            },
            11,
        ),
        ([4, 2], {"by": "expression", "expression": "acc * item"}, 8),
        ({"rows": CART}, {"items": "message.rows.map(x, x.price)", "by": "max"}, 5),
        ([1], {"start": 10}, 11),
    ],
)
async def test_a_list_becomes_one_value(
    message: Any, params: dict[str, Any], expected: Any
) -> None:
    assert await outputs("reduce", message, **params) == [expected]


@pytest.mark.parametrize(
    ("message", "params", "words"),
    [
        ([1, "a"], {}, "'a' is of type str, not a number"),
        ([True], {}, "True is of type bool, not a number"),
        ([1, "a"], {"by": "max"}, "do not go together"),
        ([[1], 2], {"by": "concat"}, "do not go together"),
        ([], {"by": "min"}, "an empty list has no min. Give a value in 'Start'"),
        ([1, {}], {"by": "expression"}, "types do not fit"),
        (5, {}, "a list is needed, not int"),
    ],
)
async def test_values_that_do_not_fit_are_refused(
    message: Any, params: dict[str, Any], words: str
) -> None:
    with pytest.raises(NodeError, match=f"Node 'it': .*{words}"):
        await outputs("reduce", message, **params)


async def test_the_steps_of_one_list_are_bounded_together() -> None:
    with pytest.raises(NodeError, match="too long for an expression"):
        await outputs(
            "reduce",
            list(range(2000)),
            by="expression",
            expression="acc + [item]",
            start=[],
        )


async def test_messages_are_reduced_as_they_come() -> None:
    workflow = behind_for_each("reduce", source="messages", items="message.p")
    assert (await workflow.run([{"p": 1}, {"p": 2}, {"p": 3}])).get_outputs() == [
        1,
        3,
        6,
    ]


async def test_a_restore_in_the_middle_goes_on_from_the_result_so_far() -> None:
    def make() -> Any:
        return looping("reduce", "message < 64", source="messages", start=1)

    seen, rests = await straight_and_restored(make, 1)
    assert seen == [2, 4, 8, 16, 32, 64]
    assert rests == [seen] * len(rests)


async def test_the_result_is_the_state_of_the_node() -> None:
    runner = Runner(
        behind_for_each("reduce", source="messages", by="count"), MemoryStore()
    )
    await runner.start(["a", "b"])
    await runner.finish()
    assert runner.state.executors["it"].state == {"acc": 2}


def test_check_names_the_position_of_a_fault() -> None:
    (problem,) = problems("reduce", expression="acc + other")
    assert (problem.part, problem.column) == ("params.expression", 7)
    assert "'acc' and 'item'" in problem.message


@pytest.mark.parametrize(
    ("type", "params"), [("reduce", {}), ("collect", {"into": "sum"})]
)
async def test_numbers_that_do_not_go_together_are_an_error_of_the_node(
    type: str, params: dict[str, str]
) -> None:
    with pytest.raises(NodeError, match="too large to convert to float"):
        await outputs(type, [1.5, 10**400], **params)
