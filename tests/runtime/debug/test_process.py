"""The host as a real process: the wire stays clean, it can always be killed, and what
was saved is never lost.
"""

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from runtime.debug.protocol import ERROR_MARK
from runtime.debug.remote.transport import mark_errors
from tests.runtime.debug.spawning import Process, spawned
from tests.runtime.debug.talking import (
    CODE,
    alone,
    asking,
    direct,
    document,
    loop,
    lost_join,
    node,
)

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("STEPWELL_KILLS", "4"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "steps.py").write_text(CODE)
    return tmp_path


async def opened(
    process: Process, folder: Path, doc: dict[str, Any], store: str = "memory:"
) -> None:
    await process.body("open", document=doc, folder=str(folder), store=store)


async def test_prints_of_user_code_arrive_on_stderr_and_never_on_the_wire(
    folder,
) -> None:
    async with spawned(folder) as process:
        await opened(process, folder, lost_join())
        await process.body("start")
        assert (await process.until("stopped"))["reason"] == "finished"
        await process.body("shutdown")
        await process.process.wait()
    lines = process.printed.split("\n")
    assert "doubling 2" in lines
    assert f"{ERROR_MARK.decode()}to stderr 1" in lines  # what is printed is no error


def test_each_line_of_an_error_has_its_mark_however_it_is_written(
    tmp_path: Path,
) -> None:
    with (tmp_path / "errors").open("wb") as file:
        errors = mark_errors(file.fileno())
        for text in ("one ", "line\ntwo", " lines\n", "", "ünd\n", "no end"):
            errors.write(text)
            errors.flush()
        errors.detach().detach()
    lines = (tmp_path / "errors").read_bytes().split(b"\n")
    assert lines == [
        ERROR_MARK + line
        for line in (b"one line", b"two lines", "ünd".encode(), b"no end")
    ]


async def test_the_main_job_over_the_wire(folder) -> None:
    async with spawned(folder) as process:
        await opened(process, folder, asking(), f"sqlite:{folder / 'runs.db'}")
        await process.body("start")
        assert (await process.until("stopped"))["reason"] == "waiting"
        moment = await process.body("inspect")
    # Another process, another day: the question is still open, and is answered on a new
    # branch.
    async with spawned(folder) as process:
        await opened(process, folder, asking(), f"sqlite:{folder / 'runs.db'}")
        await process.body("restore", checkpoint_id=moment["header"]["id"])
        assert (await process.body("inspect"))["requests"] == moment["requests"]
        await process.body("answer", answers={moment["requests"][0]["id"]: "yes"})
        await process.body("continue")
        while (stopped := await process.until("stopped"))["reason"] != "finished":
            pass
        assert stopped["branch"] != "main"
        assert len((await process.body("timeline"))["headers"]) == 7


async def test_a_hard_exit_in_user_code_loses_nothing_that_was_saved(folder) -> None:
    (folder / "steps.py").write_text(
        CODE + "\n\ndef leave(message: int) -> int:\n    import os\n    os._exit(3)\n"
    )
    store = f"sqlite:{folder / 'runs.db'}"
    async with spawned(folder) as process:
        await opened(process, folder, alone("leave"), store)
        await process.body("start")
        assert await process.process.wait() == 3
    async with spawned(folder) as process:
        await process.body("open", store=store)
        assert [
            h["superstep"] for h in (await process.body("timeline"))["headers"]
        ] == [0, 1]


@pytest.mark.parametrize("function", ["spin", "hog"])
async def test_an_endless_loop_can_be_killed_and_the_run_goes_on_from_there(
    folder, function
) -> None:
    store = f"sqlite:{folder / 'runs.db'}"
    async with spawned(folder) as process:
        await opened(process, folder, alone(function), store)
        await process.body("start")
        while "b" not in (await process.until("progress"))["running"]:
            pass
        async with asyncio.timeout(30):
            await process.kill()
    async with spawned(folder) as process:
        await opened(process, folder, alone(function), store)
        last = (await process.body("timeline"))["headers"][-1]
        assert (await process.body("restore", checkpoint_id=last["id"]))["header"][
            "superstep"
        ] == 1


async def test_progress_is_told_while_a_handler_keeps_the_loop_busy(folder) -> None:
    async with spawned(folder) as process:
        await opened(process, folder, alone("hog"))
        await process.body("start")
        seconds = 0.0
        while seconds < 0.3:
            seconds = (await process.until("progress"))["running"].get("b", 0.0)


async def test_stop_ends_a_thread_that_spins_for_the_run_and_the_process_can_end(
    folder,
) -> None:
    async with spawned(folder) as process:
        await opened(process, folder, alone("spin"))
        await process.body("start")
        while "b" not in (await process.until("progress"))["running"]:
            pass
        await process.body("stop")
        assert (await process.until("stopped"))["reason"] == "cancelled"
        await process.body("shutdown")
        await asyncio.wait_for(process.process.wait(), 10)


@pytest.mark.parametrize("function", ["nap", "hog", "stubborn", "spin"])
async def test_a_host_without_a_parent_ends(folder, function) -> None:
    async with spawned(folder) as process:
        await opened(process, folder, alone(function))
        await process.body("start")
        while "b" not in (await process.until("progress"))["running"]:
            pass
        process.process.stdin.close()
        await asyncio.wait_for(process.process.wait(), 10)


async def test_what_is_no_command_is_answered(folder) -> None:
    async with spawned(folder) as process:
        process.process.stdin.write(b"hello\n")
        reply = await process.read()
        assert (reply["success"], reply["request_seq"]) == (False, 0)
        assert (await process.body("catalogue"))["nodes"]


async def test_ten_thousand_supersteps_are_all_reported(folder) -> None:
    async with spawned(folder) as process:
        await opened(process, folder, loop(10_000))
        await process.body("start")
        headers = 0
        while True:
            packet = await process.read()
            headers += (
                len(packet["body"]["headers"])
                if packet.get("event") == "checkpoints"
                else 0
            )
            if packet.get("event") == "stopped":
                break
        assert headers >= 10_000
        assert packet["body"]["superstep"] >= 10_000


SLOW = """
import time
from runtime import WorkflowContext

def slow(message: int) -> int:
    time.sleep(0.01)
    return message + 1

async def note(message: int, ctx: WorkflowContext[int]) -> int:
    ctx.set_state("notes", [*ctx.get_state("notes", []), message])
    return message + 1

def total(message: list) -> int:
    return sum(message)
"""


def ladder() -> dict[str, Any]:
    """Two branches of different length into a join, with shared state on the way, and
    an output.
    """
    names = ["a", "b", "c", "d", "e", "f"]
    nodes = [
        node("a", "slow"),
        node("b", "slow"),
        *(node(name, "note") for name in names[2:]),
    ]
    edges = [
        {"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]},
        direct("c", "d"),
        direct("d", "e"),
        direct("e", "f"),
        {"id": "in", "kind": "fan_in", "sources": ["b", "f"], "target": "sum"},
        direct("sum", "end"),
    ]
    return document(
        [*nodes, node("sum", "total"), {"id": "end", "type": "output", "params": {}}],
        edges,
    )


async def run_to_the_end(process: Process) -> tuple[Any, ...]:
    await process.body("continue")
    while (stopped := await process.until("stopped"))["reason"] in (
        "entry",
        "restored",
    ):
        pass
    assert stopped["reason"] == "finished", stopped
    moment = await process.body("inspect", depth=5)
    assert all(not join["held"] for join in moment["joins"])
    return moment["superstep"], moment["outputs"], moment["sections"]


@pytest.mark.timeout(60 + 3 * KILLS)
async def test_sigkill_at_any_moment_then_the_same_end(folder) -> None:
    (folder / "steps.py").write_text(SLOW)
    async with spawned(folder) as process:
        await opened(process, folder, ladder())
        await process.body("start", stop_on_entry=True)
        start = time.monotonic()
        expected = await run_to_the_end(process)
        duration = time.monotonic() - start
    assert expected[1][0][1]["text"] == "9"
    for number in range(KILLS):
        store = f"sqlite:{folder / f'{number}.db'}"
        async with spawned(folder) as process:
            await opened(process, folder, ladder(), store)
            process.send("start")
            try:
                async with asyncio.timeout(duration * (number + 0.5) / KILLS):
                    await process.until("stopped")
            except TimeoutError:
                pass
            await process.kill()
        async with spawned(folder) as process:
            await opened(process, folder, ladder(), store)
            headers = (await process.body("timeline"))["headers"]
            if headers:
                await process.body("restore", checkpoint_id=headers[-1]["id"])
            else:
                await process.body("start", stop_on_entry=True)
            assert await run_to_the_end(process) == expected


async def test_the_collector_does_not_walk_over_what_a_host_is_made_of(folder) -> None:
    """It would do so while somebody waits for an answer. Opening again keeps nothing
    alive that came after.
    """
    count = (
        "def frozen(message: int) -> int:\n    import gc\n"
        "    print('frozen', gc.get_freeze_count())\n    return 0\n"
    )
    (folder / "steps.py").write_text(f"{CODE}\n\n{count}")
    async with spawned(folder) as process:
        for _ in range(2):
            await opened(process, folder, alone("frozen"))
            await process.body("start")
            await process.until("stopped")
        await process.body("shutdown")
        await process.process.wait()
    counts = [
        int(line.split()[1])
        for line in process.printed.split("\n")
        if line.startswith("frozen ")
    ]
    assert counts[0] > 10_000
    assert counts[1] <= counts[0]
