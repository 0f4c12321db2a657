"""No field takes a value that no file can hold: with one in it nothing could be saved
any more.
"""

from __future__ import annotations

import pytest

from designer.panels.fields.plain import JsonError, NumberField, parse_json


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("NaN", "not a JSON value"),
        ("[1e999]", "too large"),
        ('{"a": 1, "a": 2}', "'a' is twice"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_json_that_a_file_cannot_hold_is_refused_where_it_is_typed(
    text: str, words: str
) -> None:
    with pytest.raises(JsonError, match=words):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "fits"),
    [("1e999", False), ("nan", False), ("9" * 400, True), ("9" * 5000, False)],
)
@pytest.mark.parametrize("whole", [True, False])
def test_a_number_that_a_file_cannot_hold_is_refused(
    text: str, fits: bool, whole: bool, qapp: object
) -> None:
    field = NumberField(whole=whole)
    field.type_in(text)
    if fits and whole:
        assert field.value() == int(text)
    else:
        with pytest.raises(ValueError, match="number is needed"):
            field.value()
