"""A second run while one is active is refused; afterwards it is not."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowException,
    handler,
)

from tests.compatibility.facts import refused


class Step(Executor):
    @handler
    async def step(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.yield_output(text)


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Step("a")).build()
    stream = workflow.run("x", stream=True)
    seen = [await anext(aiter(stream))]
    text = refused(WorkflowException, lambda: workflow.run("y"))
    seen += [event async for event in stream]
    return {
        "refused": text,
        "finished": seen[-1].state,
        "again": (await workflow.run("y")).get_outputs(),
    }
