"""Events and states as text, as a program prints them."""

from agent_framework import (
    Executor,
    ValidationTypeEnum,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowEvent,
    WorkflowEventSource,
    WorkflowRunState,
    handler,
    response_handler,
)


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        await ctx.yield_output(text)
        await ctx.request_info(text, bool, request_id="q")

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[str, str]
    ) -> None:
        pass


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    result = await workflow.run("x", include_status_events=True)
    made = [
        WorkflowEvent("custom", {"a": 1}, executor_id="e"),
        WorkflowEvent.warning("careful"),
        WorkflowEvent.status(WorkflowRunState.IDLE),
        WorkflowEvent.superstep_started(3),
        WorkflowEvent.request_info("id", "who", "what", str),
        WorkflowEvent(
            "output", "v", executor_id="e", iteration=2, state=WorkflowRunState.FAILED
        ),
    ]
    states = [
        WorkflowRunState.IDLE,
        WorkflowEventSource.FRAMEWORK,
        ValidationTypeEnum.EDGE_DUPLICATION,
    ]
    return {
        "of a run": [repr(event) for event in result],
        "made": [repr(event) for event in made],
        "str": [str(one) for one in states],
        "format": [f"{one}" for one in states],
        "repr": [repr(one) for one in states],
        "are texts": [isinstance(one, str) for one in states],
        "equal": [
            WorkflowRunState.IDLE == "IDLE",
            ValidationTypeEnum.EDGE_DUPLICATION == "EDGE_DUPLICATION",
        ],
        "printed": f"run ended as {result.get_final_state()}",
    }
