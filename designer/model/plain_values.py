"""Values as the debug host shows them, turned back into plain data for expressions.

The window has no value of a run, only its description. Numbers, texts, lists and
fields can be read back from it, as far as they were sent.
"""

from __future__ import annotations

import ast
from typing import Any

from runtime.debug.protocol import Value

_LISTS = {"list", "tuple", "set", "frozenset", "deque"}
_LITERALS = {"str", "int", "float", "bool", "None"}


class NotSentError(ValueError):
    """A part of a value is not in the window."""


def plain_of(value: Value) -> Any:
    """Return a value as data for a condition: numbers, texts, lists, and dicts for
    everything with fields. Raise `NotSentError` if a part of it was not sent.
    """
    if value.type in _LITERALS:
        return _literal(value)
    if value.type in _LISTS:
        return [plain_of(child) for _, child in _children(value)]
    if value.count or value.text == "empty":
        return {name: plain_of(child) for name, child in _children(value)}
    return value.text


def known_of(value: Value, unknown: Any) -> Any:
    """Return the same as an example, with `unknown` in place of what was not sent."""
    if value.count and value.children is None:
        return unknown
    if value.type in _LISTS:
        return [known_of(child, unknown) for _, child in value.children or ()]
    if value.type not in _LITERALS and value.count:
        return {name: known_of(child, unknown) for name, child in value.children or ()}
    try:
        return plain_of(value)
    except NotSentError:
        return unknown


def _children(value: Value) -> tuple[tuple[str, Value], ...]:
    children = value.children or ()
    if len(children) < value.count:
        raise NotSentError(f"{value.count - len(children):,} parts are not loaded.")
    return children


def _literal(value: Value) -> Any:
    try:
        return ast.literal_eval(value.text)
    except (ValueError, SyntaxError):
        # A long text or number is cut for the window.
        raise NotSentError(f"A long {value.type} is not loaded as a whole.") from None
