"""What became of the last message on each way, in each run of the tree. It explains why
a join still waits.

No superstep depends on it, so it is not part of the `RunState`. A run keeps it as it goes. After a restore it is made
from the traces of the checkpoint and of its ancestors, as far as these are still in the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from runtime.engine.sub_runs import sub_workflow
from runtime.state import Fate, RunState, owner_of

if TYPE_CHECKING:
    from runtime.engine.sub_runs import Frame, Path
    from runtime.graph.workflow_graph import WorkflowGraph

# (source, target) -> why the last message on this way was dropped; empty if it went
# through
Ways = Mapping[tuple[str, str], str]
NO_WAYS: Ways = MappingProxyType({})


class History(NamedTuple):
    """The ways of each run of the tree, by its path. `whole` is False where it does not
    reach back to the beginning.
    """

    runs: Mapping[Path, Ways] = MappingProxyType({})
    whole: bool = True

    def of(self, path: Path) -> Ways:
        return self.runs.get(path, NO_WAYS)


NO_HISTORY = History()


def history_after(history: History, root: Frame, state: RunState) -> History:
    """Return the history after a superstep that has led to `state`, without the runs
    that have ended.
    """
    changed: dict[Path, Ways] = {}
    for frame in root:
        ways = _ways(frame.routing.fates)
        known_ways = history.of(frame.path)
        # In a loop, most rounds are like the one before, and change nothing.
        if not ways.items() <= known_ways.items():
            changed[frame.path] = {**known_ways, **ways}
    if changed:
        history = History({**history.runs, **changed}, history.whole)
    return _of_present_runs(history, state)


def history_of_new_run(history: History, state: RunState) -> History:
    """Return what a new run on the same instance keeps: the ways of the sub-workflows
    that go on.
    """
    of_children = {path: ways for path, ways in history.runs.items() if path}
    result = _of_present_runs(History(of_children, history.whole), state)
    return result if result.runs else NO_HISTORY


def _of_present_runs(history: History, state: RunState) -> History:
    if len(history.runs) <= 1 and not any(history.runs):
        return history
    present = set(_paths(state, ()))
    runs = {path: ways for path, ways in history.runs.items() if path in present}
    return History(runs, history.whole)


def history_from_traces(
    workflow: WorkflowGraph, state: RunState, traces: Iterable[Sequence[Fate] | None]
) -> History:
    """Return the history of the fates in traces, the newest trace first. None stands
    for traces that are missing.
    """
    executors_of_runs = dict(_executors_of_runs(workflow, state, ()))
    runs: dict[Path, Ways] = dict.fromkeys(executors_of_runs, NO_WAYS)
    is_whole = True
    for fates in traces:
        if fates is None:
            is_whole = False
            continue
        for path, executors in executors_of_runs.items():
            # A trace names what is in a sub-workflow with the path before it.
            prefix = "".join(f"{key}/" for key in path)
            in_run = [
                _without_prefix(fate, prefix)
                for fate in fates
                if fate.source_id.startswith(prefix)
            ]
            ways = _ways(fate for fate in in_run if fate.source_id in executors)
            # A newer trace wins.
            runs[path] = {**ways, **runs[path]}
    return History(runs, is_whole)


def join_histories(older: History, newer: History) -> History:
    """Return one history of two that follow each other."""
    runs: dict[Path, Ways] = {}
    for path in (*older.runs, *newer.runs):
        runs[path] = {**older.of(path), **newer.of(path)}
    return History(runs, older.whole)


def has_joins(workflow: WorkflowGraph) -> bool:
    """Return True if there is a join, here or in a sub-workflow. Only then does
    anything ask for a history.
    """
    if workflow.joins:
        return True
    for executor_id, executor in workflow.executors.items():
        if executor.wraps_workflow and has_joins(sub_workflow(workflow, executor_id)):
            return True
    return False


def _ways(fates: Iterable[Fate]) -> dict[tuple[str, str], str]:
    return {
        (fate.source_id, fate.target_id): fate.reason if fate.kind == "dropped" else ""
        for fate in fates
        if fate.target_id is not None
    }


def _without_prefix(fate: Fate, prefix: str) -> Fate:
    target = None if fate.target_id is None else fate.target_id.removeprefix(prefix)
    return Fate(
        fate.kind,
        fate.source_id.removeprefix(prefix),
        target,
        fate.edge_id,
        fate.count,
        fate.reason,
    )


def _paths(state: RunState, path: Path) -> Iterator[Path]:
    yield path
    for key, child in state.children.items():
        yield from _paths(child, (*path, key))


def _executors_of_runs(
    workflow: WorkflowGraph, state: RunState, path: Path
) -> Iterator[tuple[Path, frozenset[str]]]:
    """Yield the path of each run of the tree, with the ids of its executors."""
    yield path, frozenset(workflow.executors)
    for key, child in state.children.items():
        inner = sub_workflow(workflow, owner_of(key))
        yield from _executors_of_runs(inner, child, (*path, key))
