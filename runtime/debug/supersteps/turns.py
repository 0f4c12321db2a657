"""The supersteps in which an executor ran, a line each."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.debug.protocol import Turn
from runtime.debug.supersteps.trail import Step


def turn_of(step: Step, keys: Sequence[str], node: str) -> Turn | None:
    """Return what an executor did in one superstep, as a line of its history; None
    if it did not run.
    """
    name = "/".join((*keys, node))
    calls = [
        invocation
        for invocation in step.trace.invocations
        if invocation.executor_id == name
    ]
    if not calls:
        return None
    return Turn(
        superstep=step.header.superstep,
        checkpoint_id=step.header.id,
        calls=len(calls),
        seconds=sum(call.seconds for call in calls),
        sent=sum(call.sent for call in calls),
        outputs=sum(call.outputs for call in calls),
        wrote=tuple(dict.fromkeys(key for call in calls for key in call.wrote)),
        asked=sum(len(call.asked) for call in calls),
    )
