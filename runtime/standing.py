"""Where a run stands at a barrier, said from its state alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from runtime.events import WorkflowRunState
from runtime.joins import Drops, HeldJoin, held_joins
from runtime.state import RunState, owner_of
from runtime.superstep import is_active, is_asking
from runtime.tree import sub_workflow

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
    return _all_held(workflow, state, drops, ())


def given_up_joins(workflow: Workflow, state: RunState) -> list[HeldJoin]:
    """The joins that hold messages which a new run on the same instance does not take over."""
    rest = {key: child for key, child in state.children.items() if not is_asking(child)}
    return _all_held(workflow, replace(state, children=rest), None, ())


def _all_held(workflow: Workflow, state: RunState, drops: Drops | None, path: tuple[str, ...]) -> list[HeldJoin]:
    found = [join._replace(path=path) for join in held_joins(workflow, state, drops)]
    for key, child in state.children.items():
        found += _all_held(sub_workflow(workflow, owner_of(key)), child, None, (*path, key))
    return found
