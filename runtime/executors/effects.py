"""What a delivery asks for, and what the deliveries of one executor share within a superstep.

Nothing of it touches the run before the barrier, where `runtime.engine.commit` merges it.
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
    """What has happened already; awaiting it costs nothing."""

    __slots__ = ()

    def __await__(self) -> Generator[Any, None, None]:
        return _NOTHING


# Stands at its end for good, so all may wait for it; a generator for each `await` takes more time.
_NOTHING = cast("Generator[Any, None, None]", iter(()))
DONE = _Done()


class Deleted:
    """Stands for a deleted key among the writes."""

    __slots__ = ()


DELETED = Deleted()
Reducer = Callable[[Any, Any], Any]


_NO_WRITES: Mapping[str, Any] = MappingProxyType({})


class Effects:
    """What one delivery asked for. Most ask for little: a list is made when something comes into it, by `more`.

    writes   key -> value or DELETED; for a key with a reducer, the list of contributions in their order
    spawned  runs of a sub-workflow that begin
    replies  answers for requests of running sub-workflows: (request id, answer)
    delivery what was delivered, once that has ended well; None where a sub-workflow has put out and asked
    started  when its handler was called, on the clock of `perf_counter`, and how many `seconds` that took
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

    def write(self) -> dict[str, Any]:
        """The writes, to be added to."""
        writes = self.writes
        if not isinstance(writes, dict):
            self.writes = writes = {}
        return writes


def more(present: Sequence[T], value: T) -> Sequence[T]:
    """What is there with one value more; a list is changed in place. One value alone needs none."""
    if isinstance(present, list):
        present.append(value)
        return present
    return [*present, value] if present else (value,)


class Done:
    """What one executor did in a superstep: the effects of each delivery, and its own record if that changed."""

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
    """Who gets what a handler does at once, when there is no workflow whose barrier would take it."""

    def sent(self, message: Message) -> Awaitable[None]: ...
    def yielded(self, executor_id: str, value: Any) -> Awaitable[None]: ...
    def asked(self, request: Request) -> Awaitable[None]: ...
    def told(self, event: WorkflowEvent) -> Awaitable[None]: ...
    def written(self, key: str, value: Any) -> None: ...


class Round:
    """What all deliveries of one run share within a superstep: the state to read, and who hears of them.

    emit    who hears of custom events at once; None when nobody listens
    begun   when it began, on the clock of `perf_counter`
    outlet  gets all that a handler does, where there is no workflow
    """

    __slots__ = (
        "begun",
        "emit",
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
        emit: Callable[[WorkflowEvent], None] | None = None,
        streaming: bool = False,
        tools: list[Any] | None = None,
        outlet: Outlet | None = None,
    ) -> None:
        self.state = state
        self.superstep = state.superstep + 1
        self.path = path
        self.reducers = reducers
        self.emit = emit
        self.streaming = streaming
        self.tools = tools
        self.outlet = outlet
        self.begun = time.perf_counter()
        # Between closing and writing: a plain function works in a thread, and a late one may come at any moment. One
        # for all, as it is held for moments; in these the collector may run code of users, which may come back here.
        self.gate = threading.RLock()

    def leads(self, executor_id: str, target_id: str) -> bool:
        """True when an edge leads from the one to the other; anywhere, where there is no workflow."""
        return True

    def yielded(self, executor_id: str, value: Any) -> None:
        """An executor has yielded a value; some are told at once."""

    def shared(self, executor_id: str, how: str, values: Sequence[Shared]) -> None:
        """An executor gets, or writes, what could not be copied."""

    def room(self) -> Awaitable[None]:
        """To be awaited before more is told."""
        return DONE

    def told(self, executor_id: str, event: WorkflowEvent) -> None:
        """An executor tells something of its own, which is told at once."""
        if self.emit is not None:
            self.emit(event)


class Desk(Done):
    """What the deliveries of one executor share within a superstep, and what they did so far.

    requests  how many questions it has asked
    touched   shared state as this executor sees it, for keys that it wrote; None until it writes
    own       its own record, once a delivery has asked for it
    """

    __slots__ = ("executor", "own", "requests", "round", "touched")
    round: Round

    def __init__(self, round: Round, executor: Executor) -> None:
        # What `Done.__init__` sets, without a call more: there is a desk for each executor that runs.
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
        """Derived from path, superstep, executor and ordinal: equal again after a replay."""
        where = "/".join(
            _escaped(part) for part in (*self.round.path, self.executor.id)
        )
        while True:
            made = f"{where}:{self.round.superstep}:{self.requests}"
            self.requests += 1
            if (
                made not in self.round.state.requests
            ):  # a question of an earlier run on the same instance may still be open
                return made


def _escaped(part: str) -> str:
    """A part of a request's id, such that no two ways to an executor look alike whatever their ids contain."""
    return part.replace("%", "%25").replace("/", "%2F")
