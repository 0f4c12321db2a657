"""Programs that write more than anybody reads, or are cancelled at any moment, are
ended with all they started.
"""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from uuid import uuid4

import pytest

from runtime.nodes.support.processes import Command, run

FLOOD = [
    sys.executable,
    "-c",
    "import sys\nwhile True: sys.stdout.write('y' * 100_000)",
]
HIGH = 10**9


@pytest.mark.parametrize(("seconds", "most"), [(0.4, HIGH), (30, 1000)])
async def test_a_program_that_floods_is_ended_with_its_pipes(
    seconds: float, most: int
) -> None:
    command = Command(FLOOD, Path.cwd(), dict(os.environ), b"")
    if most == HIGH:
        with pytest.raises(TimeoutError):
            await run(command, seconds, most)
    else:
        assert (await run(command, seconds, most)).too_much


def alive(mark: str) -> list[int]:
    """The processes that have this among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if mark in path.read_text().split("\0"):
                found.append(int(path.parent.name))
    return found


def all_gone(mark: str) -> bool:
    """What was killed may take a moment to be gone."""
    ends = monotonic() + 20
    while alive(mark):
        if monotonic() > ends:
            return False
    return True


@pytest.mark.skipif(
    not Path("/proc/self/cmdline").exists(), reason="processes are looked for in /proc"
)
@pytest.mark.parametrize("turns", [0, 1, 2, 3, 4, 6, 8, 12, 20, 50])
async def test_a_cancellation_at_any_moment_of_the_start_leaves_no_process(
    turns: int,
) -> None:
    mark = f"9{uuid4().int % 10**8}"
    text = f"sleep {mark} & sleep {mark} & exec sleep {mark}"
    command = Command(
        ["/bin/sh", "-c", text], Path.cwd(), dict(os.environ), b"x" * 100_000
    )
    async with asyncio.timeout(30):
        task = asyncio.get_running_loop().create_task(run(command, 60, 1000, 0.01))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert all_gone(mark)
