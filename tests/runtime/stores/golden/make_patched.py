"""Golden stores with a fork that a patch has made, and how they were made: `python -m
tests.runtime.stores.golden.make_patched FOLDER`. They are as they are, for ever.
"""

from __future__ import annotations

import asyncio
import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

from runtime.checkpoint import Cause, CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.message import Message
from runtime.state import RunState, Trace
from runtime.stores import open_store
from tests.runtime.stores.golden.make import told

BEFORE = RunState(1, (Message({"n": 1}, "a"), Message("x", "a", "b")), shared={"k": 1})
AFTER = RunState(1, (Message({"n": 2}, "a"),), shared={"k": 1, "new": [None]})
PATCH: dict[str, Any] = {
    "format": 1,
    "name": "by hand",
    "made_for": f"{1:020x}",
    "changes": [
        {
            "id": "c1",
            "do": "set",
            "section": "queue",
            "spot": {"place": 0, "was": {"n": 1}, "source": "a"},
            "path": ["n"],
            "value": 2,
            "was": 1,
        },
        {
            "id": "c2",
            "do": "drop",
            "section": "queue",
            "spot": {"place": 1, "was": "x", "source": "a", "target": "b"},
        },
        {"id": "c3", "do": "set", "section": "state", "key": "new", "value": [None]},
    ],
}


async def fill(store: CheckpointStore) -> None:
    numbers = count(1)
    archive = Archive(
        store, clock=lambda: 1_700_000_000.25, new_id=lambda: f"{next(numbers):020x}"
    )
    place: dict[str, Any] = {"run_id": "run", "workflow": "golden", "signature": "s"}
    before = await archive.save(
        BEFORE, Trace(), **place, cause=Cause.SUPERSTEP, parent=None, branch="main"
    )
    await archive.save(
        AFTER,
        Trace(),
        **place,
        cause=Cause.EDIT,
        parent=before,
        branch="by hand",
        patch=PATCH,
        edited="3 changes",
    )


async def _make(folder: Path) -> None:
    for url in (f"sqlite:{folder}/runs.db", f"dir:{folder}/runs"):
        store = open_store(url)
        await fill(store)
        (folder / "expected.json").write_text(json.dumps(await told(store), indent=1))
        await store.close()


if __name__ == "__main__":
    asyncio.run(_make(Path(sys.argv[1])))
