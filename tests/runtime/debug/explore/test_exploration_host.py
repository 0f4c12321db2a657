"""The command `explore` of the host: a process of its own explores, its notices come
little by little, and it ends when nobody wants it any more.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import Any

import pytest

from runtime.debug.explore.process import answer
from runtime.debug.protocol import ExploreArguments, ExploredBody, ExploreRequest
from runtime.debug.questions.exploring import COMMAND
from tests.runtime.debug.talking import (
    Talk,
    alone,
    direct,
    document,
    lost_join,
    node,
    talking,
)

RACE = """
seen = []

def double(message: int) -> int:
    seen.append("double")
    return len(seen)

def inc(message: int) -> int:
    seen.append("inc")
    return len(seen)
"""


def racing() -> dict[str, Any]:
    """b and c append to one list of their module."""
    return document(
        [node("a", "inc"), node("b", "double"), node("c", "inc"), node("d", "inc")],
        [
            {"id": "out", "kind": "fan_out", "source": "a", "targets": ["b", "c"]},
            direct("b", "d"),
        ],
    )


async def after_the_first_superstep(talk: Talk) -> str:
    """The id of the checkpoint from which the second superstep follows."""
    await talk.body("start", stop_on_entry=True)
    await talk.until("stopped")
    await talk.body("step")
    stopped = await talk.until("stopped")
    return str(stopped.checkpoint_id)


async def explored(talk: Talk, id_: str) -> list[ExploredBody]:
    """The notices of an exploration, up to its end."""
    bodies: list[ExploredBody] = []
    while not bodies or not (bodies[-1].done or bodies[-1].failed):
        body = await talk.until("explored")
        if body.id == id_:
            bodies.append(body)
    return bodies


async def test_a_race_is_found_beside_the_run_which_stays_where_it_is(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        (tmp_path / "steps.py").write_text(RACE)
        await talk.open(racing(), f"sqlite:{tmp_path / 'runs.db'}")
        checkpoint = await after_the_first_superstep(talk)
        await talk.body("explore", id="1", checkpoint_id=checkpoint)
        last = (await explored(talk, "1"))[-1]
        assert (last.superstep, last.count, last.complete) == (2, 2, True)
        assert [call.title for call in last.calls] == ["B", "C"]
        assert last.outcomes[1].when == "C before B"
        assert [change.section for change in last.outcomes[1].changes]
        assert {finding.kind for finding in last.findings} >= {"orders"}
        # The outcomes can be compared, as checkpoints of another store.
        first, second = (outcome.saved_in for outcome in last.outcomes)
        diff = await talk.body(
            "diff", base=second, base_store=last.store, checkpoint_id=checkpoint
        )
        assert diff.differences
        assert first != second
        moment = await talk.body("inspect")
        assert moment.header.id == checkpoint


ENDLESS = """
import os
import subprocess
import time
from pathlib import Path

def inc(message: int) -> int:
    return message

async def hog(message: int) -> int:
    # Whole at once, because somebody waits for it.
    begun = Path(__file__).parent / "begun"
    begun.with_suffix(".new").write_text(str(os.getpid()))
    begun.with_suffix(".new").rename(begun)
    while True:
        pass
"""


async def test_an_exploration_that_is_stopped_ends_its_process_and_another_may_begin(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        # The handler never ends, and lets nobody else have the loop.
        (tmp_path / "steps.py").write_text(ENDLESS)
        await talk.open(alone("hog"), f"sqlite:{tmp_path / 'runs.db'}")
        checkpoint = await after_the_first_superstep(talk)
        await talk.body("explore", id="1", checkpoint_id=checkpoint)
        begun = tmp_path / "begun"
        while not begun.exists():  # noqa: ASYNC110 - another process makes it
            await asyncio.sleep(0.01)
        await talk.body("explore_stop", id="another")
        await talk.body("explore_stop", id="1")
        (tmp_path / "steps.py").write_text(f"{RACE}\n\nhog = inc\n")
        await talk.body("explore", id="2", checkpoint_id=checkpoint, failures=False)
        last = (await explored(talk, "2"))[-1]
        assert (last.failed, last.refused, last.count) == ("", "", 1)
        assert last.disturbed == 0
    with pytest.raises(ProcessLookupError):
        os.kill(int(begun.read_text()), 0)


async def a_run_before_an_endless_handler(folder: Path) -> str:
    """The id of its last checkpoint."""
    async with talking(folder) as talk:
        (folder / "steps.py").write_text(ENDLESS)
        await talk.open(alone("hog"), f"sqlite:{folder / 'runs.db'}")
        return await after_the_first_superstep(talk)


def test_the_process_ends_when_the_host_is_gone(tmp_path: Path) -> None:
    checkpoint = asyncio.run(a_run_before_an_endless_handler(tmp_path))
    request = ExploreRequest(
        store=f"sqlite:{tmp_path / 'runs.db'}",
        arguments=ExploreArguments(id="1", checkpoint_id=checkpoint),
    )
    process = subprocess.Popen(COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL)
    with process:
        assert process.stdin is not None
        process.stdin.write(request.model_dump_json().encode() + b"\n")
        process.stdin.flush()
        while not (tmp_path / "begun").exists():
            time.sleep(0.01)
        process.stdin.close()
        assert process.wait(30) == 1


async def test_a_store_in_memory_cannot_be_explored(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        reply = await talk.ask("explore", id="1", checkpoint_id="any")
        assert not reply.success
        assert "Save the checkpoints in a file" in reply.message


async def answered(talk: Talk, document_: Any, checkpoint: str) -> ExploredBody:
    """What the process says, in this process."""
    bodies: list[ExploredBody] = []
    request = ExploreRequest(
        store=f"sqlite:{talk.folder / 'runs.db'}",
        arguments=ExploreArguments(id="1", checkpoint_id=checkpoint),
        document=document_,
        folder=str(talk.folder),
    )
    await answer(request, bodies.append)
    return bodies[-1]


async def test_a_document_with_another_graph_is_not_used_but_the_saved_one(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join(), f"sqlite:{tmp_path / 'runs.db'}")
        checkpoint = await after_the_first_superstep(talk)
        other = alone("inc")["workflow"]
        body = await answered(talk, other, checkpoint)
        assert (body.done, body.count, body.findings) == (True, 1, ())
        missing = await answered(talk, None, "nowhere")
        assert "nowhere" in missing.failed
        (tmp_path / "steps.py").write_text("import nothing_of_this_name\n")
        broken = await answered(talk, None, checkpoint)
        assert "nothing_of_this_name" in broken.failed
