"""Notices that a run moves, or stands and why."""

from __future__ import annotations

from runtime.debug.protocol.breakpoints import BreakpointHit
from runtime.debug.protocol.outputs import OutputItem
from runtime.debug.protocol.packets import Model


class ResumedBody(Model):
    run_id: str
    branch: str = "main"


class DeliveryPlace(Model):
    """A delivery of the superstep in which the run stands: `place` of how many, from
    1, in the fixed order.
    """

    executor: str
    path: tuple[str, ...] = ()
    place: int = 1
    of: int = 1
    handler: str = ""


class StoppedBody(Model):
    """Why the run stopped: `entry`, `step`, `pause`, `restored`, `finished`, `waiting`
    (for answers), `stalled` (a join holds messages for ever), `failed`, `limit` (of
    supersteps), `cancelled`, `breakpoint`, `delivery` (a step of one), `here` (the end
    of `run_to`), `held` (only held executors are left to run), `code`
    (`breakpoint_here`), `outside` (the next call would reach outside again, and the
    `text` says what it does and why it has no recorded result).

    `delivery` is where in a superstep the run stands, None at a barrier: the next
    delivery, or the one that has just ended.

    `failed` names the `executor`. `before` is the failure of an executor from which
    this one followed, such as that of a condition of its error edge. `taken_back`
    are the outputs of a superstep that failed or was cancelled.
    """

    reason: str
    status: str
    superstep: int
    run_id: str = ""
    branch: str = "main"
    checkpoint_id: str | None = None
    text: str = ""
    executor: str = ""
    before: str = ""
    error_type: str = ""
    traceback: str = ""
    taken_back: tuple[OutputItem, ...] = ()
    breakpoint: BreakpointHit | None = None
    delivery: DeliveryPlace | None = None
