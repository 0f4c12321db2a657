"""Outputs that are emitted while their superstep runs. They count from its barrier on,
or are withdrawn one by one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.engine.sub_runs import sub_workflow
from runtime.events import WorkflowEvent, lent_event
from runtime.state import owner_of

if TYPE_CHECKING:
    from runtime.engine.notifier import Notifier
    from runtime.engine.sub_runs import Frame, Path
    from runtime.graph.workflow_graph import WorkflowGraph

# A run of the tree, and the executor in it whose output a value is.
Level = tuple["Path", str]


class _Yielded(NamedTuple):
    """A value that was yielded.

    levels  where in the tree it is an output, from the inside out
    event   what the reader of a stream got, if the value is an output of the workflow itself
    """

    levels: Sequence[Level]
    value: Any
    ordinal: int
    event: WorkflowEvent | None


class LiveOutputs:
    """The outputs of one superstep. An observer hears of all, the reader of a stream of
    those of the workflow itself.

    The thread of a cancelled handler may still yield later; what it yields after the
    end of the superstep is ignored.
    """

    def __init__(self, notifier: Notifier, workflow: WorkflowGraph) -> None:
        self._notifier = notifier
        self._workflow = workflow
        self._yielded: list[_Yielded] = []
        self._has_ended = False
        self._lock = threading.RLock()

    def add(self, path: Path, executor_id: str, value: Any) -> None:
        """Emit a value that an executor yields."""
        notifier = self._notifier
        levels = list(_levels(self._workflow, path, executor_id))
        with self._lock:
            if self._has_ended or not levels:
                return
            outermost_path, outermost_id = levels[-1]
            event = None
            if notifier.reader is not None and not outermost_path:
                event = lent_event("output", value, outermost_id)
            ordinal = next(notifier.ordinals)
            self._yielded.append(_Yielded(levels, value, ordinal, event))
            observer = notifier.observer
            if observer is not None:
                for level_path, owner in levels:
                    observer.yielded(level_path, owner, value, ordinal, is_output=True)
            if event is not None and notifier.caller is not None:
                event.promise()
                notifier.caller.emit(event)

    def commit(self, root: Frame) -> None:
        """Let the outputs that the superstep merged count, in their order there, and
        withdraw all others: a handler yielded them before it failed, and the superstep
        went on without it.
        """
        pending: dict[tuple[Level, int], list[_Yielded]] = {}
        for output in self._end():
            key = (output.levels[-1], id(output.value))
            pending.setdefault(key, []).append(output)
        if not pending:
            return
        for frame in root:
            if frame.merged is None:
                continue
            for merged_output in frame.merged.outputs:
                level = (frame.path, merged_output.executor_id)
                same_object = pending.get((level, id(merged_output.data)))
                if not same_object:
                    continue
                # The newest one, because a failed attempt may have yielded the same
                # object before.
                event = same_object.pop().event
                if event is not None:
                    self._notifier.committed += 1
                    event.commit(self._notifier.committed)
        for outputs in pending.values():
            self._withdraw(outputs)

    def withdraw_all(self) -> None:
        """Withdraw all outputs, because the superstep has failed."""
        self._withdraw(self._end())

    def count(self, path: Path, executor_id: str) -> int:
        """Return how many values an executor has yielded so far, for `withdraw_after`."""
        return sum(output.levels[0] == (path, executor_id) for output in self._yielded)

    def withdraw_after(self, path: Path, executor_id: str, count: int) -> None:
        """Withdraw what an executor yielded after its first `count` values, because
        that attempt has failed.
        """
        with self._lock:
            of_executor = [
                output
                for output in self._yielded
                if output.levels[0] == (path, executor_id)
            ]
            withdrawn = of_executor[count:]
            withdrawn_ids = set(map(id, withdrawn))
            self._yielded = [
                output for output in self._yielded if id(output) not in withdrawn_ids
            ]
            self._withdraw(withdrawn)

    def _withdraw(self, outputs: Iterable[_Yielded]) -> None:
        notifier = self._notifier
        for output in outputs:
            observer = notifier.observer
            if observer is not None:
                for path, executor_id in output.levels:
                    observer.withdrawn(path, executor_id, output.value, output.ordinal)
            if output.event is not None and notifier.caller is not None:
                _, executor_id = output.levels[-1]
                event = lent_event("output_withdrawn", output.value, executor_id)
                event.iteration = notifier.superstep
                notifier.caller.emit(event)

    def _end(self) -> list[_Yielded]:
        with self._lock:
            self._has_ended = True
            yielded = self._yielded
            self._yielded = []
            return yielded


def _levels(root: WorkflowGraph, path: Path, executor_id: str) -> Iterator[Level]:
    """Yield where a value is an output: in the run where it was yielded, and in those
    above that pass it on as one.
    """
    workflows = [root]
    for key in path:
        workflows.append(sub_workflow(workflows[-1], owner_of(key)))
    for depth in range(len(path), -1, -1):
        if workflows[depth].output_kind(executor_id) != "output":
            return
        yield path[:depth], executor_id
        if depth:
            owner = owner_of(path[depth - 1])
            if not workflows[depth - 1].executors[owner].passes_out(executor_id):  # type: ignore[attr-defined]
                return
            executor_id = owner
