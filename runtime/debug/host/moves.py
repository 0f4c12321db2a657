"""Commands that move the run, one after the other, at barriers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pydantic import BaseModel

from runtime.debug import protocol
from runtime.debug.breakpoints.table import Breakpoints
from runtime.debug.breakpoints.verification import drawn, fault_of, place_to_run_to
from runtime.debug.host.drive import ENDLESS, Drive
from runtime.debug.protocol import HeaderBody
from runtime.debug.questions.table import Questions
from runtime.debug.session.session import Session
from runtime.debug.stops.gate import OUTSIDE, DebugGate
from runtime.errors import WorkflowRunnerException

Arguments = dict[str, Any]


class Moves:
    """Do the moves of one host. `closed` is set once `shutdown` is done."""

    def __init__(
        self,
        session: Session,
        drive: Drive,
        gate: DebugGate,
        breakpoints: Breakpoints,
        questions: Questions,
        closed: asyncio.Event,
    ) -> None:
        self._session = session
        self._notices = session.notices
        self._drive = drive
        self._gate = gate
        self._breakpoints = breakpoints
        self._questions = questions
        self._closed = closed

    async def open(self, arguments: Arguments) -> protocol.OpenBody:
        request = protocol.OpenArguments.model_validate(arguments)
        await self._drive.leave()
        self._drive.interrupt()
        self._gate.hold_nothing()
        await self._questions.forget()
        body = await self._session.open(request)
        if self._breakpoints.are_there:
            self._breakpoints.verify(self._session.saved_definition)
            self._notices.send_now("breakpoints", self._breakpoints.body())
        return body

    async def follow(self, arguments: Arguments) -> None:
        if self._session.is_followed:
            # Where it stands inside a superstep it goes on standing: nothing is redone.
            self._drive.announce()
            return
        await self._drive.leave()
        self._drive.interrupt()
        await self._session.follow()
        self._drive.report_stop("pause")

    async def start(self, arguments: Arguments) -> protocol.StartBody:
        request = protocol.StartArguments.model_validate(arguments)
        self._drive.interrupt()
        await self._session.start(request.input)
        if request.stop_on_entry:
            self._drive.report_stop("entry")
        else:
            self._drive.request(ENDLESS)
        return protocol.StartBody(run_id=self._session.runner.run_id)

    async def step(self, arguments: Arguments) -> None:
        request = protocol.StepArguments.model_validate(arguments)
        self._let_run(live=request.live)
        match request.unit:
            case "superstep":
                self._drive.request(request.count)
            case "delivery":
                self._drive.request_deliveries(request.count)
            case "out":
                self._drive.request_way_out()

    async def run_to(self, arguments: Arguments) -> None:
        request = protocol.RunToArguments.model_validate(arguments)
        self._let_run(live=request.live)
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

    async def go_on(self, arguments: Arguments) -> None:
        request = protocol.ContinueArguments.model_validate(arguments)
        self._let_run(live=request.live)
        self._drive.request(ENDLESS)

    def _let_run(self, *, live: bool) -> None:
        """Let the call be made before which the run stands because it reaches outside.
        Raise `WorkflowRunnerException` if the client has not said so.
        """
        stop = self._gate.stop
        if stop is None or stop.reason != OUTSIDE:
            return
        if not live:
            raise WorkflowRunnerException(
                f"The run stands before a call that reaches outside again. {stop.text} To make it, go on with `live`; "
                "else stop the run, or restore with another choice."
            )
        self._gate.allow()

    async def stop(self, arguments: Arguments) -> None:
        await self._drive.stop_at_barrier()

    async def restore(self, arguments: Arguments) -> HeaderBody:
        request = protocol.RestoreArguments.model_validate(arguments)
        self._drive.interrupt()
        header = await self._session.restore(request)
        self._drive.report_stop("restored")
        return HeaderBody(header=header)

    async def answer(self, arguments: Arguments) -> HeaderBody:
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

    async def shutdown(self, arguments: Arguments) -> None:
        await self._drive.leave()
        await self._questions.comparer.close()
        await self._session.close()
        self._closed.set()


MOVES: dict[str, Callable[[Moves, Arguments], Awaitable[BaseModel | None]]] = {
    "open": Moves.open,
    "follow": Moves.follow,
    "start": Moves.start,
    "step": Moves.step,
    "run_to": Moves.run_to,
    "continue": Moves.go_on,
    "stop": Moves.stop,
    "restore": Moves.restore,
    "answer": Moves.answer,
    "shutdown": Moves.shutdown,
}
# The moves that go on with the run that there is.
GOES_ON = ("step", "run_to", "continue", "answer")
