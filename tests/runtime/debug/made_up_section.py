"""What `test_made_up_section` runs in a process where a state has `tallies`, which are
a section of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import sys
from typing import Any

from runtime.checkpoint import Cause, Checkpoint
from runtime.checkpoints.archive import Archive
from runtime.debug.compare.checkpoints import compare
from runtime.debug.moments.moment import Snapshot
from runtime.debug.protocol import SECTION_TITLES, Moment
from runtime.state import RunState, Trace
from runtime.stores import open_store
from runtime.testing.conformance import opened

# A field that the class has only in this process.
Tallied: Any = RunState
STATES = [
    Tallied(shared={"k": 1}, tallies={"cats": 1, "dogs": 2}),
    Tallied(
        superstep=1,
        shared={"k": 1},
        tallies={"cats": 3, "dogs": 2},
        children={"sub#1": Tallied(tallies={"birds": 4})},
    ),
]


async def saved(url: str) -> list[Checkpoint]:
    """Save both states, and return them as they are viewed."""
    async with opened(lambda: open_store(url)) as store:
        archive = Archive(store)
        header = None
        viewed = []
        for state in STATES:
            header = await archive.save(
                state,
                Trace(),
                run_id="run",
                workflow="flow",
                cause=Cause.SUPERSTEP,
                parent=header,
                branch="main",
            )
            assert (await archive.load(header.id)).state == state
            viewed.append(await archive.view(header.id))
        assert header is not None
        changed = [part.name for part in (await store.load(header.id)).manifest]
        assert {"cats", "dogs"} <= set(changed)
    return viewed


def shown(*words: str) -> str:
    from designer.cli.commands import main

    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main(list(words)) == 0
    return printed.getvalue()


def check(url: str) -> None:
    before, after = asyncio.run(saved(url))
    changes = [
        change[:3] for change in compare(before, after) if change.section != "header"
    ]
    assert changes == [
        ("tallies", "['cats']", "changed"),
        ("tallies", "['sub#1/birds']", "added"),
    ]
    snapshot = Snapshot.of(after)
    assert snapshot.section("tallies") == {"cats": 3, "dogs": 2}
    moment = Moment.model_validate_json(snapshot.moment().model_dump_json())
    texts = [
        (name, child.text) for name, child in moment.sections["tallies"].children or ()
    ]
    assert texts == [("cats", "3"), ("dogs", "2")]
    assert SECTION_TITLES["tallies"] == "Tallies"
    words = ("show", url, after.header.id, "--section", "tallies")
    assert "cats = 3\n  dogs = 2\n  sub#1/birds = 4" in shown(*words)
    as_json = json.loads(shown(*words, "--json"))
    assert as_json == {"cats": 3, "dogs": 2, "sub#1/birds": 4}


if __name__ == "__main__":
    check(sys.argv[1])
