"""A stream read to its end, its final answer, and a stream that nobody iterates."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import told


class Count(Executor):
    @handler
    async def count(self, left: int, ctx: WorkflowContext[int, int]) -> None:
        await ctx.yield_output(left)
        if left:
            await ctx.send_message(left - 1)


def build():
    a, b = Count("a"), Count("b")
    return WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(b, a).build()


async def main() -> dict:
    stream = build().run(2, stream=True)
    seen = [event async for event in stream]
    final = await stream.get_final_response()
    unread = await build().run(1, stream=True).get_final_response()
    return {
        "seen": told(seen),
        "final": [
            final.get_outputs(),
            final.get_final_state(),
            told(final) == told(seen, *{event.type for event in final}),
        ],
        "unread": [unread.get_outputs(), unread.get_final_state()],
        "streaming": [event.type for event in seen][:2],
    }
