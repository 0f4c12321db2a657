"""What handlers ask for, collected until the barrier: nothing of it touches the run
before `runtime.engine.commit`.

    Effects        what one delivery asked for
    TurnResult     what one executor did in a superstep: the effects of its deliveries, and its own record
    ExecutorTurn   the same while it happens, with what the deliveries of one executor share
    Round          what all deliveries of one run share within a superstep

An `Effects` makes no empty lists, because most deliveries have one effect or none. Paid
for by `python -m tests.benchmarks --only w2,w4`: with lists from the start, a superstep
takes 1.10 (w2) and 1.16 (w4-1000) times the CPU.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from runtime.message import Message, Request

if TYPE_CHECKING:
    from runtime.events import WorkflowEvent
    from runtime.executors.delivery import Delivery
    from runtime.executors.executor import Executor
    from runtime.state import RunState
    from runtime.values.copies import Shared

T = TypeVar("T")


class _Done(Awaitable[None]):
    """An awaitable for something that has happened already."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, None]:
        return _EXHAUSTED


# All may share it, because an exhausted iterator stays exhausted; a generator for each
# `await` takes more time.
_EXHAUSTED = cast("Generator[Any, None, None]", iter(()))
DONE = _Done()


class Deleted:
    """Stands for a deleted key among the writes."""

    __slots__ = ()


DELETED = Deleted()
Reducer = Callable[[Any, Any], Any]


_NO_WRITES: Mapping[str, Any] = MappingProxyType({})


class Effects:
    """What one delivery asked for.

    writes    key -> value or DELETED; for a key with a reducer, the list of contributions in their order
    spawned   runs of a sub-workflow that begin
    replies   answers for requests of running sub-workflows: (request id, answer)
    delivery  what was delivered, once the handler has returned; None for what a sub-workflow yielded and asked
    started   when its handler was called, on the clock of `perf_counter`, and how many `seconds` that took
    """

    started: float
    seconds: float

    __slots__ = (
        "delivery",
        "outputs",
        "replies",
        "requests",
        "seconds",
        "sent",
        "spawned",
        "started",
        "writes",
    )

    def __init__(
        self,
        sent: Sequence[Message] = (),
        outputs: Sequence[Any] = (),
        writes: Mapping[str, Any] = _NO_WRITES,
        requests: Sequence[Request] = (),
    ) -> None:
        self.sent = sent
        self.outputs = outputs
        self.writes = writes
        self.requests = requests
        self.spawned: Sequence[RunState] = ()
        self.replies: Sequence[tuple[str, Any]] = ()
        self.delivery: Delivery | None = None

    def writable(self) -> dict[str, Any]:
        """Return the writes, to be added to."""
        writes = self.writes
        if not isinstance(writes, dict):
            self.writes = writes = {}
        return writes


def more(values: Sequence[T], value: T) -> Sequence[T]:
    """Return a sequence with one value more. A list is changed in place; a single value
    stays a tuple, because most effects have one of a kind at most.
    """
    if isinstance(values, list):
        values.append(value)
        return values
    return [*values, value] if values else (value,)


class TurnResult:
    """What one executor did in a superstep: the effects of each delivery, and its own
    record if that changed.

    deliveries  how many of the effects are of deliveries; the ones after these came from its sub-workflow
    answered    ids of the requests whose answers it has handled
    """

    __slots__ = ("answered", "deliveries", "effects", "executor_id", "record")

    def __init__(
        self,
        executor_id: str,
        deliveries: int = 0,
        effects: Sequence[Effects] = (),
        record: Mapping[str, Any] | None = None,
    ) -> None:
        self.executor_id = executor_id
        self.deliveries = deliveries
        self.effects = effects
        self.record = record
        self.answered: Sequence[str] = ()


class Outlet(Protocol):
    """Takes what a handler does at once, where there is no workflow whose barrier would
    take it.
    """

    def sent(self, message: Message) -> Awaitable[None]: ...
    def yielded(self, executor_id: str, value: Any) -> Awaitable[None]: ...
    def asked(self, request: Request) -> Awaitable[None]: ...
    def custom_event(self, event: WorkflowEvent) -> Awaitable[None]: ...
    def written(self, key: str, value: Any) -> None: ...


class Round:
    """What all deliveries of one run share within a superstep: the state to read, and
    the audiences to notify.

    This class does not notify anything; the engine's subclass in
    `runtime.engine.invoke` does.

    begun   when the superstep began, on the clock of `perf_counter`
    gate    held while a context closes and while it writes: a plain function works in a thread, and may be late. One
            for all deliveries, because it is held for moments; reentrant, because in these the garbage collector may
            run user code that comes back here
    outlet  takes all that a handler does, where there is no workflow
    """

    __slots__ = (
        "begun",
        "gate",
        "outlet",
        "path",
        "reducers",
        "state",
        "streaming",
        "superstep",
        "tools",
    )

    def __init__(
        self,
        state: RunState,
        path: tuple[str, ...] = (),
        reducers: Mapping[str, Reducer] = _NO_WRITES,
        streaming: bool = False,
        tools: list[Any] | None = None,
        outlet: Outlet | None = None,
    ) -> None:
        self.state = state
        self.superstep = state.superstep + 1
        self.path = path
        self.reducers = reducers
        self.streaming = streaming
        self.tools = tools
        self.outlet = outlet
        self.begun = time.perf_counter()
        self.gate = threading.RLock()

    def leads(self, executor_id: str, target_id: str) -> bool:
        """Return True if an edge leads from one executor to another. Without a
        workflow, anything goes.
        """
        return True

    def yielded(self, executor_id: str, value: Any) -> None:
        """Notify that an executor has yielded a value."""

    def warn_of_shared(
        self, executor_id: str, verb: str, values: Sequence[Shared]
    ) -> None:
        """Warn of values that an executor "gets" or "writes" and that could not be
        copied.
        """

    def custom_event(self, executor_id: str, event: WorkflowEvent) -> None:
        """Emit an event of an executor's code."""

    def room(self) -> Awaitable[None]:
        """Return what a handler awaits before it yields or emits more."""
        return DONE


class ExecutorTurn(TurnResult):
    """What the deliveries of one executor share within a superstep, and what they did
    so far.

    requests  how many questions it has asked
    touched   shared state as this executor sees it, for keys that it wrote; None until it writes
    own       its own record, once a delivery has asked for it
    """

    __slots__ = ("executor", "own", "requests", "round", "touched")
    round: Round

    def __init__(self, round: Round, executor: Executor) -> None:
        # The fields of `TurnResult` are set here, because the call of its constructor
        # costs 2 to 3 % of a superstep.
        self.executor_id = executor.id
        self.deliveries = 0
        self.effects = ()
        self.record = None
        self.answered = ()
        self.round = round
        self.executor = executor
        self.requests = 0
        self.touched: dict[str, Any] | None = None
        self.own: dict[str, Any] | None = None

    def touch(self, key: str, value: Any) -> None:
        if self.touched is None:
            self.touched = {}
        self.touched[key] = value

    def next_request_id(self) -> str:
        """Return an id made of path, superstep, executor and ordinal, so that it is the
        same in a replay.
        """
        place = "/".join(
            _escaped(part) for part in (*self.round.path, self.executor.id)
        )
        while True:
            request_id = f"{place}:{self.round.superstep}:{self.requests}"
            self.requests += 1
            # A question of an earlier run on the same instance may still be open under
            # this id.
            if request_id not in self.round.state.requests:
                return request_id


def _escaped(part: str) -> str:
    """Escape a part of a request id, so that no two places look alike, whatever their
    ids contain.
    """
    return part.replace("%", "%25").replace("/", "%2F")
