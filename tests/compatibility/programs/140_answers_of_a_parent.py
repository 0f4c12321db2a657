"""An executor of the parent answers a sub-workflow with a value of another type: refused where it is made."""

from agent_framework import (
    Executor,
    SubWorkflowRequestMessage,
    SubWorkflowResponseMessage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
    response_handler,
)

from tests.compatibility.facts import caught


class Ask(Executor):
    @handler
    async def ask(self, number: int, ctx: WorkflowContext) -> None:
        await ctx.request_info(number, str)

    @response_handler
    async def answer(
        self, number: int, name: str, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{number} is {name}")


class Parent(Executor):
    def __init__(self, id: str, answer) -> None:
        super().__init__(id)
        self.answer = answer

    @handler
    async def begin(self, number: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(number)

    @handler
    async def reply(
        self,
        request: SubWorkflowRequestMessage,
        ctx: WorkflowContext[SubWorkflowResponseMessage, list],
    ) -> None:
        event = request.source_event
        await ctx.yield_output(
            [
                event.type,
                event.data,
                event.request_type,
                event.response_type,
                event.source_executor_id,
                request.executor_id,
            ]
        )
        await ctx.send_message(
            request.create_response(self.answer), target_id=request.executor_id
        )

    @handler
    async def collect(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(text)


def build(answer):
    inner = WorkflowBuilder(start_executor=Ask("ask")).build()
    parent, sub = Parent("parent", answer), WorkflowExecutor(inner, id="sub")
    return (
        WorkflowBuilder(start_executor=parent)
        .add_edge(parent, sub)
        .add_edge(sub, parent)
        .build()
    )


async def main() -> dict:
    return {
        "fits": (await build("one").run(1)).get_outputs(),
        "does not": await caught(TypeError, lambda: build(5).run(1), 65),
    }
