"""How a program tells what it saw: plain values and lines, the same whichever framework
ran it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Iterable, Mapping
from enum import Enum
from typing import Any

from pydantic import BaseModel

# How much of an error's text is compared: the beginning, which a user may search for.
TEXT = 40


def plain(value: Any) -> Any:
    """The value as JSON can hold it: data classes and models as text, unknown objects
    by the name of their class.
    """
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=repr)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, type):
        return value.__name__
    return _record(value)


def _record(value: Any) -> str:
    # Fields of the framework's own classes may differ; those of a program's classes are
    # the program's facts.
    own = type(value).__module__.startswith("compatibility_")
    if own and dataclasses.is_dataclass(value):
        fields = ", ".join(
            f"{one.name}={plain(getattr(value, one.name))!r}"
            for one in dataclasses.fields(value)
        )
        return f"{type(value).__name__}({fields})"
    return repr(value) if own and isinstance(value, BaseModel) else type(value).__name__


def told(events: Iterable[Any], *types: str) -> list[str]:
    """One line for each event, of the given types or of all: its type, whose it is, and
    its data.
    """
    return [_line(event) for event in events if not types or event.type in types]


def _line(event: Any) -> str:
    parts = [event.type]
    if event.type == "request_info":
        asked = plain(event.request_type)
        answer = plain(event.response_type)
        parts += [event.source_executor_id, f"{asked}->{answer}"]
    parts += [
        str(plain(one))
        for one in (event.executor_id, event.iteration, event.state)
        if one is not None
    ]
    if event.details is not None:
        parts.append(event.details.error_type)
    elif event.data is not None:
        parts.append(repr(plain(event.data)))
    return " ".join(parts)


async def caught(
    kind: type[BaseException], call: Callable[[], Awaitable[Any]], length: int = TEXT
) -> str:
    """The beginning of the text of the error that a user would catch as `kind`, raised
    at the call or where it is awaited; "nothing" if it was not raised.
    """
    try:
        await call()
    except kind as error:
        return str(error)[:length]
    return "nothing"


def refused(
    kind: type[BaseException], call: Callable[[], Any], length: int = TEXT
) -> str:
    """As `caught`, for a call that does not wait."""
    try:
        call()
    except kind as error:
        return str(error)[:length]
    return "nothing"
