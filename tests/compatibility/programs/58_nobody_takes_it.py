"""Messages that nobody takes: no edge, or no handler for the type."""

from typing import Any

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


@executor
async def source(text: str, ctx: WorkflowContext[Any]) -> None:
    await ctx.send_message(len(text))


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text)


async def main() -> dict:
    say, end = Say("say"), Say("end")
    typed = (
        await WorkflowBuilder(start_executor=source)
        .add_edge(source, say)
        .build()
        .run("x")
    )
    open_end = await WorkflowBuilder(start_executor=end).build().run("x")
    return {
        "type mismatch": told(typed),
        "no edge": told(open_end),
        "states": [typed.get_final_state(), open_end.get_final_state()],
        "warnings": [len(told(one, "warning")) for one in (typed, open_end)],
    }
