"""The file around what is shared: a line with its format, a summary that is readable at
once, and blocks.

    stepwell share 1                                     the format that a reader must know
    {"workflow": …, "checkpoints": 24, …}                the summary, filled up with spaces
    PACKED UNPACKED DIGEST                               a block: lengths and the digest of its bytes,
    …                                                    and its bytes, by zlib if that makes them fewer
    0 0 DIGEST                                           the end: the digest over the digests of all blocks

Blocks have bounded sizes, so a file of any length is written and read in little memory.
A block never unpacks to more than `MOST_TIMES` of its bytes: the writer leaves a block
as it is that would, and the reader refuses it. So a small file cannot become a large
store.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, BinaryIO

import orjson

from runtime.checkpoint import digest_of
from runtime.document.definition import SHARED_SUFFIX
from runtime.errors import SharedFileError

SHARE_FORMAT = 1
BLOCK = 2**20  # bytes of a block before it is compressed
MOST_TIMES = 100
_MARK = b"stepwell share "
_SUMMARY = 4096  # bytes of the line with the summary
_LONGEST_LINE = 100  # bytes of any other line of the file
_LEVEL = 6
_DIGITS = 16


class BlockWriter:
    """Writes a shared file into a stream that can be positioned."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._waiting = bytearray()
        self._all = blake2b(digest_size=16)
        self.unpacked = 0
        self._write_head({})

    def write(self, data: bytes) -> None:
        """Add bytes to the content."""
        self._waiting += data
        self.unpacked += len(data)
        while len(self._waiting) >= BLOCK:
            self._write_block(bytes(self._waiting[:BLOCK]))
            del self._waiting[:BLOCK]

    def finish(self, summary: Mapping[str, Any]) -> None:
        """End the file, and put the summary at its begin."""
        if self._waiting:
            self._write_block(bytes(self._waiting))
        self._stream.write(f"0 0 {self._all.hexdigest()}\n".encode())
        self._stream.seek(0)
        self._write_head(summary)

    def _write_head(self, summary: Mapping[str, Any]) -> None:
        line = orjson.dumps(dict(summary))
        if len(line) >= _SUMMARY:
            raise ValueError("the summary of a shared file is too long")
        self._stream.write(_MARK + b"%d\n" % SHARE_FORMAT)
        self._stream.write(line.ljust(_SUMMARY - 1) + b"\n")

    def _write_block(self, data: bytes) -> None:
        packed = zlib.compress(data, _LEVEL)
        if len(packed) >= len(data) or len(packed) * MOST_TIMES < len(data):
            packed = data
        digest = digest_of(packed)
        self._all.update(digest.encode())
        self._stream.write(f"{len(packed)} {len(data)} {digest}\n".encode())
        self._stream.write(packed)


class BlockReader:
    """Reads the content of a shared file as one stream of bytes. Raise
    `SharedFileError` for anything that is not what was written.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._waiting = b""
        self._position = 0
        self._all = blake2b(digest_size=16)
        self._ended = False
        self.number = 0  # of the block that is read
        self.summary = read_summary(stream)

    @property
    def digest(self) -> str:
        """The digest over all blocks that were read so far."""
        return self._all.hexdigest()

    def line(self, longest: int) -> bytes:
        """Return the bytes before the next end of a line, or nothing at the end of the
        content. At most `longest` bytes are read for it.
        """
        pieces: list[bytes] = []
        length = 0
        while True:
            end = self._waiting.find(b"\n", self._position)
            if end >= 0:
                pieces.append(self._waiting[self._position : end])
                self._position = end + 1
                return b"".join(pieces)
            pieces.append(self._waiting[self._position :])
            length += len(pieces[-1])
            if length > longest:
                raise self.broken(f"an entry has more than {longest:,} bytes")
            if not self._fill():
                if any(pieces):
                    raise self.broken("its last entry is cut")
                return b""

    def read(self, count: int) -> bytes:
        """Return the next so many bytes of the content."""
        pieces: list[bytes] = []
        while count:
            piece = self._waiting[self._position : self._position + count]
            pieces.append(piece)
            count -= len(piece)
            self._position += len(piece)
            if count and not self._fill():
                raise self.broken("it ends inside an entry")
        return b"".join(pieces)

    def broken(self, reason: str) -> SharedFileError:
        """Return the error for content that is not what was written."""
        return SharedFileError(
            f"The shared file is damaged in block {self.number}: {reason}. "
            "Nothing was imported. Ask for the file again."
        )

    def _fill(self) -> bool:
        """Read the next block. Return False at the end of the file."""
        if self._ended:
            return False
        self.number += 1
        packed_length, length, digest = self._block_line()
        if packed_length == 0:
            self._end(digest)
            return False
        packed = self._stream.read(packed_length)
        if len(packed) != packed_length:
            raise self.broken("the file ends there, before its end")
        if digest_of(packed) != digest:
            raise self.broken("its bytes are not those that were written")
        self._all.update(digest.encode())
        self._waiting = self._unpacked(packed, length)
        self._position = 0
        return True

    def _block_line(self) -> tuple[int, int, str]:
        line = self._stream.readline(_LONGEST_LINE)
        words = line.split(b" ")
        if not line.endswith(b"\n") or len(words) != 3:
            raise self.broken("the file ends there, or has something else there")
        numbers = words[:2]
        if not all(word.isdigit() and len(word) <= _DIGITS for word in numbers):
            raise self.broken("its lengths are no numbers")
        packed_length, length = int(words[0]), int(words[1])
        if not packed_length <= length <= BLOCK:
            raise self.broken(f"it has more than {BLOCK:,} bytes, or fewer than none")
        if length > packed_length * MOST_TIMES:
            raise self.broken(
                f"it claims more than {MOST_TIMES} times the bytes that it has"
            )
        return packed_length, length, words[2][:-1].decode("ascii", "replace")

    def _unpacked(self, packed: bytes, length: int) -> bytes:
        if len(packed) == length:
            return packed
        inflater = zlib.decompressobj()
        try:
            # One byte more than it may have, because the end of the bytes is only seen
            # behind the last one.
            data = inflater.decompress(packed, length + 1)
        except zlib.error as error:
            raise self.broken(f"it cannot be unpacked ({error})") from None
        if len(data) != length or not inflater.eof or inflater.unused_data:
            raise self.broken("it does not unpack to the length that it claims")
        return data

    def _end(self, digest: str) -> None:
        if digest != self.digest:
            raise self.broken("blocks are missing, or stand in another order")
        if self._stream.read(1):
            raise self.broken("something follows the end of the file")
        self._ended = True


def read_summary(stream: BinaryIO) -> dict[str, Any]:
    """Return the summary at the begin of a file. Raise `SharedFileError` for another
    kind of file, and for a newer format.
    """
    first = stream.readline(_LONGEST_LINE)
    version = first.removeprefix(_MARK).removesuffix(b"\n")
    if not first.startswith(_MARK) or not version.isdigit() or len(version) > _DIGITS:
        raise SharedFileError(
            "This is no file that `stepwell share` or Share… has written. "
            f"Choose one that ends with {SHARED_SUFFIX}."
        )
    if int(version) > SHARE_FORMAT:
        raise SharedFileError(
            f"The shared file has format {int(version)}, and this program knows formats up to {SHARE_FORMAT}. "
            "Read it with a newer version of Stepwell. Nothing was imported."
        )
    if int(version) < 1:
        raise SharedFileError("The shared file has format 0, which there never was.")
    line = stream.read(_SUMMARY)
    try:
        summary = orjson.loads(line)
    except ValueError:
        summary = None
    if len(line) != _SUMMARY or not isinstance(summary, dict):
        raise SharedFileError(
            "The shared file is damaged: its summary cannot be read. "
            "Nothing was imported. Ask for the file again."
        )
    return summary
