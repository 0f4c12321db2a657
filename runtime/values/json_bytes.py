"""`json_bytes`: any JSON value as bytes, also with integers of any size and with lone
surrogates, as in file names.
"""

from __future__ import annotations

import json
from typing import Any

import orjson


def json_bytes(value: Any, *, indent: bool = False) -> bytes:
    """Return UTF-8, with keys that are no text as text, and lone surrogates as JSON's
    escapes.
    """
    option = orjson.OPT_NON_STR_KEYS | (orjson.OPT_INDENT_2 if indent else 0)
    try:
        return orjson.dumps(value, option=option)
    except TypeError:
        return json.dumps(value, indent=2 if indent else None, default=str).encode()
