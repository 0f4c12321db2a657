"""What is stored of any field, after anything was typed into it letter by letter, is
what the text means, or what was there before: never what the beginning of the text
happened to mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designer.look.theme import Look
from designer.panels.fields.plain import (
    MISSING,
    Field,
    NameField,
    TypedField,
    same_json,
)
from designer.panels.forms.context import FormContext
from designer.panels.forms.field_choice import make_leaf
from designer.panels.forms.form import Form, ObjectField

LOOK = Look("light")
CONTEXT = FormContext(Path)
# Kinds of fields: the schema that asks for one, and a value that is there before.
KINDS: dict[str, tuple[dict[str, Any], Any]] = {
    "number": ({"type": "number"}, 1.5),
    "whole": ({"type": "integer"}, 100),
    "seconds": ({"type": "number", "unit": "s"}, 1.5),
    "bytes": ({"type": "integer", "unit": "bytes"}, 1000),
    "json": ({}, [1]),
    "text": ({"type": "string"}, "before"),
    "long text": ({"type": "string", "format": "multiline"}, "before"),
    "condition": ({"type": "string", "format": "cel"}, "message > 1"),
    "python": ({"type": "string", "format": "python"}, "pass"),
    "separator": ({"type": "string", "format": "separator"}, "\n"),
    "reference": ({"type": "string", "format": "python-reference"}, "os:getcwd"),
    "path": ({"type": "string", "file": "read"}, "a.txt"),
}
TEXTS = st.one_of(
    st.text(max_size=8),
    st.text("0123456789.,-+eE ", max_size=8),
    st.sampled_from(
        [
            "0,7",
            "5 steps",
            "12 apples",
            "1,234",
            "5 min",
            "0,5 kB",
            '{"a": 1}',
            "[1, 2",
            "nan",
            "  ",
            "",
        ]
    ),
)
Make = Callable[[], Field]


class Store:
    """Keeps the value of a field as the editors do: at each letter, and shown again
    whenever it changes.
    """

    def __init__(self, field: Field, value: Any) -> None:
        self.field = field
        self.value = value
        field.show_value(value)
        field.edited.connect(self._on_edited)

    def _on_edited(self) -> None:
        self.value = self.field.stored()
        self.field.show_value(self.value)


def meaning(make: Make, text: str) -> tuple[bool, Any]:
    """What a text means in a field of this kind: whether it is a value, and which."""
    fresh = make()
    assert isinstance(fresh, TypedField)
    fresh.show_value(MISSING)
    fresh.type_in(text)
    try:
        return True, fresh.value()
    except ValueError:
        return False, None


def check(make: Make, before: Any, texts: list[str], whole: str) -> None:
    field = make()
    assert isinstance(field, TypedField)
    store = Store(field, before)
    for text in texts:
        field.type_in(text)
    is_value, value = meaning(make, whole)
    assert same_json(store.value, value if is_value else before)
    assert is_value or field.draft() is not None
    field.committed.emit()
    assert same_json(store.value, value if is_value else before)


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_stores_what_its_text_means_or_what_was_there(
    qapp: object, kind: str
) -> None:
    schema, before = KINDS[kind]

    def make() -> Field:
        return make_leaf("x", schema, LOOK, stacked=False, root=schema, context=CONTEXT)

    @settings(max_examples=20, deadline=None)
    @given(text=TEXTS)
    def typed(text: str) -> None:
        check(
            make, before, [text[:end] for end in range(1, len(text) + 1)] or [""], text
        )

    typed()


@pytest.mark.parametrize("lists", [False, True])
def test_so_does_a_table(qapp: object, lists: bool) -> None:
    if lists:
        value = {"type": "array", "items": {"type": "string"}}
    else:
        value = {"type": "string"}
    schema = {"type": "object", "additionalProperties": value}
    before = {"a": ["b"]} if lists else {"a": "b"}

    def make() -> Field:
        return make_leaf("x", schema, LOOK, stacked=False, root=schema, context=CONTEXT)

    @settings(max_examples=20, deadline=None)
    @given(name=st.text("ab ", max_size=3), text=TEXTS)
    def typed(name: str, text: str) -> None:
        rows = [[name[:end], ""] for end in range(len(name) + 1)] + [
            [name, text[:end]] for end in range(len(text) + 1)
        ]
        # A second row whose name may be there already, as "a" is.
        check(
            make,
            before,
            [json.dumps([["a", "b"], row]) for row in rows],
            json.dumps([["a", "b"], rows[-1]]),
        )

    typed()


def test_a_name_of_blanks_is_none(qapp: object) -> None:
    @settings(max_examples=40, deadline=None)
    @given(text=st.one_of(st.text(" \t\u00a0\u200b", min_size=1, max_size=3), TEXTS))
    def typed(text: str) -> None:
        check(
            NameField,
            "before",
            [text[:end] for end in range(1, len(text) + 1)] or [""],
            text,
        )

    typed()


def test_of_an_object_what_is_no_value_stays_and_the_rest_is_taken(
    qapp: object,
) -> None:
    schema = {
        "type": "object",
        "properties": {"wait": {"type": "number"}, "times": {"type": "integer"}},
    }
    field = ObjectField(Form(schema, LOOK))
    store = Store(field, {"wait": 1.5, "times": 3, "kept": True})
    wait = field.form.field("wait")
    times = field.form.field("times")
    assert isinstance(wait, TypedField)
    assert isinstance(times, TypedField)
    for text in ("0", "0x"):
        wait.type_in(text)
    times.type_in("4")
    assert store.value == {"wait": 1.5, "times": 4, "kept": True}
    assert (wait.text(), times.text()) == ("0x", "4")


def test_what_was_entered_before_stays_when_more_is_typed(qapp: object) -> None:
    """Enter ends what is one value: what is no value afterwards does not lead behind
    it.
    """
    field = make_leaf(
        "x", {"type": "number"}, LOOK, stacked=False, root={}, context=None
    )
    assert isinstance(field, TypedField)
    store = Store(field, 1.5)
    field.type_in("5")
    field.committed.emit()
    field.type_in("5 steps")
    assert store.value == 5
    field.give_up()
    assert field.text() == "5"
