"""Runs one executor without a workflow, as in a unit test: the work behind
`Executor.execute`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runtime.concurrency.cancellation import StopSignal, this_task
from runtime.errors import WorkflowException
from runtime.events import WorkflowErrorDetails, WorkflowEvent, WorkflowEventSource
from runtime.executors.context import WorkflowContext
from runtime.executors.delivery import Delivery, arguments_of, call
from runtime.executors.effects import DELETED, DONE, ExecutorTurn, Round
from runtime.message import Message, Request, WorkflowMessage
from runtime.state import RunState
from runtime.values.copies import isolate

if TYPE_CHECKING:
    from runtime.executors.executor import Executor
    from runtime.executors.runner_context import RunnerContext, State


class _StateMapping(Mapping[str, Any]):
    """A `State` as the mapping that a context reads. It sees writes at once."""

    def __init__(self, state: State) -> None:
        self._state = state

    def __getitem__(self, key: str) -> Any:
        value = self._state.get(key, DELETED)
        if value is DELETED:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.keys())

    def __len__(self) -> int:
        return len(self._state.keys())


class _Outlet:
    """Hands what a handler does to a `RunnerContext` and a `State`, at once."""

    def __init__(self, state: State, context: RunnerContext) -> None:
        self._state = state
        self._context = context

    def sent(self, message: Message) -> Awaitable[None]:
        return self._context.send_message(
            WorkflowMessage(message.data, message.source_id, message.target_id)
        )

    def yielded(self, executor_id: str, value: Any) -> Awaitable[None]:
        kind = self._context.classify_yielded_output(executor_id)
        if kind is None:
            return DONE
        return self._context.add_event(
            WorkflowEvent(kind, value, executor_id=executor_id)
        )

    def asked(self, request: Request) -> Awaitable[None]:
        return self._context.add_request_info_event(WorkflowEvent.of_request(request))

    def custom_event(self, event: WorkflowEvent) -> Awaitable[None]:
        return self._context.add_event(event)

    def written(self, key: str, value: Any) -> None:
        if value is DELETED:
            self._state.delete(key)
        else:
            self._state.set(key, value)


def turn_of(executor: Executor, state: State, context: RunnerContext) -> ExecutorTurn:
    """Return the turn of an executor outside a run."""
    round = Round(
        RunState(shared=_StateMapping(state)),
        streaming=context.is_streaming(),
        tools=context.get_runtime_tools(),
        outlet=_Outlet(state, context),
    )
    return ExecutorTurn(round, executor)


async def execute(
    executor: Executor,
    message: Any,
    source_executor_ids: Sequence[str],
    state: State,
    context: RunnerContext,
) -> None:
    """Give one message to an executor; see `Executor.execute`."""
    if executor.wraps_workflow:
        raise WorkflowException(
            f"Executor '{executor.id}' runs a workflow inside another one, so it cannot run by itself. Run "
            "`executor.workflow`, or a workflow around it."
        )
    delivery = _delivery(executor, message, tuple(source_executor_ids))
    request_id = None if delivery.request is None else delivery.request.request_id
    ctx: WorkflowContext[Any, Any] = WorkflowContext(
        executor, source_executor_ids, state, context, request_id=request_id
    )
    await context.add_event(
        _engine_event("executor_invoked", isolate(delivery.data), executor.id)
    )
    try:
        await call(
            delivery,
            arguments_of(delivery, ctx),
            StopSignal.of_this_task(),
            this_task(),
        )
    except Exception as error:
        details = WorkflowErrorDetails.from_exception(error, executor_id=executor.id)
        await context.add_event(
            _engine_event("executor_failed", details, executor.id, details)
        )
        raise
    finally:
        effects = ctx.close()
    values = [*(message.data for message in effects.sent), *effects.outputs]
    await context.add_event(
        _engine_event(
            "executor_completed", isolate(values) if values else None, executor.id
        )
    )


def _engine_event(
    type_: str, data: Any, executor_id: str, details: WorkflowErrorDetails | None = None
) -> WorkflowEvent:
    return WorkflowEvent(
        type_,
        data,
        origin=WorkflowEventSource.FRAMEWORK,
        executor_id=executor_id,
        details=details,
    )


def _delivery(executor: Executor, message: Any, sources: tuple[str, ...]) -> Delivery:
    request: Any = None
    data = message
    if isinstance(message, Message | WorkflowMessage):
        data = message.data
        request = message.request
    if request is None:
        handler = executor.handler_for(data)
    else:
        handler = executor.response_handler_for(request.data, data)
    if handler is None:
        raise RuntimeError(
            f"Executor {executor.__class__.__name__} cannot handle message of type {type(data)}."
        )
    return Delivery(executor.id, data, sources, handler, None, request)
