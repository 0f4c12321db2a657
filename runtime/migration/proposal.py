"""Proposes what became of the executors and joins of a graph in a changed one.

An executor of the same id is the same. One that is gone is looked for among those that
are new: of the same type, and with the same neighbours. What is not found stays
undecided. A proposal drops nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from runtime.migration.mapping import (
    UNDECIDED,
    ExecutorMapping,
    GraphMapping,
    JoinMapping,
)
from runtime.migration.outline import EdgeOutline, Outline
from runtime.migration.renames import renames_between
from runtime.state import RunState, owner_of

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
