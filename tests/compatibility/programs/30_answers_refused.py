"""Answers that nobody asked for, or of a wrong type, change nothing."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)

from tests.compatibility.facts import caught, refused, told


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(text, int, request_id="q")

    @response_handler
    async def answer(
        self, text: str, answer: int, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{text} {answer}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    facts = {
        "nothing asked": await caught(
            RuntimeError, lambda: workflow.run(responses={"q": 1}), 10
        )
    }
    asked = await workflow.run("x")
    facts["unknown id"] = await caught(
        ValueError, lambda: workflow.run(responses={"other": 1}), 0
    )
    facts["wrong type"] = await caught(
        ValueError, lambda: workflow.run(responses={"q": "text"}), 0
    )
    facts["one of both"] = await caught(
        ValueError, lambda: workflow.run(responses={"q": 1, "other": 1}), 0
    )
    seen = []

    async def watch() -> None:
        async for event in workflow.run(responses={"other": 1}, stream=True):
            seen.append(event)  # noqa: PERF401

    facts["streamed"] = [await caught(ValueError, watch, 0), told(seen)]
    facts["status"] = workflow.status
    facts["still open"] = (await workflow.run(responses={"q": 1})).get_outputs()
    facts["used up"] = await caught(
        RuntimeError, lambda: workflow.run(responses={"q": 1}), 10
    )
    facts["message too"] = refused(
        ValueError, lambda: workflow.run("x", responses={"q": 1})
    )
    facts["nothing"] = refused(ValueError, workflow.run)
    facts["checkpoint too"] = refused(
        ValueError, lambda: workflow.run("x", checkpoint_id="c")
    )
    facts["asked"] = len(asked.get_request_info_events())
    return facts
