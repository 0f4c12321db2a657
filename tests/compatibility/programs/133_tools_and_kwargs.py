"""Tools of one run are seen by its handlers and by those of sub-workflows, and by no later run."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
)


class Look(Executor):
    @handler
    async def look(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        tools = ctx.get_runtime_tools()
        await ctx.yield_output(f"{self.id} {None if tools is None else len(tools)}")
        await ctx.send_message(text)


def add(a: int, b: int) -> int:
    return a + b


async def main() -> dict:
    inner = WorkflowBuilder(start_executor=Look("inside")).build()
    look, sub = (
        Look("look"),
        WorkflowExecutor(inner, id="sub", allow_direct_output=True),
    )
    workflow = WorkflowBuilder(start_executor=look).add_edge(look, sub).build()
    return {
        "one": (await workflow.run("x", tools=add)).get_outputs(),
        "two": (await workflow.run("x", tools=[add, add])).get_outputs(),
        "none": (await workflow.run("x")).get_outputs(),
    }
