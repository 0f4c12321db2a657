"""An executor that asks the outside, and sends the answer on."""

from __future__ import annotations

from typing import Any

from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)


class Asks(Executor):
    @handler
    async def ask(self, message: str, ctx: WorkflowContext[Any, Any]) -> None:
        await ctx.request_info(message, str)

    @response_handler
    async def answered(
        self, question: str, answer: str, ctx: WorkflowContext[Any, Any]
    ) -> None:
        await ctx.send_message(f"{question}: {answer}")
