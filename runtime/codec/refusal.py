"""The path of a refusal: it collects the steps on its way up, so that an accepted value
costs no path.
"""

from __future__ import annotations

from typing import Any

_MAX_KEY = 60
_MAX_BITS = 192


class Refusal(Exception):  # noqa: N818 - never leaves the package
    """A value or a tree cannot be processed; `steps` lead to it, the innermost first."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
        self.steps: list[str] = []

    def path(self, start: str) -> str:
        return start + "".join(reversed(self.steps))


def attribute_step(name: str) -> str:
    return f".{name}"


def key_step(key: Any) -> str:
    """Return `['name']`, or the type of the key if its text may run code or be long."""
    # Because its text would be long, or refused by Python.
    if type(key) is int and key.bit_length() > _MAX_BITS:
        return f"[number of {key.bit_length()} bits]"
    if type(key) in (str, int, float, bool, bytes, type(None)):
        text = repr(key)
        return f"[{text}]" if len(text) <= _MAX_KEY else f"[{text[:_MAX_KEY]}…]"
    return f"[key of type {type(key).__name__}]"
