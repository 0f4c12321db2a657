"""JSON Schemas from outside: they can neither fetch anything nor take for ever.

Python's regular expressions backtrack: `(a+)+$` on thirty letters takes longer than
anybody waits. So pydantic's judge the rule `pattern`, because they read a text once.
Patterns that they do not support (look-ahead, back references) are not judged in the
check and in forms; in a run, whose document is trusted, Python's judge them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, FormatChecker

_Test = Callable[[str], bool]


def validator_of(
    schema: Any, formats: FormatChecker | None = None, *, trusted: bool = False
) -> Draft202012Validator:
    """Return a validator that fetches nothing. `trusted` is for a schema of a run.
    Using it raises `RecursionError` for a schema that refers to itself without
    end.
    """
    from referencing import Registry

    validator: Draft202012Validator = _class_of(trusted)(
        schema, registry=Registry(), format_checker=formats
    )
    return validator


@lru_cache
def _class_of(trusted: bool) -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    rules = {
        "pattern": _pattern(trusted),
        "patternProperties": _pattern_properties(trusted),
    }
    return extend(Draft202012Validator, rules)  # type: ignore[no-untyped-call]


def _pattern(trusted: bool) -> Callable[..., Iterator[Any]]:
    def rule(_validator: Any, pattern: str, value: Any, _schema: Any) -> Iterator[Any]:
        from jsonschema import ValidationError

        if isinstance(value, str) and not matcher_of(pattern, trusted=trusted)(value):
            yield ValidationError(f"{value!r} does not match {pattern!r}")

    return rule


def _pattern_properties(trusted: bool) -> Callable[..., Iterator[Any]]:
    def rule(
        validator: Any, patterns: Mapping[str, Any], value: Any, _schema: Any
    ) -> Iterator[Any]:
        if not isinstance(value, dict):
            return
        for pattern, inner in patterns.items():
            test = matcher_of(pattern, trusted=trusted)
            for key in filter(test, value):
                yield from validator.descend(
                    value[key], inner, path=key, schema_path=pattern
                )

    return rule


@lru_cache(maxsize=256)
def matcher_of(pattern: str, *, trusted: bool = False) -> _Test:
    """Return a function that says whether a text matches a pattern; a pattern that
    cannot be judged in time matches every text. Raise `re.error`, or
    `RecursionError`, for an invalid pattern.
    """
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        # Its memory is what it is anyway bounded by: `(a{1,1000}){1,1000}` is an error.
        once = SchemaValidator(
            core_schema.str_schema(
                pattern=pattern, strict=True, regex_engine="rust-regex"
            )
        )
    except SchemaError:
        by_python = _python_test(pattern)  # which raises for what is no pattern
        return by_python if trusted else _anything

    def test(text: str) -> bool:
        # A text with half a surrogate pair is none for it.
        return once.isinstance_python(text.encode("utf-8", "replace").decode())

    return test


def _python_test(pattern: str) -> _Test:
    compiled = re.compile(pattern)
    return lambda text: compiled.search(text) is not None


def _anything(_text: str) -> bool:
    return True
