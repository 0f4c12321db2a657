"""What may stand in the place of a file, and values that are made to harm who walks
over them.
"""

from __future__ import annotations

import json
import os
import random
import socket
import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Leaves a mark if anything of it is run.
MARK = "import pathlib; pathlib.Path('MARKER').touch()\ndef f(message, *_): pathlib.Path('MARKER').touch()\n"


def _socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # the path of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _sparse(path: Path, size: int = 40 * 2**30) -> None:
    with path.open("wb") as stream:
        stream.truncate(size)


def _pipe_by_link(path: Path) -> None:
    os.mkfifo(path.with_name("the-pipe"))
    path.symlink_to("the-pipe")


def _circle(path: Path) -> None:
    path.symlink_to(path.with_name("the-other"))
    path.with_name("the-other").symlink_to(path)


# By name. Each makes something at a path; none of them is a file that anybody could
# use.
THINGS: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a link to a pipe": _pipe_by_link,
    "a socket": _socket,
    "a link to /dev/zero": lambda path: path.symlink_to("/dev/zero"),
    "a link to /dev/random": lambda path: path.symlink_to("/dev/random"),
    "a link to /dev/full": lambda path: path.symlink_to("/dev/full"),
    "a link to /dev/tty": lambda path: path.symlink_to("/dev/tty"),
    "a link to /dev/stdin": lambda path: path.symlink_to("/dev/stdin"),
    "a link to /proc/kcore": lambda path: path.symlink_to("/proc/kcore"),
    "a link to /proc/kmsg": lambda path: path.symlink_to("/proc/kmsg"),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "links in a circle": _circle,
    "a folder": Path.mkdir,
    "a sparse file": _sparse,
    "a large file": lambda path: _sparse(path, 200 * 2**20),
    "an empty file": Path.touch,
    "zeros": lambda path: path.write_bytes(bytes(10_000)),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(10_000)),  # noqa: S311
    "no text": lambda path: path.write_bytes(b"\xff\xfe{\x00}"),
    "one bracket": lambda path: path.write_bytes(b"["),
    "many brackets": lambda path: path.write_bytes(b"[" * 200_000),
    "many pairs of brackets": lambda path: path.write_bytes(
        b"[" * 5_000 + b"]" * 5_000
    ),
}
DEPTHS = [60, 99, 100, 101, 120, 180, 250, 330, 500, 900, 990, 1000, 3_000, 50_000]


def nested_text(depth: int, style: int = 0) -> str:
    """JSON of so many brackets in one another."""
    opening, closing = [
        ("[", "]"),
        ('{"k":', "}"),
        ('[{"password":', "}]"),
        ('{"workflow":{"nodes":[', "]}}"),
    ][style]
    times = depth // (opening.count("[") + opening.count("{"))
    inner = "1" if style < 3 else ""
    return opening * times + inner + closing * times


def odd_values(chance: random.Random) -> Any:
    """One value that no form and no check expects."""
    return chance.choice(
        [
            None, True, -1, 0, 10**400, -(10**30), 1e308, -0.0, 5e-324, "", " ", "\0", "\ud800", "é" * 3, "x" * 100_000,
            "a\nb\u2028c", "../../../../etc/passwd", "/dev/zero", "/dev/stdin", "{message.__class__}", "{" * 500,
            "{message" + ".a" * 2_000 + "}", "{env.HOME}", "os:system", "module:f", "py:module:f", "%s%n", "<b>&amp;",
            "(a+)+$", "x" * 200 + "!", "9" * 5_000, [], {}, [[]] * 2_000, {"": {"": {"": ""}}}, [None] * 50,
            {"$ref": "#/x"}, {"format": 1, "workflow": {}}, {str(n): n for n in range(500)}, ["\ud83d"], {"\ud83d": 1},
        ]
    )  # fmt: skip


BOMBS = [
    "message.a" + ".a" * 900,
    "(" * 900 + "message" + ")" * 900,
    "[" * 300 + "1" + "]" * 300,
    "!" * 1_900 + "true",
    "-" * 1_900 + "1 == 1",
    "+".join(["message"] * 200),
    " && ".join(["message.all(x, x)"] * 90),
    "message" + ".map(x, message" * 40 + ")" * 40 + ".size() > 0",
    "message.all(a, message.all(b, message.all(c, message.all(d, a == b))))",
    "[[1,2,3,4,5,6,7,8,9,10]"
    + ".map(x, [1,2,3,4,5,6,7,8,9,10]" * 8
    + ")" * 8
    + "] == []",
    "[1,2,3,4,5,6,7,8,9]" + ".map(x, [x,x,x,x,x,x,x,x,x])" * 20 + " == []",
    "'" + "a" * 1_900 + "'.matches('(a+)+$')",
    "'" + "a" * 900 + "'.matches('" + "(" * 400 + "a" + ")*" * 400 + "')",
    "message.matches('(a{1,1000}){1,1000}')",
    "message.matches('" + "a?" * 500 + "a" * 500 + "')",
    "'%s'" + ".replace('%s', '%s%s')" * 60 + " == ''",
    "timestamp('9999-12-31T23:59:59Z') + duration('9999999999999s') > timestamp('0001-01-01T00:00:00Z')",
    "int('" + "9" * 1_800 + "') > 1",
    "9223372036854775807 + 1 > 0",
    "1 / 0 > 1",
    '"\\ud800" == message',
    "'\\U0010ffff' == message",
    "message ? " * 200 + "1" + " : 0" * 200,
    "{" * 100 + "1: 1" + "}" * 100,
    "py:module:f",
    "py:os:system",
    "py:" + "a." * 900 + "b:f",
    "\0",
    "\ud800",
    "x" * 3_000,
    "/*" * 500,
    "//" + "x" * 1_500,
    "a" * 1_000 + "(" * 500,
]

PYTHON = [
    "(" * 5_000,
    "x = " + "(" * 95 + "1" + ")" * 95,
    "x = " + "-" * 5_000 + "1",
    "x = " + " + ".join(["1"] * 20_000),
    "x = 9 ** 9 ** 9",
    "x = '" + "a" * 150_000 + "'",
    "x = '%s' * 10 ** 12",
    "def f(message: " + "list[" * 900 + "int" + "]" * 900 + "): ...",
    "def f(message: " + " | ".join(["int"] * 3_000) + "): ...",
    "def f(message: 'int' " + "'x'" * 1_000 + "): ...",
    "def f(message, a: int = " + "9" * 5_000 + "): ...",
    "def f(message, a=" + "[" * 80 + "]" * 80 + "): ...",
    "@" * 200 + "node_type\ndef f(message): ...",
    "@node_type(title=" + "('a' * 10) " * 500 + ")\ndef f(message): ...",
    "class f:\n" + " class f:\n".join([" " * n for n in range(80)]) + "  pass",
    "if 1:\n" + "".join(" " * n + "if 1:\n" for n in range(1, 95)) + " " * 96 + "pass",
    "\0",
    "# coding: utf-99\nx = 1",
    "# coding: rot13\nx = 1",
    "def f(message):\n" + " ctx.send_message(1)\n" * 3_000,
    "def f(message, ctx):\n"
    + "".join(" " * (n + 1) + "while 1:\n" for n in range(90))
    + " " * 92
    + "ctx.send_message(1)",
    "def f(message, a: Annotated[int, Field(ge=1, le=0, multiple_of=0)] = 5): ...",
    "def f(message, a: Annotated[str, Field(pattern='(a+)+$')] = '"
    + "a" * 60
    + "!'): ...",
    "def f(message, a: Literal[" + ", ".join(map(str, range(5_000))) + "] = 1): ...",
    "import f\nfrom f import f\nf = f\n",
    "from .nodes import *\nfrom nodes.f import f as f\n",
    "a: 'b' = 1\n" * 10_000,
]


# --- pictures ---------------------------------------------------------------------------------------------------------


def png_with(text: bytes) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body))
            + kind
            + body
            + struct.pack(">I", zlib.crc32(kind + body))
        )

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"iTXt", b"stepwell\0\1\0\0\0" + text)
        + chunk(b"IEND", b"")
    )


def svg_with(text: bytes) -> bytes:
    return (
        b'<svg xmlns="http://www.w3.org/2000/svg"><metadata><d:document xmlns:d="urn:stepwell:document">%s'
        % text
        + (b"</d:document></metadata></svg>")
    )


_EMPTY_CHUNK = b"\0\0\0\0tEXt" + struct.pack(">I", zlib.crc32(b"tEXt"))
_PACKED = b" << /Filter /FlateDecode >> stream\n"
LAUGHS = (
    b'<!DOCTYPE x [<!ENTITY a "ha">'
    + b"".join(
        b'<!ENTITY %s "%s">'
        % (chr(98 + n).encode(), b"&%s;" % chr(97 + n).encode() * 10)
        for n in range(12)
    )
    + b"]>"
)
PICTURES: dict[str, Callable[[], bytes]] = {
    "a.png with a bomb": lambda: png_with(zlib.compress(bytes(300 * 2**20), 9)),
    "b.png with many brackets": lambda: png_with(zlib.compress(b"[" * 1_000_000)),
    "c.png with no end of a chunk": lambda: png_with(b"x")[:-20],
    "d.png of a long chunk": lambda: (
        b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 2**32 - 1) + b"iTXt"
    ),
    "e.png of many chunks": lambda: b"\x89PNG\r\n\x1a\n" + _EMPTY_CHUNK * 50_000,
    "f.svg of laughs": lambda: LAUGHS + svg_with(b"&l;"),
    "g.svg that includes": lambda: (
        b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + svg_with(b"&a;")
    ),
    "h.svg of depth": lambda: b"<g>" * 200_000,
    "i.svg of attributes": lambda: (
        b"<g " + b" ".join(b'a%d="1"' % n for n in range(20_000)) + b"/>"
    ),
    "j.svg with no base64": lambda: svg_with(b"\xff\xff"),
    "k.pdf of references": lambda: (
        b"%PDF-1.7\n" + b"/EF << /F 1 0 R >>" * 10_000 + b"1 0 obj" + _PACKED
    ),
    "l.pdf with a bomb": lambda: (
        b"%PDF-1.7\n/EF << /F 7 0 R >>\n7 0 obj"
        + _PACKED
        + zlib.compress(bytes(300 * 2**20), 9)
    ),
    "m.pdf of spaces": lambda: (
        b"%PDF-1.7\n/EF << /F 7 0 R >>\n" + b"7 0 obj" + b" " * 500_000
    ),
}


def dumped(value: Any) -> bytes:
    return json.dumps(value, allow_nan=True).encode()


# --- databases --------------------------------------------------------------------------------------------------------

_ENDLESS = "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n) SELECT"
_COLUMNS = [
    *(
        "sequence",
        "id",
        "run",
        "workflow",
        "superstep",
        "cause",
        "parent",
        "branch",
        "signature",
        "time",
        "format",
    ),
    *(
        "status",
        "queued",
        "buffered",
        "requests",
        "stalled",
        "size",
        "new_size",
        "tags",
        "note",
        "base",
        "length",
    ),
    *("seal", "manifest"),
]
_ALL_BY_V = ", ".join(f"v AS {name}" for name in _COLUMNS)
# Each is done to the tables of a store with one checkpoint.
TABLES = [
    f"DROP TABLE checkpoint; CREATE VIEW checkpoint AS {_ENDLESS} {_ALL_BY_V} FROM n",
    f"DROP TABLE word; CREATE VIEW word AS {_ENDLESS} v AS id, 'x' AS text FROM n",
    f"DROP TABLE run; CREATE VIEW run AS {_ENDLESS} v AS id, 'x' AS run_id FROM n",
    f"CREATE TRIGGER t AFTER INSERT ON part BEGIN INSERT INTO deleted {_ENDLESS} v FROM n; END",
    "ALTER TABLE checkpoint ADD COLUMN bomb TEXT AS (hex(zeroblob(900000000)))",
    "DROP TABLE word; CREATE VIRTUAL TABLE word USING fts5(id, text)",
    "DROP INDEX checkpoint_run",
    "DROP TABLE part",
    "ALTER TABLE checkpoint DROP COLUMN tags",
    "UPDATE checkpoint SET note = hex(zeroblob(200000000))",
    "UPDATE checkpoint SET tags = '" + "[" * 100_000 + "'",
    "UPDATE checkpoint SET base = sequence",
    "UPDATE checkpoint SET superstep = 9e999, time = 'now', size = -1",
    "UPDATE checkpoint SET parent = id, sequence = 9223372036854775807",
    "INSERT INTO deleted VALUES (9223372036854775807)",
]


def evil_database(path: Path, statements: str) -> None:
    import asyncio
    import sqlite3

    from runtime.stores import open_store
    from runtime.testing.records import record_of

    async def fill() -> None:
        store = open_store(f"sqlite:{path}")
        await store.save(*record_of("a", tags=("good",), note="note"))
        await store.close()

    asyncio.run(fill())
    with sqlite3.connect(path) as database:
        database.executescript(statements)
    database.close()
