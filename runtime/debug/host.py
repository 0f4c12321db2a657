"""The debug host: it decides when a run takes its next superstep, and reports what
happens.

Commands that move the run (open, start, step, continue, restore, answer, stop) run one
after the other, at barriers. Questions and `pause` are answered at once, even while a
superstep runs.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel, ValidationError

from runtime.debug import protocol
from runtime.debug.breakpoints.table import Breakpoints
from runtime.debug.breakpoints.verification import drawn, fault_of, place_to_run_to
from runtime.debug.comparer import Comparer
from runtime.debug.drive import ENDLESS, Drive
from runtime.debug.inspector import Inspector
from runtime.debug.notices import Notices
from runtime.debug.past_questions import PastQuestions
from runtime.debug.protocol import Command, HeaderBody, Notice, Reply
from runtime.debug.session import Session
from runtime.debug.shapes import clean
from runtime.debug.stops.code import attach, detach
from runtime.debug.stops.gate import DebugGate, Hold
from runtime.errors import WorkflowRunnerException
from runtime.values.user_failures import text_of

Packet = Reply | Notice
Arguments = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Move:
    command: Command
    done: asyncio.Future[Reply]


class DebugHost:
    """Serve commands; `send` gets every reply and notice as soon as it exists.

    While the reader `is_behind`, the run waits before its next superstep, and notices
    wait too: only replies are sent. In `breakpoint_here` a run stands only while it
    `is_watched`. An asynchronous context manager:

    async with DebugHost(packets.append) as host:
        await host.handle(Command(seq=1, command="open", arguments={...}))
    """

    def __init__(
        self,
        send: Callable[[Packet], None],
        clock: Callable[[], float] = time.monotonic,
        is_behind: Callable[[], bool] = lambda: False,
        session: Session | None = None,
        is_watched: Callable[[], bool] = lambda: True,
    ) -> None:
        self._send = send
        if session is None:
            session = Session(Notices(send, clock, is_behind))
        self._session = session
        self._notices = session.notices
        self._breakpoints = Breakpoints(
            self._notices.add_logged, self._on_breakpoint_news
        )
        self._gate = DebugGate(self._breakpoints, is_watched=is_watched)
        self._inspector = Inspector(self._session, self._gate)
        self._comparer = Comparer(self._session, self._inspector)
        self._group = asyncio.TaskGroup()
        self._drive = Drive(
            self._session, self._notices, self._gate, self._group, clock
        )
        self._drive.interrupted = lambda: bool(self._moves)
        self._past = PastQuestions(
            self._session,
            self._notices,
            lambda: self.is_moving,
            self._group.create_task,
        )
        self._moves: deque[_Move] = deque()
        # The questions that have no reply yet, by number, and those to be dropped.
        self._asked: dict[int, asyncio.Task[Reply]] = {}
        self._dropped: set[int] = set()
        self._wake = asyncio.Event()
        self._ready = asyncio.Event()
        self.closed = asyncio.Event()
        self._ready.set()
        self._busy = False

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        attach(self._gate)
        self._session.before_change = self._drive.leave
        self._worker = self._group.create_task(self._work())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        detach(self._gate)
        self._worker.cancel()
        self._drive.give_up()
        self._past.forget()
        await self._group.__aexit__(kind, error, trace)
        await self._session.close()

    def take_over(self, *, stand: bool) -> None:
        """Drive the run that the session was given, or let it stand at its first
        barrier.
        """
        if stand:
            self._drive.report_stop("entry")
        else:
            self._drive.request(ENDLESS)
            self._wake.set()

    @property
    def is_moving(self) -> bool:
        """Whether the run moves, or is about to."""
        return self._drive.is_moving or bool(self._drive.remaining)

    @property
    def stopped(self) -> protocol.StoppedBody:
        """Why the run stood last."""
        return self._drive.last

    def stand_as(self, stopped: protocol.StoppedBody) -> None:
        """Take note of why the run stands that another host has left."""
        self._drive.last = stopped

    def hold_nothing(self) -> None:
        """Let all executors go on that were held."""
        self._gate.hold_nothing()

    def report_cancelled(self, text: str) -> None:
        """Report that the run was cancelled, by the program and not by the client."""
        self._drive.report_stop("cancelled", text)

    # --- commands -------------------------------------------------------------------------------------------------

    def receive(self, command: Command) -> None:
        """Start a command without waiting for it. Commands start in the order
        in which they come.
        """
        if self._is_move(command):
            self._queue(command)
        else:
            # Pause now, because another superstep could begin before the task of the
            # reply gets its turn.
            if command.command == "pause":
                self._drive.pause()
            question = self._reply(command, self._question(command))
            self._asked[command.seq] = self._group.create_task(question)

    async def handle(self, command: Command) -> Reply:
        """Run a command; its reply is sent, and returned. Errors of the
        command become replies and never raise here.
        """
        if self._is_move(command):
            return await self._queue(command)
        return await self._reply(command, self._question(command))

    def send_due(self) -> None:
        """Send notices that are due. A second thread calls this while a
        handler keeps the loop busy.
        """
        self._drive.send_due()

    def _is_move(self, command: Command) -> bool:
        if command.command == "pause":
            # A pause after a `start` that waits for its turn is meant for that run: at
            # once it would pause nothing.
            return self._busy or bool(self._moves)
        return command.command in _MOVES

    def _queue(self, command: Command) -> asyncio.Future[Reply]:
        move = _Move(command, asyncio.get_running_loop().create_future())
        self._moves.append(move)
        if command.command in ("stop", "shutdown"):
            self._drive.cancel()
        elif command.command == "open":
            self._ready.clear()
        self._wake.set()
        return move.done

    async def _question(self, command: Command) -> BaseModel | None:
        question = _QUESTIONS.get(command.command)
        if question is None:
            raise LookupError(f"There is no command '{command.command}'.")
        await self._ready.wait()
        return await question(self, command.arguments)

    async def _reply(
        self, command: Command, serving: Awaitable[BaseModel | None]
    ) -> Reply:
        try:
            body = await serving
            reply = Reply(
                request_seq=command.seq,
                command=command.command,
                success=True,
                body=body,
            )
        except asyncio.CancelledError:
            if command.seq not in self._dropped:
                raise
            reply = Reply.failure(command.seq, DROPPED, "Dropped", command.command)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is the answer; the host lives on
            reply = _error_reply(command, error)
        self._asked.pop(command.seq, None)
        self._dropped.discard(command.seq)
        self._send(reply)
        return reply

    async def _work(self) -> None:
        while not self.closed.is_set():
            if self._moves:
                await self._perform(self._moves.popleft())
            elif self._drive.remaining:
                await self._drive.run()
            else:
                self._wake.clear()
                await self._wake.wait()

    async def _perform(self, move: _Move) -> None:
        self._busy = True
        reply = await self._reply(move.command, self._move(move.command))
        self._busy = False
        # Questions wait while an `open` is queued, because they are about the store
        # that it opens.
        if not any(other.command.command == "open" for other in self._moves):
            self._ready.set()
        if not move.done.done():
            move.done.set_result(reply)

    async def _move(self, command: Command) -> BaseModel | None:
        if command.command in _GOES_ON:
            await self._session.before_move()
        handler = (_MOVES | _QUESTIONS)[command.command]
        return await handler(self, command.arguments)

    # --- moves ----------------------------------------------------------------------------------------------------

    async def _open(self, arguments: Arguments) -> protocol.OpenBody:
        request = protocol.OpenArguments.model_validate(arguments)
        await self._drive.leave()
        self._drive.interrupt()
        self._gate.hold_nothing()
        self._inspector.forget()
        self._past.forget()
        await self._comparer.close()
        body = await self._session.open(request)
        if self._breakpoints.are_there:
            self._breakpoints.verify(self._session.saved_definition)
            self._notices.send_now("breakpoints", self._breakpoints.body())
        return body

    async def _follow(self, arguments: Arguments) -> None:
        if self._session.is_followed:
            # Where it stands inside a superstep it goes on standing: nothing is redone.
            self._drive.announce()
            return
        await self._drive.leave()
        self._drive.interrupt()
        await self._session.follow()
        self._drive.report_stop("pause")

    async def _start(self, arguments: Arguments) -> protocol.StartBody:
        request = protocol.StartArguments.model_validate(arguments)
        self._drive.interrupt()
        await self._session.start(request.input)
        if request.stop_on_entry:
            self._drive.report_stop("entry")
        else:
            self._drive.request(ENDLESS)
        return protocol.StartBody(run_id=self._session.runner.run_id)

    async def _step(self, arguments: Arguments) -> None:
        request = protocol.StepArguments.model_validate(arguments)
        match request.unit:
            case "superstep":
                self._drive.request(request.count)
            case "delivery":
                self._drive.request_deliveries(request.count)
            case "out":
                self._drive.request_way_out()

    async def _run_to(self, arguments: Arguments) -> None:
        request = protocol.RunToArguments.model_validate(arguments)
        runner = self._session.runner
        if request.question:
            self._drive.request(
                ENDLESS, is_there=lambda: bool(runner.trace.asked), reason="here"
            )
        elif request.superstep:
            if request.superstep <= runner.state.superstep:
                raise WorkflowRunnerException(
                    f"The run is at superstep {runner.state.superstep} already. Restore an earlier checkpoint first."
                )
            self._drive.request(
                request.superstep - runner.state.superstep, reason="here"
            )
        else:
            place = place_to_run_to(request)
            fault = fault_of(place, drawn(self._session.saved_definition))
            if fault:
                raise WorkflowRunnerException(fault)
            self._drive.request(ENDLESS)
            self._breakpoints.stop_once_at(place)

    async def _continue(self, arguments: Arguments) -> None:
        self._drive.request(ENDLESS)

    async def _stop(self, arguments: Arguments) -> None:
        await self._drive.stop_at_barrier()

    async def _restore(self, arguments: Arguments) -> HeaderBody:
        request = protocol.RestoreArguments.model_validate(arguments)
        self._drive.interrupt()
        header = await self._session.restore(request)
        self._drive.report_stop("restored")
        return HeaderBody(header=header)

    async def _answer(self, arguments: Arguments) -> HeaderBody:
        request = protocol.AnswerArguments.model_validate(arguments)
        if self._drive.stands_inside:
            raise WorkflowRunnerException(
                "The run stands inside a superstep, and takes answers at a barrier. Step to the barrier, or stop the "
                "run, then answer."
            )
        header = await self._session.answer(request.answers)
        if not self._drive.is_moving:
            self._drive.report_stop("step", "answered")
        return HeaderBody(header=header)

    async def _shutdown(self, arguments: Arguments) -> None:
        await self._drive.leave()
        await self._comparer.close()
        await self._session.close()
        self.closed.set()

    # --- questions ------------------------------------------------------------------------------------------------

    async def _attach(self, arguments: Arguments) -> protocol.AttachBody:
        body = await self._session.attach()
        if self._session.has_run and self._session.runner.header is not None:
            headers = (self._session.runner.header,)
            self._notices.send_now("checkpoints", protocol.HeadersBody(headers=headers))
        self._drive.announce()
        return body

    async def _pause(self, arguments: Arguments) -> None:
        remaining_steps = self._drive.remaining
        self._drive.pause()
        if remaining_steps and not self._drive.is_moving:
            self._drive.report_stop("pause")

    async def _cancel(self, arguments: Arguments) -> None:
        request = protocol.CancelArguments.model_validate(arguments)
        runs = (*request.runs, *[""] * len(request.inside))
        way = tuple(
            run or node for node, run in zip(request.inside, runs, strict=False)
        )
        self._session.runner.cancel_executor(request.executor, way)

    async def _set_breakpoints(self, arguments: Arguments) -> protocol.BreakpointsBody:
        request = protocol.BreakpointsArguments.model_validate(arguments)
        self._breakpoints.replace(request.breakpoints, muted=request.muted)
        self._breakpoints.verify(self._session.saved_definition)
        return self._breakpoints.body()

    def _on_breakpoint_news(self) -> None:
        self._notices.set_breakpoints(self._breakpoints.body)

    async def _hold(self, arguments: Arguments) -> protocol.HoldBody:
        request = protocol.HoldArguments.model_validate(arguments)
        place = protocol.Breakpoint(
            id="", where=request.executor, inside=request.inside, run=request.run
        )
        fault = fault_of(place, drawn(self._session.saved_definition))
        if fault and request.held:
            raise WorkflowRunnerException(fault)
        way = request.inside
        if request.run:
            way = (*way[:-1], request.run)
        self._gate.hold(Hold(way, request.executor), held=request.held)
        return protocol.HoldBody(
            held=tuple((hold.way, hold.executor) for hold in self._gate.holds)
        )

    async def _inspect(self, arguments: Arguments) -> protocol.Moment:
        return await self._inspector.inspect(
            protocol.InspectArguments.model_validate(arguments)
        )

    async def _expand(self, arguments: Arguments) -> protocol.ExpandBody:
        return await self._inspector.expand(
            protocol.ExpandArguments.model_validate(arguments)
        )

    async def _node(self, arguments: Arguments) -> protocol.NodeBody:
        return await self._inspector.node(
            protocol.NodeArguments.model_validate(arguments)
        )

    async def _edge(self, arguments: Arguments) -> protocol.EdgeBody:
        return await self._inspector.edge(
            protocol.EdgeArguments.model_validate(arguments)
        )

    async def _diff(self, arguments: Arguments) -> protocol.DiffBody:
        return await self._comparer.diff(
            protocol.DiffArguments.model_validate(arguments)
        )

    async def _divergence(self, arguments: Arguments) -> protocol.DivergenceBody:
        return await self._comparer.divergence(
            protocol.DivergenceArguments.model_validate(arguments)
        )

    async def _graph_changes(self, arguments: Arguments) -> protocol.GraphChangesBody:
        from runtime.debug.graph_change import graph_changes

        request = protocol.GraphChangesArguments.model_validate(arguments)
        return await graph_changes(self._session, request)

    async def _change_plan(self, arguments: Arguments) -> protocol.ChangePlanBody:
        from runtime.debug.graph_change import change_plan

        request = protocol.ChangePlanArguments.model_validate(arguments)
        return await change_plan(self._session, request)

    async def _drop(self, arguments: Arguments) -> None:
        request = protocol.DropArguments.model_validate(arguments)
        question = self._asked.get(request.number)
        if question is not None:
            self._dropped.add(request.number)
            question.cancel()

    async def _log(self, arguments: Arguments) -> protocol.EventsBody:
        return await self._past.log(protocol.LogArguments.model_validate(arguments))

    async def _counts(self, arguments: Arguments) -> protocol.CountsBody:
        return await self._past.counts(
            protocol.CountsArguments.model_validate(arguments)
        )

    async def _find(self, arguments: Arguments) -> protocol.FindBody:
        return await self._past.find(protocol.FindArguments.model_validate(arguments))

    async def _find_stop(self, arguments: Arguments) -> None:
        await self._past.find_stop(protocol.FindStopArguments.model_validate(arguments))

    async def _superstep(self, arguments: Arguments) -> protocol.SuperstepBody:
        return await self._inspector.superstep(
            protocol.SuperstepArguments.model_validate(arguments)
        )

    async def _reverse(self, arguments: Arguments) -> protocol.ReverseBody:
        return await self._past.reverse(
            protocol.ReverseArguments.model_validate(arguments)
        )

    async def _provenance(self, arguments: Arguments) -> protocol.ProvenanceBody:
        return await self._inspector.provenance(
            protocol.ProvenanceArguments.model_validate(arguments)
        )

    async def _board(self, arguments: Arguments) -> protocol.BoardBody:
        return await self._inspector.board(
            protocol.BoardArguments.model_validate(arguments)
        )

    async def _board_times(self, arguments: Arguments) -> protocol.BoardTimesBody:
        return await self._inspector.board_times(
            protocol.BoardTimesArguments.model_validate(arguments)
        )

    async def _export(self, arguments: Arguments) -> protocol.ExportBody:
        return await self._inspector.export(
            protocol.ExportArguments.model_validate(arguments)
        )

    async def _sizes(self, arguments: Arguments) -> protocol.SizesBody:
        return await self._inspector.sizes(
            protocol.SizesArguments.model_validate(arguments)
        )

    async def _outputs(self, arguments: Arguments) -> protocol.OutputsBody:
        return await self._inspector.outputs(
            protocol.OutputsArguments.model_validate(arguments)
        )

    async def _timeline(self, arguments: Arguments) -> protocol.TimelineBody:
        return await self._inspector.timeline(
            protocol.TimelineArguments.model_validate(arguments)
        )

    async def _runs(self, arguments: Arguments) -> protocol.RunsBody:
        request = protocol.RunsArguments.model_validate(arguments)
        if request.store:
            return await self._comparer.runs(request.store)
        return await self._inspector.runs()

    async def _delete_runs(self, arguments: Arguments) -> protocol.RunsBody:
        request = protocol.DeleteRunsArguments.model_validate(arguments)
        if self._session.has_run and self._session.runner.run_id in request.run_ids:
            raise WorkflowRunnerException(
                "The live run cannot be deleted. Close it first, or leave it out."
            )
        for run_id in dict.fromkeys(request.run_ids):
            await self._session.store.delete_run(run_id)
        self._inspector.forget()
        self._past.forget_headers()
        return await self._inspector.runs()

    async def _annotate(self, arguments: Arguments) -> HeaderBody:
        request = protocol.AnnotateArguments.model_validate(arguments)
        header = await self._session.store.annotate(
            request.checkpoint_id, tags=request.tags, note=request.note
        )
        self._inspector.forget()
        self._past.forget_headers()
        return HeaderBody(header=header)

    async def _catalogue(self, arguments: Arguments) -> protocol.CatalogueBody:
        from runtime.nodes import catalogue

        node_types = catalogue(
            protocol.CatalogueArguments.model_validate(arguments).folder or None
        )
        return protocol.CatalogueBody(
            nodes=tuple(node_types.infos()), warnings=tuple(node_types.warnings)
        )


DROPPED = "The question was dropped."
MOST_FAULTS = 10  # faults of arguments that a reply names


def _error_reply(command: Command, error: Exception) -> Reply:
    if isinstance(error, ValidationError):
        faults = []
        for fault in error.errors()[:MOST_FAULTS]:
            place = ".".join(map(str, fault["loc"]))
            faults.append(f"{place}: {fault['msg']}")
        text = "; ".join(faults)
    else:
        text = text_of(error)
    return Reply.failure(
        command.seq,
        clean(text) or type(error).__name__,
        type(error).__name__,
        command.command,
    )


_Handler = Callable[[DebugHost, Arguments], Awaitable[BaseModel | None]]

_MOVES: dict[str, _Handler] = {
    "open": DebugHost._open,
    "follow": DebugHost._follow,
    "start": DebugHost._start,
    "step": DebugHost._step,
    "run_to": DebugHost._run_to,
    "continue": DebugHost._continue,
    "stop": DebugHost._stop,
    "restore": DebugHost._restore,
    "answer": DebugHost._answer,
    "shutdown": DebugHost._shutdown,
}
# The moves that go on with the run that there is.
_GOES_ON = ("step", "run_to", "continue", "answer")
_QUESTIONS: dict[str, _Handler] = {
    "attach": DebugHost._attach,
    "pause": DebugHost._pause,
    "cancel": DebugHost._cancel,
    "breakpoints": DebugHost._set_breakpoints,
    "hold": DebugHost._hold,
    "inspect": DebugHost._inspect,
    "expand": DebugHost._expand,
    "node": DebugHost._node,
    "edge": DebugHost._edge,
    "diff": DebugHost._diff,
    "divergence": DebugHost._divergence,
    "graph_changes": DebugHost._graph_changes,
    "change_plan": DebugHost._change_plan,
    "drop": DebugHost._drop,
    "log": DebugHost._log,
    "counts": DebugHost._counts,
    "find": DebugHost._find,
    "find_stop": DebugHost._find_stop,
    "superstep": DebugHost._superstep,
    "reverse": DebugHost._reverse,
    "provenance": DebugHost._provenance,
    "board": DebugHost._board,
    "board_times": DebugHost._board_times,
    "export": DebugHost._export,
    "sizes": DebugHost._sizes,
    "outputs": DebugHost._outputs,
    "timeline": DebugHost._timeline,
    "runs": DebugHost._runs,
    "delete_runs": DebugHost._delete_runs,
    "annotate": DebugHost._annotate,
    "catalogue": DebugHost._catalogue,
}
