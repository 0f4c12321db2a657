"""The executors that run in the place of nodes that are switched off.

`runtime.document.disabled` has the meaning of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from runtime.document.disabled import BYPASSED, DISABLED
from runtime.executors.executor import Executor, WorkflowContext, handler


class DisabledExecutor(Executor):
    """Takes every message and sends nothing."""

    never_sends: ClassVar[bool] = True

    @handler
    async def swallow(self, message: Any, ctx: WorkflowContext) -> None:
        """Do nothing with the message."""


class BypassedExecutor(Executor):
    """Sends every message on as it came."""

    @handler
    async def pass_on(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        await ctx.send_message(message)


_STAND_INS: Mapping[str, type[Executor]] = {
    DISABLED: DisabledExecutor,
    BYPASSED: BypassedExecutor,
}


def stand_in(type_: str, node_id: str) -> Executor | None:
    """Return the executor of a type that `effective` puts in; None for any other type."""
    executor_class = _STAND_INS.get(type_)
    return None if executor_class is None else executor_class(node_id, type=type_)
