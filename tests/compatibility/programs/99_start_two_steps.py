"""The first steps: a class and a function in a row, the input seen in events, the outputs read from the result."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


class Upper(Executor):
    def __init__(self, id: str):
        super().__init__(id=id)

    @handler
    async def to_upper(self, text: str, ctx: WorkflowContext[str]) -> None:
        await ctx.send_message(text.upper())


@executor(id="reverse")
async def reverse(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(text[::-1])


class Exclaim(Executor):
    @handler(input=str, workflow_output=str)
    async def exclaim(self, message, ctx) -> None:
        await ctx.yield_output(f"{message}!")


async def main() -> dict:
    upper = Upper("upper")
    one = WorkflowBuilder(start_executor=upper).add_edge(upper, reverse).build()
    upper, exclaim = Upper("upper"), Exclaim(id="exclaim")
    two = WorkflowBuilder(start_executor=upper).add_chain([upper, exclaim]).build()
    first, second = await one.run("hello world"), await two.run("hello")
    alone = await WorkflowBuilder(start_executor=Exclaim(id="alone")).build().run("x")
    return {
        "first": first.get_outputs(),
        "state": first.get_final_state(),
        "events": told(first),
        "second": second.get_outputs(),
        "alone": [alone.get_outputs(), told(alone)],
        "timeline": [event.state for event in first.status_timeline()],
    }
