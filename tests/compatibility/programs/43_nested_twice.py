"""A workflow in a workflow in a workflow; a question from the innermost, and its checkpoint."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
    response_handler,
)

from tests.compatibility.facts import told


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        ctx.set_state("text", text)
        await ctx.request_info(f"{text}?", int, request_id="deep")

    @response_handler
    async def answer(
        self, text: str, number: int, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{ctx.get_state('text')} {number}")


def build(storage):
    @executor
    async def show(text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"<{text}>")

    inner = WorkflowBuilder(name="inner", start_executor=Ask("ask")).build()
    sub = WorkflowExecutor(
        inner, id="sub", allow_direct_output=True, propagate_request=True
    )
    middle = WorkflowBuilder(name="middle", start_executor=sub).build()
    outer = WorkflowExecutor(middle, id="outer", propagate_request=True)
    builder = WorkflowBuilder(
        name="whole", start_executor=outer, checkpoint_storage=storage
    )
    return builder.add_edge(outer, show).build()


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    workflow = build(storage)
    asked = await workflow.run("how many")
    paused = workflow.get_last_checkpoint_id()
    done = await workflow.run(responses={"deep": 3})
    again = await build(storage).run(checkpoint_id=paused, responses={"deep": 4})
    return {
        "asked": told(asked, "request_info"),
        "state": asked.get_final_state(),
        "outputs": done.get_outputs(),
        "rebuilt": again.get_outputs(),
        "end": [done.get_final_state(), again.get_final_state()],
    }
