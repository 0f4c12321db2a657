"""A key of the shared state that begins with an underscore."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler


class Use(Executor):
    @handler
    async def use(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        try:
            ctx.set_state("_hidden", text)
            ctx.set_state("plain", text)
            await ctx.yield_output(ctx.get_state("_hidden"))
        except ValueError as error:
            await ctx.yield_output(type(error).__name__)


async def main() -> dict:
    return {
        "outputs": (
            await WorkflowBuilder(start_executor=Use("use")).build().run("x")
        ).get_outputs()
    }
