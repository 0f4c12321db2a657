"""Large parts in pieces, so that a small change deep inside one stores a small
difference.

Paid for by `python -m tests.benchmarks --only w6k`: a superstep that changes one number
in a value of 100 KB writes 7 KB, and 101 KB without the pieces, for the same CPU time.

A part is cut where its last version was cut, as far as it has not changed, and what
lies between the pieces that are still there is new. So the first version is cut into
equal pieces. For the next one, `split` walks over the bytes and asks at each place
whether the next piece of the last version begins there; where it does not, it looks a
little further for one of the next few pieces, by their first bytes. What it passes over
is cut into new pieces.

Two other ways were considered. Cutting by content (a rolling hash) needs no memory of
the last version, but is too slow in Python. Cutting at the children of containers would
encode large parts several times.

Of the last version only digests and first bytes are kept. The bytes themselves are
compared where the state holds them anyway, because that takes a twentieth of the time
of a digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from runtime.checkpoint import digest_of

# Bytes. A smaller part is written whole, because a page of SQLite is written whole too.
SPLIT_ABOVE = 8 * 1024
# Bytes of the smallest piece, and about how many pieces a part has: each is an entry in
# the manifest of every checkpoint, so pieces grow with the part.
_SMALLEST = 4 * 1024
_MOST = 64
# How many first bytes of a piece are kept, to find it by.
_ANCHOR = 24
# How many later pieces to look for where one has changed, and how many places with the
# same first bytes to try.
_AHEAD = 3
_CANDIDATES = 4


class Piece(NamedTuple):
    """A piece as it is remembered: `anchor` are its first bytes."""

    digest: str
    length: int
    anchor: bytes


def split(
    data: bytes, before: Sequence[Piece] = (), held: bytes = b""
) -> list[tuple[Piece, bytes | None]]:
    """Return the pieces of `data` in order, with their bytes if the version before does
    not have them.

    `held` is all of that version, if the caller has it.
    """
    version = _Version(before, held)
    target = max(_SMALLEST, len(data) // _MOST)
    out: list[tuple[Piece, bytes | None]] = []
    # data[start:position_in_data] is new and not cut yet; before[index:] may come next.
    start = position_in_data = index = 0
    while position_in_data < len(data):
        if index < len(before) and version.is_at(data, position_in_data, index):
            out.extend(_cut(data[start:position_in_data], target))
            out.append((before[index], None))
            start = position_in_data = position_in_data + before[index].length
            index += 1
            continue
        next_piece = _next(data, position_in_data, version, index, target)
        if next_piece is None:
            position_in_data = min(position_in_data + target, len(data))
            index = index + 1
        else:
            place, position = next_piece
            # A crumb between two pieces is joined to the second, because crumbs would
            # only grow in number.
            crumb = place - start < target // 4
            position_in_data, index = (
                (place + before[position].length, position + 1)
                if crumb
                else (place, position)
            )
    out.extend(_cut(data[start:], target))
    return out


class _Version:
    """The version before: its pieces, where they began, and all of its bytes or none."""

    __slots__ = ("held", "pieces", "starts")

    def __init__(self, pieces: Sequence[Piece], held: bytes) -> None:
        self.pieces = pieces
        self.held = held
        self.starts: Sequence[int] = ()
        if held:
            self.starts = list(
                accumulate((piece.length for piece in pieces), initial=0)
            )

    def is_at(self, data: bytes, offset: int, index: int) -> bool:
        """Return whether the piece of this index is at that place of `data`."""
        piece = self.pieces[index]
        if not data.startswith(piece.anchor, offset) or offset + piece.length > len(
            data
        ):
            return False
        content = data[offset : offset + piece.length]
        if not self.held:
            return digest_of(content) == piece.digest
        return content == self.held[self.starts[index] : self.starts[index + 1]]


def _next(
    data: bytes, offset: int, version: _Version, index: int, target: int
) -> tuple[int, int] | None:
    """Return where one of the next pieces begins, not far from `offset`, as (place in
    data, index of the piece).
    """
    for position in range(index, min(index + _AHEAD, len(version.pieces))):
        piece = version.pieces[position]
        place = offset
        end = offset + piece.length + 2 * target
        for _ in range(_CANDIDATES):
            place = data.find(piece.anchor, place, end)
            if place < 0:
                break
            if version.is_at(data, place, position):
                return place, position
            place += 1
    return None


def _cut(data: bytes, target: int) -> Iterator[tuple[Piece, bytes]]:
    """Yield new pieces of equal size, none larger than the target."""
    number = -(-len(data) // target)
    for i in range(number):
        piece = data[len(data) * i // number : len(data) * (i + 1) // number]
        yield Piece(digest_of(piece), len(piece), piece[:_ANCHOR]), piece
