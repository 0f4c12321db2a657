"""Where a run stands at a barrier, said from its state alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.events import WorkflowRunState
from runtime.joins import Drops, HeldJoin, held_joins
from runtime.state import RunState
from runtime.superstep import is_active

if TYPE_CHECKING:
    from runtime.workflow import Workflow


def status_of(state: RunState) -> WorkflowRunState:
    """The status at a barrier: under way, waiting for answers, at rest with a join that holds messages, or at rest."""
    if is_active(state):
        return WorkflowRunState.IN_PROGRESS_PENDING_REQUESTS if state.requests else WorkflowRunState.IN_PROGRESS
    if state.requests:
        return WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    return WorkflowRunState.IDLE_WITH_STALLED_JOINS if _holds(state) else WorkflowRunState.IDLE


def _holds(state: RunState) -> bool:
    return bool(state.buffers) or any(_holds(child) for child in state.children.values() if not child.requests)


def stalled_joins(workflow: Workflow, state: RunState, drops: Drops | None = None) -> list[HeldJoin]:
    """The joins that hold messages for ever: the run is at rest, asks nothing, and they are not complete."""
    if status_of(state) is not WorkflowRunState.IDLE_WITH_STALLED_JOINS:
        return []
    return list(_all_held(workflow, state, drops, ()))


def _all_held(workflow: Workflow, state: RunState, drops: Drops | None, path: tuple[str, ...]) -> list[HeldJoin]:
    from runtime.tree import owner_of, sub_workflow

    found = [join._replace(path=path) for join in held_joins(workflow, state, drops)]
    for key, child in state.children.items():
        found += _all_held(sub_workflow(workflow, owner_of(key)), child, None, (*path, key))
    return found
