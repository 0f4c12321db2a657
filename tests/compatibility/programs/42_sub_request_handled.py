"""An executor of the parent answers a sub-workflow's question."""

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
    @handler
    async def begin(self, number: int, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message(number)

    @handler
    async def reply(
        self,
        request: SubWorkflowRequestMessage,
        ctx: WorkflowContext[SubWorkflowResponseMessage],
    ) -> None:
        names = {1: "one", 2: "two"}
        answer = request.create_response(names[request.source_event.data])
        await ctx.send_message(answer, target_id=request.executor_id)

    @handler
    async def collect(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(text)


async def main() -> dict:
    inner = WorkflowBuilder(start_executor=Ask("ask")).build()
    parent, sub = Parent("parent"), WorkflowExecutor(inner, id="sub")
    workflow = (
        WorkflowBuilder(start_executor=parent)
        .add_edge(parent, sub)
        .add_edge(sub, parent)
        .build()
    )
    results = [await workflow.run(number) for number in (1, 2)]
    return {
        "outputs": [one.get_outputs() for one in results],
        "states": [one.get_final_state() for one in results],
        "asked outside": [len(one.get_request_info_events()) for one in results],
    }
