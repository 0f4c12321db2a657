"""An editor for one JSON value without a schema: a field for each of its parts, typed as
the value is, or JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import MISSING, JsonField, same_json
from designer.panels.forms.form import Form
from designer.panels.widgets.basic import icon_button, label
from designer.qt.layouts import column, put, row

FIELDS = 24  # of a form; a larger object is edited as JSON
LONG = 60  # characters, from which on a text has a field of several lines
NEEDED = "A value is needed."


class ValueEditor(QWidget):
    """`edited` is emitted at each change by the user. `remove_requested` asks to take
    the value away, and only an editor that is `removable` does so.
    """

    edited = Signal()
    remove_requested = Signal()

    def __init__(
        self, look: Look, name: str, value: Any = MISSING, *, removable: bool = True
    ) -> None:
        super().__init__()
        self._look = look
        self._name = name
        self.form: Form | None = None
        self.json = JsonField(least=3)
        self.json.editor().setAccessibleName(f"{name} as JSON")
        self._error = ErrorLine(look)
        self.as_form, self.as_json = self._switch()
        self.remove = icon_button(
            look, "trash", f"Remove {name}", self.remove_requested.emit
        )
        self.remove.setVisible(removable)
        self._column = column(self, margins=(0, 0, 0, 4), gap=4)
        put(
            self._column,
            row(
                label(name, "secondary"),
                None,
                self.as_form,
                self.as_json,
                4,
                self.remove,
                gap=0,
            ),
        )
        self._column.addWidget(self.json)
        self._column.addWidget(self._error)
        self.json.edited.connect(self._on_edited)
        self.json.show_value(value)
        self._try_form(value)
        self._show_mode()

    @property
    def is_json(self) -> bool:
        """Whether the value is edited as JSON now."""
        return self.form is None

    def value(self) -> Any:
        """Return the JSON value. Raise ValueError with a sentence if there is none."""
        if self.form is not None:
            problems = self.form.problems()
            if problems:
                raise ValueError(" ".join(problems.values()))
            return self.form.value()
        value = self.json.value()
        if value is MISSING:
            raise ValueError(NEEDED)
        return value

    def problem(self) -> str:
        """Return why the text is no value, and show it; "" if it is one."""
        text = ""
        try:
            self.value()
        except ValueError as error:
            text = str(error)
        if self.form is not None:
            self.form.show_errors(self.form.problems())
        self._error.say(text if self.form is None else "")
        self.json.set_invalid(bool(text) and self.form is None)
        return text

    # --- form or JSON ---

    def _switch(self) -> tuple[QPushButton, QPushButton]:
        group = QButtonGroup(self)
        choices = []
        for text, place in (("Form", "first"), ("JSON", "last")):
            choice = QPushButton(text)
            choice.setCheckable(True)
            choice.setAutoDefault(False)
            choice.setProperty("segment", place)
            choice.setAccessibleName(f"{self._name} as {text}")
            group.addButton(choice)
            choices.append(choice)
        choices[0].clicked.connect(self._to_form)
        choices[1].clicked.connect(self._to_json)
        return choices[0], choices[1]

    def _to_form(self) -> None:
        if self.form is None:
            try:
                self._try_form(self.json.value())
            except ValueError:
                self.problem()
        self._show_mode()

    def _to_json(self) -> None:
        if self.form is not None:
            try:
                self.json.show_value(self.form.value())
            except ValueError:
                self._show_mode()
                return
            self._drop_form()
        self._show_mode()

    def _try_form(self, value: Any) -> None:
        """Show a form, if it would give the same value back."""
        schema = schema_like(value)
        if schema is None:
            return
        form = Form(schema, self._look, stacked=True)
        form.show_value(value)
        if form.problems() or not same_json(form.value(), value):
            form.deleteLater()
            return
        form.edited.connect(lambda _name: self._on_edited())
        self.form = form
        self._column.insertWidget(1, form)

    def _drop_form(self) -> None:
        if self.form is not None:
            self._column.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
            self.form = None

    def _show_mode(self) -> None:
        self.as_form.setChecked(self.form is not None)
        self.as_json.setChecked(self.form is None)
        self.json.setVisible(self.form is None)

    def _on_edited(self) -> None:
        self.problem()
        self.edited.emit()


def schema_like(value: Any) -> dict[str, Any] | None:
    """Return a schema for values of the same shape; None for what is better edited as
    JSON.
    """
    if not isinstance(value, Mapping):
        return _leaf(value)
    if not value or len(value) > FIELDS:
        return None
    properties = {key: _leaf(part) or {} for key, part in value.items()}
    return {"type": "object", "properties": properties}


def _leaf(value: Any) -> dict[str, Any] | None:
    match value:
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
        case str():
            is_long = len(value) > LONG or "\n" in value
            return {"type": "string", **({"format": "multiline"} if is_long else {})}
    return None
