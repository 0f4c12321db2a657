"""The outputs of sub-workflows that an executor hands up: which call inside yielded
which of them.

An output of a sub-workflow becomes a message or an output of the executor around it.
The record has it only there, in the order of the runs inside and of their executors.
So it is found by counting, and where the counts do not fit, nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from runtime.debug.moments.barriers import Superstep
from runtime.debug.moments.moment import Snapshot
from runtime.document.ways import exits_of
from runtime.engine.commit import is_active
from runtime.state import RunState, owner_of


class InnerCall(NamedTuple):
    """One call of an executor inside: `number` counts its calls of the superstep."""

    keys: tuple[str, ...]
    executor: str
    number: int


# Tells how many messages or outputs an output of an executor inside becomes.
Copies = Callable[[str], int]


def yielding_calls(
    step: Superstep, keys: tuple[str, ...], owner: str, kind: str, count: int
) -> tuple[InnerCall, ...]:
    """Return for each of the handed up outputs the call that yielded it, `count` in
    all; empty where the record does not fit. `kind` is "message" or "output".
    """
    run = None if step.before is None else step.before.run_at(keys)
    if run is None:
        return ()
    copies = _copies_of(run, owner, kind)
    # Whether a sub-workflow inside hands its outputs on is not recorded, so that
    # reading is taken whose count fits.
    for is_deep in (False, True):
        calls = [
            call
            for key in active_runs(run.state, owner)
            for call in _calls_in(step, (*keys, key), is_deep=is_deep)
            for _ in range(copies(call[0]))
        ]
        if len(calls) == count:
            return tuple(inner_call for _, inner_call in calls)
    return ()


def active_runs(state: RunState, owner: str) -> list[str]:
    """Return the keys of the runs inside that take part in the next superstep."""
    return [
        key
        for key, child in state.children.items()
        if owner_of(key) == owner and is_active(child)
    ]


def _calls_in(
    step: Superstep, keys: tuple[str, ...], *, is_deep: bool
) -> list[tuple[str, InnerCall]]:
    """Return an entry for each output of a run inside: the executor of that run that
    yielded it or handed it up, and the call that made it.
    """
    run = step.run(keys)
    if run is None:
        return []
    snapshot = None if step.before is None else step.before.run_at(keys)
    calls = list[tuple[str, InnerCall]]()
    for executor in run.before.graph.titles:
        if snapshot is not None and not _is_output(snapshot, executor):
            continue
        invocations = [
            invocation
            for invocation in run.trace.invocations
            if invocation.executor_id == executor
        ]
        for number, invocation in enumerate(invocations):
            call = InnerCall(keys, executor, number)
            calls += [(executor, call)] * invocation.outputs
        if is_deep:
            for key in active_runs(run.before.state, executor):
                inner = _calls_in(step, (*keys, key), is_deep=True)
                calls += [(executor, call) for _, call in inner]
    return calls


def _is_output(snapshot: Snapshot, executor: str) -> bool:
    """Return whether what an executor yields is an output of its workflow."""
    node = snapshot.drawn_node(executor)
    return node is None or not node.outputs


def _copies_of(run: Snapshot, owner: str, kind: str) -> Copies:
    exits = _exits(run, owner)
    if not exits:
        return lambda _executor: 1
    if kind == "output":
        return lambda executor: 0 if executor in exits else 1
    return lambda executor: len(exits.get(executor, ("",)))


def _exits(run: Snapshot, owner: str) -> Mapping[str, Sequence[str]]:
    """Return the executors inside whose outputs go to certain executors alone."""
    node = run.drawn_node(owner)
    if node is not None:
        return exits_of(node)
    graph: Any = (run.definition or {}).get("graph")
    executors = graph.get("executors") if isinstance(graph, Mapping) else None
    for executor in executors if isinstance(executors, list) else ():
        if isinstance(executor, Mapping) and executor.get("id") == owner:
            exits = executor.get("exits")
            return exits if isinstance(exits, Mapping) else {}
    return {}
