"""What is said of a call that was not made, and what it did, for a pin: asked of the host,
which has only the store.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.debug.questions.recorded_result import HAS_SECRETS, NOTHING
from runtime.engine.replay.settings import Pin, Replay
from runtime.engine.runner import Runner
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.stores import open_store
from tests.runtime.debug.talking import Talk, talking
from tests.runtime.replay.reaching import World, chain, sink, two_requests


class Login(Executor):
    """Asks, writes, and gets something that has the name of a secret."""

    @handler(outside="login")
    async def log_in(self, message: str, ctx: WorkflowContext[dict, Any]) -> None:
        ctx.set_state("user", message)
        await ctx.send_message({"password": "hidden", "age": 3})
        await ctx.yield_output("welcome")


@pytest.fixture
async def forked(tmp_path: Path) -> tuple[str, list[CheckpointHeader]]:
    """A store with a run, and a fork of it whose first request is recorded and whose
    second is pinned; the checkpoints of the fork.
    """
    url = f"sqlite:{tmp_path / 'runs.db'}"
    store = open_store(url)
    workflow = two_requests(World())
    runner = Runner(workflow, store)
    await runner.start("a")
    await runner.finish()
    first = (await store.headers())[0]
    pinned = Replay(pinned={"second": Pin(sent=("mine",))})
    await runner.restore(first.id, fork=True, replay=pinned)
    await runner.finish()
    fork = [header for header in await store.headers() if header.branch != "main"]
    await store.close()
    return url, [header for header in fork if header.cause is Cause.SUPERSTEP]


@pytest.fixture
async def talk(
    tmp_path: Path, forked: tuple[str, list[CheckpointHeader]]
) -> AsyncIterator[Talk]:
    async with talking(tmp_path) as talk:
        await talk.body("open", store=forked[0], read_only=True)
        yield talk


async def test_node_board_and_log_say_that_a_result_was_recorded_or_pinned(
    talk: Talk, forked: tuple[str, list[CheckpointHeader]]
) -> None:
    first, _, second, _ = forked[1]
    node = await talk.body("node", checkpoint_id=first.id, node="first")
    assert [call.origin for call in node.calls] == ["recorded"]
    ids = [first.id, second.id]
    columns = (await talk.body("board", checkpoints=ids)).columns
    counts = [(cell.recorded, cell.pinned) for each in columns for cell in each.cells]
    assert counts == [(1, 0), (0, 1)]
    log = await talk.body("log", checkpoints=ids)
    texts = [event.text for event in log.events if event.kind == "after"]
    assert "recorded result" in texts[0]
    assert "pinned result" in texts[1]


async def test_a_call_that_was_made_says_nothing_of_it(
    talk: Talk, forked: tuple[str, list[CheckpointHeader]]
) -> None:
    big = forked[1][1]
    node = await talk.body("node", checkpoint_id=big.id, node="big")
    assert [call.origin for call in node.calls] == ["live"]
    log = await talk.body("log", checkpoints=[big.id])
    assert not any("result" in event.text for event in log.events)


async def test_what_was_recorded_is_offered_to_be_pinned(
    talk: Talk, forked: tuple[str, list[CheckpointHeader]]
) -> None:
    first, big, second, _ = forked[1]
    body = await talk.body("recorded_result", checkpoint_id=first.id, executor="first")
    assert body.result.sent == ("first:a/1",)
    assert body.note == ""
    body = await talk.body("recorded_result", checkpoint_id=big.id, executor="big")
    assert (body.result.sent, body.note) == ((), NOTHING)
    body = await talk.body(
        "recorded_result", checkpoint_id=second.id, executor="second"
    )
    assert body.note == "Its result was not kept: it was pinned."


async def test_what_the_next_superstep_did_is_offered_before_it(
    talk: Talk, forked: tuple[str, list[CheckpointHeader]]
) -> None:
    first = forked[1][0]
    body = await talk.body("recorded_result", checkpoint_id=first.id, executor="second")
    assert body.result.sent == ("second:FIRST:A/1/2",)
    assert body.note == "This is what it did in superstep 3."


async def recorded(tmp_path: Path, executor: Executor) -> Any:
    """What the host says of the only call of an executor."""
    url = f"sqlite:{tmp_path / 'other.db'}"
    store = open_store(url)
    runner = Runner(chain(executor, sink()), store)
    await runner.start("a")
    await runner.finish()
    ids = [header.id for header in await store.headers()]
    await store.close()
    async with talking(tmp_path) as talk:
        await talk.body("open", store=url, read_only=True)
        return await talk.body(
            "recorded_result", checkpoint_id=ids[1], executor=executor.id
        )


async def test_outputs_and_writes_are_offered_too_and_secrets_are_masked(
    tmp_path: Path,
) -> None:
    body = await recorded(tmp_path, Login("login"))
    assert body.result.writes == {"user": "a"}
    assert body.result.outputs == ("welcome",)
    [sent] = body.result.sent
    assert sent["age"] == 3
    assert "hidden" not in sent["password"]
    assert body.note == HAS_SECRETS
