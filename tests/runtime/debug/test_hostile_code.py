"""Code of users that does what it should not: the host lives, says what happened, and
runs the next thing.
"""

import asyncio
from pathlib import Path

import pytest

from tests.runtime.debug.spawning import spawned
from tests.runtime.debug.talking import alone, talking

CODE = r"""
import asyncio, os, sys

def inc(message: int) -> int:
    return message + 1

class Abort(BaseException):
    pass

async def abort(message: int) -> int:
    raise Abort("enough")

def leave(message: int) -> int:
    sys.exit(3)

async def cancel_itself(message: int) -> int:
    asyncio.current_task().cancel()
    await asyncio.sleep(60)

def speak_in_surrogates(message: int) -> int:
    raise ValueError("\ud800 broken")

def fork(message: int) -> int:
    child = os.fork()
    if child:
        os.waitpid(child, 0)
    return message if child else -1

async def fork_the_loop(message: int) -> int:
    return fork(message)
"""


@pytest.mark.parametrize(
    ("function", "reason", "text"),
    [
        ("abort", "failed", "enough"),
        ("leave", "failed", "sys.exit(3)"),
        ("cancel_itself", "failed", "nobody cancelled"),
    ],
)
async def test_the_host_outlives_what_is_raised(
    tmp_path: Path, function: str, reason: str, text: str
) -> None:
    async with talking(tmp_path) as talk:
        (tmp_path / "steps.py").write_text(CODE)
        await talk.open(alone(function))
        await talk.body("start")
        stopped = await talk.until("stopped")
        assert (stopped.reason, stopped.superstep) == (reason, 1)
        assert text in stopped.text
        await talk.open(alone("inc"))
        await talk.body("start")
        assert (await talk.until("stopped")).reason == "finished"


async def test_text_that_is_no_text_does_not_end_the_host(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text(CODE)
    async with spawned(tmp_path) as process:
        await process.body(
            "open",
            document=alone("speak_in_surrogates"),
            folder=str(tmp_path),
            store="memory:",
        )
        await process.body("start")
        assert "\\ud800 broken" in (await process.until("stopped"))["text"]
        assert (await process.body("inspect"))["nodes"]["b"][
            "error"
        ] == "\\ud800 broken"


@pytest.mark.parametrize("function", ["fork", "fork_the_loop"])
async def test_a_forked_process_neither_speaks_nor_stays(
    tmp_path: Path, function: str
) -> None:
    """The handler waits for the end of its child, which is the end of the child's
    handler.
    """
    (tmp_path / "steps.py").write_text(CODE)
    async with spawned(tmp_path) as process, asyncio.timeout(20):
        await process.body(
            "open", document=alone(function), folder=str(tmp_path), store="memory:"
        )
        await process.body("start")
        assert (await process.until("stopped"))["reason"] == "finished"
        await process.body("shutdown")
        assert await process.process.wait() == 0


async def test_a_module_that_cannot_even_be_imported_leaves_the_host_alive(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        (tmp_path / "steps.py").write_text(
            "class Odd(BaseException): ...\nraise Odd('not today')\n"
        )
        opened = await talk.open(alone("inc"))
        refused = next(
            problem for problem in opened.problems if "not today" in problem.message
        )
        assert (refused.rule, refused.remedy) == (
            "build",
            "Correct the code, then run again.",
        )
        assert "not today" in (await talk.ask("start")).message
