"""A checkpoint with calls that reached outside opens and reads equal, in this version and
in all that follow, and is written as it was then.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.checkpoints.archive import Archive
from runtime.stores import open_store
from runtime.testing.conformance import opened
from tests.runtime.stores.golden.make import told
from tests.runtime.stores.golden.make_called import CALLS, STATE, TRACE, fill

GOLDEN = Path(__file__).parent / "golden" / "called"
URLS = {"sqlite": "sqlite:{}/runs.db", "dir": "dir:{}/runs"}
EXPECTED = json.loads((GOLDEN / "expected.json").read_text())


@pytest.mark.parametrize("kind", URLS)
async def test_calls_of_before_are_read_equal(kind: str) -> None:
    async with opened(
        lambda: open_store(URLS[kind].format(GOLDEN), read_only=True)
    ) as store:
        content = json.loads(json.dumps(await told(store)))
        for name in ("manifests", "parts"):
            assert content[name] == EXPECTED[name]
        (header,) = await store.headers()
        checkpoint = await Archive(store).load(header.id)
        listed = await Archive(store).calls(header.id)
    assert header.format == 3
    assert (checkpoint.state, checkpoint.trace) == (STATE, TRACE)
    assert checkpoint.calls == CALLS
    assert [one.call.inputs for one in listed] == [
        CALLS[0].inputs,
        CALLS[2].inputs,
        CALLS[1].inputs,
    ]


async def test_calls_are_written_as_they_were_then() -> None:
    async with opened(lambda: open_store("memory:")) as store:
        await fill(store)
        content = json.loads(json.dumps(await told(store)))
    for name in ("manifests", "parts"):
        assert content[name] == EXPECTED[name]
