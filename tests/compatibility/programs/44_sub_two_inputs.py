"""Two messages for one sub-workflow in one superstep, and its failure."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
)

from tests.compatibility.facts import caught


class Inside(Executor):
    @handler
    async def inside(self, number: int, ctx: WorkflowContext[None, str]) -> None:
        if number == 13:
            raise ArithmeticError("unlucky")
        await ctx.yield_output(f"inside {number}")


@executor
async def start(number: int, ctx: WorkflowContext[int]) -> None:
    await ctx.send_message(number)
    await ctx.send_message(number + 1)


@executor
async def show(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(text)


def build():
    inner = WorkflowBuilder(start_executor=Inside("inside")).build()
    return (
        WorkflowBuilder(start_executor=start)
        .add_chain([start, WorkflowExecutor(inner, id="sub"), show])
        .build()
    )


async def main() -> dict:
    workflow = build()
    failing = build()
    return {
        "outputs": (await workflow.run(1)).get_outputs(),
        "error": await caught(ArithmeticError, lambda: failing.run(12)),
        "status": failing.status,
    }
