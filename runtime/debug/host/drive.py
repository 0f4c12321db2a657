"""Run supersteps and deliveries: a number of them, or until the run rests, fails, stands
at a breakpoint or is cancelled. Then report why the run stops.
"""

from __future__ import annotations

import asyncio
import math
import time
import traceback
from collections.abc import Callable

from runtime.concurrency.cancellation import StopSignal, run_in_own_task
from runtime.debug.breakpoints.live_facts import starving
from runtime.debug.protocol import ResumedBody, StoppedBody
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.debug.stops.gate import DebugGate
from runtime.debug.values.shapes import clean
from runtime.engine.commit import is_active
from runtime.engine.sub_runs import Path
from runtime.errors import WorkflowConvergenceException
from runtime.values.user_failures import comes_after, text_of

# Seconds after which a run that never waits lets others on the loop have their turn.
TURN = 0.005
TICK = 1 / 60
TEXT_LIMIT = 2_000
TRACEBACK_LIMIT = 20_000
ENDLESS = math.inf


class Drive:
    """The loop that runs supersteps. `remaining` is their number still to run, `last` is
    why it stopped last.

    Its task goes on for several supersteps, and lives in `group`. Where the run stands
    inside a superstep, the task waits at the gate.
    """

    def __init__(
        self,
        session: Session,
        notices: Notices,
        gate: DebugGate,
        group: asyncio.TaskGroup,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._notices = notices
        self._gate = gate
        self._group = group
        self._clock = clock
        self._ending = "step"
        # Asked at each barrier: whether the run is where it was to go.
        self._is_there: Callable[[], bool] = _never
        # How many deliveries were requested one by one; None after they were passed on.
        self._requested_deliveries: int | None = None
        self._superstep: asyncio.Task[StoppedBody | None] | None = None
        self._is_awaited = False
        self._is_reporting_again = False
        self.last = StoppedBody(
            reason="cancelled", status="", superstep=0, text="There is no run."
        )
        self.remaining: float = 0
        self.is_moving = False
        self.stands_inside = False
        self.interrupted: Callable[[], bool] = lambda: False
        gate.on_change = self._report_again

    def request(
        self,
        supersteps: float,
        *,
        deliveries: int = 0,
        is_there: Callable[[], bool] | None = None,
        reason: str = "step",
    ) -> None:
        """Run this many supersteps from now, or only this many deliveries, or until
        `is_there` is true at a barrier, which is a stop for the `reason`. The rest of a
        superstep in which the run stands is its first. Raise `WorkflowRunnerException`
        without a run.
        """
        _ = self._session.runner
        self.remaining = supersteps
        self._ending = reason
        self._requested_deliveries = deliveries
        if is_there is None and deliveries:
            is_there = self._have_all_run
        self._is_there = is_there or _never

    def request_deliveries(self, count: int) -> None:
        """Run this many deliveries, one by one in the fixed order. After the last one of
        a superstep the run is at its barrier.
        """
        self.request(ENDLESS, deliveries=count)

    def request_way_out(self) -> None:
        """Run until the innermost sub-workflow of the present delivery has ended or
        rests. Outside of any, run to the barrier.
        """
        path = self._present_path()
        if path:
            self.request(ENDLESS, is_there=lambda: not self._is_active(path))
        else:
            self.request(1)

    def _have_all_run(self) -> bool:
        return self._gate.is_spent

    def _present_path(self) -> Path:
        """Return the path of the delivery at which the run stands, or of the next one."""
        if self.stands_inside:
            stop = self._gate.stop
            job = None if stop is None else stop.job
            return () if job is None else job.round.path
        try:
            root = self._session.runner.preview_tree()
        except Exception:  # noqa: BLE001 - a condition that raises fails the superstep, which reports it
            return ()
        return next((frame.path for frame in root if frame.routing.deliveries), ())

    def _is_active(self, path: Path) -> bool:
        state = self._session.runner.state
        for key in path:
            if key not in state.children:
                return False
            state = state.children[key]
        return is_active(state)

    def pause(self, reason: str = "pause") -> None:
        """Stop at the next barrier."""
        self.remaining = 0
        self._ending = reason

    def cancel(self) -> None:
        """Cancel the running superstep; the run stops at its last barrier when
        all handlers have ended.
        """
        self.pause("cancelled")
        if self._superstep is not None:
            self._superstep.cancel()

    async def run(self) -> None:
        """Run what was requested, until that is done, the run stands inside a superstep,
        or another command needs its turn between two (`interrupted`).
        """
        if not self.is_moving:
            self._resume()
        if self._requested_deliveries is not None:
            self._gate.go(self._requested_deliveries)
            self._requested_deliveries = None
        if self._superstep is None:
            self._superstep = self._group.create_task(run_in_own_task(self._advance))
            self._superstep.add_done_callback(self._on_end)
        self._is_awaited = True
        try:
            async with asyncio.TaskGroup() as group:
                ticker = group.create_task(self._tick())
                standing = group.create_task(self._gate.stopped())
                await asyncio.wait(
                    {self._superstep, standing}, return_when=asyncio.FIRST_COMPLETED
                )
                ticker.cancel()
                standing.cancel()
        finally:
            self._is_awaited = False
        if self._superstep.done():
            self._take_end(self._superstep)
        else:
            self._stand()

    def _on_end(self, task: asyncio.Task[StoppedBody | None]) -> None:
        # A superstep in which the run stands can end by itself: a call that still ran
        # may fail.
        if task is self._superstep and not self._is_awaited:
            self._take_end(task)

    def _take_end(self, done: asyncio.Task[StoppedBody | None]) -> None:
        self._superstep = None
        stopped = None if done.cancelled() else done.result()
        # If a command cancelled the run, `stop_at_barrier` reports it when that command
        # has its turn. Here it would be reported twice.
        if stopped is None and self._ending != "cancelled":
            if done.cancelled():
                stopped = self._stopped_body("cancelled")
            elif not self.remaining:
                stopped = self._stopped_body(self._ending)
        if stopped is not None:
            self._stop(stopped)

    async def leave(self) -> None:
        """Give up a superstep in which the run stands. It is at its last barrier then."""
        if self._superstep is None:
            return
        superstep = self._superstep
        self._superstep = None
        superstep.cancel()
        await asyncio.wait({superstep})
        self.last = self._stopped_body("cancelled")
        self._gate.rest()
        self._session.activity.end_superstep()
        self.stands_inside = False

    def give_up(self) -> None:
        """Cancel what runs, because the host ends."""
        self._is_awaited = True
        if self._superstep is not None:
            self._superstep.cancel()
        self._gate.rest()

    def report_stop(self, reason: str, text: str = "") -> None:
        """Report where the run is, after something other than a superstep put
        it there.
        """
        self._stop(self._stopped_body(reason, text))

    def announce(self) -> None:
        """Report again whether the run moves or why it stands, for a client that was
        not there before.
        """
        if self.is_moving or self.remaining:
            self._notices.send_now("resumed", self._resumed_body())
        elif self._session.has_run:
            self._notices.send_now("stopped", self.last)

    def interrupt(self) -> None:
        """Drop the supersteps that were requested so far, because a command is
        about to move the run elsewhere.
        """
        if self.is_moving or self.remaining:
            self.report_stop("pause")

    async def stop_at_barrier(self) -> None:
        """Stop the run for a `stop` command. If it had stopped already, report
        the reason again.
        """
        if self.stands_inside:
            taken_back = self._session.activity.taken_back()
            await self.leave()
            stopped = self._stopped_body("cancelled")
            self._stop(stopped.model_copy(update={"taken_back": taken_back}))
        elif self.is_moving or self.remaining:
            self._stop(self._stopped_body("cancelled"))
        else:
            self._notices.send_now("stopped", self.last)

    def send_due(self) -> None:
        self._notices.send_due(
            self._session.activity.progress if self.is_moving else None
        )

    # --- supersteps -----------------------------------------------------------------------------------------------

    def _resume(self) -> None:
        self.is_moving = True
        self._session.runner.gate = self._gate
        if self._superstep is None:
            self._session.activity.resumed()
        self.stands_inside = False
        self._notices.send_now("resumed", self._resumed_body())

    def _resumed_body(self) -> ResumedBody:
        runner = self._session.runner
        return ResumedBody(run_id=runner.run_id, branch=runner.branch)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.send_due()

    async def _advance(self, stop: StopSignal) -> StoppedBody | None:
        session = self._session
        turn = self._clock() + TURN
        try:
            while self.remaining and not self.interrupted():
                # A slow reader must not fall further behind: the notices would fill the
                # memory.
                if self._notices.is_behind():
                    await asyncio.sleep(TICK)
                    continue
                if await session.advance(stop):
                    session.note_head()
                self.remaining = max(self.remaining - 1, 0)
                self.send_due()
                if not is_active(session.runner.state):
                    return self._body_at_rest()
                if self._is_there():
                    self.remaining = 0
                if self._clock() > turn:
                    await asyncio.sleep(0)
                    turn = self._clock() + TURN
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - handlers raise anything; the run is at its last barrier
            return self._failed_body(error)
        return None

    def _body_at_rest(self) -> StoppedBody:
        runner = self._session.runner
        if runner.state.requests:
            return self._stopped_body("waiting")
        joins = runner.stalled
        if not joins:
            return self._stopped_body("finished")
        hits = [
            self._gate.breakpoints.judge("rest", starving(join, runner.state))
            for join in joins
        ]
        hit = next(filter(None, hits), None)
        stopped = self._stopped_body("stalled")
        if hit is None:
            return stopped
        return stopped.model_copy(update={"breakpoint": hit.details})

    # --- stops -------------------------------------------------------------------------------------------------

    def _stop(self, stopped: StoppedBody) -> None:
        self.stands_inside = False
        self._gate.rest()
        if self._session.has_run:
            # Only while it moves, because a program may go on with this run itself.
            self._session.runner.gate = None
        self._session.activity.end_superstep()
        self._say_stopped(stopped)
        self._session.on_stop()

    def _stand(self) -> None:
        """Report that the run stands inside a superstep."""
        stop = self._gate.stop
        if stop is None:
            return
        self.stands_inside = True
        delivery = None
        if stop.job is not None:
            delivery = self._gate.deliveries.place(stop.job, stop.position)
        stopped = self._stopped_body(stop.reason, clean(stop.text)).model_copy(
            update={"breakpoint": stop.hit, "delivery": delivery, "taken_back": ()}
        )
        self._say_stopped(stopped)

    def _say_stopped(self, stopped: StoppedBody) -> None:
        self.remaining = 0
        self.is_moving = False
        self._gate.breakpoints.stop_once_at(None)
        self.last = stopped
        self._notices.send_now("stopped", stopped)

    def _report_again(self) -> None:
        """Report once more in the next turn of the loop, because what is to see where
        the run stands has changed.
        """
        if self.stands_inside and not self._is_reporting_again:
            self._is_reporting_again = True
            asyncio.get_running_loop().call_soon(self._say_again)

    def _say_again(self) -> None:
        self._is_reporting_again = False
        if self.stands_inside:
            self._notices.send_now("stopped", self.last)

    def _stopped_body(self, reason: str, text: str = "") -> StoppedBody:
        runner = self._session.runner
        return StoppedBody(
            reason=reason,
            status=runner.status.value,
            superstep=runner.state.superstep,
            run_id=runner.run_id,
            branch=runner.branch,
            checkpoint_id=runner.header.id if runner.header is not None else None,
            text=text,
            taken_back=self._session.activity.taken_back(),
        )

    def _failed_body(self, error: BaseException) -> StoppedBody:
        activity = self._session.activity
        if isinstance(error, WorkflowConvergenceException):
            reason = "limit"
        else:
            reason = "failed"
        failed_with = activity.failed_with
        # Such as the condition of an error edge that raises when it judges the failure
        # of an executor: the report shows the later error, and the first one as
        # `before`.
        is_another = comes_after(error, *failed_with)
        trace = "" if is_another else activity.traceback
        trace = trace or "".join(traceback.format_exception(error))
        if is_another:
            before = f"{activity.failed}: {': '.join(filter(None, failed_with))}"
        else:
            before = ""
        return self._stopped_body(
            reason, clean(text_of(error))[:TEXT_LIMIT]
        ).model_copy(
            update={
                "executor": "" if is_another else activity.failed,
                "before": clean(before)[:TEXT_LIMIT],
                "error_type": type(error).__name__,
                "traceback": _shortened(clean(trace)),
            }
        )


def _never() -> bool:
    return False


def _shortened(trace: str) -> str:
    """Return a traceback without its middle if it is too long: it starts with the
    workflow's lines and ends with the error.
    """
    half = TRACEBACK_LIMIT // 2
    if len(trace) <= TRACEBACK_LIMIT:
        return trace
    return f"{trace[:half]}\n[…]\n{trace[-half:]}"
