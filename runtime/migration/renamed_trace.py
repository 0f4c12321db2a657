"""The record of a superstep under the names that its executors have in a changed graph,
so that the views of the changed graph find what they did.
"""

from __future__ import annotations

from dataclasses import replace

from runtime.migration.mapping import UNDECIDED, GraphMapping
from runtime.state import Fate, Invocation, Trace, owner_of


def renamed_trace(trace: Trace, mapping: GraphMapping) -> Trace:
    """Return the trace with the new ids of executors that went to one place as a whole.
    The others keep the names that they had when they ran.
    """
    if mapping.is_empty:
        return trace

    def fate(item: Fate) -> Fate:
        target = item.target_id
        return replace(
            item,
            source_id=new_name(item.source_id, mapping),
            target_id=None if target is None else new_name(target, mapping),
        )

    def call(item: Invocation) -> Invocation:
        return replace(
            item,
            executor_id=new_name(item.executor_id, mapping),
            sources=tuple(new_name(source, mapping) for source in item.sources),
        )

    return replace(
        trace,
        invocations=tuple(call(item) for item in trace.invocations),
        fates=tuple(fate(item) for item in trace.fates),
        releases=tuple(
            replace(item, target_id=new_name(item.target_id, mapping))
            for item in trace.releases
        ),
        outputs=tuple(
            replace(item, executor_id=new_name(item.executor_id, mapping))
            for item in trace.outputs
        ),
        writes=tuple(
            replace(item, executor_id=new_name(item.executor_id, mapping))
            for item in trace.writes
        ),
    )


def new_name(path: str, mapping: GraphMapping) -> str:
    """Return the name of now of an executor, which may be in a sub-workflow:
    `judge#1/how`.
    """
    internal, colon, name = path.partition(":")
    if colon and internal == "internal":
        return f"internal:{new_name(name, mapping)}"
    *way, executor_id = path.split("/")
    level: GraphMapping | None = mapping
    names = []
    for key in way:
        owner = owner_of(key)
        new_owner = _one_name(owner, level)
        names.append(f"{new_owner}#{key.rpartition('#')[2]}" if owner else key)
        level = None if level is None else level.inside.get(owner)
    return "/".join([*names, _one_name(executor_id, level)])


def _one_name(executor_id: str, mapping: GraphMapping | None) -> str:
    entry = None if mapping is None else mapping.executors.get(executor_id)
    if entry is None or not entry.is_whole or entry.record in (None, UNDECIDED):
        return executor_id
    return str(entry.record)
