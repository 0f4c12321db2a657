"""A workflow in a workflow: its outputs become messages of the parent."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
)

from tests.compatibility.facts import told


class Double(Executor):
    @handler
    async def double(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        ctx.set_state("hidden", number)
        await ctx.send_message(number * 2)


class Text(Executor):
    @handler
    async def text(self, number: int, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"first {number}")
        await ctx.yield_output(f"second {number}")


@executor
async def start(number: int, ctx: WorkflowContext[int]) -> None:
    ctx.set_state("parent", 1)
    await ctx.send_message(number + 1)


@executor
async def show(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(
        f"<{text}> {ctx.get_state('hidden')} {ctx.get_source_executor_id()}"
    )


async def main() -> dict:
    double, text = Double("double"), Text("text")
    inner = (
        WorkflowBuilder(name="inner", start_executor=double)
        .add_edge(double, text)
        .build()
    )
    sub = WorkflowExecutor(inner, id="sub")
    workflow = (
        WorkflowBuilder(name="outer", start_executor=start)
        .add_chain([start, sub, show])
        .build()
    )
    result = await workflow.run(3)
    return {
        "outputs": result.get_outputs(),
        "state": result.get_final_state(),
        "ids": sorted({event.executor_id for event in result if event.executor_id}),
        "invoked": told(result, "executor_invoked"),
        "supersteps": len(told(result, "superstep_completed")),
        "events": told(result),
        "types": [sub.input_types[:1], sub.output_types],
    }
