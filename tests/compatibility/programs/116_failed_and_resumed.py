"""A step fails; the run goes on from the checkpoint before it, when what was missing is there."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import caught

SERVICE = {"up": False}


class Load(Executor):
    @handler
    async def load(self, name: str, ctx: WorkflowContext[list[str]]) -> None:
        ctx.set_state("name", name)
        await ctx.send_message([f"{name}{number}" for number in range(3)])


class Call(Executor):
    @handler
    async def call(self, rows: list[str], ctx: WorkflowContext[list[str]]) -> None:
        if not SERVICE["up"]:
            raise ConnectionError("the service is down")
        await ctx.send_message([row.upper() for row in rows])


@executor
async def store(rows: list[str], ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"{ctx.get_state('name')}: {','.join(rows)}")


def build(storage):
    load, call = Load("load"), Call("call")
    builder = WorkflowBuilder(
        name="rows", start_executor=load, checkpoint_storage=storage
    )
    return builder.add_chain([load, call, store]).build()


async def main() -> dict:
    SERVICE["up"] = False
    storage = InMemoryCheckpointStorage()
    workflow = build(storage)
    error = await caught(ConnectionError, lambda: workflow.run("r"))
    status = workflow.status
    latest = await storage.get_latest(workflow_name="rows")
    again = await caught(
        ConnectionError, lambda: workflow.run(checkpoint_id=latest.checkpoint_id)
    )
    SERVICE["up"] = True
    same = await workflow.run(checkpoint_id=latest.checkpoint_id)
    other = await build(storage).run(checkpoint_id=latest.checkpoint_id)
    return {
        "error": [error, again],
        "status": status,
        "latest": latest.iteration_count,
        "same": same.get_outputs(),
        "other": other.get_outputs(),
    }
