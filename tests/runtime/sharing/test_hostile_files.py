"""A shared file that is damaged, cut, newer, or made to do harm is refused in words, and
nothing of it is imported.
"""

from __future__ import annotations

import io
import zlib
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.checkpoint import FORMAT_VERSION, digest_of
from runtime.errors import SharedFileError
from runtime.sharing.blocks import BLOCK, BlockReader, BlockWriter
from runtime.sharing.plan import plan_import
from runtime.sharing.read import import_file
from runtime.sharing.selection import select
from runtime.sharing.write import share
from runtime.stores.memory import MemoryStore
from runtime.testing.conformance import ids, save

GOLDEN = Path(__file__).parent / "format_1.stepwell-run"
PART = b"1"
HEADER: dict[str, Any] = {
    "id": "c0", "run_id": "run", "workflow": "flow", "superstep": 1, "cause": "superstep", "parent": None,
    "branch": "main", "signature": "", "time": 1.0, "format": 2, "status": "", "queued": 0, "buffered": 0,
    "requests": 0, "stalled": 0, "size": 1, "new_size": 1, "tags": [], "note": "",
}  # fmt: skip
STEP = ["s", "k", b64encode(bytes.fromhex(digest_of(PART))).decode()]


def part(data: bytes = PART, digest: str | None = None) -> bytes:
    line = orjson.dumps(["part", digest or digest_of(data), len(data)])
    return line + b"\n" + data + b"\n"


def line(*entry: Any) -> bytes:
    return orjson.dumps(list(entry)) + b"\n"


def checkpoint(steps: list[Any] | None = None, **fields: Any) -> bytes:
    return line("checkpoint", HEADER | fields, [STEP] if steps is None else steps)


def file_of(*entries: bytes) -> bytes:
    stream = io.BytesIO()
    blocks = BlockWriter(stream)
    for entry in entries:
        blocks.write(entry)
    blocks.finish({})
    return stream.getvalue()


async def refusal(data: bytes) -> str:
    store = MemoryStore()
    with pytest.raises(SharedFileError) as raised:
        await plan_import(store, io.BytesIO(data))
    assert await store.headers() == []
    return str(raised.value)


async def test_a_small_sound_file_is_taken() -> None:
    plan = await plan_import(MemoryStore(), io.BytesIO(file_of(part(), checkpoint())))
    assert plan.new == 1


NEWER = "newer version of Stepwell"
BROKEN: dict[str, tuple[Callable[[], bytes], str]] = {
    "no file of ours": (lambda: b"PK\x03\x04" + bytes(500), "no file that `stepwell share`"),
    "nothing": (lambda: b"", "no file that `stepwell share`"),
    "a newer format": (lambda: file_of(part()).replace(b"share 1", b"share 2", 1), NEWER),
    "an unknown entry": (lambda: file_of(line("picture", 1)), NEWER),
    "a newer checkpoint": (lambda: file_of(part(), checkpoint(format=FORMAT_VERSION + 1)), NEWER),
    "an unknown field": (lambda: file_of(part(), checkpoint(cost=1)), NEWER),
    "an unknown kind of part": (lambda: file_of(part(), checkpoint([[":picture", "k", STEP[2]]])), NEWER),
    "a wrong digest": (lambda: file_of(part(digest="0" * 32), checkpoint()), "is not intact"),
    "a cut part": (lambda: file_of(line("part", digest_of(PART), 50) + PART), "inside an entry"),
    "a huge part": (lambda: file_of(line("part", digest_of(PART), 10**15)), "claims"),
    "a part of nobody": (lambda: file_of(part(), checkpoint(), part(b"2")), "no checkpoint has"),
    "a missing part": (lambda: file_of(checkpoint()), "lacks parts"),
    "no parts": (lambda: file_of(checkpoint([])), "has no parts"),
    "no checkpoint": (file_of, "no checkpoint"),
    "one id twice": (lambda: file_of(part(), checkpoint(), checkpoint()), "there twice"),
    "no id": (lambda: file_of(part(), checkpoint(id="")), "no id"),
    "a child first": (lambda: file_of(part(), checkpoint(parent="c1")), "before its parent"),
    "a parent of another run": (
        lambda: file_of(part(), checkpoint(), checkpoint(id="c1", run_id="other", parent="c0")), "before its parent"),
    "a branch that splits": (
        lambda: file_of(part(), checkpoint(), checkpoint(id="c1")), "is no line"),
    "a gap at the end": (
        lambda: file_of(part(), line("gap", "g", "run", "side"), checkpoint(parent="g", branch="main")),
        "nothing follows a gap"),
    "a surrogate": (
        lambda: file_of(part(), checkpoint().replace(b'"flow"', b'"\\ud800"')), "cannot be read"),
    "a surrogate beside a NaN": (
        lambda: file_of(part(), checkpoint().replace(b'"flow"', b'"\\ud800"').replace(b"1.0", b"NaN")),
        "lone surrogate"),
    "a huge number": (lambda: file_of(part(), checkpoint(superstep=2**63)), "no proper superstep"),
    "a number below none": (lambda: file_of(part(), checkpoint(queued=-1)), "no proper queued"),
    "a text as a number": (lambda: file_of(part(), checkpoint(queued="1")), "no proper queued"),
    "a number as a tag": (lambda: file_of(part(), checkpoint(tags=[1])), "no proper tags"),
    "an unknown cause": (lambda: file_of(part(), checkpoint(cause="magic")), "cannot be read"),
    "a missing field": (lambda: file_of(part(), line("checkpoint", {"id": "c0"}, [STEP])), "no proper"),
    "a step outside": (lambda: file_of(part(), checkpoint([[0, 5]])), "outside of the base"),
    "deep brackets": (lambda: file_of(b"[" * 100_000 + b"\n"), "cannot be read"),
    "an endless line": (lambda: file_of(b"x" * (66 * 2**20)), "more than"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
async def test_what_is_no_sound_file_is_refused_in_words(name: str) -> None:
    data, words = BROKEN[name]
    assert words in await refusal(data())


def packed_block(data: bytes, length: int) -> bytes:
    packed = zlib.compress(data, 9)
    return f"{len(packed)} {length} {digest_of(packed)}\n".encode() + packed


@pytest.mark.parametrize(
    ("claimed", "words"), [(BLOCK, "100 times"), (50_000, "does not unpack")]
)
async def test_a_block_that_unpacks_to_much_more_is_not_unpacked(
    claimed: int, words: str
) -> None:
    head = file_of()[: file_of().index(b"0 0 ")]
    assert words in await refusal(head + packed_block(bytes(BLOCK), claimed))


async def test_what_could_be_packed_to_nearly_nothing_is_written_as_it_is() -> None:
    data = bytes(BLOCK + 5)
    stream = io.BytesIO()
    blocks = BlockWriter(stream)
    blocks.write(data)
    blocks.finish({})
    assert len(stream.getvalue()) > len(data)
    stream.seek(0)
    assert BlockReader(stream).read(len(data)) == data


@settings(max_examples=30, deadline=None)
@given(place=st.integers(0, 10**6), bit=st.integers(0, 7), cut=st.booleans())
async def test_no_flipped_bit_and_no_cut_is_imported(
    place: int, bit: int, cut: bool
) -> None:
    data = bytearray(GOLDEN.read_bytes())
    # The summary is for people, and no digest covers it.
    start = len(b"stepwell share 1\n") + 4096
    place = start + place % (len(data) - start)
    if cut:
        del data[place:]
    else:
        data[place] ^= 1 << bit
    await refusal(bytes(data))


async def test_a_file_of_format_1_is_read_for_ever() -> None:
    store = MemoryStore()
    imported = await import_file(store, GOLDEN)
    assert imported.added == 4
    headers = await store.headers()
    assert [header.id for header in headers] == ["c0", "c1", "c3", "f1"]
    assert [header.parent for header in headers] == [None, "c0", "c2", "c1"]
    assert [header.branch for header in headers] == ["main", "main", "main", "fork 1"]
    assert headers[1].tags == ("pinned",)
    assert headers[1].note == "Đội 😀"
    assert headers[3].changed == "1 executor added"
    record = await store.load("c3")
    parts = await store.parts(record.digests)
    assert sorted(parts.values()) == [b"3", b"same"]


async def make_golden(path: Path) -> None:
    """How the golden file was made. It stays as it is, for ever."""
    store = MemoryStore()
    for number in range(4):
        parts = {"k": b"%d" % number, "same": b"same"}
        await save(store, f"c{number}", parts, time=float(number))
    await store.annotate("c1", tags=["pinned"], note="Đội 😀")
    await save(
        store,
        "f1",
        {"k": b"f"},
        parent="c1",
        branch="fork 1",
        changed="1 executor added",
    )
    await store.delete(["c2"])
    assert await ids(store) == ["c0", "c1", "c3", "f1"]
    await share(store, await select(store, run_id="run"), path)
