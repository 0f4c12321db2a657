"""Messages, outputs and values as the window lists them, and other views of a value
than a tree.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from typing import Any

from runtime.codec import Record
from runtime.debug.protocol import Item
from runtime.debug.sections import kind_of
from runtime.debug.supersteps.next_superstep import INTERNAL
from runtime.debug.supersteps.traffic import Place
from runtime.debug.values.display import field, to_value
from runtime.debug.values.shapes import clean
from runtime.message import Message

# Makes an item when it is needed, because that reads the whole value.
Maker = Callable[[], Item]
TEXT_LIMIT = 1_000_000
PICTURE_LIMIT = 4_000_000
MOST = 100  # items of one list
DEPTH = 1
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM")
_DATA_URL = "data:image/"
_BYTES_FIELDS = ("data", "content", "bytes", "image")


def item(data: Any, **where: Any) -> Item:
    """Return a value with its place in its checkpoint."""
    return Item(value=to_value(data, DEPTH), **where)


def text_of(data: Any) -> tuple[str | None, int]:
    """Return a text as it is, and how many characters are cut from its end; None
    for any other value.
    """
    if not isinstance(data, str):
        return None, 0
    plain = str.__str__(data)
    return clean(plain[:TEXT_LIMIT]), max(0, len(plain) - TEXT_LIMIT)


def message_item(place: Place, checkpoint_id: str | None, **more: Any) -> Item:
    """Return a message with the place where it waits. Its name is that of its
    source, unless it came from outside.
    """
    message = place.message
    return item(
        message.data,
        kind=kind_of(message),
        checkpoint_id=checkpoint_id,
        section=place.section,
        **{"name": source_name(message), **more},
    )


def source_name(message: Message) -> str:
    """Return the executor that sent a message; "" for a message from outside."""
    return "" if message.source_id.startswith(INTERNAL) else message.source_id


def cut_to(items: Iterable[Maker], limit: int = MOST) -> tuple[tuple[Item, ...], int]:
    """Make as many items as are sent, and return how many are left out. Of thousands of
    messages only these are read.
    """
    every = tuple(items)
    return tuple(make() for make in every[:limit]), max(0, len(every) - limit)


def picture_of(data: Any) -> str:
    """Return the bytes of a picture in base64: from bytes with the head of a
    picture, or from a `data:` address.
    """
    if (
        isinstance(data, str)
        and data.startswith(_DATA_URL)
        and len(data) < PICTURE_LIMIT * 4 // 3
    ):
        head, comma, body = data.partition(",")
        return body if comma and head.endswith(";base64") else ""
    raw = data
    if isinstance(data, dict | Record):
        raw = next(
            (
                content
                for name in _BYTES_FIELDS
                if isinstance(content := field(data, name), bytes | bytearray)
            ),
            None,
        )
    if (
        not isinstance(raw, bytes | bytearray)
        or len(raw) > PICTURE_LIMIT
        or not _is_picture(raw)
    ):
        return ""
    return base64.b64encode(raw).decode("ascii")


def _is_picture(raw: bytes | bytearray) -> bool:
    return raw.startswith(_PICTURES) or (raw[:4] == b"RIFF" and raw[8:12] == b"WEBP")
