"""A patch over a checkpoint: what is wrong with it, and what would come of it."""

from __future__ import annotations

from pydantic import Field

from runtime.debug.protocol.effects import OutsideCall
from runtime.debug.protocol.graph_changes import LostMessage, UpcomingCall
from runtime.debug.protocol.moments import Moment
from runtime.debug.protocol.packets import Model
from runtime.debug.protocol.values import Value
from runtime.patches.patch import Patch, PatchChange, Spot

__all__ = [
    "JoinForecast",
    "Patch",
    "PatchChange",
    "PatchParseArguments",
    "PatchParseBody",
    "PatchPlanArguments",
    "PatchPlanBody",
    "PatchProblem",
    "Spot",
    "StarvedJoin",
]


class PatchPlanArguments(Model):
    """What would come of a patch. Nothing is changed. The conditions of the next
    superstep are evaluated. `depth`, `inside` and `runs` are those of
    `InspectArguments`, for the moment.
    """

    checkpoint_id: str
    patch: Patch
    depth: int = Field(default=2, ge=0, le=16)
    inside: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()


class PatchProblem(Model):
    """What is wrong with a change, or worth knowing about it. `change` is its id, ""
    for the whole patch; `path` leads to the place in its value, "" for all of it.
    """

    change: str
    text: str
    path: str = ""


class JoinForecast(Model):
    """A join that fires in the next superstep: how many messages of each source it
    releases. `path` has the keys of the invocations that lead to it.
    """

    join: str
    target: str
    counts: tuple[tuple[str, int], ...] = ()
    path: tuple[str, ...] = ()


class StarvedJoin(Model):
    """A join that holds messages, or gets some, and does not fire in the next
    superstep: what it has of each source then, which sources it waits for, and why.
    """

    join: str
    target: str
    counts: tuple[tuple[str, int], ...] = ()
    missing: tuple[str, ...] = ()
    reason: str = ""
    path: tuple[str, ...] = ()


class PatchPlanBody(Model):
    """What would come of a patch. With `problems` it cannot be applied.

    moment         everything to see at the checkpoint with the good changes applied, as at a live barrier
    upcoming       who runs in the next superstep; `error` is why that is not known
    fires, starves the joins that fire then, and those that go on waiting
    dropped        what nothing takes then
    requests_left  how many questions stay open
    outside        what happens beyond the run when it goes on, as in `RestorePlanBody`
    """

    checkpoint_id: str
    problems: tuple[PatchProblem, ...] = ()
    warnings: tuple[PatchProblem, ...] = ()
    moment: Moment
    upcoming: tuple[UpcomingCall, ...] = ()
    fires: tuple[JoinForecast, ...] = ()
    starves: tuple[StarvedJoin, ...] = ()
    dropped: tuple[LostMessage, ...] = ()
    requests_left: int = 0
    outside: tuple[OutsideCall, ...] = ()
    error: str = ""


class PatchParseArguments(Model):
    """Check one change as it is typed. `others` are changes that it builds on, such as
    the one that added the message which it means.
    """

    checkpoint_id: str
    change: PatchChange
    others: tuple[PatchChange, ...] = ()


class PatchParseBody(Model):
    """What is wrong with a change.

    change  the same with its guards: `was` is what stands there now, as JSON, and `spot` has source, target and value
            of the message. A change is staged like this, so that it fits other checkpoints. What is called like a
            secret is no guard, and neither is a value of more than 64 KB
    types   what the value may be, in words
    value   the new value as people see it; None with a problem, and where there is none
    """

    problems: tuple[PatchProblem, ...] = ()
    warnings: tuple[PatchProblem, ...] = ()
    change: PatchChange
    types: tuple[str, ...] = ()
    value: Value | None = None
