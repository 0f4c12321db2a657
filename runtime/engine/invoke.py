"""Invoke: runs the deliveries of a superstep. Executors run side by side, each of them
one delivery at a time.

A `Job` is the turn of one executor in one run of the tree. When a job fails, the others
are cancelled and awaited, and the error of the first failed job in the fixed order is
raised, so that a replay fails alike.

Executors with a failure policy or an error edge need more care than most: their jobs
are `WatchedJob`s in `WatchedRound`s, and `runtime.engine.retries` runs them.
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
from runtime.engine.live_outputs import LiveOutputs
from runtime.engine.notifier import Notifier
from runtime.engine.sub_runs import Frame, Path
from runtime.errors import WorkflowCheckpointException, WorkflowException
from runtime.events import WorkflowEvent
from runtime.executors.context import WorkflowContext
from runtime.executors.delivery import Delivery, arguments_of, call
from runtime.executors.effects import DONE, Effects, ExecutorTurn, Round, more
from runtime.executors.executor import Executor
from runtime.message import ExecutorFailure, Request
from runtime.state import ExecutorRecord, owner_of
from runtime.values.copies import Shared, isolate
from runtime.values.records import record
from runtime.values.user_failures import in_words, note_on

_NOWHERE: frozenset[str] = frozenset()


class RunRound(Round):
    """The round of one run of the tree: it notifies the audiences of what handlers do."""

    __slots__ = ("live", "notifier", "workflow")

    def __init__(self, frame: Frame, notifier: Notifier) -> None:
        self.workflow = frame.workflow
        super().__init__(
            frame.state,
            frame.path,
            frame.workflow.reducers,
            notifier.reader is not None,
            notifier.tools,
        )
        self.notifier = notifier
        self.live = notifier.live

    def leads(self, executor_id: str, target_id: str) -> bool:
        return target_id in self.workflow.reach.get(executor_id, _NOWHERE)

    def yielded(self, executor_id: str, value: Any) -> None:
        if self.live is not None:
            self.live.add(self.path, executor_id, value)
        if (
            self.notifier.feeds
            and self.workflow.output_kind(executor_id) == "intermediate"
        ):
            self.notifier.intermediate(self.path, executor_id, value)

    def warn_of_shared(
        self, executor_id: str, verb: str, values: Sequence[Shared]
    ) -> None:
        self.notifier.warn_of_shared(self.path, executor_id, verb, values)

    def custom_event(self, executor_id: str, event: WorkflowEvent) -> None:
        self.notifier.custom_event(self.path, executor_id, event)

    def room(self) -> Awaitable[None]:
        reader = self.notifier.reader
        return DONE if reader is None else reader.room()


class WatchedRound(RunRound):
    """A round in which some failure does not simply fail the superstep.

    parent      the round of the run around it, if this is a sub-workflow
    is_covered  an executor around it has error edges, which take failures in here that nothing in here takes
    failures    what went to these edges, each with its place in the fixed order: the first one ends the run
    """

    __slots__ = ("clock", "failures", "is_covered", "parent")

    def __init__(
        self,
        frame: Frame,
        notifier: Notifier,
        clock: Clock,
        parent: RunRound | None,
        *,
        is_covered: bool,
    ) -> None:
        super().__init__(frame, notifier)
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
        """What ended this run, if something did: of several failures, the first in the
        fixed order.
        """
        return min(self.failures, key=itemgetter(0))[1] if self.failures else None


class Job(ExecutorTurn):
    """The deliveries of one executor in one run of the tree, with what they share and
    what they came to.

    It does not refer to the frame that holds it, because such a circle would be left to
    the garbage collector.

    error          what a handler raised, or how the running one is to fail because it was aborted
    failed_answer  the request whose answer was being handled when it failed
    task           where its deliveries run, while they do
    attempts       the failed ones of a `WatchedJob`
    """

    __slots__ = ("error", "failed_answer", "inbox", "task")
    round: RunRound
    attempts: Sequence[Attempt] = ()
    time_limit: TimeLimit | None = None
    has_given_up = False

    def __init__(
        self, round: RunRound, executor: Executor, inbox: Sequence[Delivery]
    ) -> None:
        super().__init__(round, executor)
        self.inbox = inbox
        self.error: BaseException | None = None
        self.failed_answer: Request | None = None
        self.task: Task | None = None

    def abort(self, error: WorkflowException) -> bool:
        """Let the running attempt fail with this error. Return False if none runs.

        A second call keeps the first error and only cancels again, because a handler
        may swallow a cancellation.
        """
        if self.task is None:
            return False
        self.error = self.error or error
        self.task.cancel()
        return True

    def is_within(self, executor_id: str, path: Path) -> bool:
        """Return True if this is the work of an executor at this path, or of a run
        inside it. `path` has keys of invocations, or ids of their executors.
        """
        own_path = self.round.path
        for step, key in zip(path, own_path, strict=False):
            if step not in (key, owner_of(key)):
                return False
        if len(own_path) > len(path):
            return owner_of(own_path[len(path)]) == executor_id
        return len(own_path) == len(path) and self.executor_id == executor_id


class WatchedJob(Job):
    """The job of an executor with a failure policy, or with an error edge, here or
    around it.

    time_limit    of the attempt that runs, if it has one
    has_given_up  its failure has ended the run of the sub-workflow that it is in
    """

    __slots__ = ("attempts", "has_given_up", "time_limit")
    round: WatchedRound

    def __init__(
        self, round: WatchedRound, executor: Executor, inbox: Sequence[Delivery]
    ) -> None:
        super().__init__(round, executor, inbox)
        self.attempts: list[Attempt] = []
        self.time_limit: TimeLimit | None = None
        self.has_given_up = False


class TimeLimit:
    """The time limit of one attempt. While the handler stands at `breakpoint_here` it
    is suspended, and it begins anew afterwards.
    """

    __slots__ = ("_clock", "_end", "_seconds", "_timer")

    def __init__(self, clock: Clock, seconds: float, end: Callable[[], object]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._end = end
        self._timer = clock.call_later(seconds, end)

    def suspend(self) -> None:
        self._timer.cancel()

    def begin_anew(self) -> None:
        self._timer.cancel()
        self._timer = self._clock.call_later(self._seconds, self._end)


@record
class Attempt:
    """A call of a handler that failed. `number` counts from 1, `started` as in
    `Effects`.
    """

    delivery: Delivery
    number: int
    started: float
    seconds: float
    error: BaseException


# --- what there is to do ------------------------------------------------------------------------------------------


def jobs_of(root: Frame, notifier: Notifier, clock: Clock = LOOP_CLOCK) -> list[Job]:
    """Return everything that the superstep has to do, in the fixed order, and enter it
    in the frames.
    """
    jobs: list[Job] = []
    rounds: dict[Path, RunRound] = {}
    # A new object for each superstep, so that a late thread of the last one cannot
    # yield into this one.
    notifier.live = None
    if notifier.observer is not None or notifier.reader is not None:
        notifier.live = LiveOutputs(notifier, root.workflow)
    for frame in root:
        parent = rounds.get(frame.path[:-1]) if frame.path else None
        round = _round_of(frame, notifier, clock, parent)
        if root.children:
            rounds[frame.path] = round
        executors = frame.workflow.executors
        for executor_id, deliveries in frame.routing.deliveries.items():
            job: Job
            if isinstance(round, WatchedRound) and (
                round.is_covered or executor_id in frame.workflow.handled
            ):
                job = WatchedJob(round, executors[executor_id], deliveries)
            else:
                job = Job(round, executors[executor_id], deliveries)
            frame.done[executor_id] = job
            jobs.append(job)
    return jobs


def _round_of(
    frame: Frame, notifier: Notifier, clock: Clock, parent: RunRound | None
) -> RunRound:
    is_covered = parent is not None and _covers(parent, owner_of(frame.path[-1]))
    if not (frame.workflow.handled or is_covered):
        return RunRound(frame, notifier)
    frame.round = WatchedRound(frame, notifier, clock, parent, is_covered=is_covered)
    return frame.round


def _covers(round: RunRound, executor_id: str) -> bool:
    """Return True if a failure below this executor may go along an error edge, its own
    or one further out.
    """
    if executor_id in round.workflow.error_edges:
        return True
    return isinstance(round, WatchedRound) and round.is_covered


def failures_of(jobs: Sequence[Job]) -> dict[Path, dict[str, str]]:
    """Return which executors failed, by the path of the run, with what was raised."""
    failures: dict[Path, dict[str, str]] = {}
    for job in jobs:
        if job.error is not None:
            of_run = failures.setdefault(job.round.path, {})
            of_run[job.executor_id] = in_words(job.error)
    return failures


# --- running it ---------------------------------------------------------------------------------------------------


async def invoke(jobs: Sequence[Job], stop: StopSignal) -> None:
    """Run all jobs. Raise the error of the first failed one in the fixed order."""
    if len(jobs) < 2:
        for job in jobs:
            await _run_job(job, stop, stop.task)
    elif jobs[0].round is jobs[-1].round:
        # Jobs come frame by frame, so all are of one run, in which each executor has
        # one job.
        await run_side_by_side(_run_job, jobs, stop)
    else:
        # Two runs of one sub-workflow share its executors, and an executor does one
        # thing at a time.
        queues: dict[int, list[Job]] = {}
        for job in jobs:
            queues.setdefault(id(job.executor), []).append(job)
        await run_side_by_side(_run_in_turn, [*queues.values()], stop)


async def _run_in_turn(jobs: Sequence[Job], stop: StopSignal, task: Task) -> None:
    for job in jobs:
        await _run_job(job, stop, task)


def _run_job(job: Job, stop: StopSignal, task: Task) -> Awaitable[None]:
    if job.executor.has_hooks:
        return _deliver_with_hooks(job, stop, task)
    return _deliver(job, stop, task)


def _deliver(job: Job, stop: StopSignal, task: Task) -> Awaitable[None]:
    if isinstance(job, WatchedJob):
        from runtime.engine.retries import deliver_with_attempts

        return deliver_with_attempts(job, stop, task)
    return _deliver_all(job, stop, task)


async def _deliver_all(job: Job, stop: StopSignal, task: Task) -> None:
    path = job.round.path
    notifier = job.round.notifier
    outside = notifier.outside
    job.task = task
    for delivery in job.inbox:
        if notifier.gate is not None:
            job.task = None
            await notifier.gate.before(job, delivery, 1)
            job.task = task
        if outside is None:
            context = WorkflowContext.of(job, delivery.sources, delivery.request)
            called = delivery
        else:
            context, called = outside.begin(job, delivery, 1, stop)
        arguments = isolated_arguments(job, delivery, context)
        if notifier.feeds:
            notifier.handler_started(path, delivery)
        started = perf_counter()
        try:
            await call(called, arguments, stop, task, job)
        except BaseException as error:
            job.task = None
            context.close()
            await pass_with_failure(job, delivery, 1, error)
            handle_failure(job, delivery, error)
            raise
        # At once, because a task or thread that the handler has left behind must not
        # write any more.
        complete_delivery(job, delivery, context.close(), started)
        if notifier.gate is not None:
            job.task = None
            await notifier.gate.after(job, delivery, 1)
            job.task = task
    job.task = None
    if job.own is not None:
        keep_own_record(job)


async def pass_with_failure(
    job: Job, delivery: Delivery, attempt: int, error: BaseException
) -> None:
    """Pass the gate with what is about to fail the superstep."""
    gate = job.round.notifier.gate
    if gate is None or isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return
    try:
        await gate.after(job, delivery, attempt, error, fails=True)
    except asyncio.CancelledError as cancelled:
        cancelled.__cause__ = error
        handle_failure(job, delivery, cancelled)
        raise


def isolated_arguments(
    job: Job, delivery: Delivery, context: WorkflowContext[Any, Any]
) -> tuple[Any, ...]:
    """Return the arguments of the handler: its own copies, with a warning for values
    that could not be copied.
    """
    shared: list[Shared] = []
    arguments = arguments_of(delivery, context, shared)
    if shared:
        job.round.warn_of_shared(job.executor_id, "gets", shared)
    return arguments


def complete_delivery(
    job: Job, delivery: Delivery, effects: Effects, started: float
) -> None:
    """Keep the effects of a handler that has returned for the barrier, and notify."""
    effects.delivery = delivery
    effects.started = started
    effects.seconds = perf_counter() - started
    job.deliveries += 1
    job.effects = more(job.effects, effects)
    if delivery.request is not None:
        job.answered = more(job.answered, delivery.request.id)
    notifier = job.round.notifier
    if notifier.feeds:
        has_results = bool(effects.requests)
        # The reader of a stream has heard of outputs already.
        if effects.outputs and notifier.reader is None:
            kind = job.round.workflow.output_kind(job.executor_id)
            has_results = has_results or kind == "output"
        notifier.handler_ended(job.round.path, job.executor_id, effects, has_results)


def handle_failure(job: Job, delivery: Delivery, error: BaseException) -> None:
    """Record and notify that a handler has failed or was cancelled, and the superstep
    with it.
    """
    path = job.round.path
    executor_id = job.executor_id
    if isinstance(error, asyncio.CancelledError):
        # Its cause is what the handler made of the cancellation.
        job.round.notifier.handler_cancelled(path, executor_id, error.__cause__)
        return
    job.error = error
    job.failed_answer = delivery.request
    handler = delivery.handler.name
    note_on(
        error,
        f"in handler '{handler}' of executor '{executor_id}', superstep {job.round.superstep}",
    )
    job.round.notifier.handler_failed(path, executor_id, handler, error)


def keep_own_record(job: Job) -> None:
    """After the last delivery, keep `ctx.executor_state` as the record of the executor."""
    job.record = _checked_record(
        f"ctx.executor_state of executor '{job.executor_id}' must be", job.own
    )


def _checked_record(rule: str, value: Any) -> dict[str, Any]:
    """Return a copy of what an executor wants to remember. Raise
    `WorkflowCheckpointException` if it is no record.
    """
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise WorkflowCheckpointException(
            f"{rule} a dict with text keys, not {value!r:.80}."
        )
    return isolate(value)  # type: ignore[no-any-return]


# --- executors that keep their state in attributes ----------------------------------------------------------------


async def _deliver_with_hooks(job: Job, stop: StopSignal, task: Task) -> None:
    # Workflows may share an instance, whose attributes hold the state of one run at a
    # time.
    executor = job.executor
    hook_state = executor.engine_hook_state
    async with hook_state.lock:
        await load_state(executor, job.round.state.executors.get(executor.id), stop)
        hook_state.loaded = None
        await _deliver(job, stop, task)
        job.record = hook_state.loaded = await snapshot(executor, stop)


async def load_state(
    executor: Executor, record: ExecutorRecord | None, stop: StopSignal
) -> None:
    """Give an executor with hooks the state that the run has of it, unless its
    attributes hold that already.
    """
    hook_state = executor.engine_hook_state
    if hook_state.initial is None:
        # Before its first message ever: a run without a record of it begins from this
        # state.
        hook_state.initial = hook_state.loaded = await snapshot(executor, stop)
    state: Mapping[str, Any] = hook_state.initial if record is None else record.state
    if hook_state.loaded is not state:
        # Unknown if the hook fails half-way.
        hook_state.loaded = None
        await restore_into(executor, state, stop)
        hook_state.loaded = state


async def restore_into(
    executor: Executor, state: Mapping[str, Any], stop: StopSignal
) -> None:
    """Let the executor's hook restore a state. Raise `WorkflowCheckpointException` if
    it fails.
    """
    restore = partial(executor.on_checkpoint_restore, isolate(dict(state)))
    await _call_hook(executor, "on_checkpoint_restore", restore, stop)


async def snapshot(executor: Executor, stop: StopSignal) -> dict[str, Any]:
    """Return what the executor's hook gives. Raise `WorkflowCheckpointException` if it
    fails or that is no dict.
    """
    value = await _call_hook(
        executor, "on_checkpoint_save", executor.on_checkpoint_save, stop
    )
    return _checked_record(
        f"on_checkpoint_save of executor '{executor.id}' must return", value
    )


async def _call_hook(
    executor: Executor,
    name: str,
    hook: Callable[[], Awaitable[Any]],
    stop: StopSignal,
) -> Any:
    try:
        result = await hook()
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        stop.raise_if_set()
        raise WorkflowCheckpointException(
            f"Executor {executor.id} {name} failed: {in_words(error)}."
        ) from error
    stop.raise_if_set()
    return result
