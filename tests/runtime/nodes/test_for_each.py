"""For each: one message for each item, in order."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.errors import NodeError
from tests.runtime.nodes.single import outputs, problems


@pytest.mark.parametrize(
    ("message", "params", "expected"),
    [
        ([3, 1, 2], {}, [3, 1, 2]),
        (("a", "b"), {}, ["a", "b"]),
        ([], {}, []),
        (
            {"rows": [{"p": 5}, {"p": 50}]},
            {"items": "message.rows.filter(x, x.p > 10)"},
            [{"p": 50}],
        ),
        (
            ["x", "y"],
            {"numbered": True},
            [{"item": k, "index": i, "total": 2} for i, k in enumerate("xy")],
        ),
        ([2**70], {}, [2**70]),  # the list itself goes through no expression
    ],
)
async def test_each_item_is_a_message(
    message: Any, params: dict[str, Any], expected: list[Any]
) -> None:
    assert await outputs("for_each", message, **params) == expected


@pytest.mark.parametrize("message", ["text", 5, {"a": 1}])
async def test_what_is_no_list_is_refused_with_what_to_do(message: Any) -> None:
    with pytest.raises(
        NodeError, match=r"Node 'it': a list is needed, not .* Name the list in 'Items'"
    ):
        await outputs("for_each", message)


def test_a_fault_in_the_expression_is_found_by_check() -> None:
    (problem,) = problems("for_each", items="message.")
    assert (problem.part, problem.line, problem.column) == ("params.items", 1, 9)
