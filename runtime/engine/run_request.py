"""`RunRequest`: what a call of `Workflow.run`, `resume` or `cancel_pending_requests`
asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from runtime.values.records import record

if TYPE_CHECKING:
    from runtime.engine.replay.settings import Replay
    from runtime.migration.mapping import GraphMapping

# What a run does about a checkpoint of another graph.
OnChange = Literal["refuse", "migrate"]


def check_on_change(on_change: Any) -> None:
    """Raise `ValueError` for anything that is no `OnChange`."""
    if on_change not in get_args(OnChange):
        raise ValueError(f"on_change is 'refuse' or 'migrate', not {on_change!r}.")


@record
class RunRequest:
    """What a run begins with; `Workflow.run` explains the ways. With no field given, it
    goes on from the last barrier.

    limit      how many supersteps the run may have in all
    cancel     ids of open requests that are cancelled
    tools      what handlers get by `ctx.get_runtime_tools()`
    on_change  what to do if the checkpoint is of another graph; `mapping` is that of `Runner.plan_change`
    replay     what happens of calls that reach outside, after a restore
    """

    message: Any = None
    responses: Mapping[str, Any] | None = None
    checkpoint_id: str | None = None
    limit: int | None = None
    cancel: tuple[str, ...] = ()
    tools: list[Any] | None = None
    on_change: OnChange = "refuse"
    mapping: GraphMapping | None = None
    replay: Replay | None = None

    @classmethod
    def of(
        cls,
        message: Any,
        responses: Mapping[str, Any] | None,
        checkpoint_id: str | None,
        *,
        tools: list[Any] | None = None,
        on_change: OnChange = "refuse",
        replay: Replay | None = None,
    ) -> RunRequest:
        """Raise `ValueError` for a combination that has no meaning, and `TypeError` for
        responses without ids.
        """
        if responses is not None and not isinstance(responses, Mapping):
            raise TypeError(
                f"responses maps request ids to answers; got {type(responses).__name__}."
            )
        if message is not None and responses is not None:
            raise ValueError(
                "Cannot provide both 'message' and 'responses'. Answer first, or begin a new run."
            )
        if message is not None and checkpoint_id is not None:
            raise ValueError(
                "Cannot provide both 'message' and 'checkpoint_id'. A checkpoint goes on without a message."
            )
        if message is None and responses is None and checkpoint_id is None:
            raise ValueError(
                "Must provide at least one of: 'message' (new run; None is no message), 'responses' (send responses), "
                "or 'checkpoint_id' (resume from checkpoint)."
            )
        if replay is not None and checkpoint_id is None:
            raise ValueError(
                "Cannot provide 'replay' without 'checkpoint_id': only a run that goes on from the past has results."
            )
        check_on_change(on_change)
        return cls(
            message,
            responses,
            checkpoint_id,
            tools=tools,
            on_change=on_change,
            replay=replay,
        )
