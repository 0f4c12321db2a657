"""Running one executor, or one edge group, without a workflow: `Executor.execute` and `create_edge_runner`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, cast

from runtime.agent_framework.workflow_checkpoint import by_source
from runtime.concurrency.cancellation import Stop, this_task
from runtime.edges.base import CONDITION_FALSE, EdgeCondition, EdgeGroup, own_copy
from runtime.edges.fan_in import FanInEdgeGroup
from runtime.engine.route import Delivery
from runtime.errors import WorkflowCheckpointException, WorkflowException
from runtime.events import WorkflowErrorDetails, WorkflowEvent, WorkflowEventSource
from runtime.executors.context import WorkflowContext
from runtime.executors.effects import DELETED, DONE, Desk, Round
from runtime.message import Message, Request, WorkflowMessage
from runtime.state import RunState
from runtime.values.copies import isolate

if TYPE_CHECKING:
    from runtime.executors.executor import Executor
    from runtime.executors.runner_context import RunnerContext, State

_T = TypeVar("_T")


class _Live(Mapping[str, Any]):
    """A `State` as the mapping that a context reads."""

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
    """Hands what a handler does to a `RunnerContext` and a `State`."""

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

    def told(self, event: WorkflowEvent) -> Awaitable[None]:
        return self._context.add_event(event)

    def written(self, key: str, value: Any) -> None:
        if value is DELETED:
            self._state.delete(key)
        else:
            self._state.set(key, value)


def desk_of(executor: Executor, state: State, context: RunnerContext) -> Desk:
    """What a context outside a run works on."""
    round = Round(
        RunState(shared=_Live(state)),
        streaming=context.is_streaming(),
        tools=context.get_runtime_tools(),
        outlet=_Outlet(state, context),
    )
    return Desk(round, executor)


async def execute(
    executor: Executor,
    message: Any,
    source_executor_ids: Sequence[str],
    state: State,
    context: RunnerContext,
) -> None:
    """Give one message to an executor; see `Executor.execute`."""
    from runtime.engine.invoke import arguments_of, call

    if executor.wraps_workflow:
        raise WorkflowException(
            f"Executor '{executor.id}' runs a workflow inside another one, so it cannot run by itself. Run "
            "`executor.workflow`, or a workflow around it."
        )
    delivery = _delivery(executor, message, tuple(source_executor_ids))
    asked = None if delivery.request is None else delivery.request.request_id
    ctx: WorkflowContext[Any, Any] = WorkflowContext(
        executor, source_executor_ids, state, context, request_id=asked
    )
    await context.add_event(
        _framework("executor_invoked", isolate(delivery.data), executor.id)
    )
    try:
        await call(
            delivery, arguments_of(delivery, ctx), Stop.of_this_task(), this_task()
        )
    except Exception as error:
        details = WorkflowErrorDetails.from_exception(error, executor_id=executor.id)
        await context.add_event(
            _framework("executor_failed", details, executor.id, details)
        )
        raise
    finally:
        effects = ctx.close()
    made = [*(one.data for one in effects.sent), *effects.outputs]
    await context.add_event(
        _framework("executor_completed", isolate(made) if made else None, executor.id)
    )


def _framework(
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


# --- one edge group -----------------------------------------------------------------------------------------------


class EdgeRunner:
    """Takes messages through one edge group and runs who gets them, one after the other. A join keeps what it holds."""

    def __init__(
        self, edge_group: EdgeGroup, executors: Mapping[str, Executor]
    ) -> None:
        self.edge_group = edge_group
        self.executors = executors
        self._held: tuple[Message, ...] = ()
        self._decided: dict[str, Any] = {}
        self._undecided: Awaitable[Any] | None = None

    async def send_message(
        self, message: WorkflowMessage, state: State, ctx: RunnerContext
    ) -> bool:
        """True if somebody got the message, a join holds it, or a condition said no: then it has been dealt with.

        False if it is for others, or if nobody takes its type. Raises what a condition or a handler raises.
        """
        group = self.edge_group
        if message.target_id is not None and message.target_id not in group.targets:
            return False
        self._decided = {}
        self._undecided = None
        sent = Message(message.data, message.source_id, message.target_id)
        ways = group.ways(sent, self)
        if self._undecided is not None:
            self._decided["holds"] = bool(await self._undecided)
            ways = group.ways(sent, self)
        targets = [way.target_id for way in ways if not way.reason]
        if targets and isinstance(group, FanInEdgeGroup):
            await self._join(group, sent, state, ctx)
        else:
            for target in targets:
                await execute(
                    self.executors[target],
                    message.data,
                    [message.source_id],
                    state,
                    ctx,
                )
        return bool(targets) or any(way.reason == CONDITION_FALSE for way in ways)

    async def _join(
        self, group: FanInEdgeGroup, message: Message, state: State, ctx: RunnerContext
    ) -> None:
        lists, self._held = group.release((*self._held, message))
        for held in lists:
            data = [one.data for one in held]
            await execute(
                self.executors[group.target_id], data, group.source_ids, state, ctx
            )

    # --- what a checkpoint keeps ------------------------------------------------------------------------------------

    @property
    def state_key(self) -> str:
        """What tells this runner from others in a rebuilt workflow; it follows from what the group joins."""
        return self.edge_group.structural_id()

    def snapshot_state(self) -> dict[str, Any] | None:
        """What a join holds, by source; None if it holds nothing."""
        return {"buffer": by_source(self._held)} if self._held else None

    def restore_state(self, state: Mapping[str, Any] | None) -> None:
        """Hold what a snapshot says, and nothing else. Raises `WorkflowCheckpointException` for another shape."""
        buffered = {} if state is None else state.get("buffer", {})
        lists = list(buffered.values()) if isinstance(buffered, Mapping) else [None]
        held: list[Message] = []
        for messages in lists:
            if not isinstance(messages, list) or not all(
                isinstance(one, WorkflowMessage) for one in messages
            ):
                raise WorkflowCheckpointException(
                    f"Fan-in buffer for edge group {self.edge_group.id} is malformed. Give what snapshot_state() made."
                )
            held += [
                Message(one.data, one.source_id, one.target_id) for one in messages
            ]
        self._held = tuple(held)

    # --- what the group's rule asks ---------------------------------------------------------------------------------

    def takes(self, target_id: str, data: Any) -> bool:
        return (
            target_id in self.executors
            and self.executors[target_id].handler_for(data) is not None
        )

    def holds(
        self, group: EdgeGroup, condition: EdgeCondition, data: Any
    ) -> bool | None:
        if "holds" not in self._decided:
            answer = condition(own_copy(condition, data))
            if isinstance(answer, Awaitable):
                self._undecided = answer
                return None
            self._decided["holds"] = bool(answer)
        return self._decided["holds"]  # type: ignore[no-any-return]

    def once(self, group: EdgeGroup, decide: Callable[[], _T]) -> _T:
        if "once" not in self._decided:
            self._decided["once"] = decide()
        return cast(_T, self._decided["once"])


def create_edge_runner(
    edge_group: EdgeGroup, executors: Mapping[str, Executor]
) -> EdgeRunner:
    """What takes messages through an edge group outside a workflow. Raises `ValueError` for something else."""
    if not isinstance(edge_group, EdgeGroup):
        raise ValueError(f"Unsupported edge group type: {type(edge_group)}")
    return EdgeRunner(edge_group, executors)
