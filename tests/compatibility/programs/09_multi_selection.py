"""A selection names none, one or several targets; naming one twice delivers once."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@executor
async def source(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id} {text}")


def select(text: str, target_ids: list[str]) -> list[str]:
    if text == "all":
        return target_ids
    return [name for name in text.split(",") if name]


async def main() -> dict:
    targets = [Say("a"), Say("b"), Say("c")]
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_multi_selection_edge_group(source, targets, select)
        .build()
    )
    results = [await workflow.run(text) for text in ("all", "b", "c,a", "b,b", ",")]
    return {
        "outputs": [sorted(result.get_outputs()) for result in results],
        "states": [result.get_final_state() for result in results],
    }
