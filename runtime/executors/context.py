"""`WorkflowContext`: what a handler sees of the run. It reads the state of the last
barrier, and writes to its own `Effects` only.

The asynchronous methods act when they are called, and return something that may be
awaited. So they also work in a plain function that runs in a thread, where nothing can
be awaited.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Generic

from runtime.errors import (
    ContextClosedError,
    RequestError,
    UnknownTargetError,
    WorkflowException,
)
from runtime.executors.effects import (
    DELETED,
    DONE,
    Effects,
    ExecutorTurn,
    Reducer,
    more,
)
from runtime.message import Message, Request
from runtime.state import runs_of
from runtime.values.copies import Shared, copy_for_state, isolate
from runtime.values.sealed import stored_values

if TYPE_CHECKING:
    from typing import Never, Self

    from typing_extensions import TypeVar

    from runtime.events import WorkflowEvent
    from runtime.executors.executor import Executor
    from runtime.executors.runner_context import RunnerContext, State
    from runtime.state import RunState

    OutT = TypeVar("OutT", default=Never)
    W_OutT = TypeVar("W_OutT", default=Never)

    class _Subscriptable(Generic[OutT, W_OutT]):
        pass
else:
    # `Generic` asks for all parameters until Python 3.13; both are optional here.
    class _Subscriptable:
        __slots__ = ()

        def __class_getitem__(cls, parameters: Any) -> GenericAlias:
            return GenericAlias(cls, parameters)

    OutT = W_OutT = Any

_new = object.__new__


class WorkflowContext(_Subscriptable[OutT, W_OutT]):
    """A handler's access to the run. `WorkflowContext[M, O]` says that it sends `M` and
    yields `O`; both are optional.

    It belongs to one delivery: when the handler has ended, everything that would change
    the run raises `ContextClosedError`.
    """

    __slots__ = ("_effects", "_is_closed", "_request_id", "_sources", "_turn")

    def __init__(
        self,
        executor: Executor,
        source_executor_ids: Sequence[str],
        state: State,
        runner_context: RunnerContext,
        trace_contexts: list[dict[str, str]] | None = None,
        source_span_ids: list[str] | None = None,
        request_id: str | None = None,
    ) -> None:
        """Make a context without a workflow, to try a handler in a test. What the
        handler does goes to `runner_context` and `state` at once. In a run the engine
        makes the context.
        """
        from runtime.executors.run_one_executor import turn_of

        if not source_executor_ids:
            raise ValueError(
                "source_executor_ids cannot be empty. At least one source executor ID is required."
            )
        self._turn: ExecutorTurn = turn_of(executor, state, runner_context)
        self._sources = source_executor_ids
        self._request_id = request_id
        self._effects = Effects()
        self._is_closed = False

    @classmethod
    def of(
        cls,
        turn: ExecutorTurn,
        sources: Sequence[str] = (),
        request: Request | None = None,
    ) -> Self:
        """Return the context of one delivery in a run; engine only."""
        context = _new(cls)
        context._turn = turn
        context._sources = sources
        context._request_id = None if request is None else request.id
        context._effects = Effects()
        context._is_closed = False
        return context

    def _require_open(self) -> ExecutorTurn:
        if self._is_closed:
            raise ContextClosedError(self._turn.executor.id, self._turn.round.superstep)
        return self._turn

    def close(self) -> Effects:
        """End the delivery and return its effects; engine only. A late write is
        refused, and so cannot change them.
        """
        with self._turn.round.gate:
            self._is_closed = True
        return self._effects

    @property
    def effects(self) -> Effects:
        """What this delivery has asked for so far; engine only."""
        self._require_open()
        return self._effects

    def runs(self) -> list[RunState]:
        """Return the runs of this executor's sub-workflow at the last barrier; engine
        only.
        """
        return runs_of(self._turn.round.state, self._turn.executor.id)

    # --- sending, yielding, asking --------------------------------------------------------------------------------

    def send_message(
        self, message: OutT, target_id: str | None = None
    ) -> Awaitable[None]:
        """Send a message along the edges, or along those that lead to `target_id`. It
        travels in the next superstep.

        Raise `UnknownTargetError` if no edge of this executor leads to the target.
        """
        turn = self._require_open() if self._is_closed else self._turn
        effects = self._effects
        round = turn.round
        if target_id is not None and not round.leads(turn.executor_id, target_id):
            raise UnknownTargetError(turn.executor_id, target_id)
        new_message = Message(isolate(message), turn.executor_id, target_id)
        with round.gate:
            if self._is_closed:
                # It was closed while the message was copied: this is a thread that is
                # late.
                self._require_open()
            effects.sent = more(effects.sent, new_message)
        return DONE if round.outlet is None else round.outlet.sent(new_message)

    def yield_output(self, output: W_OutT) -> Awaitable[None]:
        """Hand a value to the caller of the workflow. A stream emits it at once; it
        counts from the barrier on.

        Awaiting this waits while the reader of a stream has very many events to read.
        """
        turn = self._require_open()
        value = isolate(output)
        with turn.round.gate:
            self._require_open()
            self._effects.outputs = more(self._effects.outputs, value)
        turn.round.yielded(turn.executor.id, value)
        if turn.round.outlet is None:
            return turn.round.room()
        return turn.round.outlet.yielded(turn.executor.id, value)

    def request_info(
        self, request_data: Any, response_type: Any, *, request_id: str | None = None
    ) -> Awaitable[None]:
        """Ask the outside. The answer comes to the `@response_handler` for these two
        types, in a later superstep.

        Without a `request_id` the id follows from the place in the workflow, the
        superstep and the order of asking, so it is the same in a replay. An id of your
        own must not be that of an open request. Once the answer has been handled it is
        free again, so that a loop can ask under one name, and no run has to keep all
        ids it ever used.

        Raise `RequestError` if the id is in use or if this executor has no response
        handler for the answer.
        """
        turn = self._require_open()
        if request_id is not None and not isinstance(request_id, str):
            raise TypeError(
                f"The id of a request is text, not {type(request_id).__name__}."
            )
        if not turn.executor.can_ask(request_data, response_type):
            raise RequestError(
                f"Executor '{turn.executor.id}' asks with {type(request_data).__name__} for "
                f"{response_type.__name__ if isinstance(response_type, type) else response_type}, but has "
                "no @response_handler for these types. Add one, or correct the types.",
                request_id or "",
            )
        data = isolate(request_data)
        schema = answer_schema(request_data, response_type)
        with turn.round.gate:
            self._require_open()
            ordinal = turn.requests
            own_id = request_id or turn.next_request_id()
            asked_ids = [request.id for request in self._effects.requests]
            if own_id in turn.round.state.requests or own_id in asked_ids:
                raise RequestError(
                    f"The request id '{own_id}' is in use by an open request. Use another one.",
                    own_id,
                )
            if request_id:
                turn.requests += 1
            request = Request(
                own_id,
                turn.executor.id,
                data,
                response_type,
                turn.round.superstep,
                ordinal,
                schema,
            )
            self._effects.requests = more(self._effects.requests, request)
        return DONE if turn.round.outlet is None else turn.round.outlet.asked(request)

    def add_event(self, event: WorkflowEvent) -> Awaitable[None]:
        """Emit an event to the caller, at once. Types that belong to the engine arrive
        as a `warning`.
        """
        turn = self._require_open()
        own_event = event.from_user(turn.executor.id)
        turn.round.custom_event(turn.executor.id, own_event)
        if turn.round.outlet is None:
            return turn.round.room()
        return turn.round.outlet.custom_event(own_event)

    # --- state ----------------------------------------------------------------------------------------------------

    def get_state(self, key: str, default: Any = None) -> Any:
        """Return a copy of the value of a key at the last barrier, or as this executor
        has written it since.
        """
        turn = self._turn
        if turn.touched is not None and key in turn.touched:
            value = turn.touched[key]
            return default if value is DELETED else isolate(value)
        shared = stored_values(turn.round.state.shared)
        return isolate(shared[key]) if key in shared else default

    def set_state(self, key: str, value: Any) -> None:
        """Write a key of the shared state; others see it from the next superstep on.

        For a key with a reducer the value is a contribution: the barrier combines it
        with what is there. Raise `ValueError` for a key that begins with `_`.
        """
        turn = self._require_open()
        check_key(key)
        reducer = turn.round.reducers.get(key)
        uncopied: list[Shared] = []
        before = stored_values(turn.round.state.shared).get(key)
        if reducer is None:
            value = copy_for_state(value, before, uncopied)
        else:
            value = isolate(value, uncopied)
        if uncopied:
            turn.round.warn_of_shared(turn.executor.id, "writes", uncopied)
        if reducer is None or not self.state.has(key):
            seen = value
        else:
            seen = reducer(self.get_state(key), isolate(value))
        with turn.round.gate:
            self._require_open()
            if reducer is None:
                self._effects.writable()[key] = value
            else:
                self._effects.writable().setdefault(key, []).append(value)
            turn.touch(key, seen)
        if turn.round.outlet is not None:
            turn.round.outlet.written(key, seen)

    def delete_state(self, key: str) -> None:
        """Remove a key from the shared state. Raise `KeyError` if it is not there."""
        turn = self._require_open()
        if not self.state.has(key):
            raise KeyError(f"Key '{key}' not found in state.")
        if key in turn.round.reducers:
            raise WorkflowException(
                f"The key '{key}' has a reducer and cannot be deleted: contribute to it instead."
            )
        with turn.round.gate:
            self._require_open()
            self._effects.writable()[key] = DELETED
            turn.touch(key, DELETED)
        if turn.round.outlet is not None:
            turn.round.outlet.written(key, DELETED)

    @property
    def state(self) -> StateView:
        """The shared state with `get`, `set`, `has`, `delete`."""
        return StateView(self)

    @property
    def executor_state(self) -> dict[str, Any]:
        """The executor's own record: change the dict in place, it is kept at the
        barrier.

        Not for an executor with `on_checkpoint_save`: what that returns is its record.
        """
        turn = self._require_open()
        if turn.executor.has_hooks:
            raise WorkflowException(
                f"Executor '{turn.executor.id}' keeps its state through on_checkpoint_save and on_checkpoint_restore: "
                "use either these or ctx.executor_state."
            )
        if turn.own is None:
            record = turn.round.state.executors.get(turn.executor.id)
            turn.own = isolate(dict(record.state)) if record else {}
        return turn.own

    # --- what this delivery is ------------------------------------------------------------------------------------

    @property
    def source_executor_ids(self) -> list[str]:
        """The executors that sent the message; for a join all its sources, in declared
        order.
        """
        return list(self._sources)

    def get_source_executor_id(self) -> str:
        """Return the executor that sent the message. Raise `RuntimeError` if it came
        from several.
        """
        if len(self._sources) != 1:
            raise RuntimeError(
                "Cannot get source executor ID when there are multiple source executors. "
                "Access the full list via the source_executor_ids property instead."
            )
        return self._sources[0]

    @property
    def request_id(self) -> str | None:
        """In a response handler, the id of the request that is answered."""
        return self._request_id

    @property
    def executor_id(self) -> str:
        return self._turn.executor.id

    @property
    def is_first(self) -> bool:
        """Whether this is the first message that the executor gets in this run. What it
        remembers then is of an earlier run on the same instance.
        """
        record = self._turn.round.state.executors.get(self._turn.executor.id)
        return self._turn.deliveries == 0 and (record is None or record.runs == 0)

    @property
    def superstep(self) -> int:
        """The number of the superstep that runs, from 1."""
        return self._turn.round.superstep

    def is_streaming(self) -> bool:
        return self._turn.round.streaming

    def get_runtime_tools(self) -> list[Any] | None:
        """Return the tools that `run(tools=...)` was called with. They are in no
        checkpoint.
        """
        tools = self._turn.round.tools
        return None if tools is None else list(tools)

    def get_sent_messages(self) -> list[Any]:
        return isolate([message.data for message in self._effects.sent])  # type: ignore[no-any-return]

    def get_yielded_outputs(self) -> list[Any]:
        return isolate([*self._effects.outputs])  # type: ignore[no-any-return]


class StateView:
    """The shared state as one delivery sees it."""

    __slots__ = ("_context",)

    def __init__(self, context: WorkflowContext[Any, Any]) -> None:
        self._context = context

    def get(self, key: str, default: Any = None) -> Any:
        return self._context.get_state(key, default)

    def set(self, key: str, value: Any) -> None:
        self._context.set_state(key, value)

    def delete(self, key: str) -> None:
        self._context.delete_state(key)

    def has(self, key: str) -> bool:
        turn = self._context._turn
        if turn.touched is not None and key in turn.touched:
            return turn.touched[key] is not DELETED
        return key in turn.round.state.shared

    def __iter__(self) -> Iterator[str]:
        turn = self._context._turn
        touched = turn.touched or {}
        yield from (
            key for key in turn.round.state.shared if touched.get(key) is not DELETED
        )
        yield from (
            key
            for key, value in touched.items()
            if value is not DELETED and key not in turn.round.state.shared
        )


def check_key(key: str) -> None:
    """Raise `ValueError` for a key of the shared state that is not text or begins with
    `_`.
    """
    if not isinstance(key, str):
        raise TypeError(f"A key of the shared state is text, not {type(key).__name__}.")
    if key.startswith("_"):
        raise ValueError(
            f"State key '{key}' begins with '_': these are reserved. Choose another name."
        )


def check_reducers(reducers: Mapping[str, Reducer]) -> None:
    """Raise what `check_key` raises, and `TypeError` for a reducer that is no plain
    function of two values.
    """
    for key, reducer in reducers.items():
        check_key(key)
        if not callable(reducer) or inspect.iscoroutinefunction(reducer):
            raise TypeError(
                f"The reducer of state key '{key}' must be a plain function of two values, not {reducer!r}."
            )


def answer_schema(request_data: Any, response_type: Any) -> Any:
    """Return the JSON Schema of the answer: `answer_schema` of the payload if it has
    one, else by the response type.
    """
    offered = getattr(request_data, "answer_schema", None)
    if offered is not None and not isinstance(request_data, type):
        return isolate(offered() if callable(offered) else offered)
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        return TypeAdapter(response_type).json_schema()
    except PydanticUserError:
        # Also a PydanticSchemaGenerationError or PydanticInvalidForJsonSchema: there is
        # no schema for such a type.
        return None
