"""Forms made from JSON Schema: parameters of nodes, and answers to questions."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QGridLayout, QWidget

from designer.look.theme import Look
from designer.model.completion.message_examples import row_at
from designer.panels.fields.plain import MISSING, Field
from designer.panels.fields.schema import Schema, resolve, schema_problems
from designer.panels.forms.context import FormContext
from designer.panels.forms.field_choice import make_leaf
from designer.panels.forms.rows import (
    LABEL_WIDTH,
    ROOM,
    FormGroup,
    FormRow,
    form_grid,
    is_set,
)
from designer.qt.layouts import column

__all__ = ["LABEL_WIDTH", "Form", "ObjectField"]

MAX_DEPTH = 3


class Form(QWidget):
    """Fields for the properties of an object schema, or one field for any other schema.

    `edited` carries the name of a field at each change by the user ("" for a schema
    that is no object), `committed` that of a field that the user has finished. With
    `stacked` labels are above the fields, and a few choices are all visible.
    """

    edited = Signal(str)
    committed = Signal(str)

    def __init__(
        self,
        schema: Schema,
        look: Look,
        *,
        stacked: bool = False,
        depth: int = 0,
        root: Schema | None = None,
        context: FormContext | None = None,
    ) -> None:
        super().__init__()
        self._root = root if root is not None else schema
        self._schema = resolve(schema, self._root)
        self._look = look
        self._stacked = stacked
        self._depth = depth
        self._context = context
        self._rows: dict[str, FormRow] = {}
        self._groups: dict[str, FormGroup] = {}
        self._extra: dict[str, Any] = {}
        has_properties = bool(self._schema.get("properties"))
        self._is_object = has_properties or self._schema.get("type") == "object"
        layout = column(self, gap=8)
        holder = QWidget()
        self._grid = form_grid(holder, stacked=stacked)
        layout.addWidget(holder)
        for name, part in self._parts().items():
            self._add(name, resolve(part, self._root))
        for group in self._groups.values():
            layout.addWidget(group)
        self._mark_required()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._rows)

    @property
    def groups(self) -> Mapping[str, FormGroup]:
        """The groups of settings that open and close, by title."""
        return self._groups

    def field(self, name: str) -> Field:
        return self._rows[name].field

    def row(self, name: str) -> FormRow:
        return self._rows[name]

    def value(self) -> Any:
        """Return the JSON value without empty fields. Raise ValueError when a text is
        not a value.
        """
        return self._join({name: row.field.value() for name, row in self._rows.items()})

    def stored(self) -> Any:
        """Return the JSON value; a field whose text is no value has its
        previous value.
        """
        return self._join(
            {name: row.field.stored() for name, row in self._rows.items()}
        )

    def _join(self, values: Mapping[str, Any]) -> Any:
        if not self._is_object:
            return values.get("", MISSING)
        filled = {key: value for key, value in values.items() if value is not MISSING}
        return {**self._extra, **filled}

    def show_value(self, value: Any) -> None:
        """Fill the fields, without a signal. Keys that the schema does not know are
        kept.
        """
        if not self._is_object:
            self._rows[""].field.show_value(value)
            return
        known = value if isinstance(value, Mapping) else {}
        self._extra = {
            key: item for key, item in known.items() if key not in self._rows
        }
        for name, entry in self._rows.items():
            entry.field.show_value(known.get(name, MISSING))
            entry.say_note()
        self._count_groups(known)
        self._mark_required()
        self._show_what_matters()

    def problems(self) -> dict[str, str]:
        """Return a sentence for each field whose text is no value, or else for each
        that breaks the schema.
        """
        problems: dict[str, str] = {}
        for name, entry in self._rows.items():
            try:
                entry.field.value()
            except ValueError as error:
                problems[name] = str(error)
        return problems or self._schema_problems()

    def show_errors(self, errors: Mapping[str, str], calm: Container[str] = ()) -> None:
        """Show a message under each named field, and none under the others.

        A group with a message opens. Fields in `calm` are not marked as wrong.
        """
        for name, entry in self._rows.items():
            entry.say(errors.get(name, ""), calm=name in calm)
            group = self._group_of(name)
            if group is not None and errors.get(name):
                group.open(True)
        self._show_what_matters()

    def mark_places(self, places: Mapping[str, tuple[int, int]]) -> None:
        """Mark line and column of the mistake in the text of each named field, and
        remove other marks.
        """
        for name, entry in self._rows.items():
            if "format" in entry.schema:
                entry.field.mark_place(*places.get(name, (0, 0)))

    def is_empty(self, name: str) -> bool:
        try:
            return self._rows[name].field.value() is MISSING
        except ValueError:
            return False

    def name_at(self, widget: QWidget | None) -> str | None:
        """Return the name of the field that contains a widget."""
        if widget is None:
            return None
        for name, entry in self._rows.items():
            if entry.field.isAncestorOf(widget):
                return name
        return None

    def explain(self, on: bool) -> None:
        """Show or hide the description under each field."""
        for entry in self._rows.values():
            entry.explain(on)
            if isinstance(entry.field, ObjectField):
                entry.field.explain(on)

    def set_read_only(self, on: bool) -> None:
        for entry in self._rows.values():
            entry.field.set_read_only(on)

    def _mark_required(self) -> None:
        """Mark the fields that are required.

        It depends on the other fields, because a schema may require a reason only for
        some verdicts. A field is required if the present value without it breaks the
        schema there.
        """
        if not self._stacked:
            return
        try:
            value = self.value()
        except ValueError:
            return
        if not isinstance(value, Mapping):
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
        if not self._is_object:
            return {"": self._schema}
        parts: Mapping[str, Any] = self._schema.get("properties", {})
        return {name: part for name, part in parts.items() if not part.get("hidden")}

    def _add(self, name: str, schema: Schema) -> None:
        field = self._make_field(name, schema)
        entry = FormRow(
            self._look, field, name, schema, self._context, stacked=self._stacked
        )
        entry.place(self._grid_of(schema), ROOM * len(self._rows))
        field.edited.connect(lambda: self._on_edited(name))
        field.committed.connect(lambda: self.committed.emit(name))
        self._rows[name] = entry

    def _make_field(self, name: str, schema: Schema) -> Field:
        """Return the field that suits a schema."""
        has_fields = schema.get("type") == "object" and schema.get("properties")
        if has_fields and self._depth < MAX_DEPTH:
            inner = Form(
                schema,
                self._look,
                stacked=self._stacked,
                depth=self._depth + 1,
                root=self._root,
                context=self._context,
            )
            return ObjectField(inner)
        return make_leaf(
            name,
            schema,
            self._look,
            stacked=self._stacked,
            root=self._root,
            context=self._context_of(schema),
        )

    def _context_of(self, schema: Schema) -> FormContext | None:
        """Return the context of a field. If it names columns, the context has a row of
        the table that another field names.
        """
        context = self._context
        if context is None or not ("column_of" in schema or "text_column_of" in schema):
            return context

        def row_of(key: str) -> Any:
            path = self._present_value(str(schema.get(key, "")))
            return row_at(context.example(), path)

        return replace(
            context,
            row=lambda: row_of("column_of"),
            other_row=lambda: row_of("text_column_of"),
        )

    def _grid_of(self, schema: Schema) -> QGridLayout:
        title = str(schema.get("group", ""))
        if not title or self._stacked:
            return self._grid
        if title not in self._groups:
            self._groups[title] = FormGroup(self._look, title)
        return self._groups[title].grid

    def _group_of(self, name: str) -> FormGroup | None:
        return self._groups.get(str(self._rows[name].schema.get("group", "")))

    def _count_groups(self, known: Mapping[str, Any]) -> None:
        counts = dict.fromkeys(self._groups, 0)
        for name, entry in self._rows.items():
            title = entry.schema.get("group")
            if title in counts and is_set(known.get(name, MISSING), entry.schema):
                counts[title] += 1
        for title, group in self._groups.items():
            group.count(counts[title])

    def _show_what_matters(self) -> None:
        """Hide fields that the values of other fields make irrelevant, but never a
        field that is set, wrong, or focused.
        """
        for entry in self._rows.values():
            conditions = entry.schema.get("when", {})
            if not conditions:
                continue
            matters = all(
                self._present_value(name) in values
                for name, values in conditions.items()
            )
            entry.apply(matters or bool(entry.message) or self._is_in_use(entry))

    def _present_value(self, name: str) -> Any:
        if name not in self._rows:
            return MISSING
        entry = self._rows[name]
        try:
            value = entry.field.value()
        except ValueError:
            return MISSING
        return entry.schema.get("default") if value is MISSING else value

    def _is_in_use(self, entry: FormRow) -> bool:
        focus = QApplication.focusWidget()
        try:
            used = is_set(entry.field.value(), entry.schema)
        except ValueError:
            return True
        return used or (focus is not None and entry.field.isAncestorOf(focus))

    def _on_edited(self, name: str) -> None:
        self._rows[name].say_note()
        self._mark_required()
        self._show_what_matters()
        self.edited.emit(name)


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
        names = self.form.names
        return self.form.field(names[0]).editor() if names else self

    def value(self) -> Any:
        return self.form.value() or MISSING

    def stored(self) -> Any:
        return self.form.stored() or MISSING

    def show_value(self, value: Any) -> None:
        self.form.show_value({} if value is MISSING or value is None else value)

    def set_read_only(self, on: bool) -> None:
        self.form.set_read_only(on)

    def explain(self, on: bool) -> None:
        self.form.explain(on)

    def set_invalid(self, on: bool) -> None:
        self.form.show_errors(self.form.problems() if on else {})
