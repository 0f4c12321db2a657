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
from functools import partial
from types import TracebackType
from typing import Any, Self

from pydantic import BaseModel, ValidationError

from runtime.debug import protocol
from runtime.debug.breakpoints.table import Breakpoints
from runtime.debug.breakpoints.verification import drawn, fault_of
from runtime.debug.host.drive import ENDLESS, Drive
from runtime.debug.host.moves import GOES_ON, MOVES, Moves
from runtime.debug.protocol import Command, Notice, Reply
from runtime.debug.questions.table import QUESTIONS, Questions
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.debug.stops.code import attach, detach
from runtime.debug.stops.gate import DebugGate, Hold
from runtime.debug.values.shapes import clean
from runtime.errors import WorkflowRunnerException
from runtime.values.user_failures import text_of

Packet = Reply | Notice
Arguments = dict[str, Any]
Answer = Awaitable[BaseModel | None]


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
        self._group = asyncio.TaskGroup()
        self._drive = Drive(
            self._session, self._notices, self._gate, self._group, clock
        )
        self._drive.interrupted = lambda: bool(self._queued)
        self._questions = Questions(
            self._session,
            self._gate,
            lambda: self.is_moving,
            self._group.create_task,
        )
        self._queued: deque[_Move] = deque()
        # The questions that have no reply yet, by number, and those to be dropped.
        self._asked: dict[int, asyncio.Task[Reply]] = {}
        self._dropped: set[int] = set()
        self._wake = asyncio.Event()
        self._ready = asyncio.Event()
        self.closed = asyncio.Event()
        self._moves = Moves(
            self._session,
            self._drive,
            self._gate,
            self._breakpoints,
            self._questions,
            self.closed,
        )
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
        self._questions.past.forget()
        self._questions.explorations.close()
        self._questions.proofs.forget()
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
            return self._busy or bool(self._queued)
        return command.command in MOVES

    def _queue(self, command: Command) -> asyncio.Future[Reply]:
        move = _Move(command, asyncio.get_running_loop().create_future())
        self._queued.append(move)
        if command.command in ("stop", "shutdown"):
            self._drive.cancel()
        elif command.command == "open":
            self._ready.clear()
        self._wake.set()
        return move.done

    async def _question(self, command: Command) -> BaseModel | None:
        handler = self._handler(command.command)
        await self._ready.wait()
        return await handler(command.arguments)

    def _handler(self, command: str) -> Callable[[Arguments], Answer]:
        if command in MOVES:
            return partial(MOVES[command], self._moves)
        if command in QUESTIONS:
            return partial(QUESTIONS[command], self._questions)
        if command in _AT_ONCE:
            return partial(_AT_ONCE[command], self)
        raise LookupError(f"There is no command '{command}'.")

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
            if self._queued:
                await self._perform(self._queued.popleft())
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
        if not any(other.command.command == "open" for other in self._queued):
            self._ready.set()
        if not move.done.done():
            move.done.set_result(reply)

    async def _move(self, command: Command) -> BaseModel | None:
        if command.command in GOES_ON:
            await self._session.before_move()
        return await self._handler(command.command)(command.arguments)

    # --- commands beside the moves and the questions --------------------------------------------------------------

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

    async def _drop(self, arguments: Arguments) -> None:
        request = protocol.DropArguments.model_validate(arguments)
        question = self._asked.get(request.number)
        if question is not None:
            self._dropped.add(request.number)
            question.cancel()


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


_AT_ONCE: dict[str, Callable[[DebugHost, Arguments], Answer]] = {
    "attach": DebugHost._attach,
    "pause": DebugHost._pause,
    "cancel": DebugHost._cancel,
    "breakpoints": DebugHost._set_breakpoints,
    "hold": DebugHost._hold,
    "drop": DebugHost._drop,
}
