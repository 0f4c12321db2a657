"""CEL's standard functions where the library differs from the specification or has
none.

The library asks a Python function only for arguments that its own function of that name
refuses. So `FUNCTIONS` adds missing functions under the standard names, and a call
whose built-in answer is wrong is renamed before it is compiled.

Source of the rules: CEL's language definition, "List of Standard Definitions". `python
-m tests.cel_conformance` compares with CEL's published tests.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from runtime.expressions.cel_tokens import TOKEN

if TYPE_CHECKING:
    from cel import Program

# The library's `string` writes times in another form, its `getMilliseconds` gives all
# of a duration, and its `duration` cuts what is too long for it.
_ALWAYS = {
    "string": "string_of",
    "getMilliseconds": "milliseconds_of",
    "duration": "duration_of",
}
# Its `size` counts the bytes of a text. The right one copies its argument into Python,
# so it is called only where the two can differ: with data that is not all ASCII.
_BEYOND_ASCII = {"size": "size_of"}
_REASON = re.compile(
    r"Function '\w+' error: Python function call failed: \w+: (.*)\. Check function arguments",
    re.DOTALL,
)
# May also find text in a literal, which does no harm.
_CALL = re.compile(r"\w\s*\(")
_NOT_FOR_THIS = re.compile(r"Undefined variable or function: '(\w+)'")
_TRUE = {"1", "t", "true", "TRUE", "True"}
_FALSE = {"0", "f", "false", "FALSE", "False"}
_ZONE_OFFSET = re.compile(r"([+-]?)(\d\d):(\d\d)")
_EPOCH = datetime.fromtimestamp(0, UTC)
# the library counts nanoseconds in 64 bit
_LONGEST = timedelta(microseconds=2**63 // 1000)

# The library logs each error of a Python function, and raises it as well.
logging.getLogger("cel").setLevel(logging.CRITICAL)


class StandardProgram:
    """A compiled expression that answers as the specification says.

    Raise `ValueError` for text that does not compile.
    """

    def __init__(self, text: str) -> None:
        from runtime.expressions.cel_library import cel

        self._text = text
        self._ascii = _compiled(text, _ALWAYS)
        self._beyond_ascii: Program | None = None
        self._new_context = cel.Context
        # To hand them over takes longer than to evaluate a comparison.
        self._functions = FUNCTIONS if _CALL.search(text) else {}

    def execute(self, variables: Mapping[str, Any], *, ascii_only: bool) -> Any:
        """Return the result. `ascii_only` says that all texts in the variables
        are ASCII.
        """
        context = self._new_context(dict(variables), self._functions)
        return self._program(ascii_only).execute(context)

    def _program(self, ascii_only: bool) -> Program:
        if ascii_only and self._text.isascii():
            return self._ascii
        if self._beyond_ascii is None:
            self._beyond_ascii = _compiled(self._text, _ALWAYS | _BEYOND_ASCII)
        return self._beyond_ascii


def reason_of(error: Exception) -> str:
    """Return the reason in the words of the function that refused its argument,
    without the library's frame.
    """
    framed = _REASON.match(str(error))
    if framed:
        return framed[1]
    # names that do not exist are refused before
    unfit = _NOT_FOR_THIS.match(str(error))
    if unfit:
        return f"{unfit[1]}() takes no value of this type"
    return str(error).rstrip(".")


def _compiled(text: str, names: Mapping[str, str]) -> Program:
    from runtime.expressions.cel_library import cel

    return cel.compile(_with_calls_renamed(text, names))


def _with_calls_renamed(text: str, names: Mapping[str, str]) -> str:
    tokens = [token for token in TOKEN.finditer(text) if token.lastgroup != "skip"]
    pieces = []
    end = 0
    for token, following in pairwise(tokens):
        if (
            token.lastgroup == "name"
            and following.group() == "("
            and token.group() in names
        ):
            pieces += [text[end : token.start()], names[token.group()]]
            end = token.end()
    return "".join([*pieces, text[end:]])


def _size(value: Any) -> int:
    if isinstance(value, str | bytes | list | dict):
        return len(value)
    raise _no_overload("size", value)


def _string(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return _decoded(value)
    if isinstance(value, datetime):
        return _timestamp_text(value)
    if isinstance(value, timedelta):
        return _duration_text(value)
    if isinstance(value, int | float):
        return str(_built_in("string", value))
    raise _no_overload("string", value)


def _decoded(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"these bytes are no UTF-8 text ({error.reason})") from error


def _built_in(function: str, value: Any) -> Any:
    from runtime.expressions.cel_library import cel

    return cel.evaluate(f"{function}(value)", {"value": value})


def _timestamp_text(value: datetime) -> str:
    moment = value.astimezone(UTC)
    fraction = f".{moment.microsecond:06}".rstrip("0") if moment.microsecond else ""
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}{fraction}Z"


def _duration_text(value: timedelta) -> str:
    microseconds = value // timedelta(microseconds=1)
    seconds, remainder = divmod(abs(microseconds), 1_000_000)
    fraction = f".{remainder:06}".rstrip("0") if remainder else ""
    return f"{'-' if microseconds < 0 else ''}{seconds}{fraction}s"


def _int(value: Any) -> int:
    if isinstance(value, datetime):
        return (value - _EPOCH) // timedelta(seconds=1)
    raise _no_overload("int", value)


def _bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        raise _no_overload("bool", value)
    if value not in _TRUE | _FALSE:
        raise ValueError(f"bool cannot read '{value}'; it reads true and false")
    return value in _TRUE


def _timestamp(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return _EPOCH + timedelta(seconds=value)
    raise _no_overload("timestamp", value)


def _duration(value: Any) -> timedelta:
    if isinstance(value, timedelta):
        return value
    if not isinstance(value, str):
        raise _no_overload("duration", value)
    length: timedelta = _built_in("duration", value)
    if not -_LONGEST < length < _LONGEST:
        raise ValueError(f"a duration of {value} is too long; 292 years are the most")
    return length


def _milliseconds(value: Any, zone: str = "UTC") -> int:
    if isinstance(value, timedelta):
        return value % timedelta(seconds=1) // timedelta(milliseconds=1)
    return _in_zone("getMilliseconds", value, zone).microsecond // 1000


def _getter(name: str, part: Callable[[datetime], int]) -> Callable[..., int]:
    def get(value: Any, zone: str = "UTC") -> int:
        return part(_in_zone(name, value, zone))

    return get


def _in_zone(name: str, value: Any, zone: str) -> datetime:
    if not isinstance(value, datetime):
        raise _no_overload(name, value)
    return value.astimezone(_zone(zone))


def _zone(name: str) -> tzinfo:
    offset = _ZONE_OFFSET.fullmatch(name)
    if offset is not None:
        distance = timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        return timezone(-distance if offset[1] == "-" else distance)
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"there is no time zone '{name}'") from error


def _no_overload(function: str, value: Any) -> TypeError:
    return TypeError(
        f"{function} takes no value of type {_CEL_TYPES.get(type(value), type(value).__name__)}"
    )


_CEL_TYPES: dict[type, str] = {
    type(None): "null",
    float: "double",
    str: "string",
    dict: "map",
    datetime: "timestamp",
    timedelta: "duration",
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "size_of": _size,
    "string_of": _string,
    "milliseconds_of": _milliseconds,
    "int": _int,
    "bool": _bool,
    "timestamp": _timestamp,
    "duration_of": _duration,
    "getFullYear": _getter("getFullYear", lambda moment: moment.year),
    "getMonth": _getter("getMonth", lambda moment: moment.month - 1),
    "getDayOfYear": _getter(
        "getDayOfYear", lambda moment: moment.timetuple().tm_yday - 1
    ),
    "getDayOfMonth": _getter("getDayOfMonth", lambda moment: moment.day - 1),
    "getDate": _getter("getDate", lambda moment: moment.day),
    "getDayOfWeek": _getter("getDayOfWeek", lambda moment: moment.isoweekday() % 7),
    "getHours": _getter("getHours", lambda moment: moment.hour),
    "getMinutes": _getter("getMinutes", lambda moment: moment.minute),
    "getSeconds": _getter("getSeconds", lambda moment: moment.second),
}
