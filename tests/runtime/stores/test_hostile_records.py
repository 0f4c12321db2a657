"""Records that somebody else wrote, in every store: nothing of them is run or imported,
and there is one format.
"""

from __future__ import annotations

import dataclasses
import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.checkpoint import (
    FORMAT_VERSION,
    Cause,
    CheckpointHeader,
    CheckpointStore,
    Part,
    Record,
    digest_of,
)
from runtime.checkpoints.archive import Archive
from runtime.errors import (
    CheckpointDamagedError,
    CheckpointStoreError,
    DecodeError,
    WorkflowCheckpointException,
)
from runtime.state import RunState, Trace
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore

ROOT = Path(__file__).parents[3]
PLACE: Any = {
    "run_id": "run",
    "workflow": "flow",
    "cause": Cause.SUPERSTEP,
    "branch": "main",
}


@pytest.fixture(
    params=["memory", "dir", "sqlite", pytest.param("postgres", marks=pytest.mark.slow)]
)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    match request.param:
        case "memory":
            return f"memory:{request.node.nodeid}"
        case "dir":
            return f"dir:{tmp_path}/runs"
        case "sqlite":
            return f"sqlite:{tmp_path}/runs.db"
        case _:
            return str(request.getfixturevalue("postgres_url"))


@pytest.fixture
async def store(url: str) -> AsyncIterator[CheckpointStore]:
    opened = open_store(url)
    yield opened
    await opened.close()


async def plant(
    store: CheckpointStore,
    checkpoint_id: str,
    data: bytes,
    kind: str = "shared",
    **fields: Any,
) -> None:
    """A checkpoint with one part of any bytes, under the digest that they have."""
    header = CheckpointHeader(
        checkpoint_id, checkpoint_id, "flow", 1, Cause.INPUT, **fields
    )
    await store.save(
        Record(header, (Part(kind, "k", digest_of(data)),)), {digest_of(data): data}
    )


# --- nothing runs -------------------------------------------------------------------------------------------------

# What another kind of reader would run: each makes the file MARKER.
PAYLOADS = {
    "pickle": b"cos\nsystem\n(S'touch MARKER'\ntR.",
    "pickle 4": b"\x80\x04\x95\x1d"
    + bytes(7)
    + b"\x8c\x05posix\x8c\x06system\x93\x8c\x0ctouch MARKER\x85R.",
    "code": b"__import__('os').system('touch MARKER')",
    "yaml": b"!!python/object/apply:os.system ['touch MARKER']",
    "class": b'{"$":"os:system","v":{"command":"touch MARKER"}}',
    "popen": b'{"$":"subprocess:Popen","v":{"args":["touch","MARKER"]}}',
    "nested": b'{"a":[{"$":"tuple","v":[{"$":"antigravity:fly","v":{}}]}]}',
    "type": b'{"$":"type","v":"os:system"}',
    "factory": b'{"$":"defaultdict","v":[{"$":"type","v":"os:system"},[]]}',
    "objects": b'{"$":"ndarray","v":["O",[1],"C","Y29zCnN5c3RlbQoo"]}',
    "fields": b'{"$":"ndarray","v":[[["a","O"]],[1],"C","AAAAAAAAAAA="]}',
    "zone": b'{"$":"ZoneInfo","v":"../../../MARKER"}',
    "attribute": b'{"$":"Message","v":{"data":1,"source_id":"a","target_id":null,"request":null,"__class__":1}}',
}
WATCHED = """
import asyncio, os, sys
from datetime import datetime
from zoneinfo import ZoneInfo
import tests.runtime.stores.test_hostile_records as here
from runtime.checkpoints.archive import Archive
from runtime.errors import CheckpointDamagedError, DecodeError
from runtime.state import RunState, Trace
from runtime.stores import open_store

EVENTS = ("import", "exec", "compile", "pickle.find_class", "marshal.loads", "os.system", "os.exec", "os.posix_spawn",
          "os.fork", "os.spawn", "subprocess.Popen", "ctypes.dlopen", "socket.getaddrinfo", "urllib.Request")
happened, watching = [], False

def watch(event, arguments):
    if watching and event in EVENTS:
        happened.append((event, str(arguments)[:200]))

async def main():
    global watching
    store = open_store(sys.argv[1])
    archive = Archive(store)
    # What is loaded when it is first used is loaded now: after this nothing may be.
    warm = {"n": here.numpy_value(), "t": (1, {2}), "d": datetime(2024, 1, 1, tzinfo=ZoneInfo("Asia/Tokyo"))}
    header = await archive.save(RunState(shared=warm), Trace(), parent=None, **here.PLACE)
    for name, data in here.PAYLOADS.items():
        await here.plant(store, name, data)
    for read in (archive.load, archive.view):
        await read(header.id)
    sys.addaudithook(watch)
    before, watching = set(sys.modules), True
    for name in here.PAYLOADS:
        for read in (archive.load, archive.view):
            try:
                seen = await read(name)
            except (CheckpointDamagedError, DecodeError):
                continue
            assert read == archive.view and here.is_only_seen(seen.state.shared["k"]), (name, seen)
    await store.headers(), await store.latest(), await store.runs()
    watching = False
    await store.close()
    assert happened == [], happened
    assert set(sys.modules) == before, set(sys.modules) - before
    assert not os.path.exists("MARKER")

asyncio.run(main())
"""


def test_case_127_loading_what_somebody_planted_runs_and_imports_nothing(
    url: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(
        [sys.executable, "-c", WATCHED, url], check=True, env=environment, cwd=tmp_path
    )
    assert not (tmp_path / "MARKER").exists()


@pytest.mark.parametrize("name", ["pickle", "pickle 4", "code"])
async def test_case_127_a_file_that_is_no_store_is_refused_and_left_as_it_is(
    tmp_path: Path, name: str
) -> None:
    """A file with our suffix and other bytes; a folder whose record and part files have
    other bytes.
    """
    file = tmp_path / "runs.db"
    file.write_bytes(PAYLOADS[name])
    with pytest.raises(CheckpointStoreError):
        await open_store(f"sqlite:{file}").headers()
    assert file.read_bytes() == PAYLOADS[name]
    folder = tmp_path / "runs"
    store = open_store(f"dir:{folder}")
    for number in range(2):
        await plant(store, f"c{number}", b"%d" % number)
    (record,) = (folder / "records").glob("*c0*")
    record.write_bytes(PAYLOADS[name])
    (folder / "parts" / digest_of(b"1")).write_bytes(PAYLOADS[name])
    for checkpoint_id in ("c0", "c1"):
        with pytest.raises(CheckpointDamagedError, match=checkpoint_id):
            await Archive(store).load(checkpoint_id)
    assert [header.id for header in await store.headers() if header.damaged] == ["c0"]
    await store.close()


async def test_case_127_a_row_with_other_bytes_is_damaged(tmp_path: Path) -> None:
    store = open_store(f"sqlite:{tmp_path}/runs.db")
    await plant(store, "c", b"1")
    with sqlite3.connect(tmp_path / "runs.db") as db:
        (table, column) = next(
            (table, column)
            for (table,) in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
            ).fetchall()
            for column in [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            if db.execute(
                f"SELECT count(*) FROM {table} WHERE CAST({column} AS BLOB) = ?",  # noqa: S608
                (b"1",),
            ).fetchone()[0]
            and "data" in column
        )
        db.execute(f"UPDATE {table} SET {column} = ?", (PAYLOADS["pickle"],))  # noqa: S608
    db.close()
    with pytest.raises(CheckpointDamagedError, match="c"):
        await Archive(store).load("c")
    await store.close()


# --- one format ---------------------------------------------------------------------------------------------------

ODD_TEXTS = {
    "t": "\ud800",
    "pair": "\ud83d\ude00",
    "end": "a\udfff",
    "nul": "a\x00b",
    "k\x00": 1,
    "esc": '\\ud800"',
}


async def test_case_130_odd_texts_need_no_other_format(store: CheckpointStore) -> None:
    archive = Archive(store)
    header = await archive.save(
        RunState(shared={"state": ODD_TEXTS}), Trace(), parent=None, **PLACE
    )
    assert (await archive.load(header.id)).state.shared["state"] == ODD_TEXTS
    record = await store.load(header.id)
    for data in (await store.parts([part.digest for part in record.manifest])).values():
        # strict JSON, whatever the text
        assert data.decode("utf-8")[:1] in '{["-0123456789ntf'


async def test_case_130_another_format_is_refused_by_its_name_and_left_as_it_is(
    store: CheckpointStore,
) -> None:
    for number in (FORMAT_VERSION + 8, 0, -1):
        await plant(store, f"format {number}", b"1", format=number)
    for kind in ("pickle", "msgpack", "json+pickle", "", "Shared"):
        await plant(store, f"kind {kind}", b"1", kind)
    for number, name in enumerate(
        ("pickle", "json+pickle", "py/object", "lc", "__type__")
    ):
        await plant(
            store, f"tag {number}", f'{{"$":"{name}","v":"gASVGQAAAAAAAACM"}}'.encode()
        )
    headers = await store.headers()
    expected = {
        "format": DecodeError,
        "kind": CheckpointDamagedError,
        "tag": DecodeError,
    }
    for header in headers:
        with pytest.raises(expected[header.id.split()[0]]) as caught:
            await Archive(store).load(header.id)
        if header.id.startswith("format"):
            assert f"format {header.format}" in str(caught.value)
    assert await store.headers() == headers
    assert not any(header.damaged for header in headers)


async def test_case_122_a_checkpoint_of_a_newer_format_stays_as_it_is(
    store: CheckpointStore,
) -> None:
    data = b'{"$":"of the future","v":[1]}'
    await plant(store, "new", data, "future", format=FORMAT_VERSION + 1)
    before = await store.load("new")
    for read in (Archive(store).load, Archive(store).view):
        with pytest.raises(
            DecodeError,
            match=rf"format {FORMAT_VERSION + 1}.*up to {FORMAT_VERSION}.*untouched",
        ):
            await read("new")
    assert await store.load("new") == before
    assert await store.parts([digest_of(data)]) == {digest_of(data): data}


# --- any parts ----------------------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.sampled_from(["$", "v", "a"]), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip
KINDS = st.sampled_from(
    [
        "shared",
        "executor",
        "buffer",
        "queue",
        "request",
        "trace",
        "definition",
        "child",
        "other",
    ]
)
WAYS = st.sampled_from(
    [
        '["w#1","queue",""]',
        '["w","x","shared","k"]',
        "[]",
        "5",
        '["a","queue"]',
        "{}",
        '["a",1,"b"]',
    ]
)


@settings(max_examples=75)
@given(
    st.lists(
        st.tuples(
            KINDS, WAYS | st.text(st.characters(codec="utf-8"), max_size=3), JSON
        ),
        max_size=4,
    )
)
async def test_parts_of_any_shape_give_a_run_or_a_typed_error(
    parts: list[tuple[str, str, Any]],
) -> None:
    import orjson

    store = MemoryStore()
    data = [orjson.dumps(tree) for _, _, tree in parts]
    manifest = tuple(
        Part(kind, name, digest_of(one))
        for (kind, name, _), one in zip(parts, data, strict=True)
    )
    header = CheckpointHeader("c", "run", "flow", 1, Cause.INPUT)
    await store.save(Record(header, manifest), {digest_of(one): one for one in data})
    for read in (Archive(store).load, Archive(store).view):
        try:
            made = await read("c")
        except (CheckpointDamagedError, DecodeError):
            continue
        for state in (made.state, *made.state.children.values()):
            assert all(
                isinstance(name, str)
                for name in (*state.shared, *state.executors, *state.requests)
            )


async def test_a_child_that_is_too_deep_is_damaged_and_does_not_end_the_program() -> (
    None
):
    store = MemoryStore()
    data = b"1"
    name = '["' + '","'.join(["x"] * 100_000) + '","shared","k"]'
    record = Record(
        CheckpointHeader("c", "run", "flow", 1, Cause.INPUT),
        (Part("child", name, digest_of(data)),),
    )
    await store.save(record, {digest_of(data): data})
    with pytest.raises(WorkflowCheckpointException):
        await Archive(store).load("c")


def numpy_value() -> Any:
    numpy = pytest.importorskip("numpy")
    return numpy.array([1, 2])


def is_only_seen(value: Any) -> bool:
    """Whether what a viewer got consists of nothing but records and plain values."""
    if dataclasses.is_dataclass(value):
        return type(value).__name__ == "Record"
    if isinstance(value, dict):
        return all(map(is_only_seen, value.values()))
    return all(map(is_only_seen, value)) if isinstance(value, (list, tuple)) else True
