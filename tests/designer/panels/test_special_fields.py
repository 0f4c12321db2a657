"""Fields that are more than a text: tables, lists, paths, sources, numbers with units;
groups and help of forms.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.model.completion.sources import find_source, line_of
from designer.panels.code.window import SourceWindow
from designer.panels.fields.plain import MISSING
from designer.panels.forms.choice_fields import ListField
from designer.panels.forms.context import FormContext
from designer.panels.forms.form import Form
from designer.panels.forms.separator_field import SeparatorField, as_meant, as_typed
from designer.panels.forms.special_fields import (
    CelInput,
    PathField,
    ReferenceField,
    UnitField,
)
from designer.panels.forms.table_field import TableField
from designer.panels.forms.units import in_words, without_unit
from tests.designer.panels.typing import click

KEY = Qt.Key
ALT = Qt.KeyboardModifier.AltModifier
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
SCHEMA = {
    "type": "object",
    "properties": {
        "url": {
            "type": "string",
            "format": "http-url",
            "title": "Address",
            "description": "Where it is.",
        },
        "headers": {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "format": "named-values",
        },
        "ways": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
            "columns": ["Output inside", "Node, node"],
        },
        "codes": {"type": "array", "items": {"type": "string"}, "default": ["2xx"]},
        "wait": {
            "type": "number",
            "unit": "s",
            "default": 30.0,
            "maximum": 3600,
            "group": "Limits",
        },
        "most": {
            "type": "integer",
            "unit": "bytes",
            "default": 10_000_000,
            "group": "Limits",
        },
        "path": {"type": "string", "file": "read"},
        "code": {"type": "string", "format": "python-reference"},
        "drawn": {"type": "object", "hidden": True},
    },
}


@pytest.fixture
def context(tmp_path: Path) -> FormContext:
    return FormContext(lambda: tmp_path, environment={"SET": "a secret"})


@pytest.fixture
def form(qtbot: QtBot, look: Look, context: FormContext) -> Form:
    made = Form(SCHEMA, look, context=context)
    qtbot.addWidget(made)
    made.resize(360, 800)
    made.show()
    made.activateWindow()
    made.show_value({})
    return made


def table(form: Form) -> TableField:
    found = form.field("headers")
    assert isinstance(found, TableField)
    return found


# --- tables


def test_a_table_is_filled_by_keys_alone(form: Form) -> None:
    field = table(form)
    click(field.add)
    for name, text in (("Accept", "text/plain"), ("X-Key", "{env.SET}")):
        QTest.keyClicks(field.lines[-1][0], name)
        QTest.keyClick(field.lines[-1][0], KEY.Key_Return)
        assert field.lines[-1][1].hasFocus()
        QTest.keyClicks(field.lines[-1][1], text)
        QTest.keyClick(field.lines[-1][1], KEY.Key_Return)
    # the last row is empty, and none
    assert field.value() == {"Accept": "text/plain", "X-Key": "{env.SET}"}
    QTest.keyClick(field.lines[-1][0], KEY.Key_Backspace)
    assert len(field.lines) == 2


def test_a_row_without_name_and_a_name_that_is_there_twice_are_said_and_kept(
    form: Form,
) -> None:
    field = table(form)
    form.show_value({"headers": {"a": "1"}})
    click(field.add)
    QTest.keyClicks(field.lines[1][1], "orphan")
    assert form.problems() == {"headers": "“orphan” needs a name before it."}
    draft = field.draft()
    assert draft is not None
    QTest.keyClicks(field.lines[1][0], "a")
    assert form.problems() == {"headers": "'a' is there twice."}
    form.show_value({})
    assert field.value() is MISSING
    field.type_in(draft)
    assert field.lines[1][1].text() == "orphan"


def test_values_that_are_no_texts_stay_what_they_are_until_they_are_typed_over(
    form: Form,
) -> None:
    field = table(form)
    form.show_value({"headers": {"a": 1, "b": None}})
    assert field.value() == {"a": 1, "b": None}
    QTest.keyClicks(field.lines[0][1], "2")
    assert field.value() == {"a": "21", "b": None}


@given(value=st.dictionaries(st.text(min_size=1), st.text(), max_size=4))
def test_any_map_of_texts_survives_the_table(
    value: dict[str, str], any_table: TableField
) -> None:
    any_table.show_value(value)
    assert any_table.value() == value


@pytest.fixture(scope="module")
def any_table(qapp: object) -> TableField:
    return TableField(Look("light"))


@given(
    value=st.dictionaries(
        st.text(min_size=1), st.lists(st.text(), max_size=3), max_size=4
    )
)
def test_any_map_of_lists_survives_the_table(
    value: dict[str, list[str]], lists_table: TableField
) -> None:
    lists_table.show_value(value)
    assert lists_table.value() == value


@pytest.fixture(scope="module")
def lists_table(qapp: object) -> TableField:
    return TableField(Look("light"), lists=True)


def test_a_map_of_lists_is_typed_with_commas_and_a_draft_of_it_comes_back(
    form: Form,
) -> None:
    field = form.field("ways")
    assert isinstance(field, TableField)
    click(field.add)
    name, text = field.lines[0]
    assert (name.placeholderText(), text.placeholderText()) == (
        "Output inside",
        "Node, node",
    )
    QTest.keyClicks(name, "o1")
    assert form.problems() == {"ways": "'o1' needs something beside it."}
    QTest.keyClicks(text, "a, b")
    assert field.value() == {"o1": ["a", "b"]}
    draft = field.draft()
    assert draft is not None
    form.show_value({})
    field.type_in(draft)
    assert field.value() == {"o1": ["a", "b"]}


# --- lists


def test_a_list_is_filled_put_in_order_and_emptied_by_keys(form: Form) -> None:
    field = form.field("codes")
    assert isinstance(field, ListField)
    click(field._add)
    QTest.keyClicks(field.lines[0], "200")
    QTest.keyClick(field.lines[0], KEY.Key_Return)
    QTest.keyClicks(field.lines[1], "404")
    QTest.keyClick(field.lines[1], KEY.Key_Up, ALT)
    assert field.value() == ["404", "200"]
    for _ in "200":
        QTest.keyClick(field.lines[1], KEY.Key_Backspace)
    QTest.keyClick(field.lines[1], KEY.Key_Backspace)
    assert field.value() == ["404"]


def test_a_list_says_its_default_and_leads_back_to_it(form: Form) -> None:
    field = form.field("codes")
    assert isinstance(field, ListField)
    assert field._default_label.text() == "Default: 2xx"
    assert field._default_label.isVisible()
    click(field._add)
    assert not field._default_label.isVisible()
    click(field._reset)
    assert field.value() is MISSING
    assert field._default_label.isVisible()


# --- numbers with units


@pytest.mark.parametrize(
    ("text", "unit", "plain"),
    [("5 min", "s", "300"), ("250ms", "s", "0.25"), ("10 MB", "bytes", "10000000"), ("1 KiB", "bytes", "1024"),
     ("7", "s", "7"), ("1e3", "s", "1e3"), ("-2 h", "s", "-7200")],
)  # fmt: skip
def test_units_are_worked_in(text: str, unit: str, plain: str) -> None:
    assert without_unit(text, unit) == plain


def test_an_unknown_unit_names_those_that_there_are() -> None:
    with pytest.raises(
        ValueError, match=r"'weeks' is no unit here. Use ms, s, min, h, d"
    ):
        without_unit("2 weeks", "s")


def test_numbers_are_said_in_a_larger_unit_where_they_are_round() -> None:
    words = [
        in_words(300, "s"),
        in_words(30, "s"),
        in_words(10_000_000, "bytes"),
        in_words(1001, "bytes"),
    ]
    assert words == ["s = 5 min", "s", "bytes = 10 MB", "bytes"]


def test_a_number_can_be_typed_with_its_unit(form: Form) -> None:
    form.groups["Limits"].open(True)
    field = form.field("wait")
    assert isinstance(field, UnitField)
    assert field.words.text() == "s"
    QTest.keyClicks(field.editor(), "2 min")
    assert field.value() == 120
    QTest.keyClick(field.editor(), KEY.Key_Return)
    assert field.editor().text() == "120"
    assert field.words.text() == "s = 2 min"
    QTest.keyClick(field.editor(), KEY.Key_End)
    QTest.keyClicks(field.editor(), " parsec")
    assert "no unit here" in form.problems()["wait"]


# --- groups and help


def test_a_group_is_closed_says_how_many_are_set_and_opens_by_mouse_and_key(
    form: Form,
) -> None:
    group = form.groups["Limits"]
    assert not group.is_open
    form.show_value({"wait": 5, "most": 10_000_000})
    assert group.head.text() == "Limits · 1 set"
    click(group.head)
    assert form.field("wait").isVisible()
    QTest.keyClick(group.head, KEY.Key_Space)
    assert not group.is_open


def test_a_group_with_a_mistake_opens(form: Form) -> None:
    form.show_errors({"wait": "At most 3600 is allowed."})
    assert form.groups["Limits"].is_open


def help_of(form: Form, name: str) -> str:
    shown = form.row(name).help
    return shown.text() if shown is not None and shown.isVisible() else ""


def note_of(form: Form, name: str) -> str:
    shown = form.row(name).note
    return shown.text() if shown is not None and shown.isVisible() else ""


def test_help_stands_under_every_field_when_it_is_wanted(form: Form) -> None:
    assert form.row("url").help is None
    form.explain(True)
    assert help_of(form, "url") == "Where it is."
    assert help_of(form, "codes") == 'Default: ["2xx"].'
    form.groups["Limits"].open(True)
    assert help_of(form, "wait") == "Default: 30."
    form.explain(False)
    assert help_of(form, "url") == ""


def test_what_is_hidden_has_no_field_and_is_kept(form: Form) -> None:
    assert "drawn" not in form.names
    form.show_value({"drawn": {"deep": 1}})
    assert form.value()["drawn"] == {"deep": 1}


# --- what is around: environment, files, sources


def test_variables_are_told_by_name_and_never_by_value(form: Form) -> None:
    form.show_value(
        {
            "url": "https://x/{env.SET}",
            "headers": {"a": "{env.OTHER}", "b": "{env.SET}"},
        }
    )
    assert note_of(form, "url") == "SET: set in the environment."
    assert note_of(form, "headers").startswith("OTHER is not set in the environment")
    assert "a secret" not in note_of(form, "url")


def test_a_file_is_chosen_relative_to_the_folder(
    qtbot: QtBot, look: Look, context: FormContext, tmp_path: Path
) -> None:
    asked: list[Path] = []

    def choose(_parent: QWidget, _title: str, start: Path, _kind: str) -> str:
        asked.append(start)
        return str(tmp_path / "in" / "rows.csv")

    field = PathField(look, replace(context, choose=choose), "read")
    qtbot.addWidget(field)
    field.show()
    click(field.browse)
    assert field.value() == "in/rows.csv"
    field.put(MISSING)
    QTest.keyClick(field.editor(), KEY.Key_Down, ALT)
    assert field.value() == "in/rows.csv"
    assert asked == [tmp_path, tmp_path]


def test_a_path_says_when_nothing_is_there_or_it_leads_out(
    form: Form, tmp_path: Path
) -> None:
    (tmp_path / "there.txt").write_text("x")
    notes = []
    for text in ("there.txt", "gone.txt", "../out.txt", "{message}.txt"):
        form.show_value({"path": text})
        notes.append(note_of(form, "path"))
    assert notes == [
        "",
        "There is no such file yet.",
        "This is outside the workflow's folder, so it needs 'Allow outside'.",
        "",
    ]


def test_a_source_is_shown_with_its_line_and_not_run(
    form: Form, tmp_path: Path, qtbot: QtBot
) -> None:
    (tmp_path / "report.py").write_text(
        "raise SystemExit\n\n\nclass A:\n    def write(self):\n        pass\n"
    )
    field = form.field("code")
    assert isinstance(field, ReferenceField)
    QTest.keyClicks(field.editor(), "report:A.write")
    QTest.keyClick(field.editor(), KEY.Key_F12)
    window = field.window_of_source
    assert window is not None
    qtbot.waitExposed(window)
    assert window.text.textCursor().blockNumber() == 4
    assert window.text.isReadOnly()
    QTest.keyClick(window.text, KEY.Key_Escape)
    assert field.window_of_source is None


def test_a_source_is_opened_in_an_editor_at_the_line_of_the_cursor(
    look: Look, tmp_path: Path, qtbot: QtBot
) -> None:
    opened: list[tuple[Path, int]] = []
    answers = ["There is no such program.", ""]

    def edit(path: Path, line: int) -> str:
        opened.append((path, line))
        return answers.pop(0)

    parent = QWidget()
    qtbot.addWidget(parent)
    window = SourceWindow(
        look, parent, tmp_path / "report.py", "a = 1\nb = 2\nc = 3\n", 2, edit
    )
    window.show()
    QTest.keyClick(window.text, KEY.Key_Down)
    click(
        next(
            one
            for one in window.findChildren(QPushButton)
            if one.text() == "Open in editor"
        )
    )
    assert opened == [(tmp_path / "report.py", 3)]
    assert window.error.text() == "There is no such program."
    click(
        next(
            one
            for one in window.findChildren(QPushButton)
            if one.text() == "Open in editor"
        )
    )
    assert not window.error.isVisible()


def test_a_source_that_is_not_there_says_where_it_was_looked_for(
    form: Form, tmp_path: Path
) -> None:
    field: Any = form.field("code")
    QTest.keyClicks(field.editor(), "nowhere_at_all:x")
    click(field.jump)
    assert field.window_of_source is None
    assert str(tmp_path) in field.jump.accessibleDescription()


def test_sources_are_found_in_packages_and_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text(
        "X = 1\ny: int = 2\nasync def z(): ...\n"
    )
    lines = [
        find_source(f"pack:{name}", tmp_path, ()).line
        for name in ("X", "y", "z", "none")
    ]
    assert lines == [1, 2, 3, 1]
    with pytest.raises(LookupError, match=r"no source of 'pack.sub'"):
        find_source("pack.sub:x", tmp_path, ())
    with pytest.raises(LookupError, match="module:name"):
        find_source("../x:y", tmp_path, ())


@given(text=st.text(), name=st.text())
def test_a_line_is_found_in_any_text(text: str, name: str) -> None:
    assert line_of(text, name) >= 1


def test_functions_of_the_folder_are_offered_while_one_types_and_with_ctrl_space(
    form: Form, tmp_path: Path
) -> None:
    (tmp_path / "audit.py").write_text(
        "def scan(message): ...\ndef rank(message): ...\n"
    )
    field = form.field("code")
    told: list[str] = []
    assert isinstance(field, ReferenceField)
    form.edited.connect(told.append)
    editor = field.editor()
    assert editor.placeholderText() == "module:name, or Ctrl+Space"
    editor.setFocus()
    QTest.keyClick(editor, KEY.Key_Space, Qt.KeyboardModifier.ControlModifier)
    assert field.completer.words == ["audit:scan", "audit:rank"]
    QTest.keyClick(editor, KEY.Key_Escape)
    assert (field.completer.words, field.value()) == ([], MISSING)
    QTest.keyClicks(editor, "audit:r")
    assert field.completer.words == ["audit:rank"]
    QTest.keyClick(editor, KEY.Key_Return)
    assert (field.value(), told[-1], field.completer.words) == (
        "audit:rank",
        "code",
        [],
    )
    QTest.keyClick(editor, KEY.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(editor, "sc")
    assert field.completer.list is not None
    click(field.completer.list.viewport(), QPoint(20, 8))
    assert field.value() == "audit:scan"


def test_an_expression_offers_the_fields_of_what_arrives(
    qtbot: QtBot, look: Look, context: FormContext
) -> None:
    arriving = {"item": {"city": "Oslo"}, "index": 0}
    made = Form(
        {"properties": {"expression": {"type": "string", "format": "cel"}}},
        look,
        context=replace(context, example=lambda: arriving),
    )
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    field = made.field("expression")
    assert isinstance(field, CelInput)
    click(field.editor().viewport())
    QTest.keyClicks(field.editor(), "message.i")
    assert field.cel.completer.words == ["item", "index"]
    QTest.keyClick(field.editor(), KEY.Key_Return)
    QTest.keyClicks(field.editor(), ".")
    assert field.cel.completer.words[0] == "city"
    QTest.keyClick(field.editor(), KEY.Key_Return)
    assert field.value() == "message.item.city"


def test_an_expression_over_values_offers_these_and_no_message(
    qtbot: QtBot, look: Look, context: FormContext
) -> None:
    made = Form(
        {"properties": {"step": {"type": "string", "format": "cel-fold"}}},
        look,
        context=context,
    )
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    field = made.field("step")
    assert isinstance(field, CelInput)
    click(field.editor().viewport())
    QTest.keyClicks(field.editor(), "ac")
    assert field.cel.completer.words == ["acc"]
    QTest.keyClick(field.editor(), KEY.Key_Return)
    QTest.keyClicks(field.editor(), " + it")
    assert field.cel.completer.words == ["item"]
    QTest.keyClick(field.editor(), KEY.Key_Escape)
    QTest.keyClicks(field.editor(), "em + me")
    assert "message" not in field.cel.completer.words


@given(st.text())
def test_a_separator_is_shown_so_that_it_can_be_typed(text: str) -> None:
    assert as_meant(as_typed(text)) == text
    assert not set("\n\r\t") & set(as_typed(text))


def test_a_line_break_is_typed_as_in_json(qtbot: QtBot, look: Look) -> None:
    separator = {"type": "string", "format": "separator", "default": "\n"}
    form = Form({"type": "object", "properties": {"separator": separator}}, look)
    qtbot.addWidget(form)
    form.show_value({})
    field = form.findChild(SeparatorField)
    assert field is not None
    assert field.editor().placeholderText() == "\\n"
    qtbot.keyClicks(field.editor(), ";\\n")
    assert field.value() == ";\n"
    field.put("a\tb")
    assert field.text() == "a\\tb"
