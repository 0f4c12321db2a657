"""Each workflow has its own limit of supersteps: what goes on inside leaves that of the parent alone."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowConvergenceException,
    WorkflowExecutor,
    executor,
    handler,
)

from tests.compatibility.facts import caught


class Count(Executor):
    @handler
    async def count(self, left: int, ctx: WorkflowContext[int, str]) -> None:
        await (ctx.send_message(left - 1) if left else ctx.yield_output("counted"))


@executor
async def last(text: str, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"<{text}>")


def build(limit: int, inside: int):
    count = Count("count")
    inner = (
        WorkflowBuilder(start_executor=count, max_iterations=inside)
        .add_edge(count, count)
        .build()
    )
    sub = WorkflowExecutor(inner, id="sub")
    return (
        WorkflowBuilder(start_executor=sub, max_iterations=limit)
        .add_edge(sub, last)
        .build()
    )


async def outcome(limit: int, inside: int, number: int):
    workflow = build(limit, inside)
    error = await caught(WorkflowConvergenceException, lambda: workflow.run(number))
    return (
        error
        if error != "nothing"
        else (await build(limit, inside).run(number)).get_outputs()
    )


async def main() -> dict:
    return {
        "the parent needs two": await outcome(2, 50, 20),
        "one is too few": await outcome(1, 50, 20),
        "inside it is enough": await outcome(2, 21, 20),
        "inside it is not": await outcome(2, 20, 20),
    }
