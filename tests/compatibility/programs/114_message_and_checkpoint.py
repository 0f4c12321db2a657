"""Combinations of arguments that have no meaning are refused, and change nothing."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import caught, refused


class History(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.history: list[str] = []

    @handler
    async def add(self, text: str, ctx: WorkflowContext[None, list[str]]) -> None:
        self.history.append(text)
        await ctx.yield_output(list(self.history))

    async def on_checkpoint_save(self) -> dict:
        return {"history": list(self.history)}

    async def on_checkpoint_restore(self, state: dict) -> None:
        self.history = list(state.get("history", []))


def build(storage):
    return WorkflowBuilder(
        name="history", start_executor=History("history"), checkpoint_storage=storage
    ).build()


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    first = await build(storage).run("hello")
    latest = await storage.get_latest(workflow_name="history")
    workflow = build(storage)
    both = await caught(
        ValueError,
        lambda: workflow.run("again", checkpoint_id=latest.checkpoint_id),
        50,
    )
    answers = await caught(
        ValueError, lambda: workflow.run("again", responses={"a": 1}), 46
    )
    none = await caught(ValueError, workflow.run, 20)
    await workflow.run(checkpoint_id=latest.checkpoint_id)
    second = await workflow.run("again")
    return {
        "first": first.get_outputs(),
        "both": both,
        "answers": answers,
        "none": none,
        "two steps": second.get_outputs(),
        "not awaited": refused(
            ValueError, lambda: workflow.run("x", checkpoint_id="y"), 20
        ),
    }
