"""JSON Schemas from outside fetch nothing, and a pattern of theirs takes no time."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.expressions.json_schemas import matcher_of, validator_of
from runtime.expressions.text_formats import check_json_schema


def faults(value: Any, schema: Any) -> list[str]:
    return [error.validator for error in validator_of(schema).iter_errors(value)]


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ("abc", {"pattern": "b"}, []),
        ("abc", {"pattern": "^b"}, ["pattern"]),
        (5, {"pattern": "^b"}, []),
        ("ä1", {"pattern": r"^\w\d$"}, []),
        ("\ud800", {"pattern": "^.$"}, []),
        (
            {"xa": 1, "b": 1},
            {"patternProperties": {"^x": {"type": "string"}}},
            ["type"],
        ),
    ],
)
def test_a_pattern_says_what_it_says_in_json_schema(
    value: Any, schema: Any, expected: list[str]
) -> None:
    assert faults(value, schema) == expected


@pytest.mark.parametrize(
    "pattern", ["(a+)+$", "(a|aa)+$", "(.*a){20}$", "^(([a-z])+.)+[A-Z]([a-z])+$"]
)
def test_a_pattern_that_would_go_back_for_ever_answers(pattern: str) -> None:
    assert faults("a" * 5_000 + "!", {"pattern": pattern}) == ["pattern"]


def test_a_pattern_that_cannot_be_judged_in_time_is_judged_in_a_run_only() -> None:
    assert matcher_of("(?=a)b")("x")
    assert not matcher_of("(?=a)b", trusted=True)("x")
    assert matcher_of("(a{1,1000}){1,1000}")("x")


@pytest.mark.parametrize(
    "schema",
    [
        {"pattern": "(" * 2_000 + ")" * 2_000},
        {"patternProperties": {"(" * 2_000 + ")" * 2_000: {}}},
        {"pattern": "("},
    ],
)
def test_a_schema_whose_pattern_is_none_is_none(schema: Any) -> None:
    with pytest.raises(ValueError, match="no JSON Schema"):
        check_json_schema(schema)


def test_nothing_is_fetched() -> None:
    with pytest.raises(Exception, match="Unresolvable"):
        faults(1, {"$ref": "http://localhost:1/schema.json"})
