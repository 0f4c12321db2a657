"""`Position`: the barrier that a run is at, and with pipelining the last one that is
saved.

Without pipelining a barrier is saved before the run takes it over, so that the run is never at one that is not in the
store. With `durability="pipelined"` the run takes it over at once, and saves it while the handlers of the next
superstep run. That pays where handlers wait: a superstep takes 0.5 to 0.7 of the time then (`python -m tests.benchmarks
--only waits`). Three rules keep it safe:

- there is at most one unsaved barrier, because it is saved while one superstep runs and awaited at its end;
- when saving fails, the run returns to the last saved barrier, and the superstep that ran meanwhile is given up;
- a barrier at which the run rests is saved at once, because no superstep follows that could save it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from runtime.checkpoint import Cause, Checkpoint, CheckpointHeader
from runtime.engine.commit import is_active
from runtime.engine.invoke import Job, failures_of
from runtime.engine.join_history import (
    NO_HISTORY,
    History,
    has_joins,
    history_after,
    history_from_traces,
    history_of_new_run,
    join_histories,
)
from runtime.engine.status import status_of
from runtime.engine.sub_runs import Frame, Path, reopen_request
from runtime.events import WorkflowRunState
from runtime.state import Fate, RunState, Trace
from runtime.values.user_failures import in_words, note_on

if TYPE_CHECKING:
    from runtime.engine.save import Lineage, MakeCalls
    from runtime.graph.workflow_graph import WorkflowGraph

NO_TRACE = Trace()


class Barrier:
    """What a run is at between two supersteps.

    history           what became of the last message on each way, for the explanations of joins
    unread_ancestors  after a restore: the checkpoint whose ancestors have not been read yet; they hold what came before
                      `history`. None when the history is complete
    """

    __slots__ = ("_trace", "history", "state", "unread_ancestors")

    def __init__(
        self,
        state: RunState,
        trace: Trace | Callable[[], Trace],
        history: History = NO_HISTORY,
        unread_ancestors: CheckpointHeader | None = None,
    ) -> None:
        self.state = state
        self._trace = trace
        self.history = history
        self.unread_ancestors = unread_ancestors

    @property
    def trace(self) -> Trace:
        """What led here. Made when it is first asked for, because without a store most
        traces are never read.
        """
        if not isinstance(self._trace, Trace):
            self._trace = self._trace()
        return self._trace


class Position:
    """The barrier that a run is at.

    failures  path of a run -> the executors that failed in the superstep that was tried last, with their errors
    """

    def __init__(
        self, workflow: WorkflowGraph, lineage: Lineage, *, pipelined: bool
    ) -> None:
        self._workflow = workflow
        self._lineage = lineage
        self._is_pipelined = pipelined
        self._has_joins = has_joins(workflow)
        self._barrier = Barrier(RunState(), NO_TRACE)
        self.failures: Mapping[Path, Mapping[str, str]] = {}
        # With pipelining only: the barrier that is not saved yet, and the last one that
        # is.
        self._unsaved: Barrier | None = None
        self._unsaved_calls: MakeCalls | None = None
        self._last_saved = self._barrier
        self.state = self._barrier.state

    @property
    def trace(self) -> Trace:
        return self._barrier.trace

    @property
    def history(self) -> History:
        return self._barrier.history

    @property
    def has_unsaved_barrier(self) -> bool:
        return self._unsaved is not None

    def _set_barrier(self, barrier: Barrier) -> None:
        self._barrier = barrier
        self.state = barrier.state

    # --- without a superstep ------------------------------------------------------------------------------------

    def move_to(self, barrier: Barrier) -> None:
        """Be at a barrier that is saved, or that needs no saving."""
        self._last_saved = barrier
        self._set_barrier(barrier)
        self.failures = {}

    def begin_run(self, state: RunState) -> None:
        """Be at the beginning of a new run."""
        history = history_of_new_run(self._barrier.history, state)
        self.move_to(Barrier(state, NO_TRACE, history))

    def go_on_with(self, state: RunState, trace: Trace) -> None:
        """Be at the same barrier with another state: requests were answered or
        cancelled.
        """
        barrier = self._barrier
        self.move_to(Barrier(state, trace, barrier.history, barrier.unread_ancestors))

    def take_over(self, other: Position) -> None:
        """Be at the last saved barrier of another run of the workflow."""
        if other._unsaved is not None:
            self.move_to(other._last_saved)
        else:
            self.move_to(other._barrier)
            self.state = other.state

    def fail(self, jobs: Sequence[Job]) -> None:
        """Note that a superstep has failed. If a response handler raised, open its
        request again, beside the queued answer that a second try would use.
        """
        self.failures = failures_of(jobs)
        for job in jobs:
            if job.failed_answer is not None:
                self.state = reopen_request(
                    self._workflow, self.state, job.round.path, job.failed_answer
                )

    # --- restoring ----------------------------------------------------------------------------------------------

    async def barrier_of(self, checkpoint: Checkpoint) -> Barrier:
        """Return the barrier of a checkpoint."""
        state = checkpoint.state
        header = checkpoint.header
        traces: list[Sequence[Fate] | None] = [checkpoint.trace.fates]
        unread_ancestors = None
        if header.parent is not None:
            unread_ancestors = header
            traces.append(None)
        history = history_from_traces(self._workflow, state, traces)
        history, unread_ancestors = await self._complete_history(
            state, history, unread_ancestors
        )
        return Barrier(state, checkpoint.trace, history, unread_ancestors)

    async def _complete_history(
        self,
        state: RunState,
        history: History,
        unread_ancestors: CheckpointHeader | None,
    ) -> tuple[History, CheckpointHeader | None]:
        """Read the ancestors of a restored checkpoint if a join is stalled, because
        only then is its reason asked for.

        Reading them at every restore would cost as much as the whole run before.
        """
        is_stalled = status_of(state) is WorkflowRunState.IDLE_WITH_STALLED_JOINS
        if unread_ancestors is None or not is_stalled:
            return history, unread_ancestors
        traces = await self._lineage.fates_before(unread_ancestors)
        older = history_from_traces(self._workflow, state, traces)
        return join_histories(older, history), None

    # --- supersteps ---------------------------------------------------------------------------------------------

    async def advance(
        self,
        root: Frame,
        state: RunState,
        make_trace: Callable[[], Trace],
        make_calls: MakeCalls | None = None,
    ) -> None:
        """Take over the state after a superstep: once it is saved, or with pipelining
        at once. `make_calls` gives what its calls outside of the run did.
        """
        before = self._barrier
        history = before.history
        unread_ancestors = before.unread_ancestors
        if self._has_joins:
            history = history_after(history, root, state)
        if unread_ancestors is not None:
            history, unread_ancestors = await self._complete_history(
                state, history, unread_ancestors
            )
        barrier = Barrier(state, make_trace, history, unread_ancestors)
        if self._is_pipelined:
            self._unsaved = barrier
            self._unsaved_calls = make_calls
        elif self._lineage.has_store:
            await self._lineage.save(
                state, barrier.trace, Cause.SUPERSTEP, make_calls=make_calls
            )
        self._set_barrier(barrier)
        self.failures = {}
        if not is_active(state):
            # The function that makes the trace holds the whole superstep, which a run
            # at rest must not keep alive.
            _ = barrier.trace
            await self.flush()

    async def flush(self) -> None:
        """With pipelining, save the barrier that is not saved yet. If that fails,
        return to the last saved one.
        """
        if self._unsaved is None:
            return
        barrier = self._unsaved
        make_calls = self._unsaved_calls
        self._unsaved = self._unsaved_calls = None
        try:
            await self._lineage.save(
                barrier.state, barrier.trace, Cause.SUPERSTEP, make_calls=make_calls
            )
        except BaseException:
            self._set_barrier(self._last_saved)
            raise
        self._last_saved = barrier

    async def flush_after(self, error: BaseException) -> None:
        """With pipelining, save the barrier before a superstep that has failed with
        this error.
        """
        try:
            await self.flush()
        except Exception as save_error:  # noqa: BLE001 - the superstep's error reaches the caller
            note_on(
                error,
                f"the superstep before could not be saved either: {in_words(save_error)}",
            )
