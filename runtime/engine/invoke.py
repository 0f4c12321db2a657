"""Invoke: runs the deliveries of a superstep. Executors run side by side, each of them one delivery at a time.

When one raises, the others are cancelled and awaited before the error goes on, and its own exception is what goes on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from time import perf_counter
from typing import Any

from runtime.concurrency.cancellation import StopSignal, Task
from runtime.concurrency.clock import LOOP_CLOCK, Clock
from runtime.concurrency.workers import run_side_by_side
from runtime.engine.feeds import Teller
from runtime.engine.live_outputs import LiveOutputs
from runtime.engine.sub_runs import Frame, Path
from runtime.errors import WorkflowCheckpointException, WorkflowException
from runtime.events import WorkflowEvent
from runtime.executors.context import WorkflowContext
from runtime.executors.delivery import Delivery, arguments_of, call
from runtime.executors.effects import DONE, Desk, Effects, Round, more
from runtime.executors.executor import Executor
from runtime.message import ExecutorFailure, Request
from runtime.state import ExecutorRecord, owner_of
from runtime.values.copies import Shared, isolate
from runtime.values.records import record
from runtime.values.user_failures import in_words, note_on

_NOWHERE: frozenset[str] = frozenset()


class RunRound(Round):
    """The round of one run of the tree."""

    __slots__ = ("live", "tell", "workflow")

    def __init__(self, frame: Frame, tell: Teller) -> None:
        workflow = self.workflow = frame.workflow
        super().__init__(
            frame.state,
            frame.path,
            workflow.reducers,
            tell.emit,
            tell.reader is not None,
            tell.tools,
        )
        self.tell = tell
        self.live = tell.live

    def leads(self, executor_id: str, target_id: str) -> bool:
        return target_id in self.workflow.reach.get(executor_id, _NOWHERE)

    def yielded(self, executor_id: str, value: Any) -> None:
        if self.live is not None:
            self.live.add(self.path, executor_id, value)
        if (
            self.tell.listening
            and self.workflow.output_kind(executor_id) == "intermediate"
        ):
            self.tell.intermediate(self.path, executor_id, value)

    def shared(self, executor_id: str, how: str, values: Sequence[Shared]) -> None:
        self.tell.shared(self.path, executor_id, how, values)

    def room(self) -> Awaitable[None]:
        reader = self.tell.reader
        return DONE if reader is None else reader.room()

    def told(self, executor_id: str, event: WorkflowEvent) -> None:
        super().told(executor_id, event)
        self.tell.told(self.path, executor_id, event)


class WatchedRound(RunRound):
    """A round in which some failure does not simply fail the superstep. A class of its own, as most rounds are not.

    parent      the round of the run around it, if this is a sub-workflow
    is_covered  an executor around it has error edges, which get what fails in here and is not taken in here
    failures    what went to these edges, each with its place in the fixed order: the first one ends the run
    """

    __slots__ = ("clock", "failures", "is_covered", "parent")

    def __init__(
        self,
        frame: Frame,
        tell: Teller,
        clock: Clock,
        parent: RunRound | None,
        *,
        is_covered: bool,
    ) -> None:
        super().__init__(frame, tell)
        self.clock = clock
        self.parent = parent
        self.is_covered = is_covered
        self.failures: list[tuple[tuple[Path, int], ExecutorFailure]] = []

    @property
    def owner(self) -> str:
        """The executor of the parent that runs this."""
        return owner_of(self.path[-1])

    @property
    def failure(self) -> ExecutorFailure | None:
        """What ended this run, if something did: of several, the first in the fixed order."""
        return min(self.failures, key=itemgetter(0))[1] if self.failures else None


class Job(Desk):
    """The deliveries of one executor in one run of the tree, with what they share and what they came to.

    It does not refer to the frame that keeps it: in a circle, it would be left to the garbage collector.

    error          what a handler raised, or how the one that runs is to fail, as it was aborted
    failed_answer  the request whose answer it was handling then
    task           where its deliveries run, while they do
    attempts       the failed ones of a `WatchedJob`
    """

    __slots__ = ("error", "failed_answer", "inbox", "task")
    round: RunRound
    attempts: Sequence[Attempt] = ()

    def __init__(
        self, round: RunRound, executor: Executor, inbox: Sequence[Delivery]
    ) -> None:
        super().__init__(round, executor)
        self.inbox = inbox
        self.error: BaseException | None = None
        self.failed_answer: Request | None = None
        self.task: Task | None = None

    def abort(self, error: WorkflowException) -> bool:
        """End the attempt that runs; it fails with this error, or the one that it was to end with before: a handler may
        keep a cancellation to itself, and is cancelled again. False when none runs.
        """
        if self.task is None:
            return False
        self.error = self.error or error
        self.task.cancel()
        return True


class WatchedJob(Job):
    """The job of an executor with a failure policy, or with an error edge, here or around it."""

    __slots__ = ("attempts",)
    round: WatchedRound

    def __init__(
        self, round: WatchedRound, executor: Executor, inbox: Sequence[Delivery]
    ) -> None:
        super().__init__(round, executor, inbox)
        self.attempts: list[Attempt] = []


@record
class Attempt:
    """A call of a handler that failed. `number` counts from 1, `started` as in `Effects`."""

    delivery: Delivery
    number: int
    started: float
    seconds: float
    error: BaseException


def jobs_of(root: Frame, tell: Teller, clock: Clock = LOOP_CLOCK) -> list[Job]:
    """Everything that the superstep has to do, in the fixed order."""
    jobs: list[Job] = []
    rounds: dict[Path, RunRound] = {}
    if tell.observer is not None or tell.reader is not None:
        tell.live = LiveOutputs(tell, root.workflow)
    else:
        tell.live = None
    for frame in root:
        parent = rounds.get(frame.path[:-1]) if frame.path else None
        round = _round_of(frame, tell, clock, parent)
        if root.children:
            rounds[frame.path] = round
        executors = frame.workflow.executors
        done = frame.done
        for executor_id, deliveries in frame.routing.deliveries.items():
            if isinstance(round, WatchedRound) and (
                round.is_covered or executor_id in frame.workflow.handled
            ):
                job: Job = WatchedJob(round, executors[executor_id], deliveries)
            else:
                job = Job(round, executors[executor_id], deliveries)
            done[executor_id] = job
            jobs.append(job)
    return jobs


def _round_of(
    frame: Frame, tell: Teller, clock: Clock, parent: RunRound | None
) -> RunRound:
    is_covered = parent is not None and _covers(parent, owner_of(frame.path[-1]))
    if not (frame.workflow.handled or is_covered):
        return RunRound(frame, tell)
    frame.round = WatchedRound(frame, tell, clock, parent, is_covered=is_covered)
    return frame.round


def _covers(round: RunRound, executor_id: str) -> bool:
    """True when a failure below this executor may go along an error edge, of its own or of one further out."""
    return executor_id in round.workflow.error_edges or (
        isinstance(round, WatchedRound) and round.is_covered
    )


def failures_of(jobs: Sequence[Job]) -> dict[Path, dict[str, str]]:
    """Who failed, by the path of the run, with what was raised."""
    found: dict[Path, dict[str, str]] = {}
    for job in jobs:
        if job.error is not None:
            found.setdefault(job.round.path, {})[job.executor.id] = in_words(job.error)
    return found


async def invoke(jobs: Sequence[Job], stop: StopSignal) -> None:
    """Run all jobs. Raises the exception of the first one, in the fixed order, that failed."""
    if len(jobs) < 2:
        for job in jobs:
            await _run_job(job, stop, stop.task)
    elif (
        jobs[0].round is jobs[-1].round
    ):  # they come frame by frame, and a run has each executor once
        await run_side_by_side(_run_job, jobs, stop)
    else:
        # Two invocations of one sub-workflow share its executors: their jobs run one after the other.
        queues: dict[int, list[Job]] = {}
        for job in jobs:
            queues.setdefault(id(job.executor), []).append(job)
        await run_side_by_side(_run, [*queues.values()], stop)


async def _run(jobs: Sequence[Job], stop: StopSignal, task: Task) -> None:
    for job in jobs:
        await _run_job(job, stop, task)


def _run_job(job: Job, stop: StopSignal, task: Task) -> Awaitable[None]:
    if job.executor.has_hooks:
        return _with_hooks(job, stop, task)
    return _deliver(job, stop, task)


def _deliver(job: Job, stop: StopSignal, task: Task) -> Awaitable[None]:
    if isinstance(job, WatchedJob):
        from runtime.engine.retries import deliver_with_attempts

        return deliver_with_attempts(job, stop, task)
    return _deliver_all(job, stop, task)


async def _with_hooks(job: Job, stop: StopSignal, task: Task) -> None:
    # Workflows may share an instance: its attributes stand for one run at a time.
    executor = job.executor
    hook_state = job.executor.engine_hook_state
    async with hook_state.lock:
        await take_back(executor, job.round.state.executors.get(executor.id), stop)
        hook_state.loaded = None
        await _deliver(job, stop, task)
        job.record = hook_state.loaded = await snapshot(executor, stop)


async def _deliver_all(job: Job, stop: StopSignal, task: Task) -> None:
    path = job.round.path
    tell = job.round.tell
    job.task = task
    for delivery in job.inbox:
        context = WorkflowContext.of(job, delivery.sources, delivery.request)
        arguments = told_arguments(job, delivery, context)
        if tell.listening:
            tell.invoked(path, delivery)
        started = perf_counter()
        try:
            await call(delivery, arguments, stop, task, job)
        except BaseException as error:
            job.task = None
            failed(job, delivery, error)
            raise
        finally:
            effects = context.close()
        completed(job, delivery, effects, started)
    job.task = None
    if job.own is not None:
        keep_own_record(job)


def completed(job: Job, delivery: Delivery, effects: Effects, started: float) -> None:
    """A handler has ended well: keep what it did for the barrier, and tell of it."""
    effects.delivery = delivery
    effects.started = started
    effects.seconds = perf_counter() - started
    job.deliveries += 1
    job.effects = more(job.effects, effects)
    if delivery.request is not None:
        job.answered = more(job.answered, delivery.request.id)
    tell = job.round.tell
    if tell.listening:
        has_results = bool(effects.outputs or effects.requests) and _has_results(
            job, effects
        )
        tell.completed(
            job.round.path, job.executor_id, effects, has_results=has_results
        )


def keep_own_record(job: Job) -> None:
    """After the last delivery: what an executor remembers that has asked for its record."""
    job.record = record_of(
        f"ctx.executor_state of executor '{job.executor_id}' must be", job.own
    )


def failed(job: Job, delivery: Delivery, error: BaseException) -> None:
    """A handler has failed or was cancelled, and the superstep with it."""
    path = job.round.path
    executor_id = job.executor.id
    if isinstance(error, asyncio.CancelledError):
        job.round.tell.handler_cancelled(path, executor_id, error.__cause__)
        return
    job.error = error
    job.failed_answer = delivery.request
    name = delivery.handler.name
    superstep = job.round.superstep
    note_on(
        error, f"in handler '{name}' of executor '{executor_id}', superstep {superstep}"
    )
    job.round.tell.handler_failed(path, executor_id, name, error)


def _has_results(job: Job, effects: Effects) -> bool:
    """True when the caller hears of outputs or requests at the barrier; of a stream it hears outputs at once."""
    if effects.requests or job.round.tell.reader is not None:
        return bool(effects.requests)
    return job.round.workflow.output_kind(job.executor.id) == "output"


def told_arguments(
    job: Job, delivery: Delivery, context: WorkflowContext[Any, Any]
) -> tuple[Any, ...]:
    """What the handler of a delivery is called with; what of it could not be copied is told."""
    shared: list[Shared] = []
    arguments = arguments_of(delivery, context, shared)
    if shared:
        job.round.shared(job.executor_id, "gets", shared)
    return arguments


# --- executors that keep their state in attributes ----------------------------------------------------------------


async def take_back(
    executor: Executor, record: ExecutorRecord | None, stop: StopSignal
) -> None:
    """Give an executor with hooks the state that the run has of it, unless that is what it holds."""
    hook_state = executor.engine_hook_state
    if hook_state.initial is None:
        hook_state.initial = hook_state.loaded = await snapshot(executor, stop)
    wanted: Mapping[str, Any] = hook_state.initial if record is None else record.state
    if hook_state.loaded is not wanted:
        hook_state.loaded = None
        await put_into(executor, wanted, stop)
        hook_state.loaded = wanted


async def put_into(
    executor: Executor, state: Mapping[str, Any], stop: StopSignal
) -> None:
    """Let the executor's hook take back a state. Raises `WorkflowCheckpointException` if it fails."""
    restore = partial(executor.on_checkpoint_restore, isolate(dict(state)))
    await _hooked(executor, "on_checkpoint_restore", restore, stop)


async def snapshot(executor: Executor, stop: StopSignal) -> dict[str, Any]:
    """What the executor's hook says is its state. Raises `WorkflowCheckpointException` if it fails or is no dict."""
    saved = await _hooked(
        executor, "on_checkpoint_save", executor.on_checkpoint_save, stop
    )
    return record_of(
        f"on_checkpoint_save of executor '{executor.id}' must return", saved
    )


def record_of(rule: str, found: Any) -> dict[str, Any]:
    """A copy of what an executor wants to be remembered. Raises `WorkflowCheckpointException` for what is no record."""
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise WorkflowCheckpointException(
            f"{rule} a dict with text keys, not {found!r:.80}."
        )
    return isolate(found)  # type: ignore[no-any-return]


async def _hooked(
    executor: Executor, name: str, hook: Callable[[], Awaitable[Any]], stop: StopSignal
) -> Any:
    try:
        found = await hook()
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        stop.raise_if_set()
        raise WorkflowCheckpointException(
            f"Executor {executor.id} {name} failed: {in_words(error)}."
        ) from error
    stop.raise_if_set()
    return found
