"""Expressions whose last steps are taken one element at a time: the same results as the
library's, over long lists.
"""

from __future__ import annotations

from typing import Any

import cel
import pytest
from hypothesis import given
from hypothesis import strategies as some

from runtime.errors import ConditionError
from runtime.expressions.cel import Expression
from runtime.expressions.cel_long_lists import Transform

EXPRESSIONS = [
    "message.items.map(x, x.a)",
    "message.items.filter(x, x.a > message.least).map(x, {'a': x.a, 'l': message.least, 'all': [x.b, 1.5]})",
    "message.items.map(x, x.b.filter(y, y != x.a).map(y, y + message.least))",
    "message.items.map(x, message.items.map(y, y.a + x.a))",
    "(message.items + message.items).filter(x, x.a == 1)",
    "message['items'].map(x, size(x.b))",
    "message.items.map(message, message.a)",
    "[1, 2].map(x, x * message.least)",
    "message.items.map(x, x.a > 0, x.b)",
    "message.least in message.items.map(x, x.a)",
    "message.items.map(x, x.a).size()",
    "message.least > 0 ? message.items.map(x, 1) : message.items.filter(x, false)",
    "[1u].map(x, x + 1u)",
    "message.items.map(x, has(message.gone) ? 1 : has(message.least) ? 2 : 3)",
]
NUMBERS = some.integers(-3, 3)
MESSAGES = some.fixed_dictionaries(
    {
        "least": NUMBERS,
        "items": some.lists(
            some.fixed_dictionaries(
                {"a": NUMBERS, "b": some.lists(NUMBERS, max_size=3)}
            ),
            max_size=4,
        ),
    }
)


@pytest.mark.parametrize("text", EXPRESSIONS)
@given(message=MESSAGES)
def test_the_result_is_that_of_the_library(text: str, message: Any) -> None:
    assert Transform(text)(message=message) == cel.compile(text).execute(
        {"message": message}
    )


def test_maps_are_in_one_order_that_of_the_text_and_of_the_message() -> None:
    """The library gives another one with every call, and messages of equal runs must be
    equal.
    """
    message = {"z": 1, "y": {"b": 2, "a": 3}, "x": [{"n": 4, "m": 5}]}
    for _ in range(5):
        assert repr(Transform("message")(message=message)) == repr(message)
        made = Transform("message.x.map(e, {'q': e.m, 'p': e})")(message=message)
        assert repr(made) == "[{'q': 5, 'p': {'n': 4, 'm': 5}}]"
        assert Transform("message.map(key, key)")(message=message) == ["z", "y", "x"]


def test_long_lists_are_walked_where_they_are_walked_last() -> None:
    message = {"rate": 3, "items": [{"id": number} for number in range(5000)]}
    text = "message.items.filter(x, x.id % 2 == 0).map(x, {'id': x.id, 'n': x.id * message.rate})"
    with pytest.raises(ConditionError, match="too costly"):
        Expression(text)(message=message)
    assert Transform(text)(message=message) == [
        {"id": number, "n": number * 3} for number in range(0, 5000, 2)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "message.map(x, message)",
        "message.map(x, message.map(y, 1))",
        "message.map(x, [x].map(y, message.map(z, z)))",
    ],
)
def test_what_grows_with_the_square_of_a_long_list_is_refused(text: str) -> None:
    with pytest.raises(ConditionError, match="too costly"):
        Transform(text)(message=list(range(20_000)))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("message.filter(x, 1)", "filter needs true or false, not int"),
        ("message[0].map(x, x)", "map needs a list or a map, not int"),
        ("message.map(x, x.gone)", "failed"),
    ],
)
def test_a_step_that_fails_says_why(text: str, words: str) -> None:
    with pytest.raises(ConditionError, match=words):
        Transform(text)(message=[1])


def test_a_fault_is_found_at_its_position_in_the_whole_text() -> None:
    with pytest.raises(ConditionError, match="unknown name 'z'") as caught:
        Transform("message.map(x,\n  x + z)")
    assert (caught.value.line, caught.value.column) == (2, 7)
