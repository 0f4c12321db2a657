"""The answer to the question what happens outside of a run that goes on from the past."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from runtime.debug.protocol import OutsideCall, RestorePlanArguments, RestorePlanBody
from runtime.debug.session.replays import replay_of
from runtime.debug.session.session import Session
from runtime.debug.values.shapes import clean

if TYPE_CHECKING:
    from runtime.engine.replay.plan import PlannedCall


async def restore_plan(
    session: Session, arguments: RestorePlanArguments
) -> RestorePlanBody:
    """Return which calls are made, and which have a result that is there already. Raise
    `SignatureMismatchError` for a checkpoint of another graph, and `ValueError` for
    settings that name an executor that does not reach outside.
    """
    from runtime.engine.replay.plan import plan_words

    comes_from = session.runner.header if session.has_run else None
    runner = session.planning_runner()
    planned = await runner.plan_outside(
        arguments.checkpoint_id,
        replay_of(arguments.replay, comes_from),
        arguments.patch,
    )
    return RestorePlanBody(
        checkpoint_id=arguments.checkpoint_id,
        calls=planned_calls(planned),
        words=clean(plan_words(planned)),
    )


def planned_calls(planned: Iterable[PlannedCall]) -> tuple[OutsideCall, ...]:
    """Return planned calls in the words of the protocol."""
    return tuple(
        OutsideCall.model_validate(
            {
                "executor": call.executor_id,
                "path": call.path,
                "calls": call.calls,
                "mode": call.mode,
                "what": clean(call.what),
                "reason": clean(call.reason),
                "superstep": call.superstep,
                "is_unasked": call.is_unasked,
            }
        )
        for call in planned
    )
