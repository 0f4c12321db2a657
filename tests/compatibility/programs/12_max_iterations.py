"""A loop that does not end meets the limit of supersteps; one that ends exactly at the limit does not."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowConvergenceException,
    handler,
)

from tests.compatibility.facts import caught, told


class Count(Executor):
    @handler
    async def count(self, number: int, ctx: WorkflowContext[int, int]) -> None:
        if number:
            await ctx.send_message(number - 1)
        else:
            await ctx.yield_output(0)


def build(limit: int):
    a, b = Count("a"), Count("b")
    return (
        WorkflowBuilder(start_executor=a, max_iterations=limit)
        .add_edge(a, b)
        .add_edge(b, a)
        .build()
    )


async def main() -> dict:
    seen = []
    workflow = build(4)

    async def watch() -> None:
        async for event in workflow.run(9, stream=True):
            seen.append(event)  # noqa: PERF401

    return {
        "error": await caught(WorkflowConvergenceException, watch),
        "events": told(seen),
        "status": workflow.status,
        "exactly": (await build(4).run(3)).get_outputs(),
        "one more": await caught(WorkflowConvergenceException, lambda: build(4).run(4)),
    }
