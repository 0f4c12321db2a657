"""Forms made from JSON Schema: parameters of nodes, and answers to questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from designer.look.theme import Look
from designer.panels.choice_fields import ChoiceField, FlagField, ListField, RadioField
from designer.panels.fields import MISSING, Field, JsonField, LongTextField, NumberField, TextField
from designer.panels.schema import Schema, choices_of, hint_of, is_multiline, resolve, schema_problems, title_of
from designer.panels.widgets import Glyph, column, label, row

LABEL_WIDTH = 88
MAX_DEPTH = 3


class Form(QWidget):
    """Fields for the properties of an object schema, or one field for any other schema.

    `edited` carries the name of the field that the user changed ("" for a schema that is no object), `committed` that
    of the field he is done with. With `stacked` labels stand above the fields, and few choices are all in sight.
    """

    edited = Signal(str)
    committed = Signal(str)

    def __init__(
        self, schema: Schema, look: Look, *, stacked: bool = False, depth: int = 0, root: Schema | None = None
    ) -> None:
        super().__init__()
        self._root = root if root is not None else schema
        self._schema = resolve(schema, self._root)
        self._look, self._stacked, self._depth = look, stacked, depth
        self._rows: dict[str, _Row] = {}
        self._extra: dict[str, Any] = {}
        self._is_object = bool(self._schema.get("properties")) or self._schema.get("type") == "object"
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnMinimumWidth(0, 0 if stacked else LABEL_WIDTH)
        self._grid.setColumnStretch(1, 1)
        for name, part in self._parts().items():
            self._add(name, resolve(part, self._root))
        self._mark_required()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._rows)

    def field(self, name: str) -> Field:
        return self._rows[name].field

    def value(self) -> Any:
        """The JSON value: what was left empty is left out. Raises ValueError where a text is not a value."""
        values = {name: entry.field.value() for name, entry in self._rows.items()}
        if not self._is_object:
            return values.get("", MISSING)
        return {**self._extra, **{name: value for name, value in values.items() if value is not MISSING}}

    def show_value(self, value: Any) -> None:
        """Fill the fields, without telling. Keys that the schema does not know are kept."""
        if not self._is_object:
            self._rows[""].field.show_value(value)
            return
        known = value if isinstance(value, Mapping) else {}
        self._extra = {key: item for key, item in known.items() if key not in self._rows}
        for name, entry in self._rows.items():
            entry.field.show_value(known.get(name, MISSING))
        self._mark_required()

    def problems(self) -> dict[str, str]:
        """What keeps the value from fitting the schema: a sentence for each field that is in the way."""
        found: dict[str, str] = {}
        for name, entry in self._rows.items():
            try:
                entry.field.value()
            except ValueError as error:
                found[name] = str(error)
        return found or self._schema_problems()

    def show_errors(self, errors: Mapping[str, str]) -> None:
        """Put a message under each named field, and none under the others."""
        for name, entry in self._rows.items():
            entry.say(errors.get(name, ""))

    def set_read_only(self, on: bool) -> None:
        for entry in self._rows.values():
            entry.field.set_read_only(on)

    def _mark_required(self) -> None:
        """Say which fields are needed as the others stand now: a schema may need a reason for some verdicts only."""
        try:
            value = self.value()
        except ValueError:
            return
        if not self._stacked or not isinstance(value, Mapping):
            return
        for name, entry in self._rows.items():
            without = {key: item for key, item in value.items() if key != name}
            entry.require(name in self._broken(without))

    def _broken(self, value: Any) -> dict[str, str]:
        return schema_problems(value, {**self._root, **self._schema})

    def _schema_problems(self) -> dict[str, str]:
        value = self.value()
        if value is MISSING:
            return {"": "An answer is needed."}
        return self._broken(value)

    def _parts(self) -> Mapping[str, Any]:
        return self._schema.get("properties", {}) if self._is_object else {"": self._schema}

    def _add(self, name: str, schema: Schema) -> None:
        field = make_field(name, schema, self._look, stacked=self._stacked, depth=self._depth, root=self._root)
        entry = _Row(self._look, field, name, schema, stacked=self._stacked)
        entry.place(self._grid)
        field.edited.connect(lambda: self._on_edited(name))
        field.committed.connect(lambda: self.committed.emit(name))
        self._rows[name] = entry

    def _on_edited(self, name: str) -> None:
        self._mark_required()
        self.edited.emit(name)


class _Row:
    """Label, field and message of one property."""

    def __init__(self, look: Look, field: Field, name: str, schema: Schema, *, stacked: bool) -> None:
        self.field = field
        self._above = stacked or field.wide
        title, hint = title_of(name, schema) if name else "", str(schema.get("description", ""))
        self._label = label("" if isinstance(field, FlagField) else title, "body" if stacked else "secondary")
        self._required = label("", "secondary")
        self._label.setBuddy(field.editor())
        for widget in (self._label, field):
            widget.setToolTip(hint)
        field.editor().setAccessibleName(title or "Answer")
        field.editor().setAccessibleDescription(hint)
        self._message = ErrorLine(look)
        if "default" in schema and schema["default"] is not None:
            field.set_hint(hint_of(schema["default"]))

    def place(self, grid: QGridLayout) -> None:
        at = grid.rowCount()
        if self._above:
            if self._label.text():
                grid.addLayout(row(self._label, self._required, None, gap=4), at, 0, 1, 2)
            grid.addWidget(self.field, at + 1, 0, 1, 2)
            grid.addWidget(self._message, at + 2, 0, 1, 2)
            return
        grid.addWidget(self._label, at, 0)
        grid.addWidget(self.field, at, 1)
        grid.addWidget(self._message, at + 1, 1)

    def require(self, on: bool) -> None:
        self._required.setText("required" if on else "")

    def say(self, text: str) -> None:
        self._message.say(text)
        self.field.set_invalid(bool(text))


class ErrorLine(QWidget):
    """A message under a field, with its glyph; gone when there is nothing to say."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._text: QLabel = label("", "error", wrap=True)
        glyph = Glyph(look, "failed", "bad", 14)
        line = row(glyph, gap=6)
        line.addWidget(self._text, 1)
        line.setAlignment(glyph, Qt.AlignmentFlag.AlignTop)
        column(self).addLayout(line)
        self.hide()

    def say(self, text: str) -> None:
        self._text.setText(text)
        self.setVisible(bool(text))

    def text(self) -> str:
        return self._text.text()


class ObjectField(Field):
    """A nested object: a form within the form."""

    wide = True

    def __init__(self, form: Form) -> None:
        super().__init__()
        self.form = form
        column(self, margins=(12, 0, 0, 0)).addWidget(form)
        form.edited.connect(lambda _name: self.edited.emit())
        form.committed.connect(lambda _name: self.committed.emit())

    def editor(self) -> QWidget:
        return self.form.field(self.form.names[0]).editor() if self.form.names else self

    def value(self) -> Any:
        return self.form.value() or MISSING

    def show_value(self, value: Any) -> None:
        self.form.show_value({} if value is MISSING or value is None else value)

    def set_read_only(self, on: bool) -> None:
        self.form.set_read_only(on)

    def set_invalid(self, on: bool) -> None:
        self.form.show_errors(self.form.problems() if on else {})


def make_field(name: str, schema: Schema, look: Look, *, stacked: bool, depth: int, root: Schema) -> Field:
    """The widget that suits a schema; `JsonField` where none of the others does."""
    choices = choices_of(schema)
    if choices is not None:
        return RadioField(choices) if stacked and len(choices) <= 6 else ChoiceField(look, choices)
    match schema.get("type"):
        case "string":
            is_long = stacked or is_multiline(schema)
            return LongTextField(data=is_multiline(schema), least=2) if is_long else TextField()
        case "integer" | "number":
            return NumberField(whole=schema["type"] == "integer")
        case "boolean" if stacked:
            # A box that nobody ticked would already be an answer.
            return RadioField([True, False], {"True": "Yes", "False": "No"})
        case "boolean":
            flag = FlagField(look, title_of(name, schema))
            flag.set_default(bool(schema.get("default", False)))
            flag.show_value(MISSING)
            return flag
        case "array" if resolve(schema.get("items", {}), root).get("type") == "string":
            return ListField(look)
        case "object" if schema.get("properties") and depth < MAX_DEPTH:
            return ObjectField(Form(schema, look, stacked=stacked, depth=depth + 1, root=root))
    return JsonField()
