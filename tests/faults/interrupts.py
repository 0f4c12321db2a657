"""Runs that are interrupted: by an error of user code, a cancellation, a store that
fails. Each goes on, and ends as the straight run did, in a fresh instance and in the
one that was interrupted.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Literal

from runtime.checkpoint import CheckpointStore
from runtime.checkpoints.archive import Archive
from runtime.engine.runner import Runner
from runtime.engine.stream import WorkflowStream
from runtime.errors import CheckpointStoreError, WorkflowCheckpointException
from runtime.events import RunEvent, WorkflowRunState
from runtime.state import RunState, Trace
from runtime.testing.faults import FaultyStore, Moment, delaying, failing
from runtime.workflow.workflow import Workflow
from tests.faults.flows import Fuse, InjectedError, build
from tests.faults.knife import Knife
from tests.faults.plans import Plan
from tests.faults.stories import (
    FIRST,
    Story,
    begin,
    chain,
    check_end,
    check_equal,
    check_nothing_left,
    check_store,
    contents_of,
    drive,
    told,
    without_answered,
)

Durability = Literal["sync", "pipelined"]
# What is told when a superstep has been saved, before its end is told. Who asked is
# told to be done after the question.
AFTER_THE_BARRIER = (
    "request_info",
    "status",
    "warning",
    "intermediate",
    "executor_invoked",
    "executor_completed",
)


async def fail_and_resume(
    plan: Plan,
    store: CheckpointStore,
    story: Story,
    fuse: Fuse,
    *,
    delays: int = 0,
    durability: Durability = "sync",
) -> str:
    """User code raises once, where the fuse says. Returns the place, or nothing if it
    never came there.
    """
    runner = Runner(build(plan, fuse, delays=delays), store, durability=durability)
    try:
        await begin(runner, plan)
    except Exception as error:  # noqa: BLE001 - raised again unless it is the fuse's
        check_blown(error, fuse)
        assert runner.status is WorkflowRunState.FAILED, runner.status
        await check_interrupted(
            runner, plan, store, story, pipelined=durability == "pipelined"
        )
    assert (
        bool(fuse.blown) == (runner.status is WorkflowRunState.FAILED)
        or runner.header is not None
    )
    return fuse.blown


async def fail_restored(
    plan: Plan, store: CheckpointStore, story: Story, position: int, at: int
) -> bool:
    """A used instance stands at a checkpoint, and the n-th call of its hooks that
    restore raises. False when there are fewer calls.
    """
    fuse = Fuse(place="on_checkpoint_restore")
    workflow = build(plan, fuse)
    await begin(Runner(workflow), plan, salt=1)
    fuse.at = fuse.touches[fuse.place] + at
    runner = Runner(workflow, store)
    await runner.restore(story.headers[position].id)
    try:
        await drive(runner, plan)
    except WorkflowCheckpointException as error:
        check_blown(error, fuse)
        check_nothing_left()
        await check_at_barrier(runner, store, story)
        await _go_on(runner, plan, store, story, outputs=True)
    return bool(fuse.blown)


async def cancel_and_resume(
    plan: Plan,
    store: CheckpointStore,
    story: Story,
    knife: Knife,
    *,
    delays: int = 0,
    durability: Durability = "sync",
) -> bool:
    """The caller is cancelled where the knife says. False when the run was over before."""
    runner = Runner(
        build(plan, delays=delays),
        FaultyStore(store, delaying(1)),
        durability=durability,
    )
    in_step = False

    async def step() -> Trace | None:
        nonlocal in_step
        in_step = True
        trace = await runner.step()
        in_step = False
        return trace

    try:
        await knife.run(begin(runner, plan, step=step))
    except asyncio.CancelledError:
        # else it rests, or has saved an input or an answer only
        if in_step and runner.is_active:
            assert runner.status is WorkflowRunState.CANCELLED, runner.status
        await check_interrupted(
            runner, plan, store, story, unsure=True, pipelined=durability == "pipelined"
        )
        return True
    return False


async def fail_store_and_resume(
    plan: Plan,
    store: CheckpointStore,
    story: Story,
    at: int,
    moment: Moment,
    *,
    durability: Durability = "sync",
) -> bool:
    """The n-th save fails: nothing was kept, or it was and nobody was told. False when
    there are fewer saves.
    """
    runner = Runner(
        build(plan),
        FaultyStore(store, failing(at, moment, method="save")),
        durability=durability,
    )
    try:
        await begin(runner, plan)
    except CheckpointStoreError:
        await check_interrupted(
            runner,
            plan,
            store,
            story,
            unsure=moment == "after",
            pipelined=durability == "pipelined",
        )
        return True
    return False


async def raise_in_observer(
    plan: Plan, store: CheckpointStore, story: Story, at: int
) -> bool:
    """The observer raises at its n-th event: it is detached, and the run goes on as if
    it had not been there.
    """
    heard: list[RunEvent] = []

    def observer(event: RunEvent) -> None:
        heard.append(event)
        if len(heard) == at:
            raise InjectedError("in the observer")

    runner = Runner(build(plan), store, observer=observer)
    outputs = await begin(runner, plan)
    check_end(await told(runner, store, outputs), story, story.outputs)
    assert len(heard) <= at, "an observer that raised is still told"
    return len(heard) == at


def check_blown(error: Exception, fuse: Fuse) -> None:
    """That it is the fuse's error that came, as itself or as the cause of the one that
    names the hook.
    """
    wrapped = isinstance(error, WorkflowCheckpointException) and isinstance(
        error.__cause__, InjectedError
    )
    if not (fuse.blown and (isinstance(error, InjectedError) or wrapped)):
        raise error


# --- what holds after every interruption --------------------------------------------------------------------------


async def check_interrupted(
    runner: Runner,
    plan: Plan,
    store: CheckpointStore,
    story: Story,
    *,
    unsure: bool = False,
    pipelined: bool = False,
) -> None:
    """The run stands at its barrier, and both a fresh instance and itself go on and end
    as the straight run did.

    unsure     the last save may have been done although nobody was told
    pipelined  the barrier that the run stands at may not be saved yet
    """
    check_nothing_left()
    if runner.header is None:  # interrupted before there was a run
        assert runner.state == RunState()
        check_end(
            await told(runner, store, await begin(runner, plan)), story, story.outputs
        )
        return
    run_id = runner.run_id
    header = runner.header
    if not pipelined:
        await check_at_barrier(runner, store, story)
    latest = await store.latest(run_id=run_id)
    assert latest is not None
    assert latest.id == header.id or (unsure and latest.parent == header.id), (
        "a superstep that failed was saved"
    )
    await go_on_afresh(plan, store, story, latest.id)
    await _go_on(runner, plan, store, story, outputs=not pipelined)
    await check_store(store, story, run_id)


async def _go_on(
    runner: Runner, plan: Plan, store: CheckpointStore, story: Story, *, outputs: bool
) -> None:
    """The interrupted run itself: its superstep is tried again before anything is
    answered.
    """
    assert runner.header is not None
    before = len(await chain(store, runner.header.id))
    failed = runner.status is WorkflowRunState.FAILED
    found = await drive(runner, plan, stepping=failed)
    wanted = story.outputs_after(before - 1)
    check_end(
        await told(runner, store, found if outputs else wanted),
        story,
        wanted,
        tried_again=failed,
    )


async def go_on_afresh(
    plan: Plan, store: CheckpointStore, story: Story, checkpoint_id: str
) -> None:
    """A fresh instance goes on from a checkpoint of an interrupted run."""
    runner = Runner(build(plan), store)
    await runner.restore(checkpoint_id)
    await _go_on(runner, plan, store, story, outputs=True)


async def check_at_barrier(
    runner: Runner, store: CheckpointStore, story: Story
) -> None:
    """The run stands where its last checkpoint does; a question whose answer failed is
    open again beside it.
    """
    assert runner.header is not None
    headers = await chain(store, runner.header.id)
    check_equal(await contents_of(store, headers), story.contents[: len(headers)])
    saved = (await Archive(store).load(runner.header.id)).state
    now = _without_requests(runner.state)
    then = _without_requests(saved)
    for name in ("superstep", "queue", "buffers", "executors", "shared", "children"):
        assert getattr(now, name) == getattr(then, name), (
            f"{name} is not that of the last barrier"
        )
    assert (
        set(saved.requests)
        <= set(runner.state.requests)
        <= set(saved.requests) | _answers_in(saved)
    )


def _without_requests(state: RunState) -> RunState:
    return replace(
        state,
        requests={},
        children={key: _without_requests(one) for key, one in state.children.items()},
    )


def _answers_in(state: RunState) -> set[str]:
    """The requests whose answers wait, here or in a child."""
    here = {one.request.id for one in state.queue if one.request is not None}
    return here.union(*map(_answers_in, state.children.values()))


# --- the same by Workflow.run -------------------------------------------------------------------------------------


def by_workflow(plan: Plan) -> bool:
    """Whether it can be: `run` goes on until the run rests, so nothing is answered
    before.
    """
    return plan.answers != "early"


async def fail_and_resume_workflow(
    plan: Plan, store: CheckpointStore, story: Story, fuse: Fuse
) -> str:
    """As `fail_and_resume`, where the way on is `Workflow.resume`."""
    workflow = build(plan, fuse, store=store)
    try:
        await finish_through(workflow, plan, await workflow.run(FIRST))
    except Exception as error:  # noqa: BLE001 - raised again unless it is the fuse's
        check_blown(error, fuse)
    if not fuse.blown:
        return ""
    assert workflow.status is WorkflowRunState.FAILED, workflow.status
    await _resume(workflow, plan, store, story)
    return fuse.blown


async def cancel_and_resume_workflow(
    plan: Plan, store: CheckpointStore, story: Story, knife: Knife
) -> bool:
    """As `cancel_and_resume`, by `Workflow.run`. What was yielded in the cancelled
    superstep is told once, later.
    """
    workflow = build(plan, store=FaultyStore(store, delaying(1)))

    async def run() -> None:
        await finish_through(workflow, plan, await workflow.run(FIRST))

    try:
        await knife.run(run())
    except asyncio.CancelledError:
        check_nothing_left()
        if workflow.get_last_checkpoint_id() is not None:
            await _resume(workflow, plan, store, story)
        return True
    return False


async def leave_and_resume_workflow(
    plan: Plan,
    store: CheckpointStore,
    story: Story,
    at: int,
    *,
    closed_after: int | None = None,
) -> str:
    """Whoever reads a stream leaves it at one of its events. The run stands at the
    barrier that was read last, and what was told until there is what counts. The type
    of that event; "" if there are not so many.

    closed_after  the reader goes on, and another task closes the stream so many turns of the event loop later: the
                  events of one more barrier may be on their way to the reader then
    """
    workflow = build(plan, store=store)
    read = []
    stream = workflow.run(FIRST, stream=True)
    async with asyncio.TaskGroup() as group:
        async for event in stream:
            read.append(event)
            if len(read) == at and closed_after is None:
                break
            if len(read) == at:
                group.create_task(_close(stream, closed_after or 0))
    if len(read) < at:
        return ""
    await stream.aclose()
    check_nothing_left()
    barriers = [
        event.iteration for event in read if event.type == "superstep_completed"
    ]
    counting = [
        event for event in read if event.type == "output" and event.is_committed
    ]
    told = [
        event.data for event in sorted(counting, key=lambda event: event.place or 0)
    ]
    if workflow.get_last_checkpoint_id() is None:
        assert not [event for event in read if event.type == "superstep_started"], (
            "it ran before it was saved"
        )
        return str(read[-1].type)
    before = await chain(store, last_of(workflow))
    ahead = before[-1].superstep - max(barriers, default=0)
    may_be_ahead = closed_after is not None or read[-1].type in AFTER_THE_BARRIER
    assert ahead == (may_be_ahead and ahead == 1), "the run is further than its reader"
    after = story.outputs_after(len(before) - 1)
    assert told == [
        one.data for one in story.outputs[: len(story.outputs) - len(after)]
    ], "other outputs were told"
    await _resume(workflow, plan, store, story)
    return str(read[-1].type)


async def _close(stream: WorkflowStream, turns: int) -> None:
    for _ in range(turns):
        await asyncio.sleep(0)
    await stream.aclose()


async def _resume(
    workflow: Workflow, plan: Plan, store: CheckpointStore, story: Story
) -> None:
    """Go on after an interruption: the results that are told and the checkpoints are
    those of the straight run.
    """
    before = await chain(store, last_of(workflow))
    open_there = (await Archive(store).load(before[-1].id)).state.requests
    outputs = await finish_through(
        workflow, plan, await workflow.resume(), asked=dict(open_there)
    )
    assert outputs == [one.data for one in story.outputs_after(len(before) - 1)], (
        "the outputs differ"
    )
    contents = await contents_of(store, await chain(store, last_of(workflow)))
    check_equal(without_answered(contents), without_answered(story.contents))


def last_of(workflow: Workflow) -> str:
    found = workflow.get_last_checkpoint_id()
    assert found is not None
    return found


async def finish_through(
    workflow: Workflow,
    plan: Plan,
    result: Any,
    *,
    store: CheckpointStore | None = None,
    salt: int = 0,
    asked: dict[str, Any] | None = None,
) -> list[Any]:
    """Answer what a run asks until it asks nothing, from its first result on; the data
    of its outputs.
    """
    outputs = result.get_outputs()
    waiting = (asked or {}) | _asked(result)
    while waiting:
        answers = plan.answers_at(RunState(requests=waiting), False, salt)
        result = await workflow.run(responses=answers, checkpoint_storage=store)
        outputs += result.get_outputs()
        waiting = {
            key: one
            for key, one in (waiting | _asked(result)).items()
            if key not in answers
        }
    return outputs  # type: ignore[no-any-return]


class _Asked:
    """As much of a request as an answer needs."""

    def __init__(self, event: Any) -> None:
        self.id = event.request_id
        self.data = event.data


def _asked(result: Any) -> dict[str, Any]:
    return {
        event.request_id: _Asked(event) for event in result.get_request_info_events()
    }
