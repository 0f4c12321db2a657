"""Invoke: runs the deliveries of a superstep. Executors run side by side, each of them one delivery at a time.

When one raises, the others are cancelled and awaited before the error goes on, and its own exception is what goes on.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any

from runtime.cancelling import Stop, Task
from runtime.context import WorkflowContext
from runtime.crew import side_by_side
from runtime.effects import DONE, Desk, Effects, Round, more
from runtime.errors import WorkflowCheckpointException
from runtime.events import WorkflowEvent
from runtime.executor import Executor
from runtime.failures import as_failure, in_words, note_on
from runtime.handlers import Handler
from runtime.isolation import isolate
from runtime.live_outputs import LiveOutputs
from runtime.message import Request
from runtime.routing import Delivery
from runtime.state import ExecutorRecord
from runtime.telling import Teller
from runtime.threads import in_thread
from runtime.tree import Frame, Path

_NOWHERE: frozenset[str] = frozenset()


class RunRound(Round):
    """The round of one run of the tree."""

    __slots__ = ("live", "tell", "workflow")

    def __init__(self, frame: Frame, tell: Teller) -> None:
        workflow = self.workflow = frame.workflow
        super().__init__(frame.state, frame.path, workflow.reducers, tell.emit, tell.reader is not None, tell.tools)
        self.tell, self.live = tell, tell.live

    def leads(self, executor_id: str, target_id: str) -> bool:
        return target_id in self.workflow.reach.get(executor_id, _NOWHERE)

    def yielded(self, executor_id: str, value: Any) -> None:
        if self.live is not None:
            self.live.add(self.path, executor_id, value)
        if self.tell.listening and self.workflow.output_kind(executor_id) == "intermediate":
            self.tell.intermediate(self.path, executor_id, value)

    def room(self) -> Awaitable[None]:
        reader = self.tell.reader
        return DONE if reader is None else reader.room()

    def told(self, executor_id: str, event: WorkflowEvent) -> None:
        super().told(executor_id, event)
        self.tell.told(self.path, executor_id, event)


class Job(Desk):
    """The deliveries of one executor in one run of the tree, with what they share and what they came to.

    It does not refer to the frame that keeps it: in a circle, it would be left to the garbage collector.

    error          what a handler raised
    failed_answer  the request whose answer it was handling then
    """

    __slots__ = ("error", "failed_answer", "inbox")
    round: RunRound

    def __init__(self, round: RunRound, executor: Executor, inbox: Sequence[Delivery]) -> None:
        super().__init__(round, executor)
        self.inbox = inbox
        self.error: BaseException | None = None
        self.failed_answer: Request | None = None


def jobs_of(root: Frame, tell: Teller) -> list[Job]:
    """Everything that the superstep has to do, in the fixed order."""
    jobs = []
    tell.live = LiveOutputs(tell, root.workflow) if tell.observer is not None or tell.reader is not None else None
    for frame in root:
        round, executors, done = RunRound(frame, tell), frame.workflow.executors, frame.done
        for executor_id, deliveries in frame.routing.deliveries.items():
            job = done[executor_id] = Job(round, executors[executor_id], deliveries)
            jobs.append(job)
    return jobs


def failures_of(jobs: Sequence[Job]) -> dict[Path, dict[str, str]]:
    """Who failed, by the path of the run, with what was raised."""
    found: dict[Path, dict[str, str]] = {}
    for job in jobs:
        if job.error is not None:
            found.setdefault(job.round.path, {})[job.executor.id] = in_words(job.error)
    return found


async def invoke(jobs: Sequence[Job], stop: Stop) -> None:
    """Run all jobs. Raises the exception of the first one, in the fixed order, that failed."""
    if len(jobs) < 2:
        for job in jobs:
            await _run_job(job, stop, stop.worker)
    elif jobs[0].round is jobs[-1].round:  # they come frame by frame, and a run has each executor once
        await side_by_side(_run_job, jobs, stop)
    else:
        # Two invocations of one sub-workflow share its executors: their jobs run one after the other.
        queues: dict[int, list[Job]] = {}
        for job in jobs:
            queues.setdefault(id(job.executor), []).append(job)
        await side_by_side(_run, [*queues.values()], stop)


async def _run(jobs: Sequence[Job], stop: Stop, task: Task) -> None:
    for job in jobs:
        await _run_job(job, stop, task)


def _run_job(job: Job, stop: Stop, task: Task) -> Awaitable[None]:
    return _with_hooks(job, stop, task) if job.executor.has_hooks else _deliver_all(job, stop, task)


async def _with_hooks(job: Job, stop: Stop, task: Task) -> None:
    # Workflows may share an instance: its attributes stand for one run at a time.
    executor, standing = job.executor, job.executor.engine_standing
    async with standing.turns:
        await take_back(executor, job.round.state.executors.get(executor.id), stop)
        standing.loaded = None
        await _deliver_all(job, stop, task)
        job.record = standing.loaded = await snapshot(executor, stop)


async def _deliver_all(job: Job, stop: Stop, task: Task) -> None:
    path, tell = job.round.path, job.round.tell
    for delivery in job.inbox:
        context = WorkflowContext.of(job, delivery.sources, delivery.request)
        arguments = arguments_of(delivery, context)
        if tell.listening:
            tell.invoked(path, delivery)
        started = perf_counter()
        try:
            await call(delivery, arguments, stop, task)
        except BaseException as error:
            _failed(job, delivery, error)
            raise
        finally:
            effects = context.close()
        effects.delivery, effects.started, effects.seconds = delivery, started, perf_counter() - started
        job.deliveries += 1
        job.effects = more(job.effects, effects)
        if delivery.request is not None:
            job.answered = more(job.answered, delivery.request.id)
        if tell.listening:
            has_results = bool(effects.outputs or effects.requests) and _has_results(job, effects)
            tell.completed(path, job.executor_id, effects, has_results=has_results)
    if job.own is not None:
        job.record = record_of(f"ctx.executor_state of executor '{job.executor_id}' must be", job.own)


def _failed(job: Job, delivery: Delivery, error: BaseException) -> None:
    path, executor_id = job.round.path, job.executor.id
    if isinstance(error, asyncio.CancelledError):
        job.round.tell.handler_cancelled(path, executor_id, error.__cause__)
        return
    job.error, job.failed_answer = error, delivery.request
    name, superstep = delivery.handler.name, job.round.superstep
    note_on(error, f"in handler '{name}' of executor '{executor_id}', superstep {superstep}")
    job.round.tell.handler_failed(path, executor_id, name, error)


def _has_results(job: Job, effects: Effects) -> bool:
    """True when the caller hears of outputs or requests at the barrier; of a stream it hears outputs at once."""
    if effects.requests or job.round.tell.reader is not None:
        return bool(effects.requests)
    return job.round.workflow.output_kind(job.executor.id) == "output"


def arguments_of(delivery: Delivery, context: WorkflowContext[Any, Any]) -> tuple[Any, ...]:
    """What the handler of a delivery is called with."""
    # The handler's own copies: the state keeps the originals, for a second try.
    data = isolate(delivery.data)
    if delivery.request is not None:
        return (isolate(delivery.request.data), data, context)
    return (data, context) if delivery.handler.takes_context else (data,)


async def call(delivery: Delivery, arguments: tuple[Any, ...], stop: Stop, task: Task) -> None:
    """Call the handler, in `task`. It ends as cancelled if that was asked for, whatever it makes of it, and never
    otherwise. What it raises then is the cause of the `CancelledError`.
    """
    handler, before = delivery.handler, task.cancelling()
    try:
        await (_in_thread(handler, arguments) if handler.in_thread else handler.call(*arguments))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if stop.asked:
            raise asyncio.CancelledError from (None if isinstance(error, asyncio.CancelledError) else error)
        if isinstance(error, SystemExit | asyncio.CancelledError):
            raise as_failure(error, _named(delivery)) from error
        raise
    stop.check()
    if task.cancelling() > before:
        await _calmed(task, before, delivery, stop)


async def _calmed(task: Task, before: int, delivery: Delivery, stop: Stop) -> None:
    """The handler has cancelled the task that it runs in: let that arrive here, where it can be told of whom it is."""
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError as error:
        stop.check()
        raise as_failure(error, _named(delivery)) from error
    finally:
        while task.cancelling() > before:
            task.uncancel()


async def _in_thread(handler: Handler, arguments: tuple[Any, ...]) -> None:
    result = await in_thread(handler.call, *arguments)
    if inspect.isawaitable(result):  # a function that returns a coroutine, such as one behind a decorator
        await result


def _named(delivery: Delivery) -> str:
    return f"Handler '{delivery.handler.name}' of executor '{delivery.target_id}'"


# --- executors that keep their state in attributes ----------------------------------------------------------------


async def take_back(executor: Executor, record: ExecutorRecord | None, stop: Stop) -> None:
    """Give an executor with hooks the state that the run has of it, unless that is what it holds."""
    standing = executor.engine_standing
    if standing.pristine is None:
        standing.pristine = standing.loaded = await snapshot(executor, stop)
    wanted: Mapping[str, Any] = standing.pristine if record is None else record.state
    if standing.loaded is not wanted:
        standing.loaded = None
        await _hooked(
            executor, "on_checkpoint_restore", partial(executor.on_checkpoint_restore, isolate(dict(wanted))), stop
        )
        standing.loaded = wanted


async def snapshot(executor: Executor, stop: Stop) -> dict[str, Any]:
    """What the executor's hook says is its state. Raises `WorkflowCheckpointException` if it fails or is no dict."""
    saved = await _hooked(executor, "on_checkpoint_save", executor.on_checkpoint_save, stop)
    return record_of(f"on_checkpoint_save of executor '{executor.id}' must return", saved)


def record_of(rule: str, found: Any) -> dict[str, Any]:
    """A copy of what an executor wants to be remembered. Raises `WorkflowCheckpointException` for what is no record."""
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise WorkflowCheckpointException(f"{rule} a dict with text keys, not {found!r:.80}.")
    return isolate(found)  # type: ignore[no-any-return]


async def _hooked(executor: Executor, name: str, hook: Callable[[], Awaitable[Any]], stop: Stop) -> Any:
    try:
        found = await hook()
    except (Exception, SystemExit, asyncio.CancelledError) as error:
        stop.check()
        raise WorkflowCheckpointException(f"{name} of executor '{executor.id}' raised {in_words(error)}.") from error
    stop.check()
    return found
