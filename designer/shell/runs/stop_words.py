"""A run that stands at a breakpoint or inside a superstep, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from designer.model.breakpoint_words import only_if
from designer.panels.base import title_in
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointHit,
    DeliveryPlace,
    StoppedBody,
)

if TYPE_CHECKING:
    from designer.session.session import DebugSession

# The reasons of a stop that is the user's own doing, and can be inside a superstep.
STOPS = ("breakpoint", "delivery", "here", "held", "code", "outside")
# Breakpoints of these kinds stop after what they name.
_AFTER = ("after", "failure", "question", "output", "write")


def title(session: DebugSession, stopped: StoppedBody) -> str:
    """Return where the run stands: "Stopped before Age check"."""
    hit = stopped.breakpoint
    if hit is not None and hit.kind not in ("before", "after"):
        return _at(session, stopped, hit)
    if stopped.reason == "held":
        return "Only held executors are left to run"
    if stopped.delivery is None:
        return f"Stopped after superstep {stopped.superstep}"
    name = _name(session, stopped.delivery)
    if stopped.reason == "outside":
        return f"{name} would reach outside again"
    if stopped.reason == "code":
        return f"Stopped in {name}, by breakpoint_here"
    word = "after" if _is_over(session, stopped) else "before"
    return f"Stopped {word} {name}"


def _at(session: DebugSession, stopped: StoppedBody, hit: BreakpointHit) -> str:
    """Return the title of a breakpoint that is not about a delivery as such."""
    delivery = stopped.delivery
    name = _name(session, delivery) if delivery is not None else ""
    place = title_in(session.moment, hit.where) or name or hit.where
    match hit.kind:
        case "message":
            return f"Stopped at a message to {place}"
        case "write":
            return f"Stopped as {name or 'the run'} writes {hit.where or 'a key'}"
        case "failure":
            return f"Stopped as {place} fails"
        case "question":
            return f"Stopped as {place} asks"
        case "output":
            return f"Stopped as {place} yields an output"
        case "fires":
            return f"Stopped as the join into {name or place} fires"
        case "starves":
            return "Stopped as a join starves"
    return f"Stopped at {place}"


def reason(
    session: DebugSession, stopped: StoppedBody, point: Breakpoint | None
) -> str:
    """Return the rest of the banner: place, condition, hit, and what is done."""
    if stopped.reason == "outside":
        return _outside(session, stopped)
    parts = [place_words(stopped)]
    hit = stopped.breakpoint
    if hit is not None:
        condition = only_if(point) if point is not None else ""
        if condition:
            parts.append(f"because {condition}")
        elif hit.kind not in ("before", "after", "fires"):
            # The title says it of these.
            parts.append(hit.because.rstrip("."))
        parts.append(f"hit {hit.hit:,}")
    elif stopped.text:
        parts.append(stopped.text)
    parts.append(_done(session))
    return " · ".join(filter(None, parts))


def outside_path(stopped: StoppedBody) -> str:
    """Return the name of the executor whose call the run stands before."""
    delivery = stopped.delivery
    if delivery is None:
        return ""
    owners = [key.rpartition("#")[0] or key for key in delivery.path]
    return "/".join((*owners, delivery.executor))


def _outside(session: DebugSession, stopped: StoppedBody) -> str:
    """Return what the call does and why it has no recorded result, or what the user has
    decided since.
    """
    match session.results.mode_of(outside_path(stopped)):
        case "pinned":
            return "Your pinned result is used when you go on."
        case "live":
            return "It runs live when you go on, as you chose."
    return stopped.text


def place_words(stopped: StoppedBody) -> str:
    """Return the place in the run: "superstep 2, delivery 3 of 3"."""
    delivery = stopped.delivery
    if delivery is None:
        return ""
    superstep = stopped.superstep + 1
    return f"superstep {superstep:,}, delivery {delivery.place:,} of {delivery.of:,}"


def status_place(session: DebugSession, stopped: StoppedBody) -> str:
    """Return the place for the status bar: "before Age check, delivery 3 of 3"."""
    delivery = stopped.delivery
    if delivery is None:
        return ""
    if stopped.reason == "code":
        word = "in"
    else:
        word = "after" if _is_over(session, stopped) else "before"
    name = _name(session, delivery)
    return f"{word} {name}, delivery {delivery.place:,} of {delivery.of:,}"


def _name(session: DebugSession, delivery: DeliveryPlace) -> str:
    """Return an executor's title, if its level is known."""
    if not delivery.path:
        return title_in(session.moment, delivery.executor) or delivery.executor
    return title_in(session.seen, delivery.executor) or delivery.executor


def _is_over(session: DebugSession, stopped: StoppedBody) -> bool:
    """Return whether the delivery at which the run stands has ended."""
    delivery = stopped.delivery
    standing = session.standing
    if delivery is None:
        return False
    for moment in standing.deliveries if standing is not None else ():
        if moment.place == delivery.place and moment.executor == delivery.executor:
            return moment.state in ("done", "failed")
    hit = stopped.breakpoint
    return hit is not None and hit.kind in _AFTER


def _done(session: DebugSession) -> str:
    """Return how many deliveries of the superstep are done."""
    standing = session.standing
    if standing is None or not standing.deliveries:
        return ""
    done = sum(delivery.state == "done" for delivery in standing.deliveries)
    count = len(standing.deliveries) + standing.left_out
    return f"{done:,} of {count:,} deliveries done"
