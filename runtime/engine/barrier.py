"""Where a run stands: its last barrier, what led there and, with pipelining, whether that is saved yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader
from runtime.engine.commit import is_active
from runtime.engine.invoke import Job, failures_of
from runtime.engine.join_history import (
    NO_HISTORY,
    History,
    after,
    begun_anew,
    has_joins,
    joined,
    told_by,
)
from runtime.engine.status import status_of
from runtime.engine.sub_runs import Frame, Path, reopened
from runtime.events import WorkflowRunState
from runtime.state import RunState, Trace
from runtime.values.user_failures import in_words, note_on

if TYPE_CHECKING:
    from runtime.engine.save import Lineage
    from runtime.graph.workflow_graph import WorkflowGraph

_NO_TRACE = Trace()


class Barrier(NamedTuple):
    """What a run stands at between two supersteps.

    untold  after a restore: the checkpoint whose ancestors, still unread, tell what came before the history
    """

    state: RunState
    trace: Trace
    history: History = NO_HISTORY
    untold: CheckpointHeader | None = None


class Position:
    """The barrier that a run stands at. With `pipelined`, one that a superstep led to is saved while the next one runs.

    failures  who failed in the superstep that was tried last, by the path of the run, with what was raised
    """

    def __init__(
        self, workflow: WorkflowGraph, lineage: Lineage, *, pipelined: bool
    ) -> None:
        self._workflow = workflow
        self._lineage = lineage
        self._pipelined = pipelined
        self._has_joins = has_joins(workflow)
        self.state = RunState()
        self._trace = _NO_TRACE
        # Makes the trace of the superstep that led here, until somebody has asked for it.
        self._traced: Callable[[], Trace] | None = None
        self.history: History = NO_HISTORY
        self._untold: CheckpointHeader | None = None
        self.failures: Mapping[Path, Mapping[str, str]] = {}
        # With pipelining: the barrier that is taken over but not saved yet, and the last one that is.
        self._unsaved: Barrier | None = None
        self._saved = Barrier(self.state, self.trace)

    @property
    def trace(self) -> Trace:
        """What led here. Made when it is asked for: of most supersteps of a run without a store nobody wants it."""
        if self._traced is not None:
            self._trace = self._traced()
            self._traced = None
        return self._trace

    @property
    def is_unsaved(self) -> bool:
        """True while the barrier has yet to be saved."""
        return self._unsaved is not None

    def take(self, state: RunState, trace: Trace, *, begins: bool) -> None:
        """Go on from a state that no superstep led to, or begin a new run with it."""
        known = Barrier(state, trace, self.history, self._untold)
        self.stand_at(
            Barrier(state, trace, begun_anew(self.history, state)) if begins else known
        )

    def stand_at(self, barrier: Barrier) -> None:
        """Be at a barrier that is saved, or need not be."""
        self._saved = barrier
        self._be_at(barrier)
        self.failures = {}

    def _be_at(self, barrier: Barrier) -> None:
        self.state, self._trace, self.history, self._untold = barrier
        self._traced = None

    def adopt(self, other: Position) -> None:
        """Stand where another one stands, and is saved."""
        unsaved = other._unsaved is not None
        self.stand_at(
            other._saved
            if unsaved
            else Barrier(other.state, other.trace, other.history, other._untold)
        )

    def fail(self, jobs: Sequence[Job]) -> None:
        """A superstep has come to nothing. A response handler that raised leaves its request open, beside the answer
        that a second try would use.
        """
        self.failures = failures_of(jobs)
        for job in jobs:
            if job.failed_answer is not None:
                self.state = reopened(
                    self._workflow, self.state, job.round.path, job.failed_answer
                )

    # --- restoring ------------------------------------------------------------------------------------------------

    async def barrier_of(self, checkpoint: Checkpoint) -> Barrier:
        """The barrier of a checkpoint."""
        state = checkpoint.state
        trace = checkpoint.trace
        parent = checkpoint.header.parent
        history = told_by(
            self._workflow,
            state,
            [trace.fates] if parent is None else [trace.fates, None],
        )
        return await self._recalled(
            Barrier(
                state, trace, history, None if parent is None else checkpoint.header
            )
        )

    async def _recalled(self, barrier: Barrier) -> Barrier:
        """With what the checkpoints before a restored one tell; they are read only where a join stalls."""
        state = barrier.state
        untold = barrier.untold
        if (
            untold is None
            or status_of(state) is not WorkflowRunState.IDLE_WITH_STALLED_JOINS
        ):
            return barrier
        before = told_by(
            self._workflow, state, await self._lineage.fates_before(untold)
        )
        return barrier._replace(history=joined(before, barrier.history), untold=None)

    # --- going on -------------------------------------------------------------------------------------------------

    async def advance(
        self, root: Frame, state: RunState, traced: Callable[[], Trace]
    ) -> None:
        """Take over what a superstep led to, once it is saved; with pipelining at once, unless the run rests there.

        `traced` makes its trace, and keeps what that is made of: a run at rest keeps nothing of it.
        """
        history = after(self.history, root, state) if self._has_joins else self.history
        untold = self._untold
        if untold is not None:
            _, _, history, untold = await self._recalled(
                Barrier(state, _NO_TRACE, history, untold)
            )
        is_wanted = (
            self._lineage.is_kept
            or self._pipelined
            or not (state.queue or is_active(state))
        )
        trace, later = (traced(), None) if is_wanted else (_NO_TRACE, traced)
        if self._lineage.is_kept and not self._pipelined:
            await self._lineage.save(state, trace, Cause.SUPERSTEP)
        self.state = state
        self._trace = trace
        self._traced = later
        self.history = history
        self._untold = untold
        self.failures = {}
        if self._pipelined:
            self._unsaved = Barrier(state, trace, history, untold)
            if not is_active(state):
                await self.flush()

    async def _save(self, barrier: Barrier) -> None:
        await self._lineage.save(barrier.state, barrier.trace, Cause.SUPERSTEP)

    async def flush(self) -> None:
        """With pipelining: save the barrier that is not saved yet; if that fails, be back at the last saved one."""
        if self._unsaved is None:
            return
        barrier = self._unsaved
        self._unsaved = None
        try:
            await self._save(barrier)
        except BaseException:
            self._be_at(self._saved)
            raise
        self._saved = barrier

    async def save_what_stands(self, error: BaseException) -> None:
        """With pipelining, when a step fails: the run stands at the barrier before it, which must be saved as well."""
        try:
            await self.flush()
        except Exception as unsaved:  # noqa: BLE001 - it is the consequence: what failed first reaches the caller
            note_on(
                error,
                f"the superstep before could not be saved either: {in_words(unsaved)}",
            )
