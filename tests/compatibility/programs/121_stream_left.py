"""A stream that is left: after each third superstep, until there is an output; and what a reader sees at each event."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import plain


class Step(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.calls = 0

    @handler
    async def step(self, number: int, ctx: WorkflowContext[int, str]) -> None:
        self.calls += 1
        if number < 10:
            await ctx.send_message(number + 1)
        else:
            await ctx.yield_output(f"{number} in the end")


def build(storage=None):
    a, b = Step("a"), Step("b")
    builder = WorkflowBuilder(
        name="to and fro", start_executor=a, checkpoint_storage=storage
    )
    return builder.add_edge(a, b).add_edge(b, a).build(), a, b


async def saved(storage) -> list:
    return sorted(
        one.iteration_count
        for one in await storage.list_checkpoints(workflow_name="to and fro")
    )


async def left_and_resumed() -> dict:
    storage = InMemoryCheckpointStorage()
    outputs, supersteps, calls, at = [], [], 0, None
    while not outputs:
        workflow, a, b = build(storage)
        stream = (
            workflow.run(checkpoint_id=at, stream=True)
            if at
            else workflow.run(1, stream=True)
        )
        async for event in stream:
            if event.type == "output":
                outputs.append(event.data)
                break
            if event.type == "superstep_completed" and event.iteration % 3 == 0:
                break
        newest = await storage.get_latest(workflow_name="to and fro")
        at = newest.checkpoint_id
        supersteps.append(newest.iteration_count)
        calls += a.calls + b.calls
    return {
        "outputs": outputs,
        "supersteps": supersteps,
        "calls": calls,
        "saved": await saved(storage),
    }


async def seen_at_each_event() -> list:
    storage = InMemoryCheckpointStorage()
    workflow, a, b = build(storage)
    return [
        f"{event.type}: {plain(workflow.status)}, {await saved(storage)}, {a.calls + b.calls} calls"
        async for event in workflow.run(8, stream=True)
        if event.type
        in ("started", "status", "superstep_started", "superstep_completed")
    ]


async def in_a_block() -> dict:
    workflow, a, b = build()
    async with workflow.run(1, stream=True) as stream:
        async for event in stream:
            if event.type == "superstep_completed":
                break
    after = [event.type async for event in stream]
    result = await stream.get_final_response()
    return {
        "calls": a.calls + b.calls,
        "after": after,
        "result": [event.type for event in result],
    }


async def closed_before_it_began() -> dict:
    workflow, a, _ = build()
    stream = workflow.run(1, stream=True)
    await stream.close()
    return {"events": list(await stream.get_final_response()), "calls": a.calls}


async def main() -> dict:
    return {
        "left and resumed": await left_and_resumed(),
        "at each event": await seen_at_each_event(),
        "in a block": await in_a_block(),
        "closed before it began": await closed_before_it_began(),
    }
