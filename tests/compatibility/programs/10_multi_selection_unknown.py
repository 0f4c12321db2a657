"""A selection that names an unknown target fails the run."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import caught


@executor
async def source(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(text)


async def main() -> dict:
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_multi_selection_edge_group(
            source, [Say("a"), Say("b")], lambda text, ids: ["a", "nobody"]
        )
        .build()
    )
    seen = []

    async def watch() -> None:
        async for event in workflow.run("x", stream=True):
            seen.append(event)  # noqa: PERF401

    return {
        "error": await caught(RuntimeError, watch, 24),
        "types": [event.type for event in seen],
        "status": workflow.status,
    }
