"""A branch is a line, whoever else goes on with the run: who comes late opens a branch
of its own, and says so.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from runtime.checkpoint import CheckpointHeader, CheckpointStore, Record
from runtime.engine.runner import Runner
from runtime.errors import EncodeError, WorkflowCheckpointException
from runtime.events import RunEvent, RunEventKind, WorkflowEvent
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from tests.runtime.graphs import uneven_join

OUTCOME = [["xAB", "xACD"]]


def warnings(events: list[RunEvent]) -> list[str]:
    return [
        event.data["text"] for event in events if event.kind is RunEventKind.WARNING
    ]


async def lines(store: CheckpointStore) -> dict[str, list[int]]:
    """The supersteps of each branch. Each checkpoint but the first of a branch must
    follow the one before it.
    """
    found: dict[str, list[CheckpointHeader]] = {}
    for header in await store.headers():
        line = found.setdefault(header.branch, [])
        assert not line or header.parent == line[-1].id
        line.append(header)
    return {
        branch: [header.superstep for header in line] for branch, line in found.items()
    }


async def begun(store: CheckpointStore, events: list[RunEvent] | None = None) -> Runner:
    """A run after its first superstep."""
    runner = Runner(
        uneven_join(), store, observer=None if events is None else events.append
    )
    await runner.start("x")
    await runner.step()
    return runner


async def outputs_of(runner: Runner) -> list[Any]:
    found: list[Any] = []
    while (trace := await runner.step()) is not None:
        found += [output.data for output in trace.outputs]
    return found


async def test_rule_28_a_run_that_another_one_went_on_with_goes_on_beside_it_and_says_so() -> (
    None
):
    store = MemoryStore()
    events = list[RunEvent]()
    first = await begun(store, events)
    second = Runner(uneven_join(), store)
    assert first.header is not None
    await second.restore(first.header.id)
    assert await outputs_of(second) == OUTCOME
    assert await outputs_of(first) == OUTCOME
    assert (second.branch, first.branch) == ("main", "fork 1")
    assert await lines(store) == {"main": [0, 1, 2, 3, 4], "fork 1": [2, 3, 4]}
    assert second.header is not None
    (warning,) = warnings(events)
    assert second.header.id in warning
    assert "'fork 1'" in warning


async def test_who_restored_the_head_is_told_too_when_it_moved_meanwhile() -> None:
    store = MemoryStore()
    events = list[RunEvent]()
    first = await begun(store)
    second = Runner(uneven_join(), store, observer=events.append)
    assert first.header is not None
    await second.restore(first.header.id)
    await first.step()
    await second.step()
    assert second.branch == "fork 1"
    assert len(warnings(events)) == 1


async def test_going_on_from_the_past_is_what_was_asked_for_and_no_warning() -> None:
    store = MemoryStore()
    events = list[RunEvent]()
    runner = await begun(store, events)
    await runner.restore((await store.headers())[0].id)
    await runner.finish()
    assert runner.branch == "fork 1"
    assert warnings(events) == []


async def test_the_caller_of_a_workflow_is_told_as_well() -> None:
    store = MemoryStore()
    told = list[WorkflowEvent]()
    first = await begun(store)
    second = Runner(uneven_join(), store)
    assert first.header is not None
    await second.restore(first.header.id)
    await second.finish()
    first.listen(told.append)
    await first.finish()
    (warning,) = [event for event in told if event.type == "warning"]
    assert "Somebody else has gone on" in warning.data


async def test_steps_taken_in_turn_are_two_lines_of_which_only_the_first_step_is_news() -> (
    None
):
    store = MemoryStore()
    events = list[RunEvent]()
    first = await begun(store, events)
    second = Runner(uneven_join(), store, observer=events.append)
    assert first.header is not None
    await second.restore(first.header.id)
    for runner in (first, second) * 3:
        await runner.step()
    assert await lines(store) == {"main": [0, 1, 2, 3, 4], "fork 1": [2, 3, 4]}
    assert len(warnings(events)) == 1


class Racing(MemoryStore):
    """Lets another writer act after the names of the branches were asked for, and
    before the next save.
    """

    rival: Any = None
    asked = False

    async def headers(self, **filters: Any) -> list[CheckpointHeader]:
        self.asked = True
        return await super().headers(**filters)

    async def save(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> CheckpointHeader:
        if self.asked and (rival := self.rival):
            self.rival = None
            await rival()
        return await super().save(record, parts)


async def test_a_name_that_somebody_else_took_meanwhile_is_not_shared() -> None:
    store = Racing()
    await (await begun(store)).finish()
    past = (await store.headers())[1].id
    one = Runner(uneven_join(), store)
    two = Runner(uneven_join(), store)

    async def rival() -> None:
        await two.restore(past, fork=True)

    store.rival = rival
    await one.restore(past, fork=True)
    assert (two.branch, one.branch) == ("fork 1", "fork 2")

    async def namesake() -> None:
        await two.restore(past, fork=True, branch="mine")

    store.rival = namesake
    with pytest.raises(WorkflowCheckpointException, match="a branch 'mine' already"):
        await one.restore(past, fork=True, branch="mine")
    assert one.branch == "fork 2"


async def test_a_store_that_is_used_again_keeps_its_line() -> None:
    """The run went on in another store in between: here it has no parent, so it is no
    part of the branch.
    """
    here = MemoryStore()
    there = MemoryStore()
    runner = await begun(here)
    for store in (there, here):
        runner.use_store(store)
        await runner.step()
    assert await lines(here) == {"main": [0, 1], "fork 1": [3]}
    assert await lines(there) == {"main": [2]}


GOING_ON = """
import asyncio, sys
from runtime.engine.runner import Runner
from runtime.stores import open_store
from tests.runtime.graphs import uneven_join

async def main(url, checkpoint):
    store = open_store(url)
    runner = Runner(uneven_join(), store)
    await runner.restore(checkpoint)
    print("ready", flush=True)
    sys.stdin.readline()
    await runner.finish()
    print(runner.branch, runner.header.status, flush=True)
    await store.close()

asyncio.run(main(*sys.argv[1:]))
"""


async def test_processes_that_go_on_at_once_each_get_a_line_of_their_own(
    tmp_path: Path,
) -> None:
    url = f"sqlite:{tmp_path}/runs.db"
    store = open_store(url)
    header = (await begun(store)).header
    assert header is not None
    root = Path(__file__).parents[2]
    children = [
        subprocess.Popen(  # noqa: ASYNC220 - the test waits for them
            [sys.executable, "-c", GOING_ON, url, header.id],
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("\n")
        child.stdin.flush()
    said = [child.communicate()[0].strip() for child in children]
    assert sorted(said) == ["fork 1 IDLE", "fork 2 IDLE", "main IDLE"]
    assert await lines(store) == {
        "main": [0, 1, 2, 3, 4],
        "fork 1": [2, 3, 4],
        "fork 2": [2, 3, 4],
    }
    await store.close()


async def test_a_new_run_that_cannot_be_saved_leaves_the_one_before_on_its_line() -> (
    None
):
    store = MemoryStore()
    runner = await begun(store)
    before = (runner.run_id, runner.branch, runner.header, runner.state)
    with pytest.raises(EncodeError):
        await runner.start(UnsavableText("x"), keep_state=True)
    assert (runner.run_id, runner.branch, runner.header, runner.state) == before
    assert await outputs_of(runner) == OUTCOME
    assert await lines(store) == {"main": [0, 1, 2, 3, 4]}


class UnsavableText(str):
    """A text that the codec refuses, since it would come back as another type."""

    __slots__ = ()
