"""Who watches the runs of this process: a debugger that the program itself has asked
for, or nobody.

A watched run is driven by its watcher from its first superstep on, in the program's own
task and event loop. The call of `Workflow.run` begins the run and waits for its end, so
it has one driver at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.concurrency.cancellation import StopSignal
    from runtime.engine.runner import Runner
    from runtime.graph.workflow_graph import WorkflowGraph


class Watcher(Protocol):
    """Drives runs of this process."""

    def claim(self, workflow: WorkflowGraph) -> bool:
        """Return whether to drive a run of this workflow that is about to begin. Each
        claimed run is released at its end.
        """

    def release(self) -> None:
        """Take note that the claimed run has ended, or could not begin."""

    @property
    def store(self) -> CheckpointStore | None:
        """The store for a run that has none."""

    async def drive(self, runner: Runner, stop: StopSignal) -> None:
        """Advance a run that has begun until it rests. Raise what its failed superstep
        raises.
        """


class _Holder:
    watcher: Watcher | None = None


def watch(watcher: Watcher | None) -> None:
    """Let somebody watch the runs that begin from now on, or nobody."""
    _Holder.watcher = watcher


def watcher_of(workflow: WorkflowGraph) -> Watcher | None:
    """Return who drives a run that is about to begin; None if nobody watches it."""
    watcher = _Holder.watcher
    if watcher is None or not watcher.claim(workflow):
        return None
    return watcher
