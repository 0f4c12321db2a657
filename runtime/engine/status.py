"""Where a run stands at a barrier, said from its state alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from runtime.edges.join import HeldJoin
from runtime.engine.commit import is_active, is_asking
from runtime.engine.join_history import NO_HISTORY, History
from runtime.engine.joins import held_joins
from runtime.engine.sub_runs import Path, sub_workflow
from runtime.events import WorkflowRunState
from runtime.message import Request
from runtime.state import RunState, owner_of

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph

_NOBODY: Mapping[Path, Mapping[str, str]] = MappingProxyType({})


def status_of(state: RunState) -> WorkflowRunState:
    """The status at a barrier: under way, waiting for answers, at rest with a join that holds messages, or at rest."""
    if state.queue or is_active(state):
        if state.requests:
            return WorkflowRunState.IN_PROGRESS_PENDING_REQUESTS
        return WorkflowRunState.IN_PROGRESS
    if state.requests:
        return WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    if _holds(state):
        return WorkflowRunState.IDLE_WITH_STALLED_JOINS
    return WorkflowRunState.IDLE


def _holds(state: RunState) -> bool:
    return bool(state.buffers) or any(
        _holds(child) for child in state.children.values() if not child.requests
    )


def stalled_joins(
    workflow: WorkflowGraph, state: RunState, history: History = NO_HISTORY
) -> list[HeldJoin]:
    """The joins that hold messages for ever: the run is at rest, asks nothing, and they are not complete."""
    if status_of(state) is not WorkflowRunState.IDLE_WITH_STALLED_JOINS:
        return []
    return all_held_joins(workflow, state, history)


def count_stalled(state: RunState, status: WorkflowRunState) -> int:
    """How many joins hold messages for ever, in a state of this status."""
    if status is WorkflowRunState.IDLE_WITH_STALLED_JOINS:
        return _count_held(state)
    return 0


def _count_held(state: RunState) -> int:
    return len(state.buffers) + sum(map(_count_held, state.children.values()))


def left_over(workflow: WorkflowGraph, state: RunState) -> Iterator[str]:
    """What executors that gather still hold, at rest: nothing will come that sends it on."""
    for executor_id, record in state.executors.items():
        if (
            record.state
            and record.runs
            and (what := workflow.executors[executor_id].engine_left_over(record.state))
        ):
            yield f"'{executor_id}' {what}"


def discarded_joins(workflow: WorkflowGraph, state: RunState) -> list[HeldJoin]:
    """The joins that hold messages which a new run on the same instance does not take over."""
    if not state.buffers and not state.children:
        return []
    rest = {key: child for key, child in state.children.items() if not is_asking(child)}
    return all_held_joins(workflow, replace(state, children=rest))


def all_held_joins(
    workflow: WorkflowGraph,
    state: RunState,
    history: History = NO_HISTORY,
    failed: Mapping[Path, Mapping[str, str]] = _NOBODY,
    path: Path = (),
) -> list[HeldJoin]:
    """The joins that hold messages, in the whole tree. `failed` as for `held_joins`, by path."""
    held = held_joins(
        workflow, state, history.of(path), whole=history.whole, failed=failed.get(path)
    )
    found = [join._replace(path=path) for join in held]
    for key, child in state.children.items():
        inner = sub_workflow(workflow, owner_of(key))
        found += all_held_joins(inner, child, history, failed, (*path, key))
    return found


def unanswered(state: RunState, path: Path = ()) -> Iterator[tuple[Path, Request]]:
    """The questions that sub-workflows have asked of executors around them, which have not answered, each with the run
    that asked it there. What the outside is asked is not among them.
    """
    for key, child in state.children.items():
        yield from (
            ((*path, key), one)
            for one in child.requests.values()
            if one.id not in state.requests
        )
        yield from unanswered(child, (*path, key))
