"""Two executors pass a number to and fro until it is large enough."""

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import told


class Guess(Executor):
    @handler
    async def guess(self, number: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(number * 2)


class Judge(Executor):
    @handler
    async def judge(self, number: int, ctx: WorkflowContext[int, int]) -> None:
        if number >= 20:
            await ctx.yield_output(number)
        else:
            await ctx.send_message(number)


async def main() -> dict:
    guess, judge = Guess("guess"), Judge("judge")
    workflow = (
        WorkflowBuilder(start_executor=guess)
        .add_edge(guess, judge)
        .add_edge(judge, guess)
        .build()
    )
    result = await workflow.run(3)
    return {
        "outputs": result.get_outputs(),
        "events": told(result),
        "limit": workflow.max_iterations,
    }
