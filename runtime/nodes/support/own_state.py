"""The memory of a built-in node for one run, so that a counter or a loop guard starts
again with each run.
"""

from __future__ import annotations

from typing import Any

from runtime.executors.executor import WorkflowContext


def of_this_run(ctx: WorkflowContext[Any, Any]) -> dict[str, Any]:
    """Return the node's own record, empty at its first message of a run.

    `Workflow.run` keeps the records of the run before, because user code may want
    them; a node that counts rounds does not expect those of another input.
    """
    if ctx.is_first:
        ctx.executor_state.clear()
    return ctx.executor_state
