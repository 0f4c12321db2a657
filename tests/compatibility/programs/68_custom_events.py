"""Events that executors emit themselves, among them ones that belong to the engine."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowEvent,
    handler,
)

from tests.compatibility.facts import told


class Emit(Executor):
    @handler
    async def emit(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.add_event(WorkflowEvent("progress", data={"done": 1}))
        await ctx.add_event(WorkflowEvent.warning("careful"))
        await ctx.add_event(WorkflowEvent("output", data="forged"))
        await ctx.add_event(WorkflowEvent("failed", data="forged"))
        await ctx.add_event(WorkflowEvent("executor_completed", executor_id="other"))


async def main() -> dict:
    result = await WorkflowBuilder(start_executor=Emit("emit")).build().run("x")
    return {
        "custom": [
            [one.type, one.data, one.origin.value]
            for one in result
            if one.type == "progress"
        ],
        "warnings": len(told(result, "warning")),
        "first warning": told(result, "warning")[0],
        "outputs": result.get_outputs(),
        "failed": told(result, "failed"),
        "forged": told(result, "executor_completed"),
    }
