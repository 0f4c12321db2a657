"""Proposes what became of the executors and joins of a graph in a changed one.

An executor of the same id is the same. One that is gone is looked for among those that
are new: of the same type, and with the same neighbours. What is not found stays
undecided. A proposal drops nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from runtime.migration.mapping import (
    UNDECIDED,
    ExecutorMapping,
    GraphMapping,
    JoinMapping,
)
from runtime.migration.outline import EdgeOutline, ExecutorOutline, Outline
from runtime.state import RunState, owner_of

# How much one executor must have of another, from 0 to 1, to be the same one under
# another name.
_ENOUGH = 0.5
_MOST_LEVELS = 64


@dataclass
class Needs:
    """What of one graph the states of its runs name: only for that a mapping is needed.

    executors  every executor that anything belongs to besides how often it ran
    held       key of a join that holds messages -> their sources
    stateful   executors that have a state of their own
    children   executor that wraps a sub-workflow -> the states of its runs
    """

    executors: set[str] = field(default_factory=set)
    held: dict[str, set[str]] = field(default_factory=dict)
    stateful: set[str] = field(default_factory=set)
    children: dict[str, list[RunState]] = field(default_factory=dict)


def needs_of(states: Iterable[RunState]) -> Needs:
    """Return what the runs of one graph name together."""
    needs = Needs()
    for state in states:
        for message in state.queue:
            if message.target_id is not None:
                needs.executors.add(message.target_id)
            if not message.source_id.startswith("internal:"):
                needs.executors.add(message.source_id)
        for key, messages in state.buffers.items():
            sources = {message.source_id for message in messages}
            needs.held.setdefault(key, set()).update(sources)
            needs.executors |= sources
        for executor_id, record in state.executors.items():
            # How often an executor ran that is gone is of no use to another.
            if record.state:
                needs.executors.add(executor_id)
                needs.stateful.add(executor_id)
        for request in state.requests.values():
            needs.executors.add(request.executor_id)
        for key, child in state.children.items():
            needs.executors.add(owner_of(key))
            needs.children.setdefault(owner_of(key), []).append(child)
    return needs


def renames_between(before: Outline, after: Outline) -> dict[str, str]:
    """Return old id -> new id for the executors that were renamed: gone under the old
    id, and there under the new one with the same type and the same neighbours.
    """
    gone = [id_ for id_ in before.executors if id_ not in after.executors]
    new = [id_ for id_ in after.executors if id_ not in before.executors]
    names: dict[str, str] = {}
    # Neighbours may be renamed too, so each name that is found may help to find others.
    for _ in range(len(gone)):
        best: tuple[float, str, str] | None = None
        for old_id in gone:
            if old_id in names:
                continue
            scored = _best_of(old_id, new, before, after, names)
            if scored is not None and (best is None or scored[0] > best[0]):
                best = (scored[0], old_id, scored[1])
        if best is None:
            break
        names[best[1]] = best[2]
        new.remove(best[2])
    return {old_id: names[old_id] for old_id in gone if old_id in names}


def all_renames(
    before: Outline, after: Outline, inside: tuple[str, ...] = ()
) -> dict[tuple[str, ...], dict[str, str]]:
    """Return the renames of the graph and of every sub-workflow in it."""
    names = renames_between(before, after)
    renames = {inside: names} if names else {}
    if len(inside) > _MOST_LEVELS:
        return renames
    for old_id, old in before.executors.items():
        new = after.executors.get(names.get(old_id, old_id))
        if old.inner is not None and new is not None and new.inner is not None:
            renames |= all_renames(old.inner, new.inner, (*inside, old_id))
    return renames


def propose(before: Outline, after: Outline, needs: Needs) -> GraphMapping:
    """Return a mapping of everything that the states name and that is not simply what
    it was.
    """
    names = renames_between(before, after)
    executors: dict[str, ExecutorMapping] = {
        old_id: ExecutorMapping.whole(new_id) for old_id, new_id in names.items()
    }
    for old_id in _in_order(needs.executors, before):
        if old_id in after.executors:
            changed = _of_other_type(old_id, before, after, needs)
            if changed is not None:
                executors[old_id] = changed
        elif old_id not in names:
            executors[old_id] = _split(old_id, before, after, needs)
    joins = {}
    joins_after = after.joins
    joins_before = before.joins
    for key, sources in needs.held.items():
        if key in joins_after:
            continue
        old = joins_before.get(key)
        name = key if old is None else old.id
        joins[name] = _join(old, sources, after, executors)
    inside = {}
    for owner, states in needs.children.items():
        new_owner = executors.get(owner, ExecutorMapping.whole(owner)).runs
        wrapper = before.executors.get(owner)
        successor = after.executors.get(new_owner or "")
        if wrapper is None or successor is None:
            continue
        if wrapper.inner is None or successor.inner is None:
            continue
        mapping = propose(wrapper.inner, successor.inner, needs_of(states))
        if not mapping.is_empty:
            inside[owner] = mapping
    return GraphMapping(executors, joins, inside)


def _in_order(executor_ids: Iterable[str], outline: Outline) -> list[str]:
    order = {
        executor_id: number for number, executor_id in enumerate(outline.executors)
    }
    return sorted(executor_ids, key=lambda id_: (order.get(id_, len(order)), id_))


def _of_other_type(
    executor_id: str, before: Outline, after: Outline, needs: Needs
) -> ExecutorMapping | None:
    """Return what is open of an executor that has another type now: its own state may
    mean nothing to the new one, and its runs need a sub-workflow.
    """
    old = before.executors.get(executor_id)
    new = after.executors[executor_id]
    if old is None or old.type == new.type:
        return None
    record: str | None = executor_id
    if executor_id in needs.stateful:
        record = UNDECIDED
    runs: str | None = executor_id
    if executor_id in needs.children and not new.wraps:
        runs = UNDECIDED
    if record == runs == executor_id:
        return None
    return ExecutorMapping(executor_id, executor_id, record, executor_id, runs)


# --- renamed ------------------------------------------------------------------------------------------------------


def _best_of(
    old_id: str,
    candidates: Iterable[str],
    before: Outline,
    after: Outline,
    names: Mapping[str, str],
) -> tuple[float, str] | None:
    """Return the likeliest new name of an executor with its score; None if none is
    like it enough, or if two are equally likely.
    """
    old = before.executors[old_id]
    scored = sorted(
        (
            (_likeness(old, after.executors[new_id], before, after, names), new_id)
            for new_id in candidates
        ),
        reverse=True,
    )
    scored = [item for item in scored if item[0] >= _ENOUGH]
    if not scored:
        return None
    if len(scored) > 1 and scored[0][0] == scored[1][0]:
        return None
    return scored[0]


def _likeness(
    old: ExecutorOutline,
    new: ExecutorOutline,
    before: Outline,
    after: Outline,
    names: Mapping[str, str],
) -> float:
    if old.type != new.type or old.wraps != new.wraps:
        return 0.0
    score = 0.6 * _same_neighbours(old.id, new.id, before, after, names)
    if old.fields == new.fields and old.inner == new.inner:
        score += 0.2
    if old.title and old.title == new.title:
        score += 0.1
    return score + 0.1 * SequenceMatcher(None, old.id, new.id).ratio()


def _same_neighbours(
    old_id: str,
    new_id: str,
    before: Outline,
    after: Outline,
    names: Mapping[str, str],
) -> float:
    """Return how many of the neighbours on both sides are the same, from 0 to 1."""
    common = 0
    total = 0
    is_start = (before.start == old_id, after.start == new_id)
    if any(is_start):
        total += 1
        common += all(is_start)
    sides = zip(before.neighbours(old_id), after.neighbours(new_id), strict=True)
    for old_side, new_side in sides:
        translated = {names.get(id_, id_) for id_ in old_side}
        common += len(translated & new_side)
        total += len(translated | new_side)
    return common / total if total else 1.0


# --- split --------------------------------------------------------------------------------------------------------


def _split(
    old_id: str, before: Outline, after: Outline, needs: Needs
) -> ExecutorMapping:
    """Return the mapping of an executor in whose place two new ones stand, one after
    the other; undecided for anything else.
    """
    old = before.executors.get(old_id)
    if old is None:
        return ExecutorMapping.whole(UNDECIDED)
    senders, receivers = before.neighbours(old_id)
    new = [id_ for id_ in after.executors if id_ not in before.executors]
    entries = []
    exits = []
    for new_id in new:
        new_senders, new_receivers = after.neighbours(new_id)
        gets_the_input = before.start == old_id and after.start == new_id
        if gets_the_input or (senders and senders <= new_senders):
            entries.append(new_id)
        if receivers and receivers <= new_receivers:
            exits.append(new_id)
    if len(entries) != 1 or len(exits) != 1 or entries == exits:
        return ExecutorMapping.whole(UNDECIDED)
    same_type = [id_ for id_ in new if after.executors[id_].type == old.type]
    heir = same_type[0] if len(same_type) == 1 else ""
    return ExecutorMapping(
        messages_for=entries[0],
        messages_from=exits[0],
        record=heir or (UNDECIDED if old_id in needs.stateful else entries[0]),
        requests=heir or UNDECIDED,
        runs=heir or UNDECIDED,
    )


# --- joins --------------------------------------------------------------------------------------------------------


def _join(
    old: EdgeOutline | None,
    held_sources: Iterable[str],
    after: Outline,
    executors: Mapping[str, ExecutorMapping],
) -> JoinMapping:
    """Return where the held messages go: to the join that stands for the old one, or
    along edges that lead from all their sources to its target.
    """
    if old is None:
        return JoinMapping()
    sources = {
        executors.get(source, ExecutorMapping.whole(source)).messages_from
        for source in held_sources
    }
    target = executors.get(
        old.targets[0], ExecutorMapping.whole(old.targets[0])
    ).messages_for
    same = after.edges.get(old.id)
    if same is not None and same.is_join:
        return JoinMapping(same.id)
    takers = [
        edge
        for edge in after.edges.values()
        if edge.is_join and edge.targets == (target,) and sources <= set(edge.sources)
    ]
    if len(takers) == 1:
        return JoinMapping(takers[0].id)
    if target and not takers:
        are_connected = all(
            source and after.connects(source, target) for source in sources
        )
        if are_connected:
            return JoinMapping(send_to=target)
    return JoinMapping()
