"""Where a change of a graph first makes a difference to a run that is recorded: until
there the changed graph would have done the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from runtime.migration.changes import Change, Renames
from runtime.migration.outline import Outline
from runtime.state import Trace

# An executor, with the executors that lead to the sub-workflow in which it is.
Place = tuple[str, ...]
# What a superstep has to do with a change: nothing, or something that it did itself, or
# something that happens to what it sent.
Touch = Literal["", "did", "sent"]


@dataclass(frozen=True, slots=True)
class Effect:
    """What of a recorded run would have been another with the changed graph.

    calls  executors whose calls would have done something else
    sends  executors whose messages would have gone elsewhere
    keys   keys of the shared state whose values would have been combined otherwise, each with the executors that lead
           to the sub-workflow in which it is
    start  whether the run would have begun elsewhere
    """

    calls: frozenset[Place] = frozenset()
    sends: frozenset[Place] = frozenset()
    keys: frozenset[Place] = frozenset()
    start: bool = False

    def touch(self, trace: Trace) -> Touch:
        """Return what a superstep has to do with the change."""
        touch: Touch = ""
        for invocation in trace.invocations:
            place = _place(invocation.executor_id)
            if place in self.calls:
                return "did"
            if any((*place[:-1], key) in self.keys for key in invocation.wrote):
                return "did"
            if place in self.sends:
                touch = "sent"
        # Calls in records of older versions do not tell what they wrote.
        if any((write.key,) in self.keys for write in trace.writes):
            return "did"
        return touch


class Step(NamedTuple):
    """A recorded checkpoint, and what the superstep that led to it did. `is_barrier` is
    False for an answer, which sends a message without a superstep.
    """

    id: str
    parent: str | None
    trace: Trace
    is_barrier: bool = True


def newest_untouched(effect: Effect, steps: Sequence[Step]) -> str:
    """Return the newest checkpoint on a way at which a change makes no difference yet.
    `steps` are the way, the newest first.
    """
    if effect.start:
        return steps[-1].id
    newest = steps[0].id
    for step in steps:
        touch = effect.touch(step.trace)
        if touch == "did" and step.parent is not None:
            newest = step.parent
        elif touch == "sent" and step.is_barrier:
            newest = step.id
    return newest


def effect_of(
    before: Outline, after: Outline, changes: Iterable[Change], renames: Renames
) -> Effect:
    """Return what the changes between two graphs would have made another. Everything is
    named as in the graph before.
    """
    calls: set[Place] = set()
    sends: set[Place] = set()
    keys: set[Place] = set()
    begins_elsewhere = False
    for change in changes:
        if change.kind == "renamed":
            continue
        match change.element:
            case "executor":
                old_ids = _old_ids(renames, change.inside)
                calls.add((*change.inside, old_ids.get(change.id, change.id)))
            case "edge" | "join":
                sends |= _sources(before, change, {})
                sends |= _sources(after, change, renames)
            case "reducer":
                keys.add((*change.inside, change.id))
            case "start" if not change.inside:
                begins_elsewhere = True
            case "start":
                calls.add(change.inside)
    return Effect(frozenset(calls), frozenset(sends), frozenset(keys), begins_elsewhere)


def _sources(outline: Outline, change: Change, renames: Renames) -> set[Place]:
    """Return the sources of a changed edge, under their names before."""
    level: Outline | None = outline
    for depth, owner in enumerate(change.inside):
        new_owner = renames.get(change.inside[:depth], {}).get(owner, owner)
        executor = None if level is None else level.executors.get(new_owner)
        level = None if executor is None else executor.inner
    edge = None if level is None else level.edges.get(change.id)
    old_ids = _old_ids(renames, change.inside)
    sources = () if edge is None else edge.sources
    return {(*change.inside, old_ids.get(source, source)) for source in sources}


def _old_ids(renames: Renames, inside: Place) -> dict[str, str]:
    """Return new id -> old id for the executors of one level that were renamed."""
    names = renames.get(inside, {})
    return {new_id: old_id for old_id, new_id in names.items()}


def _place(name: str) -> Place:
    """Return the executors that lead to a call: `judge#1/how` is `how` in `judge`."""
    *owners, executor_id = name.split("/")
    return (*(owner.rpartition("#")[0] or owner for owner in owners), executor_id)
