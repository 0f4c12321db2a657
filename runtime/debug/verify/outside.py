"""Which executors of the next superstep reach outside, so that a proof must not run them
again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.debug.verify.results import UncheckedError
from runtime.engine.forecast import next_superstep

if TYPE_CHECKING:
    from runtime.executors.executor import Executor
    from runtime.state import RunState
    from runtime.workflow.workflow import Workflow

# Node types whose handlers read or change what is not part of the run.
_OUTSIDE = frozenset(
    {
        "chat_model",
        "csv_read",
        "csv_write",
        "delay",
        "http_request",
        "read_file",
        "schedule",
        "shell_command",
        "sql_query",
        "write_file",
    }
)


async def refuse_outside(workflow: Workflow, state: RunState) -> None:
    """Raise `UncheckedError` if the next superstep of a state runs an executor that reaches
    outside.
    """
    coming = await next_superstep(workflow, state)
    names: dict[str, None] = {}
    for call in coming.delivered:
        executor = _executor(workflow, call.path, call.executor_id)
        if executor.type in _OUTSIDE:
            names["/".join((*call.path, call.executor_id))] = None
    if not names:
        return
    verb = "reaches" if len(names) == 1 else "reach"
    raise UncheckedError(
        f"Not checked: {' and '.join(names)} {verb} outside.", tuple(names)
    )


def _executor(workflow: Workflow, path: tuple[str, ...], executor_id: str) -> Executor:
    from runtime.engine.sub_runs import sub_workflow
    from runtime.state import owner_of

    for key in path:
        workflow = sub_workflow(workflow, owner_of(key))  # type: ignore[assignment]
    return workflow.executors[executor_id]
