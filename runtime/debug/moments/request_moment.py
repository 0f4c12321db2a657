"""A question of a run for display: its title and its text."""

from __future__ import annotations

from typing import Any

from runtime.debug.protocol import RequestMoment
from runtime.debug.values.display import field, plain, to_value
from runtime.debug.values.shapes import clean, shape_of
from runtime.message import Request

TITLE_LIMIT = 500
TEXT_LIMIT = 20_000
_TEXT_FIELDS = ("text", "question", "prompt", "title")


def request_moment(request: Request, depth: int) -> RequestMoment:
    schema = plain(request.schema)
    return RequestMoment(
        id=request.id,
        executor=request.executor_id,
        title=title_of(request.data),
        text=text_of(request.data)[:TEXT_LIMIT],
        data=to_value(request.data, depth),
        schema_=schema if isinstance(schema, dict) else {},
        superstep=request.superstep,
    )


def title_of(data: Any) -> str:
    """Return the title of a question: its text in one line if it has one, else its
    type.
    """
    return " ".join(text_of(data).split())[:TITLE_LIMIT] or shape_of(data).type


def text_of(data: Any) -> str:
    """Return the text of a question as it was written, or empty."""
    text: Any = data
    if not isinstance(data, str):
        text = next(filter(None, (field(data, name) for name in _TEXT_FIELDS)), None)
    return clean(text) if isinstance(text, str) else ""
