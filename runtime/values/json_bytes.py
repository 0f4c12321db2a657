"""Any JSON value as bytes: also with half a surrogate pair, as file names may have, and with integers of any size."""

from __future__ import annotations

import json
from typing import Any

import orjson


def json_bytes(value: Any, *, indent: bool = False) -> bytes:
    """UTF-8; keys as given, or as text. Half a surrogate pair is written as JSON's escape."""
    option = orjson.OPT_NON_STR_KEYS | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        return json.dumps(value, indent=2 if indent else None, default=str).encode()
