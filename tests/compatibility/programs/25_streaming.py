"""A streamed run: events as they happen, and the result afterwards."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import told


class Step(Executor):
    @handler
    async def step(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        await ctx.yield_output(f"{self.id} {number} {ctx.is_streaming()}")
        if self.id == "a":
            await ctx.send_message(number + 1)


async def main() -> dict:
    a, b = Step("a"), Step("b")
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    stream = workflow.run(1, stream=True)
    seen = [event async for event in stream]
    result = await stream.get_final_response()
    not_iterated = await workflow.run(5, stream=True).get_final_response()
    return {
        "events": told(seen),
        "origins": [f"{event.type} {event.origin.value}" for event in seen],
        "result": told(result),
        "outputs": result.get_outputs(),
        "state": result.get_final_state(),
        "not iterated": told(not_iterated),
        "not streamed": (await workflow.run(1)).get_outputs(),
    }
