"""Several questions, answered one after the other."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)

from tests.compatibility.facts import told


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(f"{self.id}?", str, request_id=f"{self.id}-1")
        await ctx.request_info(f"{self.id}??", int, request_id=f"{self.id}-2")

    @response_handler
    async def text(
        self, question: str, answer: str, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{question} {answer}")

    @response_handler
    async def number(
        self, question: str, answer: int, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{question} number {answer}")


async def main() -> dict:
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [Ask("a"), Ask("b")])
        .build()
    )
    asked = await workflow.run("x", include_status_events=True)
    first = await workflow.run(responses={"a-1": "yes"}, include_status_events=True)
    second = await workflow.run(responses={"b-2": 3, "a-2": 4})
    third = await workflow.run(responses={"b-1": "no"})
    return {
        "ids": sorted(event.request_id for event in asked.get_request_info_events()),
        "statuses": told(asked.status_timeline()),
        "first": told(first),
        "second": sorted(second.get_outputs()),
        "third": third.get_outputs(),
        "states": [one.get_final_state() for one in (asked, first, second, third)],
        "requests": [
            len(one.get_request_info_events()) for one in (asked, first, second, third)
        ],
    }
