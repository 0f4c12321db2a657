"""Outputs that are told while their superstep runs, and count from its barrier on: or are taken back, each by name."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.engine.sub_runs import sub_workflow
from runtime.events import RunEventKind, WorkflowEvent, lent_event
from runtime.state import owner_of
from runtime.values.copies import isolate

if TYPE_CHECKING:
    from runtime.engine.feeds import Teller
    from runtime.engine.sub_runs import Frame, Path
    from runtime.graph.workflow_graph import WorkflowGraph

Level = tuple["Path", str]


class _Yielded(NamedTuple):
    """A value, the levels of the tree on which it is an output, from the inside out, and what a reader was told."""

    levels: Sequence[Level]
    value: Any
    ordinal: int
    event: WorkflowEvent | None


class LiveOutputs:
    """The outputs of one superstep. The observer hears of all, whoever reads a stream of those of the workflow itself.

    A thread that a cancelled handler left behind may come late: once the superstep has ended it tells nothing.
    """

    def __init__(self, tell: Teller, workflow: WorkflowGraph) -> None:
        self._tell = tell
        self._workflow = workflow
        self._yielded: list[_Yielded] = []
        self._ended = False
        self._gate = threading.RLock()

    def add(self, path: Path, executor_id: str, value: Any) -> None:
        """An executor yields a value."""
        tell = self._tell
        levels = list(_levels(self._workflow, path, executor_id))
        with self._gate:
            if self._ended or not levels:
                return
            is_read = tell.reader is not None and not levels[-1][0]
            event = lent_event("output", value, levels[-1][1]) if is_read else None
            ordinal = next(tell.ordinals)
            self._yielded.append(_Yielded(levels, value, ordinal, event))
            for at, who in levels:
                tell.yielded(at, who, value, ordinal, is_output=True)
            if event is not None and tell.emit is not None:
                event.promise()
                tell.emit(event)

    def commit(self, root: Frame) -> None:
        """The superstep is done: what is among its outputs counts, in their order, whoever was first. The rest does
        not: a handler that failed yielded it, and the superstep went on without that.
        """
        waiting: dict[tuple[Level, int], list[_Yielded]] = {}
        for output in self._end():
            waiting.setdefault((output.levels[-1], id(output.value)), []).append(output)
        if not waiting:
            return
        for frame in root:
            for counting in frame.merged.outputs if frame.merged is not None else ():
                same = waiting.get(
                    ((frame.path, counting.executor_id), id(counting.data))
                )
                if not same:
                    continue
                # the newest: before it an attempt that failed may have yielded that object
                event = same.pop().event
                if event is not None:
                    self._tell.committed += 1
                    event.commit(self._tell.committed)
        self._withdraw(output for rest in waiting.values() for output in rest)

    def take_back(self) -> None:
        """The superstep has come to nothing."""
        self._withdraw(self._end())

    def count(self, path: Path, executor_id: str) -> int:
        """How much an executor has yielded so far, for `take_back_after`."""
        return sum(output.levels[0] == (path, executor_id) for output in self._yielded)

    def take_back_after(self, path: Path, executor_id: str, count: int) -> None:
        """An attempt of an executor has come to nothing: what it yielded after the first `count`."""
        with self._gate:
            own = [
                output
                for output in self._yielded
                if output.levels[0] == (path, executor_id)
            ]
            gone = set(map(id, own[count:]))
            self._yielded = [
                output for output in self._yielded if id(output) not in gone
            ]
            self._withdraw(own[count:])

    def _withdraw(self, outputs: Iterable[_Yielded]) -> None:
        tell = self._tell
        for output in outputs:
            for path, executor_id in output.levels if tell.observer is not None else ():
                value = isolate(output.value)
                tell.observe(
                    RunEventKind.WITHDRAWN,
                    path,
                    executor=executor_id,
                    value=value,
                    ordinal=output.ordinal,
                )
            if output.event is not None and tell.emit is not None:
                withdrawn = lent_event(
                    "output_withdrawn", output.value, output.levels[-1][1]
                )
                withdrawn.iteration = tell.superstep
                tell.emit(withdrawn)

    def _end(self) -> list[_Yielded]:
        with self._gate:
            self._ended = True
            yielded = self._yielded
            self._yielded = []
            return yielded


def _levels(root: WorkflowGraph, path: Path, executor_id: str) -> Iterator[Level]:
    """Where a value is an output: of the run in which it was yielded, and of those above that pass it on as one."""
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
