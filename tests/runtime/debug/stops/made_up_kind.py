"""What `test_made_up_kind` runs in a process where breakpoints can stop a run when an
executor has sent a message.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from designer.model.breakpoint_words import CHOICES, when, where
from runtime.debug.facts.probe import Probe
from runtime.debug.protocol import Breakpoint, StoppedBody
from tests.runtime.debug.stops.support import go, stand_at_entry, states
from tests.runtime.debug.talking import loop, talking

# A value that the type has only in this process.
SEND: Any = "send"


async def check_run(folder: Path) -> None:
    point = {"kind": SEND, "where": "b", "condition": "message > 4", "log": ""}
    async with talking(folder) as talk:
        await stand_at_entry(talk, loop(20), point)
        stopped = await go(talk, "continue")
        check_stop(stopped)
        assert await states(talk) == {"b": "done"}
        assert (await go(talk, "continue")).breakpoint.hit == 2  # type: ignore[union-attr]
        log = {**point, "id": "log", "log": "{executor} sends {message}"}
        await talk.body("breakpoints", breakpoints=[log])
        await talk.body("step", count=3)
        notices = await talk.collect("stopped")
        texts = [notice.body.text for notice in notices if notice.event == "logged"]  # type: ignore[union-attr]
        assert texts == ["b sends 9"]


def check_stop(stopped: StoppedBody) -> None:
    assert stopped.reason == "breakpoint"
    assert stopped.breakpoint is not None
    assert stopped.breakpoint.because == "'b' has sent 5."
    assert (stopped.breakpoint.kind, stopped.breakpoint.hit) == ("send", 1)


def check_words() -> None:
    point = Breakpoint(id="a", kind=SEND, where="b")
    assert (where(point, str), when(point)) == ("b", "has sent")
    assert where(Breakpoint(id="a", kind=SEND), str) == "Any sender"
    assert CHOICES["node"][SEND] == "when it has sent"


if __name__ == "__main__":
    Probe(SEND)
    check_words()
    asyncio.run(check_run(Path(sys.argv[1])))
