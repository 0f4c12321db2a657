"""Which executors of the next superstep reach outside, so that a proof must not run them
again: it has their recorded results, or it does not check.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.calls import WAS_PINNED
from runtime.debug.verify.results import UncheckedError
from runtime.engine.forecast import next_superstep
from runtime.engine.replay.settings import Replay

if TYPE_CHECKING:
    from runtime.calls import Call
    from runtime.errors import OutsideCallError
    from runtime.executors.executor import Executor
    from runtime.state import RunState
    from runtime.workflow.workflow import Workflow


# Nothing is done outside for a proof.
ONLY_RECORDED = Replay(on_miss="refuse")


def not_recorded(error: OutsideCallError) -> UncheckedError:
    """Return why a superstep is not checked whose recorded result does not fit."""
    return UncheckedError(
        f"Not checked: {error.name} reaches outside, and {error.reason}.", (error.name,)
    )


async def refuse_outside(
    workflow: Workflow, state: RunState, recorded: Sequence[Call]
) -> None:
    """Raise `UncheckedError` if the next superstep of a state runs an executor that
    reaches outside, and no call of it is recorded.
    """
    known = {(call.path, call.executor_id) for call in recorded}
    coming = await next_superstep(workflow, state)
    names: dict[str, None] = {}
    for call in coming.delivered:
        executor = _executor(workflow, call.path, call.executor_id)
        is_recorded = (call.path, call.executor_id) in known
        if _reaches_outside(executor) and not is_recorded:
            names["/".join((*call.path, call.executor_id))] = None
    if not names:
        return
    verb = "reaches" if len(names) == 1 else "reach"
    raise UncheckedError(
        f"Not checked: {' and '.join(names)} {verb} outside.", tuple(names)
    )


def refuse_pinned(recorded: Sequence[Call]) -> None:
    """Raise `UncheckedError` if a call of a superstep had a result of the user's, which
    no checkpoint keeps.
    """
    names = dict.fromkeys(
        "/".join((*call.path, call.executor_id))
        for call in recorded
        if call.omitted == WAS_PINNED
    )
    if not names:
        return
    words = "a pinned result" if len(names) == 1 else "pinned results"
    raise UncheckedError(
        f"Not checked: {' and '.join(names)} had {words}.", tuple(names)
    )


def _reaches_outside(executor: Executor) -> bool:
    """Whether a proof must not run an executor again. A question to a person is a part
    of the run, so asking it does nothing outside yet.
    """
    if not executor.engine_reaches_outside:
        return False
    declared = [handler.outside for handler in executor.all_handlers]
    is_harmless = all(outside is None or outside.is_harmless for outside in declared)
    return not (is_harmless and executor.is_request_response_capable)


def _executor(workflow: Workflow, path: tuple[str, ...], executor_id: str) -> Executor:
    from runtime.engine.sub_runs import sub_workflow
    from runtime.state import owner_of

    for key in path:
        workflow = sub_workflow(workflow, owner_of(key))  # type: ignore[assignment]
    return workflow.executors[executor_id]
