"""A message that the start executor does not take."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import caught, told


class Number(Executor):
    @handler
    async def take(self, number: int, ctx: WorkflowContext[None, int]) -> None:
        await ctx.yield_output(number)


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Number("number")).build()
    seen = []

    async def watch() -> None:
        async for event in workflow.run("text", stream=True):
            seen.append(event)  # noqa: PERF401

    return {
        "error": await caught(RuntimeError, watch, 58),
        "events": told(seen),
        "status": workflow.status,
        "afterwards": (await workflow.run(7)).get_outputs(),
        "bool is an int": (await workflow.run(True)).get_outputs(),
    }
