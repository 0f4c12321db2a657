"""The supersteps in which an executor ran, a line each; and the last in which messages
came to an edge group.
"""

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


def last_traffic(steps: Sequence[Step], edge: str) -> str | None:
    """Return the checkpoint after the first of these supersteps in which messages came
    to an edge group, taken or not; None if there is none.
    """
    for step in steps:
        if any(fate.edge_id == edge for fate in step.trace.fates):
            return step.header.id
    return None
