"""A loop is left at some outputs and resumed from its latest checkpoint, until nothing is left to do."""

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


class Start(Executor):
    @handler
    async def start(self, upper: int, ctx: WorkflowContext[list[int]]) -> None:
        await ctx.send_message(list(range(1, upper + 1)))


class Work(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.pairs: dict[int, list[tuple[int, int]]] = {}

    @handler
    async def compute(
        self, numbers: list[int], ctx: WorkflowContext[list[int], dict]
    ) -> None:
        number, rest = numbers[0], numbers[1:]
        self.pairs[number] = [
            (one, number // one) for one in range(1, number + 1) if number % one == 0
        ]
        if rest:
            await ctx.send_message(rest, target_id=self.id)
        else:
            await ctx.yield_output(self.pairs)

    async def on_checkpoint_save(self) -> dict:
        return {"pairs": self.pairs}

    async def on_checkpoint_restore(self, state: dict) -> None:
        self.pairs = state.get("pairs", {})


def build(storage):
    start, work = Start("start"), Work("work")
    builder = WorkflowBuilder(
        name="pairs", start_executor=start, checkpoint_storage=storage
    )
    return builder.add_edge(start, work).add_edge(work, work).build()


async def main() -> dict:
    storage, latest, outputs, rounds = InMemoryCheckpointStorage(), None, [], 0
    while not outputs and rounds < 10:
        rounds += 1
        workflow = build(storage)
        stream = (
            workflow.run(6, stream=True)
            if latest is None
            else workflow.run(checkpoint_id=latest.checkpoint_id, stream=True)
        )
        supersteps = 0
        async for event in stream:
            if event.type == "output":
                outputs.append(event.data)
                break
            supersteps += event.type == "superstep_completed"
            if supersteps == 2:
                break
        latest = await storage.get_latest(workflow_name="pairs")
    return {"outputs": outputs, "rounds": rounds}
