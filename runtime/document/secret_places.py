"""Where the secrets of a node's parameters are, and what the environment has for those that name a variable of it.

A secret is known by its name (`*_key`, `*_token`, `password`, …), by its schema (`writeOnly`, `format: password`), or
as the credentials in an address.
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
# Their keys name something else than the value beside them: a type, a place in the message.
_NO_VALUES = frozenset({JSON_SCHEMA_FORMAT, PATHS_FORMAT})
REFERENCE = re.compile(r"\{env\.([A-Za-z_][A-Za-z0-9_]*)\}")
NO_SCHEMA: Schema = {}

# What is done with a secret: the value, its place, the names that lead to it, and its schema.
Change = Callable[[Any, Path, tuple[str, ...], Schema], Any]


class ResolvedSchema(dict[str, Any]):
    """A part of a JSON Schema that remembers the whole, for what it refers to; `Optional` is looked through."""

    def __init__(self, part: Schema, whole: Schema | None = None) -> None:
        self.whole: Schema = part if whole is None else whole
        for _ in range(8):  # a schema may refer to itself
            if "$ref" in part:
                part = self.whole.get("$defs", {}).get(
                    str(part["$ref"]).rpartition("/")[2], NO_SCHEMA
                )
            elif "anyOf" in part:
                part = next(
                    (one for one in part["anyOf"] if one.get("type") != "null"),
                    NO_SCHEMA,
                )
            else:
                break
        super().__init__(part)

    def of(self, key: str | int) -> ResolvedSchema:
        if isinstance(key, int):
            inner = self.get("items")
        else:
            inner = self.get("properties", {}).get(key)
        inner = self.get("additionalProperties") if inner is None else inner
        made = ResolvedSchema(
            inner if isinstance(inner, dict) else NO_SCHEMA, self.whole
        )
        if self.get("format") == NAMED_VALUES_FORMAT:
            made["format"] = NAMED_VALUES_FORMAT
        return made


def walk(
    value: Any,
    place: Path,
    names: tuple[str, ...],
    schema: ResolvedSchema,
    change: Change,
    *,
    secret: bool = False,
) -> Any:
    """The value with every secret of it changed. `secret` is true below a name of one."""
    if schema.get("format") in _NO_VALUES:
        return value
    secret = (
        secret or schema.get("writeOnly") is True or schema.get("format") == "password"
    )
    match value:
        case dict():
            return {
                key: walk(
                    one,
                    (*place, key),
                    (*names, str(key)),
                    schema.of(key),
                    change,
                    secret=secret or _is_named(key, schema),
                )
                for key, one in value.items()
            }
        case list() | tuple():
            return [
                walk(
                    one,
                    (*place, at),
                    (*names, str(at + 1)),
                    schema.of(at),
                    change,
                    secret=secret,
                )
                for at, one in enumerate(value)
            ]
        case str() if secret or is_address(value, schema):
            return change(value, place, names, schema)
        case int() | float() if secret and not isinstance(value, bool):
            return change(value, place, names, schema)
        case _:
            return value


def is_address(text: str, schema: Schema) -> bool:
    """Whether what a text has in the places of an address counts: also where nothing says what it is."""
    return schema.get("format") in _ADDRESSES or (
        "format" not in schema and "://" in text
    )


def _is_named(key: Any, schema: Schema) -> bool:
    return _names_secret(str(key), schema.get("format") == NAMED_VALUES_FORMAT)


@lru_cache(4096)  # the check asks for the same few names thousands of times
def _names_secret(name: str, is_header: bool) -> bool:
    return is_secret(name) or (is_header and names_secret(name))


def texts(value: Any) -> Iterator[str]:
    """Every text in a value, at any depth."""
    match value:
        case str():
            yield value
        case dict():
            for one in value.values():
                yield from texts(one)
        case list() | tuple():
            for one in value:
                yield from texts(one)


def given(params: Mapping[str, Any], schema: Callable[[], Schema]) -> dict[str, Any]:
    """Parameters with what the environment has for their secrets, where they are no templates, which fill it in
    themselves. `schema` is asked for only if there may be one. Raises `LookupError` for a variable that is not set.
    """
    # what is in it is in nodes of its own
    own = {key: one for key, one in params.items() if key != INLINE}
    if not any(REFERENCE.search(text) for text in texts(own)):
        return dict(params)
    secrets = Secrets(os.environ)

    def fill(value: Any, _place: Path, _names: tuple[str, ...], schema: Schema) -> Any:
        if not isinstance(value, str) or schema.get("format") in TEMPLATES:
            return value
        found = REFERENCE.fullmatch(value)
        if found is None:
            if is_address(value, schema):
                return REFERENCE.sub(lambda one: secrets.value(one[1]), value)
            return value
        text = secrets.value(found[1])
        if schema.get("type") in ("integer", "number"):
            return _number(text, found[1])
        return text

    return {**params, **walk(own, (), (), ResolvedSchema(schema()), fill)}


def filled(value: Any) -> Any:
    """A value with what the environment has for its secrets, as they are in a workflow's input. Raises as `given`."""
    return given({"": value}, dict)[""]


def _number(text: str, name: str) -> int | float:
    try:
        return float(text) if {".", "e", "E"} & set(text) else int(text)
    except ValueError:
        raise LookupError(
            f"the environment variable {name} must be a number; correct it"
        ) from None
