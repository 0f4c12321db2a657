"""A delivery: one message for one executor, and the call of its handler."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

from runtime.concurrency.cancellation import StopSignal, Task
from runtime.concurrency.threads import in_thread
from runtime.values.copies import Shared, isolate
from runtime.values.records import record
from runtime.values.user_failures import as_failure

if TYPE_CHECKING:
    from runtime.executors.context import WorkflowContext
    from runtime.executors.handlers import Handler
    from runtime.message import Request


@record
class Delivery:
    """A handler call that is due. `data` belongs to the state: it must be copied before
    a handler gets it.
    """

    target_id: str
    data: Any
    sources: tuple[str, ...]
    handler: Handler
    edge_id: str | None = None
    request: Request | None = None
    messages: int = 1


# In the thread of a plain handler: the job that it is called for, for
# `breakpoint_here`.
JOB_OF_THREAD: ContextVar[Abortable | None] = ContextVar("JOB_OF_THREAD", default=None)


class Abortable(Protocol):
    """What a call can be aborted for: with an `error`, the call fails with that error."""

    error: BaseException | None


def arguments_of(
    delivery: Delivery,
    context: WorkflowContext[Any, Any],
    shared: list[Shared] | None = None,
) -> tuple[Any, ...]:
    """Return the arguments of the handler of a delivery. Values that could not be
    copied are added to `shared`.
    """
    # Copies, because the state keeps the originals, for a second try.
    data = isolate(delivery.data, shared)
    if delivery.request is not None:
        return (isolate(delivery.request.data, shared), data, context)
    return (data, context) if delivery.handler.takes_context else (data,)


async def call(
    delivery: Delivery,
    arguments: tuple[Any, ...],
    stop: StopSignal,
    task: Task,
    job: Abortable | None = None,
) -> None:
    """Call the handler of a delivery, in `task`.

    The outcome depends on who wanted an end, not on what the handler made of it,
    because a handler may swallow a cancellation, raise something else, or cancel its
    own task:

    - the caller of the run was cancelled: raises `CancelledError`, caused by what the handler raised, if anything;
    - the `job` was aborted: raises the job's error;
    - nobody wanted an end, and the handler raised `CancelledError` or `SystemExit`: raises a `WorkflowException`;
    - otherwise: raises what the handler raised.
    """
    handler = delivery.handler
    cancellations_before = task.cancelling()
    try:
        if handler.in_thread:
            await _call_in_thread(handler, arguments, job)
        else:
            await handler.call(*arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        consequence = None if isinstance(error, asyncio.CancelledError) else error
        if stop.is_set:
            raise asyncio.CancelledError from consequence
        if job is not None and job.error is not None:
            await absorb_cancellation(task, cancellations_before, stop)
            raise job.error from consequence
        if isinstance(error, SystemExit | asyncio.CancelledError):
            raise as_failure(error, _name_of(delivery)) from error
        raise
    stop.raise_if_set()
    if task.cancelling() > cancellations_before:
        # The handler has returned although its task was cancelled.
        cancellation = await absorb_cancellation(task, cancellations_before, stop)
        if cancellation is not None and (job is None or job.error is None):
            raise as_failure(cancellation, _name_of(delivery)) from cancellation
    if job is not None and job.error is not None:
        raise job.error


async def absorb_cancellation(
    task: Task, cancellations_before: int, stop: StopSignal
) -> asyncio.CancelledError | None:
    """Let a cancellation arrive that is meant for the handler alone, so that it cannot
    arrive in the engine's code.

    Returns it if it had not arrived yet. `cancellations_before` is the task's count
    before the handler was called.
    """
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError as error:
        stop.raise_if_set()
        return error
    finally:
        while task.cancelling() > cancellations_before:
            task.uncancel()
    return None


async def call_handler(
    handler: Handler, arguments: tuple[Any, ...], job: Abortable | None
) -> None:
    """Call a handler, a plain one in a thread, without the rules of `call`."""
    if handler.in_thread:
        await _call_in_thread(handler, arguments, job)
    else:
        await handler.call(*arguments)


async def _call_in_thread(
    handler: Handler, arguments: tuple[Any, ...], job: Abortable | None
) -> None:
    result = await in_thread(_call_for, job, handler.call, *arguments)
    # A plain function may return a coroutine, such as one behind a decorator does.
    if inspect.isawaitable(result):
        await result


def _call_for(job: Abortable | None, call: Callable[..., Any], *arguments: Any) -> Any:
    # The context of the thread is a copy, so nothing has to be set back.
    JOB_OF_THREAD.set(job)
    return call(*arguments)


def _name_of(delivery: Delivery) -> str:
    return f"Handler '{delivery.handler.name}' of executor '{delivery.target_id}'"
