"""Tools that a run is given reach the handlers, and stay out of the state."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


def hammer() -> str:
    return "bang"


class Use(Executor):
    @handler
    async def use(self, text: str, ctx: WorkflowContext[None, list]) -> None:
        tools = ctx.get_runtime_tools()
        await ctx.yield_output(
            [getattr(one, "__name__", type(one).__name__) for one in tools or []]
        )


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    workflow = WorkflowBuilder(
        name="tools", start_executor=Use("use"), checkpoint_storage=storage
    ).build()
    given = await workflow.run("x", tools=[hammer])
    without = await workflow.run("x")
    found = await storage.list_checkpoints(workflow_name="tools")
    return {
        "given": given.get_outputs(),
        "without": without.get_outputs(),
        "user keys": [
            [key for key in one.state if not key.startswith("_")] for one in found
        ],
    }
