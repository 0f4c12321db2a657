"""Invoke: runs the deliveries of a superstep. Executors run side by side, each of them one delivery at a time.

When one raises, the others are cancelled and awaited before the error goes on, and its own exception is what goes on.
"""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from runtime.cancelling import Stop
from runtime.context import WorkflowContext
from runtime.crew import side_by_side
from runtime.effects import Desk, Effects
from runtime.errors import WorkflowCheckpointException
from runtime.executor import Executor
from runtime.failures import as_failure, in_words, note_on
from runtime.handlers import Handler
from runtime.isolation import isolate
from runtime.message import Request
from runtime.routing import Delivery
from runtime.state import ExecutorRecord, Invocation, owner_of
from runtime.superstep import Done
from runtime.telling import Teller
from runtime.threads import in_thread
from runtime.tree import Frame, Path

_NOWHERE: frozenset[str] = frozenset()


@dataclass(slots=True)
class Job:
    """The deliveries of one executor in one run of the tree."""

    frame: Frame
    executor: Executor
    deliveries: list[Delivery]
    done: Done
    invocations: list[Invocation] = field(default_factory=list)
    # What a handler raised, and the request whose answer it was handling then.
    error: BaseException | None = None
    failed_answer: Request | None = None


def jobs_of(root: Frame) -> list[Job]:
    """Everything that the superstep has to do, in the fixed order."""
    jobs = []
    for frame in root:
        for executor_id, deliveries in frame.routing.deliveries.items():
            done = frame.done[executor_id] = Done(executor_id)
            jobs.append(Job(frame, frame.workflow.executors[executor_id], deliveries, done))
    return jobs


def failures_of(jobs: Sequence[Job]) -> dict[Path, dict[str, str]]:
    """Who failed, by the path of the run, with what was raised."""
    found: dict[Path, dict[str, str]] = {}
    for job in jobs:
        if job.error is not None:
            found.setdefault(job.frame.path, {})[job.executor.id] = in_words(job.error)
    return found


async def invoke(jobs: Sequence[Job], tell: Teller, stop: Stop) -> None:
    """Run all jobs. Raises the exception of the first one, in the fixed order, that failed."""
    begun = time.perf_counter()
    if len(jobs) < 2:
        for job in jobs:
            await _run_job(tell, begun, job, stop)
        return
    if jobs[0].frame is jobs[-1].frame:  # they come frame by frame, and a run has each executor once
        await side_by_side(partial(_run_job, tell, begun), jobs, stop)
        return
    # Two invocations of one sub-workflow share its executors: their jobs run one after the other.
    queues: dict[int, list[Job]] = {}
    for job in jobs:
        queues.setdefault(id(job.executor), []).append(job)
    await side_by_side(partial(_run, tell, begun), [*queues.values()], stop)


async def _run(tell: Teller, begun: float, jobs: Sequence[Job], stop: Stop) -> None:
    for job in jobs:
        await _run_job(tell, begun, job, stop)


async def _run_job(tell: Teller, begun: float, job: Job, stop: Stop) -> None:
    executor, done = job.executor, job.done
    if not executor.has_hooks:
        await _deliver_all(job, tell, begun, stop)
        return
    # Workflows may share an instance: its attributes stand for one run at a time.
    standing = executor.engine_standing
    async with standing.turns:
        await take_back(executor, job.frame.state.executors.get(executor.id), stop)
        standing.loaded = None
        await _deliver_all(job, tell, begun, stop)
        done.record = standing.loaded = await snapshot(executor, stop)


async def _deliver_all(job: Job, tell: Teller, begun: float, stop: Stop) -> None:
    frame, workflow, executor = job.frame, job.frame.workflow, job.executor
    desk = Desk(
        executor,
        frame.state,
        frame.state.superstep + 1,
        frame.path,
        workflow.reach.get(executor.id, _NOWHERE),
        workflow.reducers,
        tell.emit,
        _progress_of(job, tell),
        tell.streaming,
        tell.tools,
    )
    for delivery in job.deliveries:
        await _deliver(job, desk, delivery, tell, begun, stop)
    if desk.own is not None:
        job.done.record = record_of(f"ctx.executor_state of executor '{executor.id}' must be", desk.own)


def _progress_of(job: Job, tell: Teller) -> Callable[[Any], None] | None:
    """Who hears at once of what the executor yields: the caller, if its outputs are only progress."""
    if tell.emit is None or job.frame.workflow.output_kind(job.executor.id) != "intermediate":
        return None
    path = job.frame.path
    return partial(tell.intermediate, owner_of(path[0]) if path else job.executor.id)


async def _deliver(job: Job, desk: Desk, delivery: Delivery, tell: Teller, begun: float, stop: Stop) -> None:
    path, executor_id = job.frame.path, job.executor.id
    context: WorkflowContext[Any, Any] = WorkflowContext.of(desk, delivery.sources, delivery.request)
    arguments = arguments_of(delivery, context)
    if tell.listening:
        tell.invoked(path, delivery)
    started = time.perf_counter()
    try:
        await call(delivery, arguments, stop)
    except asyncio.CancelledError as error:
        tell.handler_cancelled(path, executor_id, error.__cause__)
        raise
    except BaseException as error:
        job.error, job.failed_answer = error, delivery.request
        note_on(error, f"in handler '{delivery.handler.name}' of executor '{executor_id}', superstep {desk.superstep}")
        tell.handler_failed(path, executor_id, delivery.handler.name, error)
        raise
    finally:
        effects = context.close()
    seconds = time.perf_counter() - started
    _keep(job, delivery, effects, started - begun, seconds)
    if tell.listening:
        tell.completed(path, executor_id, effects, seconds, has_results=_has_results(job, effects))


def _has_results(job: Job, effects: Effects) -> bool:
    """True when the caller hears of outputs or requests at the barrier."""
    if effects.requests:
        return True
    return bool(effects.outputs) and job.frame.workflow.output_kind(job.executor.id) == "output"


def _keep(job: Job, delivery: Delivery, effects: Effects, started: float, seconds: float) -> None:
    """What a delivery that ended well did, for the barrier and for the trace."""
    done, path = job.done, job.frame.path
    done.deliveries += 1
    done.effects.append(effects)
    if delivery.request is not None:
        done.answered.append(delivery.request.id)
    job.invocations.append(
        Invocation(
            "/".join((*path, job.executor.id)) if path else job.executor.id,
            delivery.handler.name,
            delivery.sources,
            delivery.messages,
            started,
            seconds,
            len(effects.sent),
            len(effects.outputs),
        )
    )


def arguments_of(delivery: Delivery, context: WorkflowContext[Any, Any]) -> tuple[Any, ...]:
    """What the handler of a delivery is called with."""
    # The handler's own copies: the state keeps the originals, for a second try.
    data = isolate(delivery.data)
    if delivery.request is not None:
        return (isolate(delivery.request.data), data, context)
    return (data, context) if delivery.handler.takes_context else (data,)


async def call(delivery: Delivery, arguments: tuple[Any, ...], stop: Stop | None = None) -> None:
    """Call the handler. It ends as cancelled if that was asked for, whatever it makes of it, and never otherwise.

    What it raises then is the cause of the `CancelledError`. Without `stop`, the task that this runs in is asked.
    """
    handler, stop = delivery.handler, stop or Stop.of_this_task()
    task = asyncio.current_task()
    before = 0 if task is None else task.cancelling()
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
    if task is not None and task.cancelling() > before:
        await _calmed(task, before, delivery, stop)


async def _calmed(task: asyncio.Task[Any], before: int, delivery: Delivery, stop: Stop) -> None:
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
