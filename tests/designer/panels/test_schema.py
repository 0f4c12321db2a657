"""Schemas are read as pydantic writes them, and what does not fit is said in words, at
the right field.
"""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from designer.panels.fields.schema import resolve, schema_problems, title_of


class Inner(BaseModel):
    name: str = ""


class Params(BaseModel):
    mode: Literal["fast", "slow"] = "fast"
    inner: Inner | None = None
    count: Annotated[int, Field(ge=1, le=5)] = 1


SCHEMA = Params.model_json_schema()


def test_an_optional_reference_is_read_as_what_it_refers_to() -> None:
    assert resolve(SCHEMA["properties"]["inner"], SCHEMA)["properties"].keys() == {
        "name"
    }


def test_a_circle_of_references_ends() -> None:
    circle = {"$defs": {"A": {"$ref": "#/$defs/A"}}}
    resolve({"$ref": "#/$defs/A"}, circle)


def test_a_title_made_from_the_name_is_put_into_sentence_case_and_a_chosen_one_is_kept() -> (
    None
):
    assert title_of("max_length", {"title": "Max Length"}) == "Max length"
    assert (
        title_of("max_length", {"title": "Longest Text (Bytes)"})
        == "Longest Text (Bytes)"
    )


@pytest.mark.parametrize(
    ("value", "where", "words"),
    [
        ({"mode": "x"}, "mode", "One of fast, slow is needed."),
        ({"count": 9}, "count", "At most 5 is allowed."),
        ({"count": "9"}, "count", "A whole number is needed here."),
    ],
)
def test_a_broken_rule_is_said_in_words_at_its_field(
    value: object, where: str, words: str
) -> None:
    assert schema_problems(value, SCHEMA) == {where: words}


def test_every_missing_field_is_named() -> None:
    schema = {"type": "object", "required": ["a", "b"], "properties": {}}
    assert schema_problems({}, schema).keys() == {"a", "b"}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"pattern": "("},
        {"$ref": "#/nowhere"},
        {"minimum": "a"},
    ],
    ids=["elsewhere", "pattern", "nowhere", "type"],
)
def test_a_schema_that_cannot_be_used_is_told_and_nothing_is_fetched(
    schema, monkeypatch
):
    monkeypatch.setattr(
        "socket.socket.connect", lambda *_: pytest.fail("something was fetched")
    )
    (told,) = schema_problems(1 if "minimum" in schema else "a", schema).values()
    assert told.startswith("The schema cannot be used")
