"""A brief is drafted, a person approves or gives notes; each answer goes to a workflow rebuilt from the checkpoint."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)


@dataclass
class Approval:
    prompt: str = ""
    draft: str = ""
    iteration: int = 0


class Prepare(Executor):
    @handler
    async def prepare(self, brief: str, ctx: WorkflowContext[str, str]) -> None:
        ctx.set_state("brief", " ".join(brief.split()))
        await ctx.send_message(f"write about {ctx.get_state('brief')}")


class Write(Executor):
    @handler
    async def write(self, prompt: str, ctx: WorkflowContext[Approval]) -> None:
        count = ctx.get_state("drafts", 0) + 1
        ctx.set_state("drafts", count)
        await ctx.send_message(Approval("ok?", f"draft {count}: {prompt}", count))


class Gateway(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.iteration = 0

    @handler
    async def ask(self, approval: Approval, ctx: WorkflowContext) -> None:
        self.iteration = approval.iteration
        await ctx.request_info(request_data=approval, response_type=str)

    @response_handler
    async def reply(
        self, approval: Approval, reply: str, ctx: WorkflowContext[str, str]
    ) -> None:
        if reply == "approve":
            await ctx.yield_output(f"{approval.draft} [{self.iteration}]")
        else:
            await ctx.send_message(f"{ctx.get_state('brief')} with {reply}")

    async def on_checkpoint_save(self) -> dict:
        return {"iteration": self.iteration}

    async def on_checkpoint_restore(self, state: dict) -> None:
        self.iteration = state.get("iteration", 0)


def build(storage):
    prepare, write, gateway = Prepare("prepare"), Write("write"), Gateway("gateway")
    builder = WorkflowBuilder(
        name="brief", start_executor=prepare, checkpoint_storage=storage
    )
    return builder.add_chain([prepare, write, gateway]).add_edge(gateway, write).build()


async def main() -> dict:
    storage, drafts, result = InMemoryCheckpointStorage(), [], None
    replies = ["colour", "a shorter end", "approve"]
    result = await build(storage).run("  a  lamp ")
    for reply in replies:
        (event,) = result.get_request_info_events()
        drafts.append(event.data.draft)
        latest = await storage.get_latest(workflow_name="brief")
        result = await build(storage).run(
            checkpoint_id=latest.checkpoint_id, responses={event.request_id: reply}
        )
    counts = [
        one.iteration_count
        for one in await storage.list_checkpoints(workflow_name="brief")
    ]
    return {"drafts": drafts, "outputs": result.get_outputs(), "counts": sorted(counts)}
