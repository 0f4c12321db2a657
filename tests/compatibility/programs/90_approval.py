"""A small approval flow as a user writes it: switch, question, loop and state, finished in a rebuilt workflow."""

from dataclasses import dataclass

from agent_framework import (
    Case,
    Default,
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
    response_handler,
)

from tests.compatibility.facts import told


@dataclass
class Draft:
    text: str
    round: int = 0


@dataclass
class Review:
    draft: Draft


class Writer(Executor):
    @handler
    async def begin(self, topic: str, ctx: WorkflowContext[Draft]) -> None:
        ctx.set_state("topic", topic)
        await ctx.send_message(Draft(f"on {topic}"))

    @handler
    async def improve(self, draft: Draft, ctx: WorkflowContext[Draft]) -> None:
        await ctx.send_message(Draft(draft.text + "!", draft.round + 1))


class Editor(Executor):
    @handler
    async def review(self, draft: Draft, ctx: WorkflowContext) -> None:
        await ctx.request_info(Review(draft), bool, request_id=f"round-{draft.round}")

    @response_handler
    async def decided(
        self, review: Review, fine: bool, ctx: WorkflowContext[Draft]
    ) -> None:
        ctx.set_state("decisions", [*ctx.get_state("decisions", []), fine])
        await ctx.send_message(
            review.draft, target_id="publisher" if fine else "writer"
        )


@executor
async def publisher(draft: Draft, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(
        f"{draft.text} ({ctx.get_state('topic')}, {ctx.get_state('decisions')})"
    )


def build(storage):
    writer, editor = Writer("writer"), Editor("editor")
    return (
        WorkflowBuilder(
            name="approval", start_executor=writer, checkpoint_storage=storage
        )
        .add_switch_case_edge_group(
            writer, [Case(lambda draft: draft.round > 5, publisher), Default(editor)]
        )
        .add_edge(editor, writer)
        .add_edge(editor, publisher)
        .build()
    )


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    first = build(storage)
    asked = await first.run("tea")
    again = await first.run(responses={"round-0": False})
    paused = first.get_last_checkpoint_id()
    done = await build(storage).run(checkpoint_id=paused, responses={"round-1": True})
    straight = await first.run(responses={"round-1": True})
    return {
        "asked": told(asked),
        "again": told(again, "request_info", "superstep_started"),
        "done": told(done),
        "outputs": [done.get_outputs(), straight.get_outputs()],
        "counts": sorted(
            one.iteration_count
            for one in await storage.list_checkpoints(workflow_name="approval")
        ),
    }
