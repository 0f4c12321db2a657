"""Two cases of a switch lead to one target; a case that raises fails the run."""

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import caught, told


@executor
async def source(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Say(Executor):
    @handler
    async def say(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id} {text}")


async def main() -> dict:
    known = Say("known")
    cases = [
        Case(condition=lambda text: text.startswith("a"), target=known),
        Case(condition=lambda text: text.startswith("b"), target=known),
        Case(condition=lambda text: text[3] == "x", target=Say("other")),
        Default(target=Say("default")),
    ]
    workflow = (
        WorkflowBuilder(start_executor=source)
        .add_switch_case_edge_group(source, cases)
        .build()
    )
    results = [await workflow.run(text) for text in ("ab", "b", "cccx", "cccc")]
    seen = []

    async def watch() -> None:
        async for event in workflow.run("c", stream=True):
            seen.append(event)  # noqa: PERF401

    return {
        "outputs": [result.get_outputs() for result in results],
        "raises": await caught(IndexError, watch),
        "events": told(seen, "failed", "executor_failed", "executor_completed"),
        "statuses": told(seen, "status"),
    }
