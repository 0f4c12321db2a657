"""Conditions that must be awaited, that look at two types, and that raise."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import caught


@executor
async def source(text: str, ctx: WorkflowContext[str | int]) -> None:
    await ctx.send_message(int(text) if text.isdigit() else text)


class Take(Executor):
    @handler
    async def take_text(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id} text {text}")

    @handler
    async def take_number(self, number: int, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id} number {number}")


async def is_long(value) -> bool:
    await asyncio.sleep(0)
    return len(str(value)) > 2


def fails(value) -> bool:
    if value == 0:
        raise ZeroDivisionError("nothing to divide")
    return 12 % value == 0 if isinstance(value, int) else False


async def main() -> dict:
    long, even, rest = Take("long"), Take("even"), Take("rest")
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_edge(source, long, condition=is_long)
        .add_edge(source, even, condition=fails)
        .add_edge(source, rest)
        .build()
    )
    outputs = {
        text: sorted((await workflow.run(text)).get_outputs())
        for text in ("abc", "a", "6", "5", "1200")
    }
    return {
        "outputs": outputs,
        "fails": await caught(ZeroDivisionError, lambda: workflow.run("0")),
    }
