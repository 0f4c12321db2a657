"""JSON Schema for people: references, choices, titles, and broken rules as sentences.
No widgets.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from runtime.expressions.json_schemas import validator_of

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Schema = Mapping[str, Any]

# Keys of a schema that are not JSON Schema, but only for the form:
#   "format"   the field of a text: see `is_multiline`, "python" and "sql" with colours,
#              "python-reference" with a button for its source
#   "file"     "read" or "write": the text is a path, relative to the document's folder
#   "unit"     "s" or "bytes", the unit of a number; others can be typed: 5 min, 10 MB
#   "group"    the title of a group of settings that few people need; it is closed until
#              the user opens it, or one of them is wrong
#   "when"     other properties by name, each with the values for which this one matters;
#              otherwise it is hidden, unless it is set or wrong
#   "hidden"   not in the form, because it is drawn or made elsewhere; it is kept
_MANY_LINES = ("multiline", "template", "cel", "python", "sql")


def is_multiline(schema: Schema) -> bool:
    """Return whether a string has several lines, by its format or because it has a
    media type.
    """
    return schema.get("format") in _MANY_LINES or "contentMediaType" in schema


def choices_of(schema: Schema) -> list[Any] | None:
    if "enum" in schema:
        return list(schema["enum"])
    if "const" in schema:
        return [schema["const"]]
    options = schema.get("oneOf") or schema.get("anyOf") or ()
    if options and all(
        isinstance(option, Mapping) and "const" in option for option in options
    ):
        return [option["const"] for option in options]
    return None


def resolve(schema: Schema, root: Schema) -> Schema:
    """Return the schema behind a `$ref` into `$defs`, an `allOf` of one, or an optional
    `anyOf [X, null]`.
    """
    for _ in range(16):  # because a longer chain of references is a circle
        own_rules = {
            key: value
            for key, value in schema.items()
            if key not in ("$ref", "allOf", "anyOf")
        }
        options = [
            option for option in schema.get("anyOf", ()) if option.get("type") != "null"
        ]
        if "$ref" in schema:
            name = str(schema["$ref"]).rpartition("/")[2]
            schema = {**root.get("$defs", {}).get(name, {}), **own_rules}
        elif len(schema.get("allOf", ())) == 1:
            schema = {**schema["allOf"][0], **own_rules}
        elif len(options) == 1:
            schema = {**options[0], **own_rules}
        else:
            break
    return schema


def title_of(name: str, schema: Schema) -> str:
    """Return the title, in sentence case where pydantic made it from the name ("Max
    Length" -> "Max length").
    """
    title = str(schema.get("title") or name)
    spaced_name = name.replace("_", " ")
    if title in (spaced_name.title(), name):
        return spaced_name[:1].upper() + spaced_name[1:]
    return title


def hint_of(default: Any) -> str:
    first = default.split("\n")[0] if isinstance(default, str) else ""
    return first or json.dumps(default, ensure_ascii=False)


# --- validation ---------------------------------------------------------------------------------------------------


def schema_problems(value: Any, schema: Schema) -> dict[str, str]:
    """Return one sentence for each property of `value` that breaks the schema; "" is
    the value itself.

    The schema may come from anywhere. So nothing that it refers to is fetched, and any
    error in it becomes a sentence.
    """
    problems: dict[str, str] = {}
    try:
        errors = _errors(value, schema)
    except Exception as broken:  # noqa: BLE001 - a reference, a pattern, a rule of the wrong type: each has its own error
        return {"": f"The schema cannot be used: {broken}."}
    properties = schema.get("properties", {})
    for error in errors:
        missing = _missing_names(error)
        if error.path:
            problems.setdefault(str(error.path[0]), sentence(error))
        elif not missing:
            problems.setdefault("", sentence(error))
        else:
            # A missing property gets the message itself, because its field is empty.
            for name in missing:
                title = title_of(name, properties.get(name, {}))
                problems.setdefault(name, f"{title} is needed.")
    return problems


def first_fault(value: Any, schema: Schema) -> tuple[str | int, ...] | None:
    """Return the path to the first part that breaks the schema; None if none does, or
    the schema is unusable.
    """
    try:
        errors = _errors(value, schema)
    except Exception:  # noqa: BLE001 - `schema_problems` shows the error
        return None
    return tuple(errors[0].absolute_path) if errors else None


def _errors(value: Any, schema: Schema) -> list[ValidationError]:
    return sorted(
        validator_of(dict(schema)).iter_errors(value),
        key=lambda error: list(map(str, error.path)),
    )


def _missing_names(error: ValidationError) -> tuple[str, ...]:
    if error.validator != "required" or not isinstance(error.instance, Mapping):
        return ()
    return tuple(
        name
        for name in cast("Any", error.validator_value)
        if name not in error.instance
    )


def sentence(error: ValidationError) -> str:
    """Return a broken rule in words for people."""
    limit = cast("Any", error.validator_value)
    where = _inside(error)
    match error.validator:
        case "required":
            titles = [title_of(name, {}) for name in _missing_names(error)]
            return f"{where}{', '.join(titles)} is needed."
        case "type":
            types = [limit] if isinstance(limit, str) else limit
            words = " or ".join(_TYPE_WORDS.get(kind, kind) for kind in types)
            if not where:
                return f"{words} is needed here.".capitalize()
            return f"{where}{words} is needed here."
        case "enum":
            return f"{where}One of {', '.join(map(choice_word, limit))} is needed."
        case "minimum" | "exclusiveMinimum":
            if error.validator == "minimum":
                return f"{where}At least {limit} is needed."
            return f"{where}More than {limit} is needed."
        case "maximum" | "exclusiveMaximum":
            if error.validator == "maximum":
                return f"{where}At most {limit} is allowed."
            return f"{where}Less than {limit} is allowed."
        case "minLength":
            return f"{where}At least {limit} {'character is' if limit == 1 else 'characters are'} needed."
        case "maxLength":
            return f"{where}At most {limit} characters are allowed; there are {len(cast('Any', error.instance))}."
        case "minItems":
            return f"{where}At least {limit} {'item is' if limit == 1 else 'items are'} needed."
        case "pattern":
            return f"{where}The text must match {limit}."
    return f"{where}{error.message[:1].upper()}{error.message[1:]}."


def choice_word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _inside(error: ValidationError) -> str:
    """Return the place inside the property: "In 2, name: "."""
    inside = ", ".join(str(part) for part in list(error.path)[1:])
    return f"In {inside}: " if inside else ""


_TYPE_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
