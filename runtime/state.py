"""`RunState`: everything that a run knows, as one frozen value. `Trace`: what the
superstep before did.

Nothing outside a `RunState` can influence the next superstep. So a restore loses
nothing, and a failure leaves nothing behind: restoring a run is assigning this value.
The mappings inside are never changed in place. A superstep makes new ones and shares
the parts that it did not touch, so an unchanged part is the same object.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from runtime.message import Message, Request
from runtime.values.records import record

EMPTY: Mapping[str, Any] = MappingProxyType({})
# Where the results of a call come from: it was made, or they were recorded, or given by
# the user.
LIVE = "live"
RECORDED = "recorded"
PINNED = "pinned"


def _empty() -> Mapping[str, Any]:
    return EMPTY


@record
class ExecutorRecord:
    """What a run knows of an executor that has run: its own state, how often it ran,
    and when it ran last.
    """

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
        """Return the supersteps that count against the limit of this run: not those in
        which it waited for its sub-workflows.
        """
        return self.superstep - self.waited


def owner_of(key: str) -> str:
    """Return the executor that wraps the invocation `<executor id>#<n>`."""
    return key.rpartition("#")[0]


def runs_of(state: RunState, executor_id: str) -> list[RunState]:
    """Return the runs of a sub-workflow, by the executor that wraps it."""
    return [run for key, run in state.children.items() if owner_of(key) == executor_id]


@record
class Invocation:
    """One handler call of a superstep. Each of several attempts is a call.

    started  seconds since the start of the superstep
    wrote    keys of the shared state that it set or deleted; empty in records of older versions
    asked    ids of the requests that it made; empty in records of older versions
    error    of a failed attempt; of the last attempt too if an error edge took the failure
    origin   live, or where its result came from instead: recorded, or pinned by the user
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
    origin: str = LIVE


@record
class Fate:
    """What became of the messages on one way.

    kind       delivered, buffered or dropped
    reason     why they were dropped
    case       the case of a switch that was taken: its number from 0, or "default"
    positions  the positions in the queue of these messages. Empty if all messages of the source went this way, and in
               records of older versions
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
    """A join that fired: how many messages of each source, in declared order, it
    released as one list.
    """

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
    """The work of the superstep that led to a barrier.

    It is recorded beside the state, and never an input of the next superstep.
    """

    invocations: tuple[Invocation, ...] = ()
    fates: tuple[Fate, ...] = ()
    releases: tuple[Release, ...] = ()
    outputs: tuple[Output, ...] = ()
    writes: tuple[Write, ...] = ()
    asked: tuple[str, ...] = ()
    answered: tuple[str, ...] = ()
    seconds: float = 0.0
