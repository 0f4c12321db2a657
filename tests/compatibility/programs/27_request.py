"""One question, one answer: a run that pauses and goes on."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)

from tests.compatibility.facts import told


@dataclass
class Question:
    text: str


class Gate(Executor):
    @handler
    async def ask(self, order: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(Question(f"ship {order}?"), bool, request_id="ship")

    @response_handler
    async def answer(
        self, question: Question, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(
            f"{question.text} {yes} {ctx.request_id} {ctx.source_executor_ids}"
        )


async def main() -> dict:
    gate = Gate("gate")
    workflow = WorkflowBuilder(start_executor=gate).build()
    asked = await workflow.run("tea")
    (request,) = asked.get_request_info_events()
    paused = workflow.status
    done = await workflow.run(responses={request.request_id: True})
    return {
        "asked": told(asked),
        "request": [
            request.request_id,
            request.source_executor_id,
            request.data.text,
            request.response_type,
        ],
        "capable": [
            gate.is_request_response_capable,
            gate.is_request_supported(Question, bool),
        ],
        "paused": [paused, asked.get_final_state(), asked.get_outputs()],
        "origins": [f"{event.type} {event.origin.value}" for event in asked],
        "done": told(done),
        "outputs": done.get_outputs(),
        "end": [
            workflow.status,
            done.get_final_state(),
            len(done.get_request_info_events()),
        ],
    }
