"""Why a CEL expression does not fit its data, in words: the types of the values that
it names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

_PATH = re.compile(
    r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*(?!\s*\()|\[\d+\]|\[\"[^\"]*\"\]|\['[^']*'\])*"
)
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]|\[[\"']([^\"']*)[\"']\]")
_MISSING = object()
_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "true or false"),
    (int, "a whole number"),
    (float, "a number"),
    (str, "a text"),
    (bytes, "bytes"),
    (datetime, "a moment"),
    (timedelta, "a length of time"),
    (list, "a list"),
    (dict, "a map"),
)
_MOST = 3  # values that are named


def types_in_words(text: str, values: Mapping[str, Any]) -> str:
    """Return such as `row.price is a text; write double(row.price) for its
    number`, for values that the expression uses.
    """
    kinds = {}
    for path in _PATH.findall(text):
        value = _at(path, values)
        if value is not _MISSING:
            kinds[path] = _kind(value)
    if not kinds:
        return "the types do not fit"
    named = " and ".join(
        f"{path} is {kind}" for path, kind in list(kinds.items())[:_MOST]
    )
    return f"the types do not fit: {named}{_advice(kinds)}"


def _advice(kinds: Mapping[str, str]) -> str:
    written = next((path for path, kind in kinds.items() if kind == "a text"), None)
    if written is not None:
        return f"; write double({written}) for a number that is written in it"
    integer_path = next(
        (path for path, kind in kinds.items() if kind == "a whole number"), None
    )
    if integer_path is not None:
        return f"; write double({integer_path}) where it meets a number with a fraction"
    return "; test for null first" if "null" in kinds.values() else ""


def _at(path: str, values: Mapping[str, Any]) -> Any:
    root = re.split(r"[.\[]", path, maxsplit=1)[0]
    value = values.get(root, _MISSING)
    for name, index, key in _STEP.findall(path[len(root) :]):
        if isinstance(value, dict):
            value = value.get(name or key, _MISSING)
        elif isinstance(value, list) and index and int(index) < len(value):
            value = value[int(index)]
        else:
            return value  # the step itself is what does not fit
    return value


def _kind(value: Any) -> str:
    return next((words for kind, words in _KINDS if isinstance(value, kind)), "null")
