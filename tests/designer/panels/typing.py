"""Hands for the fields of a form: each value is put in by real mouse and key events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QScrollArea, QWidget

from designer.panels.code.field import CodeField, JsonEdit
from designer.panels.code.text import CodeText
from designer.panels.fields.plain import Field, LongTextField, TextField
from designer.panels.forms.choice_fields import ChoiceField, FlagField, ListField
from designer.panels.forms.form import Form
from designer.panels.forms.special_fields import CelInput
from designer.panels.forms.table_field import TableField

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier


def fill(form: Form, values: Mapping[str, Any]) -> None:
    """Put each value into its field; a group is opened by a click on its head."""
    for name, value in values.items():
        group = form.groups.get(str(form.row(name).schema.get("group", "")))
        if group is not None and not group.is_open:
            click(group.head)
        put(form.field(name), value)


def put(field: Field, value: Any) -> None:
    match field:
        case ChoiceField():
            _choose(field, value)
        case FlagField():
            if field.value() is not value:
                click(field.editor(), QPoint(8, field.editor().height() // 2))
        case ListField():
            _fill_list(field, value)
        case TableField():
            _fill_table(field, value)
        case JsonEdit():
            write(field.editor(), json.dumps(value))
        case CodeField() | LongTextField() | CelInput() | TextField():
            write(field.editor(), str(value))
        case _:
            raise AssertionError(type(field))
    assert field.value() == value


def click(widget: QWidget, at: QPoint | None = None) -> None:
    QApplication.processEvents()  # what was opened a moment ago has its size
    parent = widget.parentWidget()
    while parent is not None and not isinstance(parent, QScrollArea):
        parent = parent.parentWidget()
    if isinstance(parent, QScrollArea):
        parent.ensureWidgetVisible(widget)
    assert widget.isVisible()
    QTest.mouseClick(widget, LEFT, pos=at if at is not None else widget.rect().center())


def write(editor: QWidget, text: str) -> None:
    """Replace what is there. A new line that the editor indents is written as one does:
    without the spaces.
    """
    click(editor.viewport() if isinstance(editor, QPlainTextEdit) else editor)
    assert editor.hasFocus(), editor
    QTest.keyClick(editor, Qt.Key.Key_A, CTRL)
    QTest.keyClick(editor, Qt.Key.Key_Delete)
    for at, line in enumerate(text.split("\n")):
        if at:
            QTest.keyClick(editor, Qt.Key.Key_Return)
        QTest.keyClicks(
            editor, line.lstrip() if at and isinstance(editor, CodeText) else line
        )


def _choose(field: ChoiceField, value: Any) -> None:
    box = field.editor()
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Home)
    for _ in range(box.count()):
        if field.value() == value:
            return
        QTest.keyClick(box, Qt.Key.Key_Down)


def _fill_list(field: ListField, values: list[str]) -> None:
    click(field._add)
    for at, value in enumerate(values):
        QTest.keyClicks(field.lines[at], value)
        if at < len(values) - 1:
            QTest.keyClick(field.lines[at], Qt.Key.Key_Return)


def _fill_table(field: TableField, values: Mapping[str, str]) -> None:
    click(field.add)
    for at, (name, value) in enumerate(values.items()):
        name_edit, text_edit = field.lines[at]
        QTest.keyClicks(name_edit, name)
        QTest.keyClick(name_edit, Qt.Key.Key_Return)
        QTest.keyClicks(text_edit, value)
        if at < len(values) - 1:
            QTest.keyClick(text_edit, Qt.Key.Key_Return)
