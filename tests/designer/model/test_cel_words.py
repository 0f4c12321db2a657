"""What is offered in a condition is what could stand there."""

from __future__ import annotations

import pytest

from designer.model.completion.cel_words import complete, example_of
from designer.model.completion.message_examples import UNKNOWN
from runtime.expressions.cel import Condition

MESSAGE = {
    "score": 0.5,
    "tags": ["a"],
    "parts": [{"size_kb": 3}],
    "content-type": "text",
    "name": "x",
}


def offered(text: str, message: object = MESSAGE) -> list[str]:
    """The words at the mark |."""
    at = text.index("|")
    return [word.text for word in complete(text.replace("|", ""), at, message)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("me|", ["message"]),
        ("message.s|", ["score", "size()"]),
        ("message.parts[0].|", ["size_kb", "size()"]),
        ("message.tags.ex|", ["exists()", "exists_one()"]),
        (
            "message.name.|",
            ["contains()", "startsWith()", "endsWith()", "matches()", "size()"],
        ),
        ("message.parts.all(part, part.s|", ["size_kb", "size()"]),
        ("message.parts.all(part, pa|", ["part"]),
        ("has(message.n|) && true", ["name"]),
        ("message.nothing.siz|", ["size()"]),
        ('message.name == "me|', []),
        ("true // me|", []),
        ("3me|", []),
        ("message.score.|", []),
    ],
)
def test_what_fits_at_the_cursor_is_offered(text: str, words: list[str]) -> None:
    assert offered(text) == words


@pytest.mark.parametrize(
    "text", ["", "message.", "message.tags.", "message.parts[0].", "message.name."]
)
def test_whatever_is_taken_can_be_read_on(text: str) -> None:
    for word in complete(text, len(text), MESSAGE):
        inserted = text[: word.start] + word.insert
        at = len(inserted) - word.back
        filled = inserted[:at] + ("message.a" if word.back else "") + inserted[at:]
        Condition(filled)


def test_a_field_that_is_no_name_is_written_in_brackets() -> None:
    for name in ("größe", "in", "while"):
        (word,) = complete(f"message.{name[:2]}", 10, {name: 1})
        assert word.insert == f'["{name}"]'
    (word,) = complete("message.cont", 12, {"content-type": 1})
    assert "message.cont"[: word.start] + word.insert == 'message["content-type"]'


def test_fields_come_from_an_example_and_from_what_other_conditions_ask() -> None:
    example = example_of(
        [3, {"a": {"b": 1}}],
        ["message.a.c > 1 && message.d.size() > 2", "has(message.e)"],
    )
    assert offered("message.|", example)[:3] == ["a", "d", "e"]
    assert offered("message.a.|", example)[:2] == ["b", "c"]
    assert example_of([], []) is UNKNOWN
    assert example_of(["text"], []) == "text"
