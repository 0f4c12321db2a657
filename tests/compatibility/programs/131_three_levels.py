"""A workflow in a workflow in a workflow: outputs come up level by level, a question goes all the way out."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
    response_handler,
)


class Innermost(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(f"{text}?", str, request_id="deep")

    @response_handler
    async def answer(
        self, text: str, answer: str, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{text} {answer}")


class Wrap(Executor):
    @handler
    async def wrap(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id}({text})")


def around(inner, level: int, storage=None):
    sub, wrap = (
        WorkflowExecutor(inner, id=f"sub{level}", propagate_request=True),
        Wrap(f"wrap{level}"),
    )
    name = f"level{level}"
    return (
        WorkflowBuilder(name=name, start_executor=sub, checkpoint_storage=storage)
        .add_edge(sub, wrap)
        .build()
    )


def build(storage=None):
    innermost = WorkflowBuilder(
        name="innermost", start_executor=Innermost("innermost")
    ).build()
    return around(around(innermost, 1), 2, storage)


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    workflow = build(storage)
    asked = await workflow.run("really")
    (event,) = asked.get_request_info_events()
    done = await workflow.run(responses={event.request_id: "yes"})
    other = build(storage)
    latest = [
        one
        for one in await storage.list_checkpoints(workflow_name="level2")
        if one.pending_request_info_events
    ]
    resumed = await other.run(
        checkpoint_id=latest[-1].checkpoint_id, responses={event.request_id: "no"}
    )
    return {
        "asked": [event.source_executor_id, event.data, event.request_id],
        "outputs": done.get_outputs(),
        "resumed": resumed.get_outputs(),
        "end": [done.get_final_state(), resumed.get_final_state()],
    }
