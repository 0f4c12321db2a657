"""Programs that write more than anybody reads are ended, with their pipes."""

import os
import sys
from pathlib import Path

import pytest

from runtime.nodes.processes import Command, run

FLOOD = [sys.executable, "-c", "import sys\nwhile True: sys.stdout.write('y' * 100_000)"]
HIGH = 10**9


@pytest.mark.parametrize(("seconds", "most"), [(0.4, HIGH), (30, 1000)])
async def test_a_program_that_floods_is_ended_with_its_pipes(seconds: float, most: int) -> None:
    command = Command(FLOOD, Path.cwd(), dict(os.environ), b"")
    if most == HIGH:
        with pytest.raises(TimeoutError):
            await run(command, seconds, most)
    else:
        assert (await run(command, seconds, most)).too_much
