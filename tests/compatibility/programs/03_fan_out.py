"""A fan-out: every target gets the message, in one superstep."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import told


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)
    await ctx.send_message(text * 2)


class Branch(Executor):
    @handler
    async def take(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id}:{text}:{ctx.get_source_executor_id()}")


async def main() -> dict:
    branches = [Branch(name) for name in ("one", "two", "three")]
    workflow = (
        WorkflowBuilder(start_executor=start).add_fan_out_edges(start, branches).build()
    )
    result = await workflow.run("x")
    return {
        "outputs": sorted(result.get_outputs()),
        "of each": [
            [
                event.data
                for event in result
                if event.type == "output" and event.executor_id == one.id
            ]
            for one in branches
        ],
        "supersteps": told(result, "superstep_started", "superstep_completed"),
        "invoked": sorted(told(result, "executor_invoked")),
        "completed": sorted(told(result, "executor_completed")),
    }
