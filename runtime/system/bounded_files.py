"""Data from outside: files, which must be regular ones of bounded size, and JSON of
bounded depth.

Reading a pipe waits for its writer, a device may have no end, a sparse file of a few
bytes claims many gigabytes, and deeply nested brackets exhaust the stack. So every file
that this program did not write itself is opened here, and every JSON text is read here.
An error names the file, the place and the limit. `tests/test_outside.py` finds modules
that open a file in another way.
"""

from __future__ import annotations

import codecs
import errno
import io
import json
import os
import stat
import tokenize
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TextIO

from runtime.errors import UnfitFileError

MEGABYTE = 2**20
# Bytes of a file that is read whole, unless the caller gives another limit.
LARGEST = 256 * MEGABYTE
LARGEST_DATA = 1024 * MEGABYTE  # of one that a node reads
LARGEST_SOURCE = 2 * MEGABYTE  # of a file of Python
# Levels of brackets. Code that goes through a value of a document needs up to eight
# Python frames for each level, and there are 1,000; pydantic writes 255 levels and
# reads 200.
DEEPEST = 100

_CONTAINERS = (dict, list, tuple)
_SHOWN = 5  # steps of a path, enough to find the place
_FLAGS = sum(
    getattr(os, name, 0) for name in ("O_BINARY", "O_CLOEXEC", "O_NOCTTY", "O_NONBLOCK")
)
_PIECE = MEGABYTE
_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class TooDeepError(ValueError):
    """A value has more brackets in one another than there may be; `place` leads to
    where there are too many.
    """

    def __init__(self, place: str = "") -> None:
        where = f" at {place}" if place else ""
        super().__init__(
            f"it is nested too deeply{where}: at most {DEEPEST} lists and objects may be in one another"
        )
        self.place = place


# --- files ------------------------------------------------------------------------------------------------------------


def read_bytes(path: Path | str, largest: int = LARGEST) -> bytes:
    """Return a whole file. Raise `OSError`; the kind `UnfitFileError` if it is no
    regular file or has too many bytes.
    """
    with opened(path, largest) as stream:
        pieces = []
        # Because a file may grow while it is read, and one of /proc says that it is
        # empty.
        room = largest + 1
        while room and (piece := stream.read(min(_PIECE, room))):
            pieces.append(piece)
            room -= len(piece)
    if not room:
        raise _too_large(path, None, largest)
    return b"".join(pieces)


def read_text(
    path: Path | str,
    largest: int = LARGEST,
    encoding: str = "utf-8",
    errors: str = "strict",
) -> str:
    """Return a whole text file, with every end of a line as one character. Raise as
    `read_bytes` does, and `UnicodeDecodeError`.
    """
    text = codecs.decode(read_bytes(path, largest), encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_source(path: Path | str, largest: int = LARGEST_SOURCE) -> str:
    """Return the text of a Python file, in the encoding that it names. Raise as
    `read_text` does, and `SyntaxError`.
    """
    content = read_bytes(path, largest)
    encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    try:
        return io.TextIOWrapper(io.BytesIO(content), encoding).read()
    except LookupError as error:  # a codec that is not for texts
        raise SyntaxError(f"{encoding}: {error}") from None


@contextmanager
def opened(path: Path | str, largest: int | None = LARGEST) -> Iterator[BinaryIO]:
    """Open a regular file for reading. `largest` is None for a caller who reads only a
    part. Raise as `read_bytes` does.
    """
    # Checked before it is opened, because opening a device may have an effect; and
    # again, because another file may have the name by then.
    _check(path, os.stat(path), largest)  # noqa: PTH116 - for texts too
    handle = os.open(path, os.O_RDONLY | _FLAGS)
    with os.fdopen(handle, "rb") as stream:
        _check(path, os.fstat(handle), largest)
        yield stream


@contextmanager
def opened_text(
    path: Path | str, largest: int | None, encoding: str
) -> Iterator[TextIO]:
    """Open a regular file as text, with the ends of lines as they are."""
    with (
        opened(path, largest) as content,
        io.TextIOWrapper(content, encoding, newline="") as stream,
    ):
        yield stream


def check_regular(path: Path | str, largest: int | None = LARGEST) -> os.stat_result:
    """Return the state of a file that could be read. Raise as `read_bytes` does."""
    status = os.stat(path)  # noqa: PTH116 - for texts too
    _check(path, status, largest)
    return status


def _check(path: Path | str, status: os.stat_result, largest: int | None) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise UnfitFileError(
            path,
            f"it is {kind} and no file that can be read to an end; copy what it gives into a file",
        )
    if largest is not None and status.st_size > largest:
        raise _too_large(path, status.st_size, largest)


def _too_large(path: Path | str, size: int | None, largest: int) -> UnfitFileError:
    size_text = "it has more bytes" if size is None else f"it has {_bytes(size)}"
    return UnfitFileError(path, f"{size_text}, and at most {_bytes(largest)} are read")


def _bytes(count: int) -> str:
    return f"{count // MEGABYTE:,} MB" if count >= MEGABYTE else f"{count:,} bytes"


# --- JSON -------------------------------------------------------------------------------------------------------------


def from_json(text: str | bytes, options: Mapping[str, Any] | None = None) -> Any:
    """Return the value of a JSON text; `options` are those of `json.loads`. Raise
    `ValueError`; `TooDeepError` for more than `DEEPEST` levels.
    """
    try:
        value = json.loads(text, **(options or {}))
    except RecursionError:
        raise TooDeepError from None
    check_depth(value)
    return value


def check_depth(value: Any, deepest: int = DEEPEST) -> None:
    """Raise `TooDeepError` for a value with more lists and objects in one another."""
    # Level by level, because that takes no stack.
    level = [value] if type(value) in _CONTAINERS else []
    for _ in range(deepest):
        if not level:
            return
        level = [
            inner
            for outer in level
            for inner in _inside(outer)
            if type(inner) in _CONTAINERS
        ]
    if level:
        raise TooDeepError(_place_of(value, deepest))


def _inside(value: Any) -> Any:
    return value.values() if type(value) is dict else value


def _place_of(value: Any, deepest: int) -> str:
    """Return the beginning of the path to the place with too many levels."""
    stack: list[tuple[Any, int, tuple[Any, ...]]] = [(value, 0, ())]
    while stack:
        inner, depth, way = stack.pop()
        if type(inner) not in _CONTAINERS:
            continue
        if depth >= deepest:
            return _written(way)
        items = inner.items() if type(inner) is dict else enumerate(inner)
        inside = [
            (child, depth + 1, (*way, key) if len(way) < _SHOWN else way)
            for key, child in items
        ]
        stack += reversed(inside)
    return ""


def _written(way: tuple[Any, ...]) -> str:
    text = "".join(
        f"[{step}]" if isinstance(step, int) else f".{str(step)[:40]}" for step in way
    )
    return f"{text.removeprefix('.')}…" if text else ""
