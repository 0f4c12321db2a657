"""Explains joins that have not fired: what each holds, which sources it waits for, and
why nothing came from these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from runtime.edges.base import CONDITION_FALSE, NOT_SELECTED, TYPE_MISMATCH, EdgeGroup
from runtime.edges.join import HeldJoin, JoinEdgeGroup
from runtime.engine.commit import is_active
from runtime.engine.join_history import NO_WAYS, Ways
from runtime.message import is_failure_of_source
from runtime.state import RunState, runs_of

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph

_BRANCHED = (CONDITION_FALSE, NOT_SELECTED)


def held_joins(
    workflow: WorkflowGraph,
    state: RunState,
    ways: Ways = NO_WAYS,
    *,
    whole: bool = True,
    failed: Mapping[str, str] | None = None,
) -> list[HeldJoin]:
    """Return the joins that hold messages at this barrier, in the order of the
    definition.

    ways    what became of the last message on each way
    whole   whether `ways` reaches back to the beginning of the run
    failed  the executors that failed in the superstep after this barrier, with their errors
    """
    joins = []
    reasons = _Reasons(workflow, state, ways, whole, failed or {})
    for join in workflow.joins:
        messages = state.buffers.get(join.key, ())
        if messages:
            counts = {
                source: len(held) for source, held in join.by_source(messages).items()
            }
            missing = tuple(
                (source, reasons.why(source, join)) for source in join.awaited(messages)
            )
            joins.append(HeldJoin(join, counts, missing))
    return joins


def _chooses(group: EdgeGroup) -> bool:
    """Return True if the group may send a message elsewhere, or nowhere."""
    if group.carries_failures:
        return True
    return not group.is_join and bool(group.logic())


class _Reasons:
    """Finds the reason why nothing has come from a source. The surest reason wins: a
    failure, a drop, a wait, a branch that was not taken, and at last that the source
    was not reached.
    """

    def __init__(
        self,
        workflow: WorkflowGraph,
        state: RunState,
        ways: Ways,
        whole: bool,
        failed: Mapping[str, str],
    ) -> None:
        self._workflow = workflow
        self._state = state
        self._ways = ways
        self._whole = whole
        self._failed = failed

    def why(self, source: str, join: JoinEdgeGroup) -> str:
        if source in self._failed:
            return f"failed: {self._failed[source]}"
        dropped = self._ways.get((source, join.target_id))
        if dropped:
            return f"dropped: {dropped}"
        reason = self._why_failed(source) or self._why_waiting(source)
        if reason:
            return reason
        if self._ran(source):
            return self._why_silent(source, join)
        return self._why_not_reached(source)

    def _why_failed(self, source: str) -> str:
        """Return the reason for a source whose last failure an error edge took."""
        for message in self._state.queue:
            if message.source_id == source and is_failure_of_source(message):
                return f"failed: {message.data.error_type}: {message.data.error}"
        for group in self._workflow.error_edges.get(source, ()):
            [target] = group.target_ids
            went_through = self._ways.get((source, target)) == ""
            # Where other messages of the source go too, what went through may have been
            # one of these.
            is_shared = target in self._workflow.reach.get(source, ())
            if went_through and not is_shared:
                return f"failed: its failure went to '{target}'"
        return ""

    def _why_waiting(self, source: str) -> str:
        if any(
            request.executor_id == source for request in self._state.requests.values()
        ):
            return "waits for an answer"
        if runs_of(self._state, source):
            return "its sub-workflow has not ended"
        if any(message.target_id == source for message in self._state.queue):
            return "not reached yet"
        return ""

    def _why_silent(self, source: str, join: JoinEdgeGroup) -> str:
        if not self._whole and (source, join.target_id) not in self._ways:
            return "ran, and sent nothing here as far as is known"
        return "ran, and sent nothing here since"

    def _why_not_reached(self, source: str) -> str:
        branch = self._untaken_branch(source)
        if branch:
            return f"branch not taken at '{branch}'"
        return "not reached yet" if is_active(self._state) else "not reached"

    def _ran(self, executor_id: str) -> bool:
        record = self._state.executors.get(executor_id)
        return record is not None and record.last_superstep > 0

    def _untaken_branch(self, executor_id: str) -> str | None:
        """Return the nearest executor upstream that ran and sent its messages another
        way.
        """
        seen = {executor_id}
        waiting = [executor_id]
        while waiting:
            target = waiting.pop(0)
            for group in self._workflow.incoming.get(target, ()):
                for source in group.source_ids:
                    if self._ran(source) and self._went_elsewhere(
                        source, target, _chooses(group)
                    ):
                        return source
                    if source not in seen:
                        seen.add(source)
                        waiting.append(source)
        return None

    def _went_elsewhere(self, source: str, target: str, conditional: bool) -> bool:
        reason = self._ways.get((source, target))
        if reason is None and not self._whole:
            # Nothing is known of this way, so the message may as well have been dropped
            # for its type.
            return False
        return reason in _BRANCHED or (
            reason != TYPE_MISMATCH and conditional and not self._ran(target)
        )
