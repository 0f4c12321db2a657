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
    """The loop that runs supersteps. `wanted` is how many are still to run."""

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
        self._last = StoppedBody(
            reason="cancelled", status="", superstep=0, text="There is no run."
        )
        self.wanted: float = 0
        self.is_moving = False
        self.interrupted: Callable[[], bool] = lambda: False

    def want(self, supersteps: float) -> None:
        """Run this many supersteps from now. Raise `WorkflowRunnerException`
        without a run.
        """
        _ = self._session.runner
        self.wanted = supersteps
        self._ending = "step"

    def hold(self, reason: str = "pause") -> None:
        """Stop at the next barrier."""
        self.wanted = 0
        self._ending = reason

    def cancel(self) -> None:
        """Cancel the running superstep; the run stops at its last barrier when
        all handlers have ended.
        """
        self.hold("cancelled")
        if self._superstep is not None:
            self._superstep.cancel()

    async def go(self) -> None:
        """Run supersteps until none is left to run, or until another command
        needs its turn between two (`interrupted`).
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
        # Of a cancelled run `stand_still` tells, once, when the command that cancelled it has its turn.
        if (
            stopped is None
            and self._ending != "cancelled"
            and (done.cancelled() or not self.wanted)
        ):
            stopped = self._standing("cancelled" if done.cancelled() else self._ending)
        if stopped is not None:
            self._stop(stopped)

    def stand(self, reason: str, text: str = "") -> None:
        """Report where the run is, after something other than a superstep put
        it there.
        """
        self._stop(self._standing(reason, text))

    def interrupt(self) -> None:
        """Drop the supersteps that were requested so far, because a command is
        about to move the run elsewhere.
        """
        if self.is_moving or self.wanted:
            self.stand("pause")

    def stand_still(self) -> None:
        """Stop the run for a `stop` command. If it had stopped already, report
        the reason again.
        """
        if self.is_moving or self.wanted:
            self._stop(self._standing("cancelled"))
        else:
            self._notices.tell("stopped", self._last)

    def send_due(self) -> None:
        self._notices.send_due(
            self._session.activity.progress if self.is_moving else None
        )

    # --- supersteps -----------------------------------------------------------------------------------------------

    def _resume(self) -> None:
        runner = self._session.runner
        self.is_moving = True
        self._session.activity.resumed()
        self._notices.tell(
            "resumed", ResumedBody(run_id=runner.run_id, branch=runner.branch)
        )

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self.send_due()

    async def _advance(self, stop: StopSignal) -> StoppedBody | None:
        session = self._session
        turn = self._clock() + TURN
        try:
            while self.wanted and not self.interrupted():
                # no superstep more than somebody has heard of
                if self._notices.is_behind():
                    await asyncio.sleep(TICK)
                    continue
                if await session.runner.advance(stop):
                    session.head()
                self.wanted = max(self.wanted - 1, 0)
                self.send_due()
                if not is_active(session.runner.state):
                    return self._standing(self._rest())
                if self._clock() > turn:
                    await asyncio.sleep(0)
                    turn = self._clock() + TURN
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - handlers raise anything; the run stands at its last barrier
            return self._failed(error)
        return None

    def _rest(self) -> str:
        runner = self._session.runner
        if runner.state.requests:
            return "waiting"
        return "stalled" if runner.stalled else "finished"

    # --- standing -------------------------------------------------------------------------------------------------

    def _stop(self, stopped: StoppedBody) -> None:
        self.wanted = 0
        self.is_moving = False
        self._last = stopped
        self._session.activity.stand()
        self._notices.tell("stopped", stopped)

    def _standing(self, reason: str, text: str = "") -> StoppedBody:
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

    def _failed(self, error: BaseException) -> StoppedBody:
        activity = self._session.activity
        if isinstance(error, WorkflowConvergenceException):
            reason = "limit"
        else:
            reason = "failed"
        failed_with = activity.failed_with
        # Such as the condition of an error edge that raises when it is asked about the failure of an executor.
        is_another = comes_after(error, *failed_with)
        trace = "" if is_another else activity.traceback
        trace = trace or "".join(traceback.format_exception(error))
        if is_another:
            before = f"{activity.failed}: {': '.join(filter(None, failed_with))}"
        else:
            before = ""
        return self._standing(reason, clean(text_of(error))[:TEXT_LIMIT]).model_copy(
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
