"""`Forecast`: what the next superstep of a state does, known before it does it. It is
routed as the superstep is, so the two agree; no handler runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from runtime.concurrency.cancellation import StopSignal, run_in_own_task
from runtime.edges.base import TARGET_MISMATCH
from runtime.edges.join import HeldJoin
from runtime.engine.commit import is_active
from runtime.engine.join_history import NO_HISTORY, History
from runtime.engine.route import Decisions
from runtime.engine.status import all_held_joins
from runtime.engine.sub_runs import (
    Frame,
    Path,
    check_limits,
    decide_and_route,
    give_up_conditions,
    has_undecided,
    route_tree,
)
from runtime.engine.trace import routed_by
from runtime.errors import WorkflowConvergenceException
from runtime.state import Fate, Release, RunState
from runtime.values.user_failures import in_words

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph

RUNS_NOW = "runs in this superstep, and may send then"
_NEVER_ASKED = "nothing: it holds all that it needs, and is asked when a message comes"


class Delivered(NamedTuple):
    """An executor that the next superstep runs: with how many calls, and whose
    messages.
    """

    executor_id: str
    calls: int
    sources: tuple[str, ...]
    path: Path = ()

    @property
    def name(self) -> str:
        return "/".join((*self.path, self.executor_id))


class Firing(NamedTuple):
    """A join that fires: how many messages of each source it releases."""

    edge_id: str
    target_id: str
    counts: tuple[tuple[str, int], ...]
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Lost:
    """Messages that nothing takes, and one of the reasons. `target` is "" where no way
    led anywhere.
    """

    source: str
    target: str
    reason: str
    count: int = 1
    path: Path = ()


class Reached(NamedTuple):
    """What calls of an executor do beyond the run."""

    executor_id: str
    calls: int
    what: str
    is_harmless: bool
    path: Path = ()


@dataclass(frozen=True, slots=True)
class Forecast:
    """What the next superstep does, or why that is not known.

    superstep      its number
    delivered      who runs, with whose messages
    fires          the joins that fire
    starves        the joins that hold messages after it, and for whom they wait
    lost           what nothing takes
    reached        what it does beyond the run
    requests_left  how many of the open questions stay open; it may ask further ones
    fates, releases  what the trace of the superstep will have of the ways of all messages
    error          why the superstep will fail before any handler runs; "" if it will not
    """

    superstep: int = 0
    delivered: tuple[Delivered, ...] = ()
    fires: tuple[Firing, ...] = ()
    starves: tuple[HeldJoin, ...] = ()
    lost: tuple[Lost, ...] = ()
    reached: tuple[Reached, ...] = ()
    requests_left: int = 0
    fates: tuple[Fate, ...] = ()
    releases: tuple[Release, ...] = ()
    error: str = ""

    @property
    def is_known(self) -> bool:
        return not self.error


async def next_superstep(
    workflow: WorkflowGraph, state: RunState, history: History = NO_HISTORY
) -> Forecast:
    """Return what the next superstep of a state does. Conditions are evaluated, and
    what one raises is the error. No handler runs.

    `history` explains why joins wait.
    """
    if not is_active(state):
        starves = tuple(all_held_joins(workflow, state, history))
        return Forecast(
            superstep=state.superstep,
            starves=starves,
            requests_left=len(state.requests),
        )
    decisions: dict[Path, Decisions] = {}
    try:
        root = await run_in_own_task(partial(routed, workflow, state, decisions))
        check_limits(workflow, state, decisions, workflow.max_iterations)
    except WorkflowConvergenceException as error:
        return Forecast(state.superstep + 1, error=str(error))
    except Exception as error:  # noqa: BLE001 - a condition is user code and raises anything
        return Forecast(state.superstep + 1, error=in_words(error))
    fates, releases = routed_by(root)
    frames = list(root)
    return Forecast(
        superstep=state.superstep + 1,
        delivered=tuple(item for frame in frames for item in _delivered(frame)),
        fires=tuple(item for frame in frames for item in _fires(frame)),
        starves=_starves(workflow, state, frames, history),
        lost=tuple(item for frame in frames for item in _lost(frame)),
        reached=tuple(item for frame in frames for item in _reached(frame)),
        requests_left=len(state.requests.keys() - _being_answered(state)),
        fates=fates,
        releases=releases,
    )


async def routed(
    workflow: WorkflowGraph,
    state: RunState,
    decisions: dict[Path, Decisions],
    stop: StopSignal,
) -> Frame:
    root = route_tree(workflow, state, decisions)
    if has_undecided(root):
        return await decide_and_route(root, decisions, stop)
    give_up_conditions(root)
    return root


def _delivered(frame: Frame) -> Iterator[Delivered]:
    for executor_id, deliveries in frame.routing.deliveries.items():
        sources = dict.fromkeys(
            source for delivery in deliveries for source in delivery.sources
        )
        yield Delivered(executor_id, len(deliveries), tuple(sources), frame.path)


def _reached(frame: Frame) -> Iterator[Reached]:
    for executor_id, deliveries in frame.routing.deliveries.items():
        counts = Counter(
            delivery.handler.outside
            for delivery in deliveries
            if delivery.handler.outside is not None
        )
        for outside, calls in counts.items():
            yield Reached(
                executor_id, calls, outside.what, outside.is_harmless, frame.path
            )


# --- joins --------------------------------------------------------------------------------------------------------


def _fires(frame: Frame) -> Iterator[Firing]:
    sources = {join.id: join.source_ids for join in frame.workflow.joins}
    for release in frame.routing.releases:
        counts = tuple(zip(sources[release.edge_id], release.counts, strict=True))
        yield Firing(release.edge_id, release.target_id, counts, frame.path)


def _starves(
    workflow: WorkflowGraph, state: RunState, frames: Sequence[Frame], history: History
) -> tuple[HeldJoin, ...]:
    by_path = {frame.path: frame for frame in frames}
    after = _with_buffers_after(state, by_path, ())
    return tuple(
        join._replace(missing=_missing(join, by_path.get(join.path)))
        for join in all_held_joins(workflow, after, history)
    )


def _with_buffers_after(
    state: RunState, frames: Mapping[Path, Frame], path: Path
) -> RunState:
    """Return the state with what joins hold after the routing, here and inside."""
    frame = frames.get(path)
    if frame is None:
        # Nothing moves in this run or in those inside it.
        return state
    children = {
        key: _with_buffers_after(child, frames, (*path, key))
        for key, child in state.children.items()
    }
    return replace(state, buffers=frame.routing.buffers, children=children)


def _missing(join: HeldJoin, frame: Frame | None) -> tuple[tuple[str, str], ...]:
    """Return for whom a join waits then, and why nothing has come. A source that runs
    in this very superstep may still send.
    """
    running = {} if frame is None else frame.routing.deliveries
    return tuple(
        (source, RUNS_NOW if source in running else reason)
        for source, reason in join.missing
    )


# --- messages -----------------------------------------------------------------------------------------------------


def _lost(frame: Frame) -> Iterator[Lost]:
    """Yield what nothing takes, once for each way that refuses it."""
    positions_of: dict[str, list[int]] = {}
    for position, message in enumerate(frame.state.queue):
        positions_of.setdefault(message.source_id, []).append(position)

    def positions(fate: Fate) -> Sequence[int]:
        return fate.positions or positions_of[fate.source_id]

    taken: set[int] = set()
    for fate in frame.routing.fates:
        if fate.kind != "dropped":
            taken.update(positions(fate))
    for fate in frame.routing.fates:
        if fate.kind != "dropped" or fate.reason == TARGET_MISMATCH:
            continue
        count = sum(1 for position in positions(fate) if position not in taken)
        if count:
            target = fate.target_id or ""
            yield Lost(fate.source_id, target, fate.reason, count, frame.path)


def _being_answered(state: RunState) -> set[str]:
    """Return the questions whose answers are queued, here or inside."""
    ids = {message.request.id for message in state.queue if message.request is not None}
    for child in state.children.values():
        ids |= _being_answered(child)
    return ids


# --- words --------------------------------------------------------------------------------------------------------


def waits_for(join: HeldJoin) -> str:
    """Return for whom a join waits, and why nothing has come."""
    if not join.missing:
        return _NEVER_ASKED
    return "; ".join(f"'{source}': {reason}" for source, reason in join.missing)
