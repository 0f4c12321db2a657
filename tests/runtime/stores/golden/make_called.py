"""Golden stores with calls that reached outside, and how they were made: `python -m
tests.runtime.stores.golden.make_called FOLDER`. They are as they are, for ever.
"""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import count
from pathlib import Path

from runtime.calls import Call, CallError, Inputs, Results
from runtime.checkpoint import Cause, CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.message import Message, Request
from runtime.state import RECORDED, Invocation, RunState, Trace
from runtime.stores import open_store
from tests.runtime.stores.golden.make import told

INPUTS = Inputs("c" * 32 + ":run", "m" * 32, "o" * 32, {"city": "d" * 32, "gone": ""})
CALLS = (
    Call(
        (),
        "fetch",
        0,
        "run",
        "HTTP request to example.org",
        False,
        INPUTS,
        Results(error=CallError("ConnectionError", "no line", ("line 1",), True)),
    ),
    Call(
        (),
        "fetch",
        1,
        "run",
        "HTTP request to example.org",
        False,
        INPUTS,
        Results(
            (Message({"n": (1, b"\0")}, "fetch", "b"),),
            ("out",),
            {"city": "Rome", "log": ["a"]},
            ("gone",),
            (Request("q", "fetch", "Ship?", bool, 1, 0, {"type": "boolean"}),),
            {"seen": 1},
        ),
    ),
    Call(
        ("sub#1",),
        "read",
        0,
        "read",
        "read file a.txt",
        True,
        Inputs("c", "m", "o"),
        omitted="it holds a secret",
    ),
)
TRACE = Trace(
    (
        Invocation("fetch", "run", ("a",), 1, 0.0, 0.5, error="ConnectionError: no"),
        Invocation("fetch", "run", ("a",), 1, 0.5, 0.5, 1, 1, attempt=2),
        Invocation("sub#1/read", "read", ("b",), 1, 0.0, 0.25, origin=RECORDED),
    )
)
STATE = RunState(1, (Message({"n": 1}, "fetch", "b"),), shared={"city": "Rome"})


async def fill(store: CheckpointStore) -> None:
    numbers = count(1)
    archive = Archive(
        store, clock=lambda: 1_700_000_000.25, new_id=lambda: f"{next(numbers):020x}"
    )
    await archive.save(
        STATE,
        TRACE,
        run_id="run",
        workflow="golden",
        signature="s",
        cause=Cause.SUPERSTEP,
        parent=None,
        branch="main",
        calls=CALLS,
    )


async def _make(folder: Path) -> None:
    for url in (f"sqlite:{folder}/runs.db", f"dir:{folder}/runs"):
        store = open_store(url)
        await fill(store)
        (folder / "expected.json").write_text(json.dumps(await told(store), indent=1))
        await store.close()


if __name__ == "__main__":
    asyncio.run(_make(Path(sys.argv[1])))
