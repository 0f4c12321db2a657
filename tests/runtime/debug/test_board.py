"""The superstep board says of each superstep what the trace recorded, and of joins and
invocations what the state holds.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.checkpoint import Cause
from runtime.checkpoints.archive import Archive
from runtime.debug.protocol import BoardColumn, parted
from runtime.debug.timeline.board import Board, cells_of
from runtime.debug.timeline.board_times import BoardTimes, Sums
from runtime.engine.runner import Runner
from runtime.errors import CheckpointDamagedError
from runtime.state import Fate, Invocation, Release, RunState, Trace
from runtime.stores import open_store
from runtime.stores.memory import MemoryStore
from tests.runtime.debug.random_workflows import SUPERSTEPS, Notebook, workflows
from tests.runtime.debug.talking import asking, lost_join, talking

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large)


async def _run(data: st.DataObject) -> MemoryStore:
    store = MemoryStore()
    runner = Runner(data.draw(workflows(Notebook())), store)
    await runner.start(0)
    for _ in range(SUPERSTEPS):
        if await runner.step() is None:
            break
    return store


@settings(max_examples=30, suppress_health_check=SLOW)
@given(st.data())
def test_a_column_equals_the_trace_and_the_state_of_its_checkpoint(
    data: st.DataObject,
) -> None:
    asyncio.run(_compare(data))


async def _compare(data: st.DataObject) -> None:
    store = await _run(data)
    archive = Archive(store)
    headers = await store.headers()
    body = await Board().columns(archive, [header.id for header in headers])
    assert [column.checkpoint_id for column in body.columns] == [
        header.id for header in headers
    ]
    for column in body.columns:
        checkpoint = await archive.view(column.checkpoint_id)
        _compare_cells(column, checkpoint.trace)
        _compare_state(column, checkpoint.state)


def _compare_cells(column: BoardColumn, trace: Trace) -> None:
    assert column.seconds == trace.seconds
    assert {cell.executor for cell in column.cells} == {
        call.executor_id for call in trace.invocations
    }
    for cell in column.cells:
        calls = [
            call for call in trace.invocations if call.executor_id == cell.executor
        ]
        assert cell.seconds == sum(call.seconds for call in calls)
        assert cell.started == min(call.started for call in calls)
        assert cell.sent == sum(call.sent for call in calls)
        assert len(cell.failed) == sum(bool(call.error) for call in calls)
        assert cell.calls + len(cell.failed) == len(calls)
    for kind in ("delivered", "buffered", "dropped"):
        arrows = sum(arrow.count for arrow in column.arrows if arrow.kind == kind)
        assert arrows == sum(
            fate.count
            for fate in trace.fates
            if fate.kind == kind and fate.target_id is not None
        )


def _compare_state(column: BoardColumn, state: RunState, prefix: str = "") -> None:
    held = [
        join.messages
        for join in column.held
        if join.target.startswith(prefix) and "/" not in join.target[len(prefix) :]
    ]
    assert sorted(held) == sorted(
        len(messages) for messages in state.buffers.values() if messages
    )
    for key, child in state.children.items():
        assert column.own[f"{prefix}{key}"] == child.superstep
        _compare_state(column, child, f"{prefix}{key}/")


@settings(max_examples=20, suppress_health_check=SLOW)
@given(st.data())
def test_the_times_of_a_line_are_the_sums_of_its_supersteps(
    data: st.DataObject,
) -> None:
    asyncio.run(_compare_times(data))


async def _compare_times(data: st.DataObject) -> None:
    store = await _run(data)
    archive = Archive(store)
    headers = await store.headers()
    times = BoardTimes()
    for header in headers:  # each goes on from the one before
        grown = await times.until(archive, header.id)
    anew = await BoardTimes().until(archive, headers[-1].id)
    assert grown == anew
    traces = [
        (await archive.trace(header.id))[1]
        for header in headers
        if header.cause is Cause.SUPERSTEP
    ]
    assert anew.complete
    assert anew.supersteps == len(traces)
    seconds = sum(call.seconds for trace in traces for call in trace.invocations)
    spans = sum(
        max((cell.ended - cell.started for cell in cells_of(trace)), default=0.0)
        for trace in traces
    )
    assert abs(anew.critical - spans) < 1e-9
    assert anew.direct <= spans + 1e-9
    assert anew.others <= seconds + 1e-9


def _call(executor: str, seconds: float) -> Invocation:
    return Invocation(executor, "go", (), 1, 0.0, seconds)


def test_without_barriers_a_handler_begins_when_its_messages_are_sent() -> None:
    """a feeds the slow b and the fast c; d comes after c, and a join waits for b and d."""
    sums = Sums()
    sums.add(Trace((_call("a", 1.0),)))
    fan_out = (Fate("delivered", "a", "b", "out"), Fate("delivered", "a", "c", "out"))
    sums.add(Trace((_call("b", 5.0), _call("c", 1.0)), fan_out))
    fates = (Fate("buffered", "b", "e", "in"), Fate("delivered", "c", "d", "cd"))
    sums.add(Trace((_call("d", 2.0),), fates))
    last = (Fate("buffered", "d", "e", "in"),)
    sums.add(Trace((_call("e", 1.0),), last, (Release("in", "e", (1, 1)),)))
    assert sums.critical == 1 + 5 + 2 + 1
    assert sums.waiting == 4
    assert sums.others == 1
    assert sums.direct == 1 + 5 + 1


async def test_a_join_that_holds_messages_says_from_how_many_sources(
    tmp_path: Path,
) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(lost_join())
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        ids = [header.id for header in headers]
        body = await talk.body("board", checkpoints=ids)
        held = {column.superstep: column.held for column in body.columns if column.held}
        ((superstep, (join,)),) = held.items()
        assert superstep == 3
        assert (join.target, join.have, join.need, join.messages) == ("sum", 1, 2, 1)


async def test_a_question_is_counted_where_it_was_asked(tmp_path: Path) -> None:
    async with talking(tmp_path) as talk:
        await talk.open(asking())
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        body = await talk.body("board", checkpoints=[headers[-1].id])
        (column,) = body.columns
        assert {cell.executor: cell.asked for cell in column.cells} == {"ask": 1}


async def test_the_board_is_the_same_for_a_store_that_is_opened_again(
    tmp_path: Path,
) -> None:
    store = f"sqlite:{tmp_path / 'runs.db'}"
    async with talking(tmp_path) as talk:
        await talk.open(lost_join(), store)
        await talk.body("start")
        await talk.until("stopped")
        headers = (await talk.body("timeline")).headers
        ids = [header.id for header in headers]
        live = await talk.body("board", checkpoints=ids)
        times = await talk.body("board_times", checkpoint_id=ids[-1])
    async with talking(tmp_path) as talk:
        await talk.open(None, store)
        assert await talk.body("board", checkpoints=ids) == live
        assert await talk.body("board_times", checkpoint_id=ids[-1]) == times


async def test_a_damaged_checkpoint_is_a_column_that_says_why() -> None:
    class Damaged(MemoryStore):
        async def load(self, checkpoint_id: str) -> object:
            raise CheckpointDamagedError(checkpoint_id, "half of it is missing")

    body = await Board().columns(Archive(Damaged()), ["c1"])
    (column,) = body.columns
    assert "half of it is missing" in column.damaged


def test_the_keys_of_invocations_are_told_from_names_with_slashes() -> None:
    assert parted("review#1/how#2/judge") == (("review#1", "how#2"), "judge")
    assert parted("a/b") == ((), "a/b")
    assert parted("judge") == ((), "judge")


def test_case_197_ten_executors_of_a_millisecond_take_ten_milliseconds() -> None:
    sums = Sums()
    for number in range(10):
        sums.add(Trace((_call(f"n{number}", 0.001),)))
    assert abs(sums.critical - 0.010) < 1e-9


async def test_questions_about_two_runs_at_once_have_the_times_of_each(
    tmp_path: Path,
) -> None:
    url = f"dir:{tmp_path}/runs"
    async with talking(tmp_path) as talk:
        await talk.open(lost_join(), url)
        for _ in range(2):
            await talk.body("start")
            await talk.until("stopped")
    store = open_store(url)
    archive = Archive(store)
    ends = [
        (await store.headers(run_id=run.run_id))[-1].id for run in await store.runs()
    ]
    alone = [await BoardTimes().until(archive, end) for end in ends]
    times = BoardTimes()
    both = await asyncio.gather(*(times.until(archive, end) for end in ends))
    await store.close()
    assert both == alone
    assert both[0].supersteps == both[1].supersteps > 0
