"""A small limit of supersteps, and a conversation of many answers."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowConvergenceException,
    handler,
    response_handler,
)


class Ask(Executor):
    @handler
    async def ask(self, number: int, ctx: WorkflowContext) -> None:
        await ctx.request_info(number, int, request_id=f"q{number}")

    @response_handler
    async def answer(
        self, number: int, step: int, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.request_info(number + step, int, request_id=f"q{number + step}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask"), max_iterations=3).build()
    await workflow.run(0)
    answered = []
    try:
        for number in range(4):
            result = await workflow.run(responses={f"q{number}": 1})
            answered.append(result.get_final_state().value)
    except WorkflowConvergenceException:
        answered.append("limit")
    return {"answered": answered, "a fresh run": (await _fresh(workflow))}


async def _fresh(workflow) -> str:
    try:
        return (await workflow.run(10)).get_final_state().value
    except RuntimeError as error:
        return str(error)[:40]
