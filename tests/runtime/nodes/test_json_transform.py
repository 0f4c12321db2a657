"""JSON transform: what expressions make, that faults are found before anything runs,
and that work is bounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from runtime.errors import ConditionError, DefinitionError, NodeError
from runtime.expressions.cel import Expression
from tests.runtime.nodes.single import one_node, outputs, problems


@dataclass
class Article:
    name: str
    price: int


ORDER = {
    "id": 7,
    "items": [{"name": "pen", "price": 2}, {"name": "ink", "price": 12}],
    "none": None,
}


@pytest.mark.parametrize(
    ("expression", "message", "expected"),
    [
        ("message", {"a": [1, None, 2.5]}, {"a": [1, None, 2.5]}),
        ("message.items[1].name", ORDER, "ink"),
        (
            "{'id': message.id, 'names': message.items.map(x, x.name)}",
            ORDER,
            {"id": 7, "names": ["pen", "ink"]},
        ),
        (
            "message.items.filter(x, x.price > 10).map(x, {'n': x.name})",
            ORDER,
            [{"n": "ink"}],
        ),
        ("has(message.gone) ? message.gone : 'none'", ORDER, "none"),
        ("[message.none, message.id == 7, 'x' + 'y']", ORDER, [None, True, "xy"]),
        ("message.name + '!'", Article("pen", 2), "pen!"),
        ("message", [Article("pen", 2)], [{"name": "pen", "price": 2}]),
        ("message.map(x, x * 2)", (1, 2), [2, 4]),
    ],
)
async def test_an_expression_makes_a_new_value(
    expression: str, message: Any, expected: Any
) -> None:
    assert await outputs("json_transform", message, expression=expression) == [expected]


@pytest.mark.parametrize(
    ("expression", "line", "column", "words"),
    [
        ("message.", 1, 9, "no viable alternative"),
        ("message +\n  other", 2, 3, "unknown name 'other'"),
        ("open(message)", 1, 1, "unknown function 'open'"),
        (" ", 0, 0, "is empty"),
    ],
)
def test_check_names_the_position_of_a_fault(
    expression: str, line: int, column: int, words: str
) -> None:
    (problem,) = problems("json_transform", expression=expression)
    assert (problem.rule, problem.part, problem.line, problem.column) == (
        "params-valid",
        "params.expression",
        line,
        column,
    )
    assert words in problem.message
    with pytest.raises(DefinitionError, match=words):
        one_node("json_transform", expression=expression)


@pytest.mark.parametrize(
    ("expression", "message", "words"),
    [
        ("message.gone", {}, "no field gone"),
        ("message + 1", "a", "types do not fit"),
        ("message / 0", 1, "zero"),
        ("message", 2**70, "64 bit"),
    ],
)
async def test_an_expression_that_fails_names_the_node_and_why(
    expression: str, message: Any, words: str
) -> None:
    with pytest.raises(NodeError, match=f"Node 'it': .*{words}"):
        await outputs("json_transform", message, expression=expression)


@pytest.mark.parametrize(
    "expression",
    [
        "message.map(x, message.map(y, message))",
        f"[{', '.join(['message'] * 200)}]",
        "+".join(["message"] * 60),
    ],
)
def test_what_would_take_too_long_or_grow_too_large_is_refused(expression: str) -> None:
    with pytest.raises(ConditionError, match="too costly"):
        Expression(expression)(message=list(range(20_000)))


def test_an_expression_may_have_other_variables() -> None:
    assert Expression("acc + item.n", ["acc", "item"])(acc=1, item={"n": 2}) == 3
    with pytest.raises(
        ConditionError, match="the variables are 'acc' and 'item'"
    ) as caught:
        Expression("acc + message", ["acc", "item"])
    assert (caught.value.line, caught.value.column) == (1, 7)
