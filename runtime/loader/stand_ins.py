"""What runs in place of a node that is switched off (`runtime.document.disabled`)."""

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
        """Nothing: that is what it is for."""


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
    """The executor of a type that `effective` puts in; None for any other type."""
    found = _STAND_INS.get(type_)
    return None if found is None else found(node_id, type=type_)
