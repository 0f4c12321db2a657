"""What the golden stores hold, and how they were made: `python -m
tests.runtime.stores.golden.make FOLDER`.

They are of one format, for ever: a later format gets golden stores of its own beside
these, and these must still open.
"""

from __future__ import annotations

import asyncio
import base64
import dataclasses
import json
import sys
from collections import Counter, deque
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

from runtime.checkpoint import (
    PINNED,
    Cause,
    CheckpointHeader,
    CheckpointStore,
    Part,
    Record,
    digest_of,
)
from runtime.checkpoints.archive import Archive
from runtime.message import Message, Request
from runtime.state import ExecutorRecord, Output, RunState, Trace
from runtime.stores import open_store

VALUES: dict[str, Any] = {
    "draft": {
        "title": "Đội 😀",
        "parts": [1, 2.5, None, True, float("inf"), 10**40, -0.0],
    },
    "nul\0": "a\0b",
    "kinds": (
        b"\0\xff",
        {1, 2},
        frozenset({"x"}),
        Decimal("1.50"),
        2 + 3j,
        date(2026, 1, 31),
    ),
    "when": datetime(2026, 1, 31, 18, 30, tzinfo=UTC),
    "more": [
        deque([1, 2], maxlen=3),
        Counter("aab"),
        {1: "one", "1": "text", (1, 2): "pair"},
    ],
    "long": "".join(f"line {number}\n" for number in range(2500)),
}
STATES = [
    RunState(0, (Message({"n": 1}, "input"),), shared=VALUES),
    RunState(
        1,
        (Message([1, 2], "a", "b"), Message("x", "a")),
        {'fan_in:[["a","c"],["b","c"]]': (Message("held", "a"),)},
        {"a": ExecutorRecord({"seen": [1]}, 1, 1)},
        {**VALUES, "step": 1},
        {"q": Request("q", "a", "Ship?", str, 1)},
        {"sub": RunState(1, shared={"inner": [1, {"deep": "x"}]})},
    ),
    RunState(
        2,
        shared={
            **VALUES,
            "step": 2,
            "long": VALUES["long"].replace("line 77\n", "line seventy-seven\n"),
        },
    ),
]
DEFINITION = {"name": "golden", "nodes": [{"id": "a"}], "edges": []}
AWKWARD = "x') OR 1=1 -- ä/../.\0 %_"


async def fill(store: CheckpointStore) -> None:
    numbers = count(1)
    archive = Archive(
        store, clock=lambda: 1_700_000_000.25, new_id=lambda: f"{next(numbers):020x}"
    )

    async def save(
        state: RunState, parent: CheckpointHeader | None, **more: Any
    ) -> CheckpointHeader:
        place: dict[str, Any] = {
            "run_id": "golden run",
            "branch": "main",
            "cause": Cause.SUPERSTEP,
            **more,
        }
        trace = Trace(outputs=(Output("a", f"out {state.superstep}"),))
        return await archive.save(
            state, trace, workflow="golden", parent=parent, signature="s" * 32, status="IDLE", stalled=1,
            definition=DEFINITION, **place,
        )  # fmt: skip

    await save(STATES[0], None, run_id="gone", cause=Cause.INPUT)
    first = await save(STATES[0], None, cause=Cause.INPUT)
    second = await save(STATES[1], first)
    third = await save(STATES[2], second)
    await save(STATES[1], second, branch="fork 1", cause=Cause.FORK)
    await save(STATES[2], third, cause=Cause.EDIT)
    await store.annotate(second.id, tags=[PINNED, "good\0"], note="before the fix")
    await store.delete([third.id])
    await store.delete_run("gone")
    before = await save(STATES[0], None, run_id="changed run", cause=Cause.INPUT)
    await save(
        STATES[1], before, run_id="changed run", branch="fork 1", cause=Cause.EDIT,
        changed="a renamed to b", change={"from": before.id, "changes": ["a renamed to b"]},
    )  # fmt: skip
    await _fill_long_run(store)


async def _fill_long_run(store: CheckpointStore) -> None:
    """Manifests that a store may keep as differences, with kinds and names of every
    sort.
    """
    parts = {f"k{number}": b"%d" % number for number in range(20)}
    parent = None
    for step in range(4):
        parts[f"k{step}"] = b"changed %d" % step
        manifest = [
            Part("shared", name, digest_of(data)) for name, data in parts.items()
        ]
        manifest.append(Part("own kind", AWKWARD, digest_of(b"own")))
        id_ = f"{AWKWARD} {step}"
        header = CheckpointHeader(
            id_,
            AWKWARD,
            AWKWARD,
            step,
            Cause.RESPONSE,
            parent,
            AWKWARD,
            tags=(AWKWARD,),
        )
        given = {digest_of(data): data for data in [*parts.values(), b"own"]}
        parent = (await store.save(Record(header, tuple(manifest)), given)).id


async def told(store: CheckpointStore) -> dict[str, Any]:
    """Everything that a store holds, as plain JSON."""
    records = [await store.load(header.id) for header in await store.headers()]
    digests = sorted({part.digest for record in records for part in record.manifest})
    return {
        "headers": [dataclasses.asdict(record.header) for record in records],
        "manifests": [[list(part) for part in record.manifest] for record in records],
        "parts": {
            key: base64.b64encode(data).decode()
            for key, data in (await store.parts(digests)).items()
        },
    }


async def _make(folder: Path) -> None:
    for url in (f"sqlite:{folder}/runs.db", f"dir:{folder}/runs"):
        store = open_store(url)
        await fill(store)
        (folder / "expected.json").write_text(json.dumps(await told(store), indent=1))
        await store.close()


if __name__ == "__main__":
    asyncio.run(_make(Path(sys.argv[1])))
