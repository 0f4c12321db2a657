"""Run supersteps: a number of them, or until the run rests, fails, is held or
cancelled. Then report why the run stops.
"""

from __future__ import annotations

import asyncio
import math
import time
import traceback
from collections.abc import Callable

from runtime.concurrency.cancellation import StopSignal, run_in_own_task
from runtime.debug.notices import Notices
from runtime.debug.protocol import ResumedBody, StoppedBody
from runtime.debug.session import Session
from runtime.debug.shapes import clean
from runtime.engine.commit import is_active
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
    """

    def __init__(
        self,
        session: Session,
        notices: Notices,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session = session
        self._notices = notices
        self._clock = clock
        self._ending = "step"
        self._superstep: asyncio.Task[StoppedBody | None] | None = None
        self.last = StoppedBody(
            reason="cancelled", status="", superstep=0, text="There is no run."
        )
        self.remaining: float = 0
        self.is_moving = False
        self.interrupted: Callable[[], bool] = lambda: False

    def request(self, supersteps: float) -> None:
        """Run this many supersteps from now. Raise `WorkflowRunnerException`
        without a run.
        """
        _ = self._session.runner
        self.remaining = supersteps
        self._ending = "step"

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
        """Run supersteps until none remains, or until another command needs its
        turn between two (`interrupted`).
        """
        if not self.is_moving:
            self._resume()
        async with asyncio.TaskGroup() as group:
            ticker = group.create_task(self._tick())
            self._superstep = group.create_task(run_in_own_task(self._advance))
            await asyncio.wait({self._superstep})
            ticker.cancel()
        done = self._superstep
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

    def stop_at_barrier(self) -> None:
        """Stop the run for a `stop` command. If it had stopped already, report
        the reason again.
        """
        if self.is_moving or self.remaining:
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
        self._session.activity.resumed()
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
                    return self._stopped_body(self._reason_at_rest())
                if self._clock() > turn:
                    await asyncio.sleep(0)
                    turn = self._clock() + TURN
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - handlers raise anything; the run is at its last barrier
            return self._failed_body(error)
        return None

    def _reason_at_rest(self) -> str:
        runner = self._session.runner
        if runner.state.requests:
            return "waiting"
        return "stalled" if runner.stalled else "finished"

    # --- stops -------------------------------------------------------------------------------------------------

    def _stop(self, stopped: StoppedBody) -> None:
        self.remaining = 0
        self.is_moving = False
        self.last = stopped
        self._session.activity.end_superstep()
        self._notices.send_now("stopped", stopped)
        self._session.on_stop()

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


def _shortened(trace: str) -> str:
    """Return a traceback without its middle if it is too long: it starts with the
    workflow's lines and ends with the error.
    """
    half = TRACEBACK_LIMIT // 2
    if len(trace) <= TRACEBACK_LIMIT:
        return trace
    return f"{trace[:half]}\n[…]\n{trace[-half:]}"
