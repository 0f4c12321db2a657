"""Paths and columns are offered while one types them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.panels.code.completer import Completer
from designer.panels.forms.choice_fields import ListField
from designer.panels.forms.context import FormContext
from designer.panels.forms.form import Form
from designer.panels.forms.special_fields import CelInput, PathField
from designer.panels.forms.table_field import TableField
from runtime.nodes import BUILT_IN
from tests.designer.panels.typing import click

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
ROWS = {
    "orders": [{"price": 5, "city": "Paris", "unit price": 2.5}],
    "people": [{"name": "ann", "born": 1990}],
}


def form_of(qtbot: QtBot, look: Look, node_type: str, context: FormContext) -> Form:
    (info,) = [each.info() for each in BUILT_IN if each.type == node_type]
    form = Form(info.params_schema, look, context=context)
    qtbot.addWidget(form)
    form.show()
    form.activateWindow()
    return form


@pytest.fixture
def context(tmp_path: Path) -> FormContext:
    return replace(FormContext(lambda: tmp_path), example=lambda: ROWS)


def offered(edit: QWidget) -> list[str]:
    return next(
        child for child in edit.children() if isinstance(child, Completer)
    ).words


def typed(edit: QLineEdit, text: str) -> list[str]:
    if not edit.hasFocus():
        click(edit)
    QTest.keyClicks(edit, text)
    return offered(edit)


def test_files_and_folders_are_offered_step_by_step(
    qtbot: QtBot, look: Look, context: FormContext, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "people.csv").write_text("name\nann\n")
    for name in ("dates.csv", ".hidden", "other.txt"):
        (tmp_path / name).write_text("")
    form = form_of(qtbot, look, "csv_read", context)
    field = form.field("path")
    assert isinstance(field, PathField)
    edit = field.editor()
    assert typed(edit, "da") == ["data/", "dates.csv"]
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert (edit.text(), offered(edit)) == ("data/", ["people.csv"])
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert field.value() == "data/people.csv"
    edit.clear()
    assert typed(edit, "{message.") == []


def test_columns_are_offered_in_conditions_over_a_row(
    qtbot: QtBot, look: Look, context: FormContext
) -> None:
    form = form_of(qtbot, look, "filter_rows", context)
    form.show_value({"rows": "message.orders"})
    field = form.field("condition")
    assert isinstance(field, CelInput)
    click(field.editor().viewport())
    QTest.keyClicks(field.editor(), "row.")
    assert field.cel.completer.words[:3] == ["price", "city", "unit price"]
    QTest.keyClicks(field.editor(), "un")
    QTest.keyClick(field.editor(), Qt.Key.Key_Return)
    assert field.value() == 'row["unit price"]'


def test_columns_of_the_table_at_the_path_are_offered_in_lists_and_tables(
    qtbot: QtBot, look: Look, context: FormContext
) -> None:
    form = form_of(qtbot, look, "group_rows", context)
    form.show_value({"by": [""], "compute": {"": ""}, "rows": "message.orders"})
    by = form.field("by")
    compute = form.field("compute")
    assert isinstance(by, ListField)
    assert isinstance(compute, TableField)
    assert typed(by.lines[0], "ci") == ["city"]
    (line,) = compute.lines
    assert typed(line[1], "su") == ["sum()"]
    QTest.keyClick(line[1], Qt.Key.Key_Return)
    assert (line[1].text(), offered(line[1])) == (
        "sum()",
        ["price", "city", "unit price"],
    )
    QTest.keyClick(line[1], Qt.Key.Key_Return)
    assert line[1].text() == "sum(price)"


def test_a_join_offers_the_columns_of_either_table(
    qtbot: QtBot, look: Look, context: FormContext
) -> None:
    form = form_of(qtbot, look, "join_tables", context)
    form.show_value(
        {"on": {"": ""}, "left": "message.orders", "right": "message.people"}
    )
    table = form.field("on")
    assert isinstance(table, TableField)
    ((left, right),) = table.lines
    assert typed(left, "pr") == ["price", "unit price"]
    assert typed(right, "n") == ["name", "born"]


def test_the_order_of_a_sort_is_offered(
    qtbot: QtBot, look: Look, context: FormContext
) -> None:
    form = form_of(qtbot, look, "sort_rows", context)
    form.show_value({"by": {"price": ""}})
    table = form.field("by")
    assert isinstance(table, TableField)
    assert typed(table.lines[0][1], "d") == ["descending"]


def test_a_list_that_gave_way_to_the_default_can_be_taken_up_again(
    qtbot: QtBot, look: Look
) -> None:
    schema: dict[str, Any] = {
        "properties": {
            "codes": {"type": "array", "items": {"type": "string"}, "default": ["2xx"]}
        }
    }
    form = Form(schema, look)
    qtbot.addWidget(form)
    form.show()
    form.show_value({"codes": ["404", "410"]})
    buttons = {each.text(): each for each in form.findChildren(QPushButton)}
    click(buttons["Use the default"])
    assert form.value() == {}
    click(buttons["Use this text"])
    assert form.value() == {"codes": ["404", "410"]}
    assert not buttons["Use this text"].isVisible()


def test_an_empty_line_of_a_list_is_no_item(
    qtbot: QtBot, look: Look, context: FormContext
) -> None:
    form = form_of(qtbot, look, "group_rows", context)
    form.show_value({"by": ["city"]})
    by = form.field("by")
    assert isinstance(by, ListField)
    click(by.lines[0])
    QTest.keyClick(by.lines[0], Qt.Key.Key_Return)
    assert len(by.lines) == 2
    assert by.value() == ["city"]
    form.show_value({"by": ["city"]})  # as the document says now
    assert by.lines[1].hasFocus()
