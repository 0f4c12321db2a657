"""Outputs that are told while their superstep runs, and count from its barrier on: or are taken back, each by name."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from runtime.events import RunEventKind, WorkflowEvent, lent_event
from runtime.isolation import isolate
from runtime.state import owner_of
from runtime.tree import sub_workflow

if TYPE_CHECKING:
    from runtime.telling import Teller
    from runtime.tree import Frame, Path
    from runtime.workflow import Workflow

Place = tuple[int, ...]


class _Yielded(NamedTuple):
    place: Place
    path: Path
    executor_id: str
    value: Any
    event: WorkflowEvent | None


class LiveOutputs:
    """The outputs of one superstep. The observer hears of all, whoever reads a stream of those of the workflow itself.

    A thread that a cancelled handler left behind may come late: once the superstep has ended it tells nothing.
    """

    def __init__(self, tell: Teller, root: Frame) -> None:
        self._tell, self._root = tell, root
        self._yielded: list[_Yielded] = []
        self._ended = False
        self._gate = threading.RLock()

    def add(self, path: Path, executor_id: str, value: Any) -> None:
        """Tell of an output, on each level of the tree on which it is one."""
        with self._gate:
            if self._ended:
                return
            place = _place(self._root, path, executor_id) if path else (self._root.workflow.order[executor_id],)
            for at, who in _levels(self._root.workflow, path, executor_id):
                event = None if at or self._tell.reader is None else lent_event("output", value, who)
                self._yielded.append(_Yielded(place, at, who, value, event))
                self._tell.observe(RunEventKind.YIELDED, at, executor=who, value=isolate(value))
                if event is not None and self._tell.emit is not None:
                    event.promise()
                    self._tell.emit(event)

    def commit(self) -> None:
        """The superstep is done: its outputs count, in the order of the definition, whoever was first."""
        for one in sorted(self._end(), key=lambda one: one.place):
            if one.event is not None:
                self._tell.committed += 1
                one.event.commit(self._tell.committed)

    def take_back(self) -> None:
        """The superstep has come to nothing."""
        for one in self._end():
            self._tell.observe(RunEventKind.WITHDRAWN, one.path, executor=one.executor_id, value=isolate(one.value))
            if one.event is not None and self._tell.emit is not None:
                withdrawn = lent_event("output_withdrawn", one.value, one.executor_id)
                withdrawn.iteration = self._tell.superstep
                self._tell.emit(withdrawn)

    def _end(self) -> list[_Yielded]:
        with self._gate:
            self._ended = True
            yielded, self._yielded = self._yielded, []
            return yielded


def _levels(root: Workflow, path: Path, executor_id: str) -> Iterator[tuple[Path, str]]:
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


def _place(root: Frame, path: Path, executor_id: str) -> Place:
    """Where an output stands among those of its superstep; what runs inside put out follows their executor's own."""
    place: list[int] = []
    frame = root
    for key in path:
        place += (frame.workflow.order[owner_of(key)], list(frame.children).index(key))
        frame = frame.children[key]
    return (*place, frame.workflow.order[executor_id])
