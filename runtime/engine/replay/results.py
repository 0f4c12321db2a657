"""Gives a call results that are there already, through its context: so the same rules
hold as for a handler that is called.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from runtime.engine.invoke import restore_into
from runtime.engine.replay.inputs import shared_value
from runtime.errors import RecordedFailureError
from runtime.executors.effects import DELETED
from runtime.values.coercion import coerce
from runtime.values.copies import isolate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from runtime.calls import CallError, Results
    from runtime.concurrency.cancellation import StopSignal
    from runtime.engine.invoke import Job
    from runtime.engine.replay.settings import Pin
    from runtime.executors.context import WorkflowContext
    from runtime.executors.handlers import Handler
    from runtime.message import Request

# The name of the class of a pinned failure.
PINNED_FAILURE = "PinnedFailure"


async def give_recorded(
    job: Job, context: WorkflowContext[Any, Any], results: Results, stop: StopSignal
) -> None:
    """Let a call do what was recorded. Raise what it raised."""
    if results.error is not None:
        raise _failure(results.error)
    await _write(job, context, results.writes)
    for key in results.deleted:
        if shared_value(job, job.touched, key) is DELETED:
            # The call had written it before it removed it.
            context.set_state(key, None)
        context.delete_state(key)
    for request in results.asked:
        await _ask(job, context, request)
    for message in results.sent:
        await context.send_message(message.data, message.target_id)
    for value in results.outputs:
        await context.yield_output(value)
    if results.record is None:
        return
    if job.executor.has_hooks:
        await restore_into(job.executor, results.record, stop)
    else:
        job.own = isolate(dict(results.record))


async def give_pinned(
    context: WorkflowContext[Any, Any], pin: Pin, handler: Handler
) -> None:
    """Let a call do what the user has pinned."""
    if pin.error:
        raise _failure_class(PINNED_FAILURE)(pin.error)
    for key, value in pin.writes.items():
        context.set_state(key, value)
    for value in _typed(pin.sent, handler.output_types):
        await context.send_message(value)
    for value in _typed(pin.outputs, handler.workflow_output_types):
        await context.yield_output(value)


async def _write(
    job: Job, context: WorkflowContext[Any, Any], writes: Mapping[str, Any]
) -> None:
    for key, value in writes.items():
        contributions = value if key in job.round.reducers else [value]
        for contribution in contributions:
            context.set_state(key, contribution)


async def _ask(job: Job, context: WorkflowContext[Any, Any], request: Request) -> None:
    asked = job.requests
    own_id = job.next_request_id()
    job.requests = asked
    given_id = None if request.id == own_id else request.id
    await context.request_info(request.data, request.response_type, request_id=given_id)


def _typed(values: Sequence[Any], types: Sequence[Any]) -> list[Any]:
    """Return values of the user as the types that a handler declares, where they fit."""
    typed = []
    for value in values:
        choices = (coerce(isolate(value), type_) for type_ in types)
        fitting = [choice for choice in choices if choice is not value]
        typed.append(fitting[0] if fitting else value)
    return typed


def _failure(error: CallError) -> RecordedFailureError:
    return _failure_class(error.type)(
        error.text, error.traceback, is_tried_again=error.is_tried_again
    )


@lru_cache(maxsize=256)
def _failure_class(name: str) -> type[RecordedFailureError]:
    """Return a class of this name, because reports and error edges name the class of an
    error.
    """
    if not name.isidentifier():
        return RecordedFailureError
    return type(name, (RecordedFailureError,), {})
