"""Find the secrets in a node's parameters, and fill in those that the environment has.

A value is a secret by its name (`*_key`, `*_token`, `password`, …), by its schema
(`writeOnly`, `format: password`), or because it is the credentials in an address.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from runtime.document.secret_names import is_secret
from runtime.document.sub_workflows import INLINE
from runtime.expressions.environment import (
    ENVIRONMENT_FORMAT,
    ENVIRONMENT_LINE_FORMAT,
    Secrets,
)
from runtime.expressions.text_formats import (
    BASE_URL_FORMAT,
    DATABASE_FORMAT,
    JSON_SCHEMA_FORMAT,
    NAMED_VALUES_FORMAT,
    PATHS_FORMAT,
    URL_FORMAT,
    names_secret,
)

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]

_ADDRESSES = frozenset({URL_FORMAT, BASE_URL_FORMAT, DATABASE_FORMAT})
TEMPLATES = _ADDRESSES | {
    ENVIRONMENT_FORMAT,
    ENVIRONMENT_LINE_FORMAT,
    NAMED_VALUES_FORMAT,
}
# In these a key does not name its value: it names a type, or a place in the message.
_NO_VALUES = frozenset({JSON_SCHEMA_FORMAT, PATHS_FORMAT})
REFERENCE = re.compile(r"\{env\.([A-Za-z_][A-Za-z0-9_]*)\}")
NO_SCHEMA: Schema = {}

# Returns what replaces a secret. It gets the value, its place, the names that lead to
# it, and its schema.
Change = Callable[[Any, Path, tuple[str, ...], Schema], Any]


class ResolvedSchema(dict[str, Any]):
    """A part of a JSON Schema with its references resolved. `whole` is the schema that
    has the definitions. Of an `Optional` it is the part that is not null.
    """

    def __init__(self, part: Schema, whole: Schema | None = None) -> None:
        self.whole: Schema = part if whole is None else whole
        for _ in range(8):  # a schema may refer to itself
            if "$ref" in part:
                part = self.whole.get("$defs", {}).get(
                    str(part["$ref"]).rpartition("/")[2], NO_SCHEMA
                )
            elif "anyOf" in part:
                choices = [
                    choice for choice in part["anyOf"] if choice.get("type") != "null"
                ]
                part = choices[0] if choices else NO_SCHEMA
            else:
                break
        super().__init__(part)

    def of(self, key: str | int) -> ResolvedSchema:
        """Return the schema of a property or an item."""
        if isinstance(key, int):
            part = self.get("items")
        else:
            part = self.get("properties", {}).get(key)
        if part is None:
            part = self.get("additionalProperties")
        inner = ResolvedSchema(
            part if isinstance(part, dict) else NO_SCHEMA, self.whole
        )
        if self.get("format") == NAMED_VALUES_FORMAT:
            inner["format"] = NAMED_VALUES_FORMAT
        return inner


def walk(
    value: Any,
    place: Path,
    names: tuple[str, ...],
    schema: ResolvedSchema,
    change: Change,
    *,
    secret: bool = False,
) -> Any:
    """Return the value with `change` applied to every secret in it. `secret` is true
    below a name of a secret.
    """
    if schema.get("format") in _NO_VALUES:
        return value
    secret = (
        secret or schema.get("writeOnly") is True or schema.get("format") == "password"
    )
    match value:
        case dict():
            return {
                key: walk(
                    item,
                    (*place, key),
                    (*names, str(key)),
                    schema.of(key),
                    change,
                    secret=secret or _is_named(key, schema),
                )
                for key, item in value.items()
            }
        case list() | tuple():
            return [
                walk(
                    item,
                    (*place, number),
                    (*names, str(number + 1)),
                    schema.of(number),
                    change,
                    secret=secret,
                )
                for number, item in enumerate(value)
            ]
        case str() if secret or is_address(value, schema):
            return change(value, place, names, schema)
        case int() | float() if secret and not isinstance(value, bool):
            return change(value, place, names, schema)
        case _:
            return value


def is_address(text: str, schema: Schema) -> bool:
    """Return whether a text may be an address with credentials, also where the schema
    does not say what it is.
    """
    if "format" in schema:
        return schema["format"] in _ADDRESSES
    return "://" in text


def _is_named(key: Any, schema: Schema) -> bool:
    return _names_secret(str(key), schema.get("format") == NAMED_VALUES_FORMAT)


@lru_cache(4096)  # because a check asks for the same few names thousands of times
def _names_secret(name: str, is_header: bool) -> bool:
    return is_secret(name) or (is_header and names_secret(name))


def texts(value: Any) -> Iterator[str]:
    """Yield every text in a value, at any depth."""
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from texts(item)
        case list() | tuple():
            for item in value:
                yield from texts(item)


def given(params: Mapping[str, Any], schema: Callable[[], Schema]) -> dict[str, Any]:
    """Return parameters with the secrets that the environment has.

    Templates stay as they are, because they are filled in when the node runs. `schema`
    is only called if there is a reference. Raise `LookupError` for a variable that is
    not set.
    """
    # A workflow inside has nodes with parameters of their own.
    own_params = {name: value for name, value in params.items() if name != INLINE}
    if not any(REFERENCE.search(text) for text in texts(own_params)):
        return dict(params)
    secrets = Secrets(os.environ)

    def fill(value: Any, _place: Path, _names: tuple[str, ...], schema: Schema) -> Any:
        if not isinstance(value, str) or schema.get("format") in TEMPLATES:
            return value
        reference = REFERENCE.fullmatch(value)
        if reference is not None:
            text = secrets.value(reference[1])
            if schema.get("type") in ("integer", "number"):
                return _number(text, reference[1])
            return text
        if is_address(value, schema):
            return REFERENCE.sub(lambda part: secrets.value(part[1]), value)
        return value

    return {**params, **walk(own_params, (), (), ResolvedSchema(schema()), fill)}


def filled(value: Any) -> Any:
    """Return an input of a workflow with the secrets that the environment has. Raise as
    `given`.
    """
    return given({"": value}, dict)[""]


def _number(text: str, name: str) -> int | float:
    try:
        return float(text) if {".", "e", "E"} & set(text) else int(text)
    except ValueError:
        raise LookupError(
            f"the environment variable {name} must be a number; correct it"
        ) from None
