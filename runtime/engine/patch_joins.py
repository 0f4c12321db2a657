"""The joins of a patch as people name them: by the executor before which a join stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.engine.sub_runs import sub_workflow
from runtime.state import owner_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.patches.patch import Patch, PatchChange


def with_join_keys(workflow: WorkflowGraph, patch: Patch) -> Patch:
    """Return the patch with the key of each join that a change names by its target, or
    by the id of its edge. A name that fits no join, or several, stays.
    """
    changes = tuple(_with_key(workflow, change) for change in patch.changes)
    return patch.model_copy(update={"changes": changes})


def _with_key(workflow: WorkflowGraph, change: PatchChange) -> PatchChange:
    if change.section != "buffers":
        return change
    inner = _at(workflow, change.run)
    if inner is None or any(join.key == change.key for join in inner.joins):
        return change
    named = [join for join in inner.joins if change.key in (join.target_id, join.id)]
    if len(named) != 1:
        return change
    return change.model_copy(update={"key": named[0].key})


def _at(workflow: WorkflowGraph, run: Sequence[str]) -> WorkflowGraph | None:
    for key in run:
        wrapper = workflow.executors.get(owner_of(key))
        if wrapper is None or not wrapper.wraps_workflow:
            return None
        workflow = sub_workflow(workflow, owner_of(key))
    return workflow
