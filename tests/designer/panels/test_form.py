"""A form shows and gives back JSON values unchanged, leaves out what is empty, and
places messages.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.panels.code.field import JsonEdit
from designer.panels.fields.plain import (
    MISSING,
    JsonError,
    JsonField,
    LongTextField,
    NumberField,
    TextField,
    parse_json,
    same_json,
)
from designer.panels.forms.choice_fields import (
    ChoiceField,
    FlagField,
    ListField,
    RadioField,
)
from designer.panels.forms.form import Form, ObjectField
from tests.designer.panels.fakes import PARAMS
from tests.designer.panels.typing import put

FILLED = {
    "function": "a:b",
    "template": "Dear {name},\n…",
    "retries": 3,
    "timeout": 1.5,
    "strict": True,
    "mode": "careful",
    "tags": ["a", ""],
    "retry_policy": {"wait": 2, "jitter": False},
    "extra": {"deep": [1, None]},
}


@pytest.fixture
def form(qtbot: QtBot, look: Look) -> Form:
    made = Form(PARAMS, look)
    qtbot.addWidget(made)
    made.show()
    return made


def test_each_kind_of_schema_gets_its_field(form: Form) -> None:
    kinds = {name: type(form.field(name)) for name in form.names}
    assert kinds == {
        "function": TextField,
        "template": LongTextField,
        "retries": NumberField,
        "timeout": NumberField,
        "strict": FlagField,
        "mode": ChoiceField,
        "tags": ListField,
        "retry_policy": ObjectField,
        "extra": JsonEdit,
    }


def test_a_word_where_json_is_meant_is_answered_with_how_a_text_is_written() -> None:
    with pytest.raises(
        JsonError,
        match=r'^Line 1, column 1: .*\. A text stands in quotes: "this machine"$',
    ):
        parse_json("this machine")
    with pytest.raises(JsonError) as broken:
        parse_json("[1,")
    assert "quotes" not in str(broken.value)


def test_a_reference_to_code_shows_how_it_is_written(qtbot: QtBot, look: Look) -> None:
    made = Form(
        {"properties": {"function": {"type": "string", "format": "python-reference"}}},
        look,
    )
    qtbot.addWidget(made)
    field = made.field("function")
    assert isinstance(field, TextField)
    assert field.editor().placeholderText() == "module:name"
    assert field.value() is MISSING


def test_what_is_shown_comes_back_unchanged_with_unknown_keys(form: Form) -> None:
    form.show_value({**FILLED, "of a newer version": 7})
    assert same_json(form.value(), {**FILLED, "of a newer version": 7})


def test_showing_another_value_leaves_nothing_of_the_one_before(form: Form) -> None:
    form.show_value(FILLED)
    form.show_value({"function": "c:d"})
    assert form.value() == {
        "function": "c:d",
        "strict": False,
        "retry_policy": {"jitter": False},
    }


def test_a_default_is_a_placeholder_and_not_a_value(form: Form) -> None:
    form.show_value({})
    assert form.field("retries").editor().placeholderText() == "2"  # type: ignore[attr-defined]
    assert "retries" not in form.value()


def test_typing_tells_and_showing_does_not(form: Form, qtbot: QtBot) -> None:
    told: list[str] = []
    form.edited.connect(told.append)
    form.show_value(FILLED)
    assert told == []
    qtbot.keyClicks(form.field("function").editor(), "x")
    assert told == ["function"]


def test_a_text_that_is_no_number_is_said_and_stays(form: Form, qtbot: QtBot) -> None:
    editor = form.field("retries").editor()
    qtbot.keyClicks(editor, "many")
    assert form.problems() == {"retries": "A whole number is needed."}
    assert editor.text() == "many"  # type: ignore[attr-defined]


def test_limits_of_the_schema_are_kept(form: Form, qtbot: QtBot) -> None:
    form.show_value({"function": "a:b"})
    qtbot.keyClicks(form.field("retries").editor(), "9")
    assert form.problems() == {"retries": "At most 5 is allowed."}


def test_broken_json_is_said_with_its_place(form: Form, qtbot: QtBot) -> None:
    form.field("extra").editor().setPlainText('{"a":\n  oops}')  # type: ignore[attr-defined]
    assert form.problems()["extra"].startswith("Line 2, column 3: ")


def test_up_steps_a_whole_number(form: Form, qtbot: QtBot) -> None:
    form.show_value({"retries": 3})
    qtbot.keyClick(form.field("retries").editor(), Qt.Key.Key_Up)
    assert form.field("retries").value() == 4


def test_an_answer_of_yes_or_no_is_open_until_it_is_chosen(
    qtbot: QtBot, look: Look
) -> None:
    form = Form({"type": "boolean"}, look, stacked=True)
    qtbot.addWidget(form)
    assert isinstance(form.field(""), RadioField)
    assert form.value() is MISSING
    form.show_value(False)
    assert form.value() is False


def test_an_invalid_nested_object_is_marked_where_it_is_wrong(
    form: Form, qtbot: QtBot
) -> None:
    nested = form.field("retry_policy")
    assert isinstance(nested, ObjectField)
    qtbot.keyClicks(nested.form.field("wait").editor(), "soon")
    assert form.problems() == {"retry_policy": "A number is needed."}


def test_a_choice_is_taken_back_by_a_key_and_the_default_is_said_again(
    form: Form, qtbot: QtBot
) -> None:
    form.show_value({"mode": "careful"})
    told: list[str] = []
    form.edited.connect(told.append)
    qtbot.keyClick(form.field("mode").editor(), Qt.Key.Key_Delete)
    assert form.field("mode").value() is MISSING
    assert form.field("mode").editor().placeholderText() == "fast"  # type: ignore[attr-defined]
    assert told == ["mode"]


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(value=JSON)
def test_any_json_value_survives_the_json_field(
    value: object, json_field: Callable[[], JsonField]
) -> None:
    field = json_field()
    field.show_value(value)
    assert same_json(field.value(), value)


@pytest.fixture(scope="module")
def json_field(qapp: object) -> Callable[[], JsonField]:
    field = JsonField()
    return lambda: field


WHEN = {
    "properties": {
        "send": {"enum": ["nothing", "text"], "default": "nothing"},
        "text": {
            "type": "string",
            "title": "Body",
            "format": "multiline",
            "when": {"send": ["text"]},
        },
        "key": {"type": "string", "title": "Key variable"},
    },
    "required": ["key"],
}


@pytest.fixture
def conditional(qtbot: QtBot, look: Look) -> Form:
    made = Form(WHEN, look)
    qtbot.addWidget(made)
    made.show_value({})
    made.show()
    return made


def test_what_another_field_makes_void_is_not_shown(conditional: Form) -> None:
    text = conditional.field("text")
    assert not text.isVisible()
    choice = conditional.field("send")
    put(choice, "text")
    assert text.isVisible()
    put(choice, "nothing")
    assert not text.isVisible()


def test_what_is_set_or_wrong_is_shown_whatever_the_others_say(
    conditional: Form,
) -> None:
    text = conditional.field("text")
    conditional.show_value({"send": "nothing", "text": "kept"})
    assert text.isVisible()
    assert conditional.value() == {"send": "nothing", "text": "kept"}
    conditional.show_value({})
    assert not text.isVisible()
    conditional.show_errors({"text": "It is wrong."})
    assert text.isVisible()
    conditional.show_errors({})
    assert not text.isVisible()


def test_a_field_does_not_go_away_while_somebody_types_in_it(
    conditional: Form, qtbot: QtBot
) -> None:
    text = conditional.field("text")
    conditional.show_value({"send": "nothing", "text": "x"})
    text.editor().setFocus()
    QTest.keyClick(text.editor(), Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(text.editor(), Qt.Key.Key_Delete)
    assert "text" not in conditional.value()
    assert text.isVisible()


def test_help_comes_back_with_its_field(qtbot: QtBot, look: Look) -> None:
    schema = {
        **WHEN["properties"],
        "text": {**WHEN["properties"]["text"], "description": "What is sent."},
    }
    made = Form({"properties": schema}, look)
    qtbot.addWidget(made)
    made.show_value({})
    made.show()
    made.explain(True)
    assert made.row("text").help is None
    put(made.field("send"), "text")
    told = made.row("text").help
    assert told is not None
    assert told.isVisible()


def test_a_field_that_is_needed_is_named_as_it_is_labelled(conditional: Form) -> None:
    assert conditional.problems() == {"key": "Key variable is needed."}
