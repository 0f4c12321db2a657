"""The form of a pinned result: typed fields where they give the same value back, JSON
for the rest, and a reason for what is no value.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.panels.fields.plain import MISSING, same_json
from designer.panels.forms.pin_form import NO_ERROR, NO_OBJECT, PinForm
from designer.panels.forms.value_editor import NEEDED, ValueEditor
from runtime.debug.protocol import PinnedResult

LEFT = Qt.MouseButton.LeftButton
ANSWER = {"status": 200, "body": "fine", "ok": True, "headers": {"a": [1]}}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda part: (
        st.lists(part, max_size=3)
        | st.dictionaries(st.text(max_size=3), part, max_size=3)
    ),
    max_leaves=6,
)


def shown(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.addWidget(widget)
    widget.resize(480, 500)
    widget.show()


def form_of(qtbot: QtBot, result: PinnedResult) -> PinForm:
    form = PinForm(Look("light"), result)
    shown(qtbot, form)
    return form


def type_into(qtbot: QtBot, field: QWidget, text: str) -> None:
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, text)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(value=JSON)
def test_an_editor_gives_the_value_that_it_shows(qapp: Any, value: Any) -> None:
    editor = ValueEditor(Look("light"), "Message 1", value)
    assert same_json(editor.value(), value)
    editor.deleteLater()


def test_an_object_has_a_typed_field_for_each_part(qtbot: QtBot) -> None:
    form = form_of(qtbot, PinnedResult(sent=(ANSWER,)))
    [editor] = form.editors["sent"]
    assert editor.form is not None
    assert editor.form.names == ("status", "body", "ok", "headers")
    status = editor.form.field("status").editor()
    type_into(qtbot, status, "404")
    assert form.value().sent[0]["status"] == 404
    type_into(qtbot, status, "much")
    assert form.problem()


def test_form_and_json_show_the_same_value(qtbot: QtBot) -> None:
    form = form_of(qtbot, PinnedResult(sent=(ANSWER,)))
    [editor] = form.editors["sent"]
    qtbot.mouseClick(editor.as_json, LEFT)
    assert editor.is_json
    assert editor.value() == ANSWER
    type_into(qtbot, editor.json.editor(), '{{"status": 5}')
    assert "json" in form.problem().lower() or form.problem()
    qtbot.mouseClick(editor.as_form, LEFT)
    assert editor.is_json, "a text that is no value stays as it is"


def test_messages_and_outputs_are_added_and_removed(qtbot: QtBot) -> None:
    form = form_of(qtbot, PinnedResult(sent=(1, 2)))
    qtbot.mouseClick(form.editors["sent"][0].remove, LEFT)
    qtbot.mouseClick(form.add_buttons["outputs"], LEFT)
    assert form.problem() == NEEDED
    type_into(qtbot, form.editors["outputs"][0].json.editor(), '"done"')
    assert form.value() == PinnedResult(sent=(2,), outputs=("done",))


def test_what_is_written_is_an_object(qtbot: QtBot) -> None:
    form = form_of(qtbot, PinnedResult(writes={"verdict": "good"}))
    assert form.value().writes == {"verdict": "good"}
    qtbot.mouseClick(form.writes.as_json, LEFT)
    type_into(qtbot, form.writes.json.editor(), "3")
    assert form.problem() == NO_OBJECT


def test_a_failure_needs_a_text_and_has_nothing_else(qtbot: QtBot) -> None:
    form = form_of(qtbot, PinnedResult(sent=(1,)))
    qtbot.mouseClick(form.as_failure, LEFT)
    assert form.problem() == NO_ERROR
    type_into(qtbot, form.error.editor(), "no connection")
    assert form.value() == PinnedResult(error="no connection")


def test_an_empty_message_is_no_value_yet(qtbot: QtBot) -> None:
    editor = ValueEditor(Look("light"), "Message 1", MISSING)
    shown(qtbot, editor)
    with pytest.raises(ValueError, match=NEEDED):
        editor.value()
