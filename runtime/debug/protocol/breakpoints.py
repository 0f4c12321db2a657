"""Breakpoints: where a run stops or logs, and what became of each."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from runtime.debug.protocol.packets import Model

BreakpointKind = Literal[
    "before",
    "after",
    "message",
    "write",
    "failure",
    "question",
    "fires",
    "starves",
    "output",
]


class Breakpoint(Model):
    """Where a run stops, or what it logs without a stop.

    where      node id, edge id, or key of the shared state; "" for any
    inside     node ids of the sub-workflows that lead there
    run        one invocation of the innermost of them, "" for every
    condition  CEL over the variables of a fact
    hits       which of the hits count: all, those from the `count`th on, or every `count`th
    log        text with CEL in braces; it is logged instead of a stop
    once       whether it counts only until it has stopped the run
    """

    id: str
    kind: BreakpointKind = "before"
    where: str = ""
    inside: tuple[str, ...] = ()
    run: str = ""
    condition: str = ""
    hits: Literal["always", "from", "every"] = "always"
    count: int = Field(default=1, ge=1)
    log: str = ""
    once: bool = False
    enabled: bool = True


class BreakpointStatus(Model):
    """What became of a breakpoint: if it is not `verified`, `reason` says why it can
    never be hit; `error` is what its condition or log text failed with last.
    """

    id: str
    verified: bool
    reason: str = ""
    hits: int = 0
    error: str = ""


class BreakpointsArguments(Model):
    """All breakpoints from now on. While they are `muted` none of them stops or logs,
    and neither does `breakpoint_here`.
    """

    breakpoints: tuple[Breakpoint, ...]
    muted: bool = False


class BreakpointsBody(Model):
    statuses: tuple[BreakpointStatus, ...]


class BreakpointHit(Model):
    """The breakpoint that stopped the run: `because` says in words what happened, `hit`
    is its how manyth hit this was.
    """

    id: str
    kind: BreakpointKind
    where: str = ""
    because: str = ""
    hit: int = 1


class LoggedBody(Model):
    """The log text of a breakpoint; `left_out` is how many came before it and were not
    sent.
    """

    breakpoint: str
    superstep: int
    text: str
    path: tuple[str, ...] = ()
    executor: str = ""
    left_out: int = 0
