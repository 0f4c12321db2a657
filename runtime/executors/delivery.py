"""A delivery: one message for one executor, and the call of its handler."""

from __future__ import annotations

import asyncio
import inspect
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
    """A handler call that is due. `data` belongs to the state: it must be copied before a handler gets it."""

    target_id: str
    data: Any
    sources: tuple[str, ...]
    handler: Handler
    edge_id: str | None = None
    request: Request | None = None
    messages: int = 1


class Abortable(Protocol):
    """What a call can be aborted for: with an `error`, the call fails with that error."""

    error: BaseException | None


def arguments_of(
    delivery: Delivery,
    context: WorkflowContext[Any, Any],
    shared: list[Shared] | None = None,
) -> tuple[Any, ...]:
    """What the handler of a delivery is called with; what of it could not be copied is added to `shared`."""
    # The handler's own copies: the state keeps the originals, for a second try.
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
    """Call the handler, in `task`. It ends as cancelled if that was asked for, whatever it makes of it, and never
    otherwise. What it raises then is the cause of the `CancelledError`. If the `job` is aborted meanwhile, the call
    fails with that error, whatever the handler makes of it.
    """
    handler = delivery.handler
    before = task.cancelling()
    try:
        await (
            _in_thread(handler, arguments)
            if handler.in_thread
            else handler.call(*arguments)
        )
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if stop.is_set:
            raise asyncio.CancelledError from (
                None if isinstance(error, asyncio.CancelledError) else error
            )
        if job is not None and job.error is not None:
            await absorb_cancellation(task, before, stop)
            raise job.error from (
                None if isinstance(error, asyncio.CancelledError) else error
            )
        if isinstance(error, SystemExit | asyncio.CancelledError):
            raise as_failure(error, _named(delivery)) from error
        raise
    stop.raise_if_set()
    if task.cancelling() > before:
        cancellation = await absorb_cancellation(task, before, stop)
        if cancellation is not None and (job is None or job.error is None):
            raise as_failure(cancellation, _named(delivery)) from cancellation
    if job is not None and job.error is not None:
        raise job.error


async def absorb_cancellation(
    task: Task, before: int, stop: StopSignal
) -> asyncio.CancelledError | None:
    """The task was cancelled, by its handler or for its sake alone: let that arrive here, where it can be told of whom
    it is. Returns it, if it had not arrived yet. `before` is how often the task had been cancelled before.
    """
    try:
        await asyncio.sleep(0)
    except asyncio.CancelledError as error:
        stop.raise_if_set()
        return error
    finally:
        while task.cancelling() > before:
            task.uncancel()
    return None


async def _in_thread(handler: Handler, arguments: tuple[Any, ...]) -> None:
    result = await in_thread(handler.call, *arguments)
    # a function that returns a coroutine, such as one behind a decorator
    if inspect.isawaitable(result):
        await result


def _named(delivery: Delivery) -> str:
    return f"Handler '{delivery.handler.name}' of executor '{delivery.target_id}'"
