"""What a handler can ask its context."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import refused


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    ctx.set_state("source", ctx.get_source_executor_id())
    await ctx.send_message(text)


class Relay(Executor):
    @handler
    async def relay(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.send_message(text)
        await ctx.yield_output("on the way")
        await ctx.send_message(text * 2)
        ctx.set_state(
            self.id,
            [ctx.get_sent_messages(), ctx.get_yielded_outputs(), ctx.request_id],
        )


@executor
async def join(texts: list[str], ctx: WorkflowContext[None, dict]) -> None:
    await ctx.yield_output(
        {
            "texts": texts,
            "source": ctx.get_state("source"),
            "a": ctx.get_state("a"),
            "sources": list(ctx.source_executor_ids),
            "one source": refused(RuntimeError, ctx.get_source_executor_id),
            "streams": ctx.is_streaming(),
        }
    )


async def main() -> dict:
    a, b = Relay("a"), Relay("b")
    workflow = (
        WorkflowBuilder(start_executor=start, output_from=[join])
        .add_edge(start, a)
        .add_edge(start, b)
        .add_fan_in_edges([a, b], join)
        .build()
    )
    outputs = (await workflow.run("x")).get_outputs()
    return {"first": outputs[0], "deliveries": len(outputs)}
