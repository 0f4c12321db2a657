"""Input and output of every executor, read from the events of a stream."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Split(Executor):
    @handler
    async def split(self, text: str, ctx: WorkflowContext[str]) -> None:
        for word in text.split():
            await ctx.send_message(word)


class Shout(Executor):
    @handler
    async def shout(self, word: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(word.upper())


async def main() -> dict:
    split, shout = Split("split"), Shout("shout")
    workflow = WorkflowBuilder(start_executor=split).add_edge(split, shout).build()
    return {
        "lines": [
            f"{event.type} {event.executor_id} {event.data!r}"
            async for event in workflow.run("one two", stream=True)
            if event.type in ("executor_invoked", "executor_completed", "output")
        ]
    }
