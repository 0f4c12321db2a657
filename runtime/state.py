"""Everything that a run knows, as one frozen value.

What is not in a `RunState` cannot influence the next superstep: nothing can be lost by a restore, and nothing can be
left over from a failure. Restoring a run is assigning this value. The mappings inside are never changed in place: a
superstep makes new ones and shares what it did not touch, so "did this part change?" is a question of identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from runtime.message import Message, Request
from runtime.values.records import record

EMPTY: Mapping[str, Any] = MappingProxyType({})


def _empty() -> Mapping[str, Any]:
    return EMPTY


@record
class ExecutorRecord:
    """What a run knows of one executor that has run: its own state, how often it ran, and when it ran last."""

    state: Mapping[str, Any] = field(default_factory=_empty)
    runs: int = 0
    last_superstep: int = 0


@dataclass(frozen=True, slots=True)
class RunState:
    """A run at a barrier.

    superstep  number of supersteps done in this run; 0 after the input
    queue      messages sent in that superstep, in the fixed order: source's position in the definition, then send order
    buffers    messages held by joins: structural key of the join (`JoinEdgeGroup.key`) -> messages in arrival order
    executors  executor id -> record, for executors that have run
    shared     the shared state, user keys only
    requests   open requests by id, in the order in which they were asked
    children   invocation key (`<executor id>#<n>`) of a sub-workflow -> its run at the same barrier
    waited     how many of the supersteps had no message for this run, only for its sub-workflows
    """

    superstep: int = 0
    queue: tuple[Message, ...] = ()
    buffers: Mapping[str, tuple[Message, ...]] = field(default_factory=_empty)
    executors: Mapping[str, ExecutorRecord] = field(default_factory=_empty)
    shared: Mapping[str, Any] = field(default_factory=_empty)
    requests: Mapping[str, Request] = field(default_factory=_empty)
    children: Mapping[str, RunState] = field(default_factory=_empty)
    waited: int = 0

    @property
    def own_supersteps(self) -> int:
        """What counts against the limit of this run: not those in which it waited for its sub-workflows."""
        return self.superstep - self.waited


def owner_of(key: str) -> str:
    """The executor that wraps the invocation `<executor id>#<n>`."""
    return key.rpartition("#")[0]


def runs_of(state: RunState, executor_id: str) -> list[RunState]:
    """The runs of a sub-workflow, by the executor that wraps it."""
    return [run for key, run in state.children.items() if owner_of(key) == executor_id]


@record
class Invocation:
    """One handler call of a superstep. Times in seconds; `started` counts from the start of the superstep.

    `wrote` are the keys of the shared state that it set or deleted, `asked` the ids of the requests that it made.
    Records of before have neither. Of several attempts each is a call, and those that failed have an `error`; the last
    one may have an error too, if an error edge took it.
    """

    executor_id: str
    handler: str
    sources: tuple[str, ...]
    messages: int
    started: float
    seconds: float
    sent: int = 0
    outputs: int = 0
    wrote: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    attempt: int = 1
    error: str = ""


@record
class Fate:
    """What became of messages on one way: `kind` is delivered, buffered or dropped; `reason` says why dropped. `case`
    is the case of a switch that was taken: its place from 0, or "default".

    `positions` says which messages they were, by their places in the queue. It is empty where the count tells, because
    all messages of the source went that way; and in records of before, which did not keep it.
    """

    kind: str
    source_id: str
    target_id: str | None
    edge_id: str | None
    count: int = 1
    reason: str = ""
    case: str = ""
    positions: tuple[int, ...] = ()


@record
class Release:
    """A join that fired: how many messages of each of its sources, in declared order, went out as one list."""

    edge_id: str
    target_id: str
    counts: tuple[int, ...]


@record
class Output:
    """A value that an executor yielded to the caller."""

    executor_id: str
    data: Any


@record
class Write:
    """A shared-state key that an executor set or deleted in a superstep."""

    key: str
    executor_id: str
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """What the superstep that led to a barrier did. Recorded beside the state; never an input of the next superstep."""

    invocations: tuple[Invocation, ...] = ()
    fates: tuple[Fate, ...] = ()
    releases: tuple[Release, ...] = ()
    outputs: tuple[Output, ...] = ()
    writes: tuple[Write, ...] = ()
    asked: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    seconds: float = 0.0
