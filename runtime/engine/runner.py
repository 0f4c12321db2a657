"""`Runner`: drives a run, one superstep at a time: route, invoke, commit, save.

A superstep is a transaction. It is saved before its state is taken over (see
`runtime.engine.barrier` for pipelining), and when anything fails or is cancelled, the
state is exactly what it was at the last barrier.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.concurrency.cancellation import (
    StopSignal,
    T,
    run_in_own_task,
    run_while_saving,
)
from runtime.concurrency.clock import LOOP_CLOCK, Clock
from runtime.edges.join import HeldJoin
from runtime.engine.answers import check_answers, open_request
from runtime.engine.barrier import NO_TRACE, Position
from runtime.engine.caller_feed import Emit
from runtime.engine.commit import (
    carried_over,
    first_state,
    is_active,
    without_questions,
)
from runtime.engine.feed import Reader
from runtime.engine.invoke import Job, invoke, jobs_of
from runtime.engine.notifier import Notifier
from runtime.engine.restore_checks import verify
from runtime.engine.route import Decisions, Routing
from runtime.engine.run_request import OnChange, RunRequest, check_on_change
from runtime.engine.save import Lineage
from runtime.engine.status import (
    all_held_joins,
    discarded_joins,
    left_over,
    stalled_joins,
    status_of,
    unanswered,
)
from runtime.engine.sub_runs import (
    Frame,
    Path,
    answer_tree,
    check_limits,
    decide_and_route,
    give_up_conditions,
    has_undecided,
    merge_tree,
    route_tree,
)
from runtime.engine.trace import trace_of
from runtime.engine.watch import watcher_of
from runtime.errors import (
    ExecutorCancelledError,
    MigrationRefusedError,
    PatchRefusedError,
    WorkflowException,
    WorkflowRunnerException,
)
from runtime.events import Observer, WorkflowRunState
from runtime.graph.workflow_graph import WorkflowGraph, check_limit
from runtime.message import Message, WorkflowMessage
from runtime.state import RunState, Trace
from runtime.values.type_matching import describe
from runtime.values.user_failures import as_failure

if TYPE_CHECKING:
    from runtime.checkpoint import Checkpoint, CheckpointStore
    from runtime.checkpoints.storage import CheckpointStorage
    from runtime.codec import TypeRegistry
    from runtime.engine.change_plan import ChangePlan
    from runtime.engine.gate import Gate
    from runtime.engine.patch_plan import PatchPlan
    from runtime.engine.replay.plan import PlannedCall
    from runtime.engine.replay.player import Player
    from runtime.engine.replay.settings import Replay
    from runtime.engine.replay.superstep import OutsideCalls
    from runtime.migration.mapping import GraphMapping
    from runtime.patches.patch import Patch

UNDER_WAY = (
    WorkflowRunState.IN_PROGRESS,
    WorkflowRunState.IN_PROGRESS_PENDING_REQUESTS,
)
_AT_REST = (WorkflowRunState.IDLE, WorkflowRunState.IDLE_WITH_STALLED_JOINS)
_LOG = logging.getLogger("runtime")
# Supersteps whose handlers never wait would keep the loop to themselves. After so many
# seconds it gets a turn, so that the run can be cancelled.
_LOOP_SECONDS = 0.01


class Runner:
    """One run of a workflow, with or without a store. `state` is everything that the
    run knows.

    observer             hears of everything that happens (`RunEvent`)
    durability           "sync": a superstep is saved before the next begins; "pipelined": while the next runs
    on_checkpoint_error  "raise" fails the step; "warn" goes on, with a warning for the checkpoint that is missing
    max_supersteps       how many a run may have in all; by default the workflow's `max_iterations`
    types                the registry of the codec; by default the common one
    clock                measures waits between attempts and time limits; by default the loop's
    """

    def __init__(
        self,
        workflow: WorkflowGraph,
        store: CheckpointStorage | CheckpointStore | None = None,
        *,
        observer: Observer | None = None,
        durability: Literal["sync", "pipelined"] = "sync",
        on_checkpoint_error: Literal["raise", "warn"] = "raise",
        max_supersteps: int | None = None,
        types: TypeRegistry | None = None,
        clock: Clock = LOOP_CLOCK,
    ) -> None:
        if durability not in ("sync", "pipelined"):
            raise ValueError(
                f"durability is 'sync' or 'pipelined', not {durability!r}."
            )
        if on_checkpoint_error not in ("raise", "warn"):
            raise ValueError(
                f"on_checkpoint_error is 'raise' or 'warn', not {on_checkpoint_error!r}."
            )
        if max_supersteps is not None:
            check_limit(max_supersteps)
        if inspect.iscoroutinefunction(observer):
            raise TypeError(
                "An observer is a plain function, because nothing would await what an async one returns."
            )
        self.workflow = workflow
        self.max_supersteps = max_supersteps
        self.status = WorkflowRunState.IDLE
        self._notifier = Notifier(observer, types)
        self._lineage = Lineage(
            workflow,
            workflow.store_of(store),
            types,
            self._notifier,
            warn_only=on_checkpoint_error == "warn",
        )
        self._position = Position(
            workflow, self._lineage, pipelined=durability == "pipelined"
        )
        # The decisions of conditions, with the state that they belong to.
        self._decided: tuple[RunState, dict[Path, Decisions]] = (self.state, {})
        self._raised_limit: int | None = None
        self._is_busy = False
        self._clock = clock
        # Decides about calls outside of the run after a restore, while there is
        # something to decide.
        self._player: Player | None = None
        self._counts: Counter[tuple[str, str]] = Counter()
        # The work of the superstep that runs, for `cancel_executor`.
        self._jobs: Sequence[Job] = ()
        self._last_loop_turn = time.perf_counter()

    # --- where the run is -----------------------------------------------------------------------------------

    @property
    def state(self) -> RunState:
        return self._position.state

    @property
    def trace(self) -> Trace:
        """What the last superstep did; empty if no superstep led here."""
        return self._position.trace

    @property
    def run_id(self) -> str:
        return self._lineage.place.run_id

    @property
    def branch(self) -> str:
        """The branch of the checkpoints that the run saves to."""
        return self._lineage.place.branch

    @property
    def header(self) -> CheckpointHeader | None:
        """The checkpoint that was saved or restored last."""
        return self._lineage.place.header

    @property
    def is_active(self) -> bool:
        """True if a step would do something."""
        return is_active(self.state)

    @property
    def stalled(self) -> list[HeldJoin]:
        """The joins that hold messages although the run is at rest and asks nothing,
        each with what it holds, which sources it waits for, and why.
        """
        return stalled_joins(self.workflow, self.state, self._position.history)

    @property
    def held(self) -> list[HeldJoin]:
        """The joins that hold messages now, also while the run is under way, waits, or
        has failed.
        """
        return all_held_joins(
            self.workflow, self.state, self._position.history, self._position.failures
        )

    @property
    def gate(self) -> Gate | None:
        """What may keep handler calls from beginning; None for nothing. It may be set
        at any time.
        """
        return self._notifier.gate

    @gate.setter
    def gate(self, gate: Gate | None) -> None:
        self._notifier.gate = gate

    def preview(self) -> Routing:
        """Return what the next superstep would do: which executor runs with what, what
        joins release or hold, and what is dropped.

        Conditions are evaluated once, here or in the step. One that must be awaited is
        left undecided: its message shows as dropped with that reason. Raise what a
        condition raises.
        """
        return self.preview_tree().routing

    def preview_tree(self) -> Frame:
        """Return the same for the run and for every active run of a sub-workflow below
        it.
        """
        frame = route_tree(self.workflow, self.state, self._decisions())
        give_up_conditions(frame)
        return frame

    def _decisions(self) -> dict[Path, Decisions]:
        """Return what conditions have said about the messages of this state, for
        previews and the step alike.
        """
        state = self._position.state
        if self._decided[0] is not state:
            self._decided = (state, {})
        return self._decided[1]

    # --- a whole run, for `Workflow.run` ------------------------------------------------------------------------

    def listen(
        self,
        emit: Emit | None,
        *,
        reader: Reader | None = None,
        tools: list[Any] | None = None,
    ) -> None:
        """Send agent-framework's events to `emit` from now on, or nowhere. Handlers see
        `tools` for as long.

        With a `reader` no superstep begins, and none counts, before the events until
        then have been read.
        """
        self._notifier.listen(emit, reader)
        self._notifier.tools = tools

    async def run(
        self,
        request: RunRequest,
        store: CheckpointStore | None,
        emit: Emit,
        *,
        reader: Reader | None = None,
        on_begun: Callable[[], None],
    ) -> None:
        """Begin as the request asks, saving to `store`, and step until the run rests.
        `on_begun` is called in between.

        Raise what the begin or a step raises; the caller that listens by `emit` hears
        of it first.
        """
        self.listen(emit, reader=reader, tools=request.tools)
        try:
            await run_in_own_task(
                partial(self._begin_and_advance, request, store, on_begun)
            )
        finally:
            self.listen(None)

    async def _begin_and_advance(
        self,
        request: RunRequest,
        store: CheckpointStore | None,
        on_begun: Callable[[], None],
        stop: StopSignal,
    ) -> None:
        has_begun = False
        watcher = watcher_of(self.workflow)
        warn_only = self._lineage.warn_only
        try:
            if watcher is not None and store is None:
                # These checkpoints are for the watcher alone, so a value that cannot be
                # saved must not fail the run.
                store = watcher.store
                self._lineage.warn_only = True
            await self._begin(request, store)
            has_begun = True
            on_begun()
            if watcher is not None:
                await watcher.drive(self, stop)
            else:
                await self._advance_to_rest(stop)
        except asyncio.CancelledError as error:
            if not has_begun and not stop.is_set:
                # The caller was not cancelled, so this came out of the storage, which
                # is awaited in the begin.
                failure = as_failure(error, "The checkpoint storage")
                self._notifier.refused(failure)
                raise failure from error
            # Otherwise the run has come to rest, and was only waiting for its events to
            # be read.
            if self.is_active or not has_begun:
                self._notify_cancelled()
            raise
        finally:
            if watcher is not None:
                self._lineage.warn_only = warn_only
                watcher.release()
        if not self.state.requests:
            # With open requests, an answer from outside may still lead to the missing
            # ones.
            self._notifier.warn_of_unanswered(unanswered(self.state))
        self._notify_status()

    async def _begin(self, request: RunRequest, store: CheckpointStore | None) -> None:
        """Begin as the request asks. If that fails before the state has changed,
        nothing is to be saved elsewhere.
        """
        place = self._lineage.place
        state = self.state
        self.use_store(store)
        try:
            if request.responses is not None and request.checkpoint_id is None:
                # Refused before anything begins, so that such a call emits nothing.
                check_answers(self.workflow, self.state, request.responses)
            self._notifier.begun()
            await self._wait_for_reader()
            try:
                await self._enter_as(request)
            except Exception as error:
                self._notifier.refused(error)
                raise
        except BaseException:
            if self.state is state:
                self._lineage.place = place
            raise

    async def _enter_as(self, request: RunRequest) -> None:
        self._log_open_requests(request)
        if request.checkpoint_id is not None:
            await self.restore(
                request.checkpoint_id,
                responses=request.responses,
                on_change=request.on_change,
                mapping=request.mapping,
                replay=request.replay,
            )
            self.announce(besides=(*(request.responses or ()), *request.cancel))
        if request.limit is not None:
            self._raised_limit = request.limit
        if request.cancel:
            await self.cancel(request.cancel)
        elif request.responses is not None:
            await self.answer(request.responses)
        elif request.message is not None:
            await self.start(request.message, keep_state=True)

    def _log_open_requests(self, request: RunRequest) -> None:
        """Warn in the log, as agent-framework does, of a new message or a restore while
        requests are open.
        """
        is_new_run = request.message is not None
        if not self.state.requests or not (is_new_run or request.checkpoint_id):
            return
        _LOG.warning(
            "Workflow %s received %s while %d request_info event(s) are still pending; %s. Answer them first, by "
            "run(responses=...), if that is not meant.",
            self.workflow.id,
            "a fresh message" if is_new_run else "a checkpoint restore",
            len(self.state.requests),
            "they stay pending, and their answers will meet the state that this run leaves"
            if is_new_run
            else "those of the checkpoint take their place",
        )

    def use_store(self, store: CheckpointStore | None) -> None:
        """Save to this store from now on."""
        self._lineage.use(store)

    @property
    def store(self) -> CheckpointStore | None:
        """The store that the run saves to."""
        archive = self._lineage.place.archive
        return None if archive is None else archive.store

    def observe(self, observer: Observer | None) -> None:
        """Let another observer hear of everything from now on, or none."""
        self._notifier.observe(observer)

    def last_checkpoint_in(self, store: CheckpointStore | None) -> str | None:
        """Return the id of the checkpoint that was saved or restored last, if that was
        in this store.
        """
        if self.header is None or not (store is None or self._lineage.is_in(store)):
            return None
        return self.header.id

    def take_over(self, other: Runner) -> None:
        """Be where another runner of the workflow is, which may still be winding up."""
        self._position.take_over(other._position)
        if other.status in UNDER_WAY:
            # It will not go on: its stream was dropped.
            self.status = WorkflowRunState.CANCELLED
        else:
            self.status = other.status
        if other.header is not None:
            self._lineage.move_to(other.header)

    # --- beginning ----------------------------------------------------------------------------------------------

    async def start(self, message: Any, *, keep_state: bool = False) -> None:
        """Begin a new run: the message is queued for the start executor, and saved.

        With `keep_state` the shared state, executor states and open requests of the run
        before are kept, and so are the sub-workflows that asked these. Raise
        `RuntimeError` if the start executor does not take the message, and what saving
        it raises; then the run is as it was.
        """
        if isinstance(message, Message | WorkflowMessage):
            data = message.data
        else:
            data = message
        self._check_input(data)
        with self._exclusive():
            await self._position.flush()
            state = first_state(self.workflow, data)
            discarded = discarded_joins(self.workflow, self.state)
            if keep_state:
                state = carried_over(self.workflow, self.state, state)
            # Saved before anything else changes, so that a failed save leaves the run
            # before as it was.
            with self._lineage.new_run(uuid.uuid4().hex):
                await self._save_without_superstep(state, NO_TRACE, Cause.INPUT)
            self._position.begin_run(state)
            self._player = None
            self._counts = Counter()
            self._set_status(status_of(state))
            self._raised_limit = None
            self._notifier.sent(state.queue)
            self._notifier.warn_of_discarded_joins(discarded)

    def _check_input(self, data: Any) -> None:
        start = self.workflow.get_start_executor()
        if start.handler_for(data) is None:
            raise RuntimeError(
                f"Start executor '{start.id}' cannot handle input of type '{type(data).__name__}'. "
                f"Expected input types: {', '.join(map(describe, start.input_types))}."
            )

    async def restore(
        self,
        checkpoint_id: str,
        *,
        fork: bool = False,
        branch: str = "",
        responses: Mapping[str, Any] | None = None,
        on_change: OnChange = "refuse",
        mapping: GraphMapping | None = None,
        patch: Patch | None = None,
        replay: Replay | None = None,
    ) -> None:
        """Go to a checkpoint. Everything is verified first, also that the `responses`
        that are to come fit; if that fails, the run is as it was.

        With `fork` a checkpoint on a new branch is saved at once, named `branch` or
        "fork n". Without, the next save goes on the branch if the checkpoint is its
        head, else on a new one.

        A checkpoint of another graph raises `SignatureMismatchError`; with `on_change`
        "migrate" the run goes on as `plan_change` says, on a new branch whose first
        checkpoint has the cause `edit`. Raise `MigrationRefusedError` where it cannot.

        With a `patch` the run goes on from the checkpoint as the patch leaves it, on a
        new branch in the same way, which keeps the patch. Raise `PatchRefusedError` if
        one of its changes cannot be made.

        `replay` says what happens of the calls that reach outside and were made after
        the checkpoint before. By default their recorded results are used again where
        code, messages and state are the same, and other calls are made.
        """
        check_on_change(on_change)
        with self._exclusive():
            await self._position.flush()
            plan: ChangePlan | None = None
            if on_change == "migrate":
                plan = await self._plan(checkpoint_id, mapping)
                if plan.problems:
                    reasons = [problem.text for problem in plan.problems]
                    raise MigrationRefusedError(checkpoint_id, reasons)
                checkpoint = plan.after
                if not plan.changes:
                    plan = None
            else:
                checkpoint = await self._lineage.load(checkpoint_id)
                self._warn_of_other_reducers(checkpoint)
            verify(self.workflow, checkpoint)
            patch_plan: PatchPlan | None = None
            if patch is not None:
                patch_plan = self._applicable(checkpoint, patch)
                checkpoint = patch_plan.after
            check_answers(self.workflow, checkpoint.state, responses or {})
            barrier = await self._position.barrier_of(checkpoint)
            player: Player | None = None
            if self.workflow.reaches_outside or replay is not None:
                player = await self._lineage.player(checkpoint.header, replay)
            # From here on nothing can fail but the store.
            if plan is not None or patch_plan is not None:
                self._notifier.set_cause("edit")
                await self._lineage.fork(checkpoint, branch, plan, patch_plan)
            elif fork:
                self._notifier.set_cause("fork")
                await self._lineage.fork(checkpoint, branch)
            else:
                self._notifier.set_cause("restore")
                at_head = await self._lineage.is_head(checkpoint.header)
                self._lineage.move_to(checkpoint.header, at_head=at_head)
            self._position.move_to(barrier)
            self._player = player
            self._counts = Counter() if player is None else player.counts
            self._raised_limit = None
            self._notifier.set_superstep(self.state.superstep)
            self._set_status(status_of(self.state))

    async def plan_change(
        self, checkpoint_id: str, mapping: GraphMapping | None = None
    ) -> ChangePlan:
        """Return how this workflow goes on from a checkpoint of any graph: the
        difference, where everything goes, what is dropped, and why it cannot. Changes
        nothing.
        """
        with self._exclusive():
            await self._position.flush()
            return await self._plan(checkpoint_id, mapping)

    async def _plan(
        self, checkpoint_id: str, mapping: GraphMapping | None
    ) -> ChangePlan:
        # Imported here, because most restores are of the same graph.
        from runtime.engine.change_plan import plan_of

        checkpoint = await self._lineage.load_of_any_graph(checkpoint_id)
        return plan_of(self.workflow, checkpoint, mapping)

    async def load(self, checkpoint_id: str) -> Checkpoint:
        """Return a checkpoint of this workflow, for several plans. Raise
        `SignatureMismatchError` for one of another graph.
        """
        with self._exclusive():
            await self._position.flush()
            return await self._lineage.load(checkpoint_id)

    async def plan_patch(self, checkpoint: str | Checkpoint, patch: Patch) -> PatchPlan:
        """Return what a checkpoint becomes by a patch: which of its changes cannot be
        made and why, and the checkpoint with the others. Changes nothing.
        """
        if isinstance(checkpoint, str):
            checkpoint = await self.load(checkpoint)
        with self._exclusive():
            plan = self._patched(checkpoint, patch)
            barrier = await self._position.barrier_of(plan.after)
            return replace(plan, history=barrier.history)

    async def plan_outside(
        self,
        checkpoint_id: str,
        replay: Replay | None = None,
        patch: Patch | None = None,
    ) -> list[PlannedCall]:
        """Return which calls would reach outside if the run went on from a checkpoint,
        as a patch leaves it if there is one: with their recorded results, with those of
        the user, or by being made. Changes nothing.
        """
        with self._exclusive():
            await self._position.flush()
            checkpoint = await self._lineage.load(checkpoint_id)
            header = checkpoint.header
            if patch is not None:
                checkpoint = self._patched(checkpoint, patch).after
            return await self._lineage.plan_outside(
                header, checkpoint.state, replay, is_changed=patch is not None
            )

    async def plan_outside_of(
        self, plan: PatchPlan, replay: Replay | None = None
    ) -> list[PlannedCall]:
        """Return the same for a patch that is planned already."""
        with self._exclusive():
            is_changed = bool(plan.patch.changes)
            return await self._lineage.plan_outside(
                plan.before.header, plan.after.state, replay, is_changed=is_changed
            )

    @property
    def outside_counts(self) -> list[tuple[str, str, int]]:
        """How many calls reached outside since the last restore, and while something was
        recorded of them: (live, recorded or pinned, what they do, number).
        """
        return [(mode, what, count) for (mode, what), count in self._counts.items()]

    def _patched(self, checkpoint: Checkpoint, patch: Patch) -> PatchPlan:
        # Imported here, because most restores are of a checkpoint as it is.
        from runtime.engine.patch_plan import plan_of_patch
        from runtime.patches.patch import Patch as PatchModel

        if not isinstance(patch, PatchModel):
            raise TypeError("patch is a Patch: make one by Patch.model_validate(…).")
        return plan_of_patch(self.workflow, checkpoint, patch, self._lineage.types)

    def _applicable(self, checkpoint: Checkpoint, patch: Patch) -> PatchPlan:
        """Return the plan of a patch. Raise `PatchRefusedError` if it has problems."""
        plan = self._patched(checkpoint, patch)
        reasons = plan.reasons()
        if not patch.changes:
            reasons = ["It has no changes."]
        if reasons:
            raise PatchRefusedError(checkpoint.header.id, reasons)
        for warning in plan.warnings:
            self._notifier.warn(f"The patch, {warning.change}: {warning.text}")
        return plan

    def _warn_of_other_reducers(self, checkpoint: Checkpoint) -> None:
        """Name the reducers that are others than in the run before. They are no part of
        the signature, so that a run may go on with others.
        """
        if checkpoint.definition == self.workflow.saved_definition():
            return
        from runtime.engine.change_plan import reducer_changes

        for change in reducer_changes(self.workflow, checkpoint):
            self._notifier.warn(f"{change.text}. The run goes on with that.")

    def announce(self, besides: Sequence[str] = ()) -> None:
        """Notify of the open requests except those in `besides`, because after a
        restore they are news.
        """
        for request in self.state.requests.values():
            if request.id not in besides:
                self._notifier.request_asked(request)

    async def answer(self, responses: Mapping[str, Any]) -> None:
        """Answer open requests: all are checked, then all are queued for the executors
        that asked, and saved.

        Raise `RequestError` for an unknown id or a value that does not fit; then
        nothing has changed.
        """
        with self._exclusive():
            checked = check_answers(self.workflow, self.state, responses)
            if not checked:
                return
            await self._position.flush()
            state = answer_tree(self.workflow, self.state, checked)
            await self._enter(state, Trace(answered=tuple(checked)))
            for request, _ in checked.values():
                self._notifier.request_answered(request)
            answers = [
                message
                for message in state.queue
                if message.request is not None and message.request.id in checked
            ]
            self._notifier.sent(answers)

    async def cancel(self, request_ids: Collection[str]) -> None:
        """Cancel open requests: they are removed, here and where a sub-workflow asks
        them, and that is saved.

        Raise `RequestError` if one is not open; then nothing has changed.
        """
        with self._exclusive():
            requests = [
                open_request(self.state, request_id, to="Cannot cancel")
                for request_id in dict.fromkeys(request_ids)
            ]
            if not requests:
                return
            await self._position.flush()
            state = without_questions(self.state, [request.id for request in requests])
            await self._enter(state, NO_TRACE)
            for request in requests:
                self._notifier.request_cancelled(request)

    async def _enter(self, state: RunState, trace: Trace) -> None:
        """Save and take over a state that follows from the present one without a
        superstep.
        """
        await self._save_without_superstep(state, trace, Cause.RESPONSE)
        self._position.go_on_with(state, trace)
        self._set_status(status_of(state))

    async def _save_without_superstep(
        self, state: RunState, trace: Trace, cause: Cause
    ) -> None:
        self._notifier.set_superstep(state.superstep)
        self._notifier.set_cause(cause.value)
        await self._lineage.save(state, trace, cause)

    # --- stepping -----------------------------------------------------------------------------------------------

    async def finish(self) -> WorkflowRunState:
        """Step until the run rests. Return the status that it rests in."""
        await self._in_own_task(self._advance_to_rest)
        return self.status

    async def _advance_to_rest(self, stop: StopSignal) -> None:
        while await self.advance(stop):
            pass

    async def step(self) -> Trace | None:
        """Do one superstep, whole or not at all. Return None if there is nothing to do;
        then nothing is saved either.

        Raise `WorkflowConvergenceException` when the limit is reached, and whatever a
        handler or condition raises.
        """
        return self.trace if await self._in_own_task(self.advance) else None

    async def _in_own_task(self, work: Callable[[StopSignal], Awaitable[T]]) -> T:
        try:
            return await run_in_own_task(work)
        except asyncio.CancelledError:
            # `advance` has notified if it was cancelled itself. But the cancellation may have come after its last
            # superstep; then the run was cut short only if it is still active.
            if self.is_active:
                self._notify_cancelled()
            raise

    async def advance(self, stop: StopSignal) -> bool:
        """Do one superstep, inside `run_in_own_task`, which makes the signal. Return
        False if there was nothing to do.

        For callers that take many supersteps in one task.
        """
        # As `_exclusive`, but by hand, because its context manager costs a twentieth of
        # a small superstep.
        if self._is_busy:
            raise _busy()
        self._is_busy = True
        try:
            state = self._position.state
            if not is_active(state):
                await self._position.flush()
                return False
            stop.raise_if_set()
            decisions = self._decisions()
            raised_limit = self._raised_limit or self.max_supersteps or 0
            limit = raised_limit or self.workflow.max_iterations
            if state.children or state.superstep >= limit:
                # Conditions are asked here, so the reader must have what came before,
                # as in a superstep.
                await self._wait_for_reader()
                check_limits(self.workflow, state, decisions, limit, raised_limit)
            await self._superstep(state, decisions, stop)
            return True
        except asyncio.CancelledError as error:
            if stop.is_set:
                self._notify_cancelled()
                raise
            failure = as_failure(error, "A superstep")
            await self._fail(failure)
            raise failure from error
        except BaseException as error:
            await self._fail(error)
            raise
        finally:
            self._is_busy = False

    async def _superstep(
        self, state: RunState, decisions: dict[Path, Decisions], stop: StopSignal
    ) -> None:
        """Route, invoke, commit, save."""
        notifier = self._notifier
        position = self._position
        begun = time.perf_counter()
        if begun - self._last_loop_turn > _LOOP_SECONDS:
            self._last_loop_turn = begun
            await asyncio.sleep(0)
        if self.status not in UNDER_WAY or notifier.emitted_status is not self.status:
            # The run goes on after a failure or a cancellation, or a new caller has
            # heard of no status yet.
            self._set_status(status_of(state))
        notifier.superstep_begins(state.superstep + 1)
        if notifier.reader is not None:
            await notifier.reader.has_read()

        # Route
        root = route_tree(self.workflow, state, decisions)
        if has_undecided(root):
            root = await decide_and_route(root, decisions, stop)
        jobs = self._jobs = jobs_of(root, notifier, self._clock)
        outside = None
        if self.workflow.reaches_outside:
            outside = notifier.outside = await self._outside_calls()
        notifier.superstep_started(root, state.superstep + 1)

        # Invoke
        try:
            if notifier.gate is None:
                work = partial(invoke, jobs)
            else:
                work = partial(_pass_and_invoke, notifier.gate, root, jobs)
            if position.has_unsaved_barrier:
                await run_while_saving(work, position.flush, stop)
            else:
                await work(stop)
            if notifier.reader is not None:
                # A consumer that leaves a stream in the middle of a superstep has not
                # had that superstep, so it must have read everything before the commit.
                await notifier.reader.has_read()
        except BaseException:
            position.fail(jobs)
            raise
        finally:
            self._jobs = ()

        # Commit and save. The state is taken over once it is saved, so a cancellation
        # finds all of the superstep or nothing of it.
        merged = merge_tree(root)
        seconds = time.perf_counter() - begun
        make_trace = partial(trace_of, root, jobs, merged, seconds, outside)
        make_calls = None if outside is None else partial(outside.calls, jobs)
        await position.advance(root, merged.state, make_trace, make_calls)
        if notifier.feeds:
            notifier.superstep_ended(root, merged, seconds)
        self._set_status(status_of(merged.state))

    async def _outside_calls(self) -> OutsideCalls:
        """Return what notes the calls of a superstep that reach outside, and decides
        about them while something is recorded of it.
        """
        from runtime.engine.replay.superstep import OutsideCalls

        superstep = self.state.superstep + 1
        if self._player is not None and self._player.is_over(superstep):
            self._player = None
        if self._player is not None:
            await self._player.begin(superstep)
        return OutsideCalls(self._player)

    async def _wait_for_reader(self) -> None:
        reader = self._notifier.reader
        if reader is not None:
            await reader.has_read()

    async def _fail(self, error: BaseException) -> None:
        await self._position.flush_after(error)
        self._notifier.failed(error)
        self._set_status(WorkflowRunState.FAILED)

    def _notify_cancelled(self) -> None:
        self._notifier.cancelled()
        self._set_status(WorkflowRunState.CANCELLED)

    def _set_status(self, status: WorkflowRunState) -> None:
        notifier = self._notifier
        if status is self.status and status is notifier.emitted_status:
            return
        self.status = status
        if notifier.feeds:
            if status in _AT_REST:
                for text in left_over(self.workflow, self.state):
                    notifier.warn(text)
            self._notify_status()

    def _notify_status(self) -> None:
        is_stalled = self.status is WorkflowRunState.IDLE_WITH_STALLED_JOINS
        self._notifier.status(self.status, self.stalled if is_stalled else ())

    # --- one executor -------------------------------------------------------------------------------------------

    def cancel_executor(self, executor_id: str, path: Path = ()) -> int:
        """Cancel what one executor does just now, in the loop's thread; the others go
        on.

        Its attempt fails with an `ExecutorCancelledError`, so its policy and its error
        edges decide what comes then. Of a `WorkflowExecutor` everything that runs
        inside is cancelled. `path` leads to the executor, by keys of invocations, or by
        the ids of their executors for all invocations of those. Return how many
        handlers were cancelled. Raise `WorkflowRunnerException` if nothing of it runs.
        """
        cancelled = [
            job
            for job in self._jobs
            if job.is_within(executor_id, path) and _abort(job)
        ]
        if not cancelled:
            name = "/".join((*path, executor_id))
            raise WorkflowRunnerException(
                f"Executor '{name}' does not run just now, so there is nothing to cancel."
            )
        return len(cancelled)

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        if self._is_busy:
            raise _busy()
        self._is_busy = True
        try:
            yield
        finally:
            self._is_busy = False


def _busy() -> WorkflowException:
    return WorkflowException(
        "The run is busy: a superstep is going on. Wait for its end, then try again."
    )


async def _pass_and_invoke(
    gate: Gate, root: Frame, jobs: Sequence[Job], stop: StopSignal
) -> None:
    await gate.routed(root, jobs)
    await invoke(jobs, stop)


def _abort(job: Job) -> bool:
    handler = job.inbox[job.deliveries].handler.name
    return job.abort(ExecutorCancelledError(job.executor_id, handler))
