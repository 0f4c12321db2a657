"""What became of the last message on each way, in each run of the tree: why a join still waits is told from it.

No superstep depends on it, so it is not in the `RunState`. A run keeps it as it goes; after a restore it is made again
of the traces that the checkpoint and its ancestors have, as far as they are still there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from runtime.engine.sub_runs import sub_workflow
from runtime.state import Fate, RunState, owner_of

if TYPE_CHECKING:
    from runtime.engine.sub_runs import Frame, Path
    from runtime.graph.workflow_graph import WorkflowGraph

# (source, target) -> why the last message on this way was dropped; empty if it went through
Ways = Mapping[tuple[str, str], str]
NO_WAYS: Ways = MappingProxyType({})


class History(NamedTuple):
    """The ways of each run of the tree, by its path. `whole` is False where it does not reach back to the beginning."""

    runs: Mapping[Path, Ways] = MappingProxyType({})
    whole: bool = True

    def of(self, path: Path) -> Ways:
        return self.runs.get(path, NO_WAYS)


NO_HISTORY = History()


def after(history: History, root: Frame, state: RunState) -> History:
    """The history once a superstep has led to `state`. Runs that have ended are let go."""
    news: dict[Path, Ways] = {}
    for frame in root:
        found = _ways(frame.routing.fates)
        known = history.of(frame.path)
        # in a loop, a round is like the one before
        if not found.items() <= known.items():
            news[frame.path] = {**known, **found}
    if news:
        history = History({**history.runs, **news}, history.whole)
    return only_alive(history, state)


def only_alive(history: History, state: RunState) -> History:
    """The history of the runs that are still there."""
    if len(history.runs) <= 1 and not any(history.runs):
        return history
    alive = set(_paths(state, ()))
    return History(
        {path: ways for path, ways in history.runs.items() if path in alive},
        history.whole,
    )


def begun_anew(history: History, state: RunState) -> History:
    """What a new run on the same instance keeps of it: the ways of the sub-workflows that go on."""
    kept = only_alive(
        History(
            {path: ways for path, ways in history.runs.items() if path}, history.whole
        ),
        state,
    )
    return kept if kept.runs else NO_HISTORY


def told_by(
    workflow: WorkflowGraph, state: RunState, fates: Iterable[Sequence[Fate] | None]
) -> History:
    """The history that traces tell, the newest first; None stands for those that are gone."""
    ends = dict(_ends(workflow, state, ()))
    runs: dict[Path, Ways] = dict.fromkeys(ends, NO_WAYS)
    whole = True
    for some in fates:
        whole = whole and some is not None
        for path, (prefix, executors) in ends.items():
            here = [
                _below(fate, prefix)
                for fate in some or ()
                if fate.source_id.startswith(prefix)
            ]
            runs[path] = {
                **_ways(fate for fate in here if fate.source_id in executors),
                **runs[path],
            }
    return History(runs, whole)


def joined(older: History, newer: History) -> History:
    """One history of two that follow each other; of what only the newer one has runs for, it alone tells."""
    runs = {
        path: {**older.of(path), **newer.of(path)}
        for path in (*older.runs, *newer.runs)
    }
    return History(runs, older.whole)


def has_joins(workflow: WorkflowGraph) -> bool:
    """True where there is a join, here or in a sub-workflow: only then is a history asked for."""
    wrappers = (
        executor for executor in workflow.executors.values() if executor.wraps_workflow
    )
    return bool(workflow.joins) or any(has_joins(one.workflow) for one in wrappers)  # type: ignore[attr-defined]


def _ways(fates: Iterable[Fate]) -> dict[tuple[str, str], str]:
    return {
        (fate.source_id, fate.target_id): fate.reason if fate.kind == "dropped" else ""
        for fate in fates
        if fate.target_id is not None
    }


def _below(fate: Fate, prefix: str) -> Fate:
    target = None if fate.target_id is None else fate.target_id.removeprefix(prefix)
    return Fate(
        fate.kind,
        fate.source_id.removeprefix(prefix),
        target,
        fate.edge_id,
        fate.count,
        fate.reason,
    )


def _paths(state: RunState, path: Path) -> Iterable[Path]:
    yield path
    for key, child in state.children.items():
        yield from _paths(child, (*path, key))


def _ends(
    workflow: WorkflowGraph, state: RunState, path: Path
) -> Iterable[tuple[Path, tuple[str, frozenset[str]]]]:
    """For each run of the tree: what stands before its ids in a trace, and the ids of its executors."""
    yield path, ("".join(f"{key}/" for key in path), frozenset(workflow.executors))
    for key, child in state.children.items():
        yield from _ends(sub_workflow(workflow, owner_of(key)), child, (*path, key))
