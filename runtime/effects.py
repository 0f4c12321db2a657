"""What a delivery asks for, and what the deliveries of one executor share within a superstep.

Nothing of it touches the run before the barrier, where `runtime.superstep` merges it.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Container, Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast

from runtime.message import Message, Request

if TYPE_CHECKING:
    from runtime.events import WorkflowEvent
    from runtime.executor import Executor
    from runtime.state import RunState


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


@dataclass(slots=True)
class Effects:
    """What one delivery asked for.

    writes   key -> value or DELETED; for a key with a reducer, the list of contributions in their order
    spawned  runs of a sub-workflow that begin
    replies  answers for requests of running sub-workflows: (request id, answer)
    """

    sent: list[Message] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    writes: dict[str, Any] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    spawned: list[RunState] = field(default_factory=list)
    replies: list[tuple[str, Any]] = field(default_factory=list)


class Outlet(Protocol):
    """Who gets what a handler does at once, when there is no workflow whose barrier would take it."""

    def sent(self, message: Message) -> Awaitable[None]: ...
    def yielded(self, executor_id: str, value: Any) -> Awaitable[None]: ...
    def asked(self, request: Request) -> Awaitable[None]: ...
    def told(self, event: WorkflowEvent) -> Awaitable[None]: ...
    def written(self, key: str, value: Any) -> None: ...


class Desk:
    """What the deliveries of one executor share within a superstep: the state to read, and what they did so far."""

    __slots__ = (
        *(
            "emit",
            "executor",
            "gate",
            "intermediate",
            "outlet",
            "own",
            "path",
            "reducers",
            "requests",
            "state",
            "streaming",
        ),
        *("superstep", "targets", "tools", "touched"),
    )

    def __init__(
        self,
        executor: Executor,
        state: RunState,
        superstep: int = 1,
        path: tuple[str, ...] = (),
        targets: Container[str] = frozenset(),
        reducers: Mapping[str, Reducer] | None = None,
        emit: Callable[[WorkflowEvent], None] | None = None,
        intermediate: Callable[[Any], None] | None = None,
        streaming: bool = False,
        tools: list[Any] | None = None,
        *,
        outlet: Outlet | None = None,
    ) -> None:
        self.executor, self.state, self.superstep, self.path = executor, state, superstep, path
        self.targets, self.reducers, self.streaming = targets, reducers or {}, streaming
        self.tools, self.outlet = tools, outlet
        # Who hears custom events at once, and outputs that are not final; None when nobody listens.
        self.emit, self.intermediate = emit, intermediate
        self.requests = 0
        # Between closing and writing: a plain function works in a thread, and a late one may come at any moment.
        self.gate = threading.Lock()
        # Shared state as this executor sees it, for keys that it wrote; None until it writes.
        self.touched: dict[str, Any] | None = None
        # Its own record, once a delivery has asked for it.
        self.own: dict[str, Any] | None = None

    def touch(self, key: str, value: Any) -> None:
        if self.touched is None:
            self.touched = {}
        self.touched[key] = value

    def next_request_id(self) -> str:
        """Derived from path, superstep, executor and ordinal: equal again after a replay."""
        where = "/".join(_escaped(part) for part in (*self.path, self.executor.id))
        while True:
            made = f"{where}:{self.superstep}:{self.requests}"
            self.requests += 1
            if made not in self.state.requests:  # a question of an earlier run on the same instance may still be open
                return made


def _escaped(part: str) -> str:
    """A part of a request's id, such that no two ways to an executor look alike whatever their ids contain."""
    return part.replace("%", "%25").replace("/", "%2F")
