"""What joins hold and whom they wait for, in words: for whoever asks "why did it not fire?"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from runtime.edges.base import CONDITION_FALSE, NOT_SELECTED, TYPE_MISMATCH, EdgeGroup
from runtime.edges.fan_in import FanInEdgeGroup
from runtime.state import Fate, RunState

if TYPE_CHECKING:
    from runtime.workflow import Workflow

# (source, target) -> why the last message on this way was dropped
Drops = Mapping[tuple[str, str], str]
_BRANCHED = (CONDITION_FALSE, NOT_SELECTED)


class HeldJoin(NamedTuple):
    """A join that holds messages: how many of each of its sources, and the sources it waits for, each with why.

    `path` leads to the sub-workflow invocation it is in, and is empty at the root.
    """

    group: FanInEdgeGroup
    held: Mapping[str, int]
    missing: tuple[tuple[str, str], ...]
    path: tuple[str, ...] = ()


def held_joins(workflow: Workflow, state: RunState, drops: Drops | None = None) -> list[HeldJoin]:
    """The joins that hold messages at this barrier, in the order of the definition."""
    found = []
    for join in workflow.joins:
        messages = state.buffers.get(join.key, ())
        if messages:
            counts = {source: len(held) for source, held in join.by_source(messages).items()}
            reasons = _Reasons(workflow, state, drops or {})
            missing = tuple((source, reasons.why(source, join)) for source in join.missing(messages))
            found.append(HeldJoin(join, counts, missing))
    return found


def drops_of(fates: Iterable[Fate], before: Drops | None = None) -> Drops:
    """The last reason for which a message was dropped, per way, also `before` these fates; a way on which one went
    through since has none.
    """
    found = dict(before or {})
    for fate in fates:
        if fate.target_id is not None:
            way = (fate.source_id, fate.target_id)
            if fate.kind == "dropped":
                found[way] = fate.reason
            else:
                found.pop(way, None)
    return found


def _chooses(group: EdgeGroup) -> bool:
    """True when the group may send a message elsewhere, or nowhere."""
    return not isinstance(group, FanInEdgeGroup) and bool(group.logic())


class _Reasons:
    def __init__(self, workflow: Workflow, state: RunState, drops: Drops) -> None:
        self._workflow, self._state, self._drops = workflow, state, drops

    def why(self, source: str, join: FanInEdgeGroup) -> str:
        dropped = self._drops.get((source, join.target_id))
        if dropped:
            return f"dropped: {dropped}"
        if self._ran(source):
            return "ran, and sent nothing here since"
        if any(message.target_id == source for message in self._state.queue):
            return "not reached yet"
        branch = self._untaken_branch(source)
        return f"branch not taken at '{branch}'" if branch else "not reached"

    def _ran(self, executor_id: str) -> bool:
        record = self._state.executors.get(executor_id)
        return record is not None and record.last_superstep > 0

    def _untaken_branch(self, executor_id: str) -> str | None:
        """The executor nearest upstream that ran and sent its messages another way."""
        seen, waiting = {executor_id}, [executor_id]
        while waiting:
            here = waiting.pop(0)
            for group in self._workflow.incoming.get(here, ()):
                for source in group.source_ids:
                    if self._ran(source) and self._went_elsewhere(source, here, _chooses(group)):
                        return source
                    if source not in seen:
                        seen.add(source)
                        waiting.append(source)
        return None

    def _went_elsewhere(self, source: str, target: str, conditional: bool) -> bool:
        reason = self._drops.get((source, target))
        return reason in _BRANCHED or (reason != TYPE_MISMATCH and conditional and not self._ran(target))
