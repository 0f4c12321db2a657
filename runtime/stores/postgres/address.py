"""The parts of a PostgreSQL URL: the server, the schema, and the text that may be shown
to people.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from urllib.parse import unquote

import psycopg
from psycopg.conninfo import conninfo_to_dict

from runtime.errors import CheckpointStoreError
from runtime.stores import common

SCHEMA = "stepwell"
_LONGEST = 63  # bytes of a name; PostgreSQL cuts what is longer
_DEFAULTS = {"connect_timeout": "10", "application_name": "stepwell"}
_OPTION = "schema="


class Address(NamedTuple):
    """`options` are libpq's; `url` has no passphrase in it."""

    options: dict[str, Any]
    schema: str
    url: str


def parse(location: str) -> Address:
    """Read what follows `postgresql:`. No error repeats the URL: a passphrase may be
    anywhere in a mistyped one.
    """
    if not location.startswith("//") or "\0" in location:
        raise CheckpointStoreError(
            "Write postgresql://USER@HOST:PORT/DATABASE, and ?schema=NAME if you like."
        )
    place, _, query = location.partition("?")
    if "@" in query or place.count("@") > 1 or "@" in place[2:].partition("/")[2]:
        raise CheckpointStoreError(
            "This postgresql: URL has an @ too many: in a user or a passphrase, @ is written %40."
        )
    options = query.split("&") if query else []
    chosen = [
        unquote(option.removeprefix(_OPTION))
        for option in options
        if option.startswith(_OPTION)
    ]
    others = "&".join(option for option in options if not option.startswith(_OPTION))
    try:
        read = conninfo_to_dict(f"postgresql:{place}?{others}")
    except psycopg.Error:
        raise CheckpointStoreError(
            "This postgresql: URL cannot be read. Write postgresql://USER:PASSPHRASE@HOST:PORT/DATABASE?OPTION=VALUE, "
            "with libpq's options, and other characters than letters and digits as %XX."
        ) from None
    return Address(
        {**_DEFAULTS, **read},
        _checked(chosen[-1] if chosen else SCHEMA),
        common.masked(f"postgresql:{location}"),
    )


def _checked(schema: str) -> str:
    if not schema or "\0" in schema or len(schema.encode(errors="replace")) > _LONGEST:
        raise CheckpointStoreError(
            f"schema={schema!r}: give a name of 1 to {_LONGEST} bytes."
        )
    return schema
