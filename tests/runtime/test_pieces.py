"""A large part in pieces: nothing is lost, and what did not change is recognised."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from runtime.checkpoint import digest_of
from runtime.checkpoints.chunks import Piece, split

CHANCE = random.Random(7)  # noqa: S311 - any bytes will do
LARGE = CHANCE.randbytes(100_000)


def together(
    pieces: list[tuple[Piece, bytes | None]], known: dict[str, bytes]
) -> bytes:
    known.update((piece.digest, data) for piece, data in pieces if data is not None)
    return b"".join(known[piece.digest] for piece, _ in pieces)


def new_bytes(pieces: list[tuple[Piece, bytes | None]]) -> int:
    return sum(len(data) for _, data in pieces if data is not None)


@given(
    st.lists(
        st.tuples(st.integers(0, 30_000), st.integers(0, 9000), st.binary(max_size=40)),
        max_size=6,
    )
)
def test_any_edits_one_after_the_other_keep_every_byte(
    edits: list[tuple[int, int, bytes]],
) -> None:
    data = b"[" + b'{"id":1,"name":"same"},' * 800 + LARGE[:10_000] + b"]"
    known: dict[str, bytes] = {}
    before: list[Piece] = []
    for start, length, insert in [(0, 0, b""), *edits]:
        data = data[:start] + insert * 50 + data[start + length :]
        pieces = split(data, before)
        assert together(pieces, known) == data
        assert all(piece.length == len(known[piece.digest]) for piece, _ in pieces)
        assert all(
            digest_of(known[piece.digest]) == piece.digest for piece, _ in pieces
        )
        before = [piece for piece, _ in pieces]


def test_pieces_stay_few_and_of_a_good_size_after_many_edits() -> None:
    data = LARGE
    before = [piece for piece, _ in split(LARGE)]
    count = len(before)
    for _ in range(300):
        place = CHANCE.randrange(len(data))
        data = (
            data[:place]
            + CHANCE.randbytes(CHANCE.randrange(20))
            + data[place + CHANCE.randrange(20) :]
        )
        pieces = split(data, before)
        assert new_bytes(pieces) < 15_000
        before = [piece for piece, _ in pieces]
    assert len(before) < 2 * count


def test_inserts_between_pieces_leave_no_crumbs() -> None:
    data = LARGE
    before = [piece for piece, _ in split(LARGE)]
    count = len(before)
    for _ in range(40):
        boundary = sum(
            piece.length for piece in before[: CHANCE.randrange(1, len(before))]
        )
        data = data[:boundary] + b"inserted" + data[boundary:]
        before = [piece for piece, _ in split(data, before)]
    assert len(before) < count + 10


def test_a_large_replacement_leaves_what_is_behind_it() -> None:
    before = [piece for piece, _ in split(LARGE)]
    data = LARGE[:20_000] + CHANCE.randbytes(40_000) + LARGE[60_000:]
    assert new_bytes(split(data, before)) < 55_000


def test_changes_in_two_places_leave_what_is_between_them() -> None:
    before = [piece for piece, _ in split(LARGE)]
    data = LARGE[:10_000] + b"new" + LARGE[10_000:90_000] + b"new" + LARGE[90_000:]
    assert new_bytes(split(data, before)) < 12_000


def test_a_part_that_is_all_new_is_cut_into_even_pieces() -> None:
    before = [piece for piece, _ in split(LARGE)]
    pieces = split(CHANCE.randbytes(100_000), before)
    assert new_bytes(pieces) == 100_000
    assert max(piece.length for piece, _ in pieces) <= 4096
    assert len(split(bytes(10_000_000))) <= 65


@given(
    st.lists(
        st.tuples(st.integers(0, 30_000), st.integers(0, 9000), st.binary(max_size=40)),
        max_size=6,
    )
)
def test_the_bytes_of_the_version_before_give_the_pieces_that_its_digests_give(
    edits: list[tuple[int, int, bytes]],
) -> None:
    data = b"[" + b'{"id":1,"name":"same"},' * 800 + LARGE[:10_000] + b"]"
    before = [piece for piece, _ in split(data)]
    for start, length, insert in edits:
        held = data
        data = data[:start] + insert * 50 + data[start + length :]
        pieces = split(data, before, held)
        assert pieces == split(data, before)
        before = [piece for piece, _ in pieces]
