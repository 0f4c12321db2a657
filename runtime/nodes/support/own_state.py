"""What a built-in node remembers: of one run, so that a counter or a loop guard begins anew with each."""

from __future__ import annotations

from typing import Any

from runtime.executors.executor import WorkflowContext


def of_this_run(ctx: WorkflowContext[Any, Any]) -> dict[str, Any]:
    """The node's own record, empty at its first message of a run. `Workflow.run` keeps those of the run before, as
    code of users may want them; whoever counts rounds does not expect those of another input.
    """
    if ctx.is_first:
        ctx.executor_state.clear()
    return ctx.executor_state
