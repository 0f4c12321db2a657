"""The choice of a field for a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping

from designer.look.theme import Look
from designer.model.completion.columns import complete_aggregate, complete_column
from designer.model.completion.sources import REFERENCE
from designer.panels.code.completer import Offers, offer_words
from designer.panels.code.field import CodeField, JsonEdit
from designer.panels.fields.plain import (
    MISSING,
    Field,
    LongTextField,
    NumberField,
    TextField,
)
from designer.panels.fields.schema import (
    Schema,
    choices_of,
    is_multiline,
    resolve,
    title_of,
)
from designer.panels.forms.choice_fields import (
    ChoiceField,
    FlagField,
    ListField,
    RadioField,
)
from designer.panels.forms.context import FormContext
from designer.panels.forms.separator_field import SeparatorField
from designer.panels.forms.special_fields import (
    CelInput,
    PathField,
    ReferenceField,
    UnitField,
)
from designer.panels.forms.table_field import HEADERS, TableField

FEW = 6  # up to this number all choices are visible in a stacked form


def make_leaf(
    name: str,
    schema: Schema,
    look: Look,
    *,
    stacked: bool,
    root: Schema,
    context: FormContext | None,
) -> Field:
    """Return the field for one value, or a JSON field when no other fits."""
    choices = choices_of(schema)
    if choices is not None:
        if stacked and len(choices) <= FEW:
            return RadioField(choices)
        return ChoiceField(look, choices)
    match schema.get("type"):
        case "string":
            return _text(schema, look, context, stacked=stacked)
        case "integer" | "number" as kind:
            unit = schema.get("unit")
            is_integer = kind == "integer"
            if isinstance(unit, str):
                return UnitField(is_integer, unit)
            return NumberField(is_integer)
        case "boolean" if stacked:
            # Not a check box, because an unticked box would already be an answer.
            return RadioField([True, False], {"True": "Yes", "False": "No"})
        case "boolean":
            flag = FlagField(look, title_of(name, schema))
            flag.show_value(MISSING)
            return flag
        case "array" if resolve(schema.get("items", {}), root).get("type") == "string":
            return ListField(look, _columns(schema, context))
        case "object" if _holds_texts(schema, root):
            return _table(name, schema, look, context)
        case "object" if _holds_lists(schema, root):
            return _table(name, schema, look, context, lists=True)
    return JsonEdit(look, {**root, **schema} if "$defs" in root else schema)


def _text(
    schema: Schema, look: Look, context: FormContext | None, *, stacked: bool
) -> Field:
    match schema.get("format"):
        case "python":
            return CodeField(look, "python")
        case "sql":
            return CodeField(look, "sql")
        case "cel" | "cel-or-empty" | "cel-fold" | "cel-row" as kind:
            return CelInput(look, context, kind)
        case "separator":
            return SeparatorField()
    if schema.get("format") == REFERENCE and context is not None:
        return ReferenceField(look, context)
    if schema.get("file") in ("read", "write") and context is not None:
        return PathField(look, context, str(schema["file"]))
    is_long = stacked or is_multiline(schema)
    return LongTextField(data=is_multiline(schema), least=2) if is_long else TextField()


def _holds_texts(schema: Schema, root: Schema) -> bool:
    inside = schema.get("additionalProperties")
    return isinstance(inside, Mapping) and resolve(inside, root).get("type") == "string"


def _holds_lists(schema: Schema, root: Schema) -> bool:
    inside = schema.get("additionalProperties")
    if not isinstance(inside, Mapping):
        return False
    values = resolve(inside, root)
    return (
        values.get("type") == "array"
        and resolve(values.get("items", {}), root).get("type") == "string"
    )


def _table(
    name: str,
    schema: Schema,
    look: Look,
    context: FormContext | None,
    *,
    lists: bool = False,
) -> TableField:
    head, hint = schema.get("columns", ("Name", "Text, text" if lists else "Text"))
    match schema.get("format"):
        case "message-paths":
            hint = "message.…"
        case "named-values":
            hint = "Text or {env.NAME}"
    names = offer_words(HEADERS) if name == "headers" else _columns(schema, context)
    return TableField(
        look, hint, names, head=head, lists=lists, texts=_texts(schema, context)
    )


def _columns(schema: Schema, context: FormContext | None) -> Offers | None:
    if context is None or "column_of" not in schema:
        return None
    return lambda text, cursor: complete_column(text, cursor, context.row())


def _texts(schema: Schema, context: FormContext | None) -> Offers | None:
    """Return the completion of the texts of a table."""
    inside = schema.get("additionalProperties")
    if isinstance(inside, Mapping) and isinstance(inside.get("enum"), list):
        return offer_words([str(choice) for choice in inside["enum"]])
    if context is None or "text_column_of" not in schema:
        return None
    if schema.get("format") == "aggregates":
        complete = complete_aggregate
    else:
        complete = complete_column
    return lambda text, cursor: complete(text, cursor, context.other_row())
