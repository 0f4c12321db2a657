"""Which parameter of a node an error is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

# Errors of the runtime begin with this: an id is no name of a parameter.
_NODE = re.compile(r"Node '[^']*': ")
_QUOTED = re.compile(r"'([^']+)'")


def failed_field(
    error: str, params: Mapping[str, Any], schema: Mapping[str, Any]
) -> str:
    """Return the parameter whose value the error quotes, else the one that it names,
    else the first that is required.

    An empty text stands for none of them.
    """
    error = _NODE.sub("", error)
    known: Mapping[str, Mapping[str, Any]] = schema.get("properties", {})
    required = next(iter(schema.get("required", ())), "")
    chosen = {
        name: value
        for name, value in params.items()
        if "default" not in known.get(name, {}) or value != known[name]["default"]
    }
    return (
        _quoted_field(error, chosen)
        or _named_field(error, {**params, **known})
        or required
    )


def _quoted_field(error: str, params: Mapping[str, Any]) -> str:
    """Return the parameter with the text that an error quotes first.

    The first one is what is wrong: columns that exist and names that are near come
    behind it.
    """
    quotations = [
        (place, name)
        for name, value in params.items()
        for text in _texts(value)
        for place in _places(error, text)
    ]
    return min(quotations)[1] if quotations else ""


def _places(error: str, text: str) -> Iterator[tuple[int, bool]]:
    """Yield where the error quotes a text, and whether only a word of it: `sum(amount)`
    where 'amount' is wrong.
    """
    place = error.find(f"'{text}'")
    if text and place >= 0:
        yield place, False
    for quoted in _QUOTED.finditer(error):
        if re.search(rf"(?<!\w){re.escape(quoted[1])}(?!\w)", text):
            yield quoted.start(), True


def _named_field(error: str, names: Mapping[str, object]) -> str:
    """Return the name that the error has in it, the longest of several."""
    named = [
        name
        for name in names
        if re.search(rf"\b{re.escape(name).replace('_', '[_ ]')}\b", error)
    ]
    return max(named, key=len, default="")


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a JSON value, keys too."""
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
