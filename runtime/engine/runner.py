"""Runner: drives a run, one superstep at a time: route, invoke, commit, checkpoint.

A superstep is a transaction. It is saved before its state is taken over, and when anything fails or is cancelled the
state is exactly what it was at the last barrier.
"""

from __future__ import annotations

import asyncio
import inspect
import time
import uuid
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
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
from runtime.engine.barrier import Position
from runtime.engine.commit import cancelled, carried_over, first_state, is_active
from runtime.engine.feeds import Emit, Reader, Teller
from runtime.engine.invoke import Job, invoke, jobs_of
from runtime.engine.restore_checks import verify
from runtime.engine.route import Decisions, Routing
from runtime.engine.save import Lineage
from runtime.engine.status import (
    all_held_joins,
    given_up_joins,
    left_over,
    stalled_joins,
    status_of,
    unanswered,
)
from runtime.engine.sub_runs import (
    Frame,
    Path,
    answered_tree,
    check_limits,
    decided_tree,
    give_up,
    is_undecided,
    merge_tree,
    route_tree,
)
from runtime.engine.trace import trace_of
from runtime.errors import (
    ExecutorCancelledError,
    WorkflowException,
    WorkflowRunnerException,
)
from runtime.events import Observer, RunEventKind, WorkflowRunState
from runtime.graph.workflow_graph import WorkflowGraph, check_limit
from runtime.message import Message, WorkflowMessage
from runtime.state import RunState, Trace, owner_of
from runtime.values.type_matching import describe
from runtime.values.user_failures import as_failure

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointStore
    from runtime.checkpoints.storage import CheckpointStorage
    from runtime.codec import TypeRegistry

UNDER_WAY = (
    WorkflowRunState.IN_PROGRESS,
    WorkflowRunState.IN_PROGRESS_PENDING_REQUESTS,
)
_AT_REST = (WorkflowRunState.IDLE, WorkflowRunState.IDLE_WITH_STALLED_JOINS)
_NO_TRACE = Trace()
# A run of handlers that never wait gives the loop a turn after this many seconds, so that it can be cancelled.
_TURN_SECONDS = 0.01


class Runner:
    """One run of a workflow, with or without a store. `state` is everything that the run knows.

    observer             hears of everything that happens (`RunEvent`)
    durability           "sync": a superstep is saved before the next begins; "pipelined": while the next runs
    on_checkpoint_error  "raise" fails the step; "warn" goes on and tells of the gap
    max_supersteps       how many a run may have in all; by default the workflow's `max_iterations`
    types                the registry of the codec; by default the common one
    clock                by what waits between attempts and time limits go; by default the loop's
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
        check_limit(1 if max_supersteps is None else max_supersteps)
        if inspect.iscoroutinefunction(observer):
            raise TypeError(
                "An observer is a plain function: nobody would await what an async one returns."
            )
        self.workflow = workflow
        self.max_supersteps = max_supersteps
        self.status = WorkflowRunState.IDLE
        self._tell = Teller(observer, types)
        kept = workflow.store_of(store)
        self._lineage = Lineage(
            workflow, kept, types, self._tell, warn_only=on_checkpoint_error == "warn"
        )
        self._at = Position(
            workflow, self._lineage, pipelined=durability == "pipelined"
        )
        self._routed: tuple[RunState, dict[Path, Decisions]] = (self.state, {})
        self._raised_limit: int | None = None
        self._busy = False
        self._clock = clock
        # What the superstep that runs has to do.
        self._jobs: Sequence[Job] = ()
        self._turn = time.perf_counter()

    # --- where the run stands -------------------------------------------------------------------------------------

    @property
    def state(self) -> RunState:
        return self._at.state

    @property
    def trace(self) -> Trace:
        """What the superstep before did; empty where none led here."""
        return self._at.trace

    @property
    def run_id(self) -> str:
        return self._lineage.run_id

    @property
    def branch(self) -> str:
        """The line of checkpoints that the run stands on."""
        return self._lineage.branch

    @property
    def header(self) -> CheckpointHeader | None:
        """The checkpoint that was saved or restored last."""
        return self._lineage.header

    @property
    def is_active(self) -> bool:
        """True when a step would do something."""
        return is_active(self.state)

    @property
    def stalled(self) -> list[HeldJoin]:
        """Joins that hold messages although the run is at rest and asks nothing: each with what it holds, and whom it
        waits for and why.
        """
        return stalled_joins(self.workflow, self.state, self._at.history)

    @property
    def held(self) -> list[HeldJoin]:
        """The joins that hold messages where the run stands, also while it is under way, waits, or has failed."""
        return all_held_joins(
            self.workflow, self.state, self._at.history, self._at.failures
        )

    def preview(self) -> Routing:
        """What the next superstep would do: who runs with what, what joins release or hold, what is dropped.

        Conditions are evaluated once, here or in the step. One that must be awaited is left undecided: its message
        shows as dropped with that reason. Raises what a condition raises.
        """
        return self.preview_tree().routing

    def preview_tree(self) -> Frame:
        """The same of the run and of every active run of a sub-workflow below it."""
        frame = route_tree(self.workflow, self.state, self._decisions())
        give_up(frame)
        return frame

    def listen(
        self,
        emit: Emit | None,
        *,
        reader: Reader | None = None,
        tools: list[Any] | None = None,
    ) -> None:
        """Send agent-framework's events to `emit`, or to nobody. Handlers see `tools` for as long.

        With a `reader` no superstep begins, and none counts, before the events until then have been read.
        """
        self._tell.listen(emit, reader)
        self._tell.tools = tools

    # --- beginning ------------------------------------------------------------------------------------------------

    async def start(self, message: Any, *, keep_state: bool = False) -> None:
        """Begin a new run: the message is queued for the start executor, and saved.

        With `keep_state` shared state, executor states and open requests of the run before are kept, these with the
        sub-workflows that ask them. Raises `RuntimeError` if the start executor does not take the message, and what
        saving it raises; then the run is as it was.
        """
        if isinstance(message, Message | WorkflowMessage):
            data = message.data
        else:
            data = message
        self._check_input(data)
        with self._exclusive():
            await self._at.flush()
            state = first_state(self.workflow, data)
            given_up = given_up_joins(self.workflow, self.state)
            if keep_state:
                state = carried_over(self.workflow, self.state, state)
            with self._lineage.begun(uuid.uuid4().hex):
                await self._enter(state, _NO_TRACE, Cause.INPUT)
            self._raised_limit = None
            self._tell.sent(self.state.queue)
            self._tell.thrown_away(given_up)

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
    ) -> None:
        """Stand at a checkpoint. Everything is verified first, also whether the `responses` that are to come fit; if
        that fails, the run is as it was.

        With `fork` a checkpoint on a new branch is saved at once, named `branch` or "fork n". Without, the next save
        goes on the branch if the checkpoint is its head, else on a new one.
        """
        with self._exclusive():
            await self._at.flush()
            checkpoint = await self._lineage.load(checkpoint_id)
            verify(self.workflow, checkpoint)
            check_answers(self.workflow, checkpoint.state, responses or {})
            barrier = await self._at.barrier_of(checkpoint)
            self._tell.cause = "fork" if fork else "restore"
            if fork:
                await self._lineage.fork(checkpoint, branch)
            else:
                at_head = await self._lineage.is_head(checkpoint.header)
                self._lineage.stand_at(checkpoint.header, at_head=at_head)
            self._at.stand_at(barrier)
            self._raised_limit = None
            self._tell.superstep = self.state.superstep
            self._set_status(status_of(self.state))

    def announce(self, besides: Sequence[str] = ()) -> None:
        """Tell the caller of the open requests, `besides` those that it is answering: after a restore they are news."""
        for request in self.state.requests.values():
            if request.id not in besides:
                self._tell.observe(
                    RunEventKind.REQUEST_ASKED,
                    request_id=request.id,
                    executor=request.executor_id,
                )
                self._tell.request(request)

    async def answer(self, responses: Mapping[str, Any]) -> None:
        """Answer open requests: all are checked, then all are queued for those who asked, and saved.

        Raises `RequestError` for an unknown id or a value that does not fit; then nothing has changed.
        """
        with self._exclusive():
            checked = check_answers(self.workflow, self.state, responses)
            if not checked:
                return
            await self._at.flush()
            state = answered_tree(self.workflow, self.state, checked)
            await self._enter(state, Trace(answered=tuple(checked)), Cause.RESPONSE)
            for request, _ in checked.values():
                self._tell.observe(
                    RunEventKind.REQUEST_ANSWERED,
                    request_id=request.id,
                    executor=request.executor_id,
                )
            self._tell.sent(
                [
                    one
                    for one in state.queue
                    if one.request is not None and one.request.id in checked
                ]
            )

    async def cancel(self, request_ids: Collection[str]) -> None:
        """Give open requests up: they are removed, here and where a sub-workflow asks them, and that is saved.

        Raises `RequestError` if one is not open; then nothing has changed.
        """
        with self._exclusive():
            gone = [
                open_request(self.state, one, to="Cannot cancel")
                for one in dict.fromkeys(request_ids)
            ]
            if not gone:
                return
            await self._at.flush()
            await self._enter(
                cancelled(self.state, [one.id for one in gone]), Trace(), Cause.RESPONSE
            )
            for request in gone:
                self._tell.observe(
                    RunEventKind.REQUEST_CANCELLED,
                    request_id=request.id,
                    executor=request.executor_id,
                )

    async def _enter(self, state: RunState, trace: Trace, cause: Cause) -> None:
        """Take over a state that no superstep led to."""
        self._tell.superstep = state.superstep
        self._tell.cause = cause.value
        await self._lineage.save(state, trace, cause)
        self._at.take(state, trace, begins=cause is Cause.INPUT)
        self._set_status(status_of(state))

    # --- stepping -------------------------------------------------------------------------------------------------

    async def finish(self) -> WorkflowRunState:
        """Step until the run rests. Returns the status that it rests in."""
        await self._apart(self._advance_to_rest)
        return self.status

    async def _advance_to_rest(self, stop: StopSignal) -> None:
        while await self.advance(stop):
            pass

    async def step(self) -> Trace | None:
        """One superstep, whole or not at all. None when there is nothing to do; then nothing is done and nothing saved.

        Raises `WorkflowConvergenceException` when the limit is reached, and whatever a handler or condition raises.
        """
        return self.trace if await self._apart(self.advance) else None

    async def _apart(self, work: Callable[[StopSignal], Awaitable[T]]) -> T:
        try:
            return await run_in_own_task(work)
        except asyncio.CancelledError:
            # the superstep may have been done when this came, before anybody was told so
            if self.is_active:
                self.tell_cancelled()
            raise

    async def advance(self, stop: StopSignal) -> bool:
        """A step for whoever takes many: inside `apart`, which makes the `stop`, as code of users is awaited here.
        False when there was nothing to do.
        """
        if self._busy:
            raise _busy()
        self._busy = True
        try:
            state = self._at.state
            if not state.queue and not is_active(state):
                await self._at.flush()
                return False
            stop.raise_if_set()
            decisions = self._decisions()
            raised = self._raised_limit or self.max_supersteps or 0
            limit = raised or self.workflow.max_iterations
            if state.children or state.superstep >= limit:
                if self._tell.reader is not None:
                    await self._tell.reader.has_read()
                check_limits(self.workflow, state, decisions, limit, raised)
            await self._superstep(state, decisions, stop)
            return True
        except asyncio.CancelledError as error:
            if stop.is_set:
                self.tell_cancelled()
                raise
            failure = as_failure(error, "A superstep")
            await self._failed(failure)
            raise failure from error
        except BaseException as error:
            await self._failed(error)
            raise
        finally:
            self._busy = False

    def cancel_executor(self, executor_id: str, path: Path = ()) -> int:
        """Cancel what one executor does just now, in the loop's thread; the others go on. Its attempt fails with an
        `ExecutorCancelledError`, so its policy and its error edges decide what comes then. Of a `WorkflowExecutor`
        everything that runs inside is cancelled. `path` leads to it, by keys of invocations, or by the ids of their
        executors for all invocations of those. Returns how many handlers that were.

        Raises `WorkflowRunnerException` if nothing of it runs.
        """
        cancelled_jobs = [
            job
            for job in self._jobs
            if _is_within(job, executor_id, path) and _abort(job)
        ]
        if not cancelled_jobs:
            named = "/".join((*path, executor_id))
            raise WorkflowRunnerException(
                f"Executor '{named}' does not run just now, so there is nothing to cancel."
            )
        return len(cancelled_jobs)

    def tell_cancelled(self) -> None:
        """Whoever waits for the run has been cancelled: it stands at its last barrier."""
        self._tell.cancelled()
        self._set_status(WorkflowRunState.CANCELLED)

    async def _failed(self, error: BaseException) -> None:
        await self._at.save_what_stands(error)
        self._tell.failed(error)
        self._set_status(WorkflowRunState.FAILED)

    async def _superstep(
        self, state: RunState, decisions: dict[Path, Decisions], stop: StopSignal
    ) -> None:
        tell = self._tell
        at = self._at
        begun = time.perf_counter()
        if begun - self._turn > _TURN_SECONDS:
            self._turn = begun
            await asyncio.sleep(0)
        if tell.known is not self.status or self.status not in UNDER_WAY:
            # else it was set, and told, when this state was taken over
            self._set_status(status_of(state))
        tell.superstep_begins(state.superstep + 1)
        if tell.reader is not None:
            await tell.reader.has_read()
        root = route_tree(self.workflow, state, decisions)
        if root.routing.undecided or (root.children and is_undecided(root)):
            root = await decided_tree(root, decisions, stop)
        jobs = self._jobs = jobs_of(root, tell, self._clock)
        tell.superstep_started(root, state.superstep + 1)
        try:
            if at.is_unsaved:
                await run_while_saving(partial(invoke, jobs), at.flush, stop)
            else:
                await invoke(jobs, stop)
            if tell.reader is not None:
                # Who leaves a stream in the middle of a superstep has not had that superstep.
                await tell.reader.has_read()
        except BaseException:
            at.fail(jobs)
            raise
        finally:
            self._jobs = ()
        merged = merge_tree(root)
        seconds = time.perf_counter() - begun
        await at.advance(
            root, merged.state, partial(trace_of, root, jobs, merged, seconds)
        )
        if tell.listening:
            tell.superstep_ended(root, merged, seconds)
        self._set_status(status_of(merged.state))

    # --- the parts of a step --------------------------------------------------------------------------------------

    def _decisions(self) -> dict[Path, Decisions]:
        """What conditions have said about the messages of this state; a preview and the step share it."""
        state = self._at.state
        if self._routed[0] is not state:
            self._routed = (state, {})
        return self._routed[1]

    def _set_status(self, status: WorkflowRunState) -> None:
        if status is self.status and status is self._tell.known:
            return
        self.status = status
        if self._tell.listening:
            if status in _AT_REST:
                for text in left_over(self.workflow, self.state):
                    self._tell.warn(text)
            self.tell_status()

    # --- for Workflow.run -----------------------------------------------------------------------------------------

    def tell_begun(self) -> None:
        """Tell the caller that a run of its begins."""
        self._tell.begun()

    def tell_refused(self, error: BaseException) -> None:
        """Tell the caller that what it wants cannot begin."""
        self._tell.refused(error)

    def check(self, responses: Mapping[str, Any]) -> None:
        """Raises what `answer` would raise for these responses."""
        check_answers(self.workflow, self.state, responses)

    def tell_rest(self) -> None:
        """Tell the caller where the run has come to rest, and what it would wait for in vain."""
        if not self.state.requests:  # else an answer from outside may bring the others
            self._tell.unanswered(unanswered(self.state))
        self.tell_status()

    def tell_status(self) -> None:
        """Tell the caller where the run stands, also when it stood there before."""
        is_stalled = self.status is WorkflowRunState.IDLE_WITH_STALLED_JOINS
        self._tell.status(self.status, self.stalled if is_stalled else ())

    def adopt(self, other: Runner) -> None:
        """Stand where another runner of the workflow stands, which may still be winding up."""
        self._at.adopt(other._at)
        if other.status in UNDER_WAY:
            self.status = WorkflowRunState.CANCELLED
        else:
            self.status = other.status
        if other.header is not None:
            self._lineage.stand_at(other.header)

    def raise_limit(self, limit: int) -> None:
        """Let the present run have this many supersteps in all."""
        self._raised_limit = limit

    def use_store(self, store: CheckpointStore | None) -> None:
        """Save to this store from now on."""
        self._lineage.use(store)

    def undo_store(self) -> None:
        """Save where the run saved before `use_store` was called last."""
        self._lineage.undo_use()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        if self._busy:
            raise _busy()
        self._busy = True
        try:
            yield
        finally:
            self._busy = False


def _is_within(job: Job, executor_id: str, path: Path) -> bool:
    """True when the job is the executor's at this path, or of a run inside it."""
    there = job.round.path
    if not all(
        step in (key, owner_of(key)) for step, key in zip(path, there, strict=False)
    ):
        return False
    if len(there) > len(path):
        return owner_of(there[len(path)]) == executor_id
    return len(there) == len(path) and job.executor_id == executor_id


def _abort(job: Job) -> bool:
    handler = job.inbox[job.deliveries].handler.name
    return job.abort(ExecutorCancelledError(job.executor_id, handler))


def _busy() -> WorkflowException:
    return WorkflowException(
        "The run is busy: a superstep is going on. Wait for its end, then try again."
    )
