"""A sub-workflow waits for a review that its parent passes on; a checkpoint is resumed in rebuilt workflows, twice."""

import tempfile
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    SubWorkflowRequestMessage,
    SubWorkflowResponseMessage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    WorkflowRunState,
    handler,
    response_handler,
)

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@dataclass
class Task:
    topic: str
    due: datetime
    iteration: int = 1


@dataclass
class Review:
    id: str
    topic: str
    iteration: int
    guidance: list[str] = field(default_factory=list)


@dataclass
class Decision:
    decision: str
    review: Review


@dataclass
class Final:
    topic: str
    iterations: int
    at: datetime


class Writer(Executor):
    @handler
    async def write(self, task: Task, ctx: WorkflowContext[Review]) -> None:
        review = Review(
            f"{task.topic}-{task.iteration}", task.topic, task.iteration, ["tone"]
        )
        await ctx.send_message(review, target_id="router")


class Router(Executor):
    @handler
    async def ask(self, review: Review, ctx: WorkflowContext) -> None:
        await ctx.request_info(request_data=review, response_type=str)

    @response_handler
    async def decided(
        self, review: Review, decision: str, ctx: WorkflowContext[Decision]
    ) -> None:
        await ctx.send_message(Decision(decision, review))


class Finaliser(Executor):
    @handler
    async def finish(
        self, decision: Decision, ctx: WorkflowContext[Task, Final]
    ) -> None:
        review = decision.review
        if decision.decision == "approve":
            await ctx.yield_output(Final(review.topic, review.iteration, NOW))
        else:
            task = Task(review.topic, NOW + timedelta(hours=1), review.iteration + 1)
            await ctx.send_message(task, target_id="writer")


class Coordinator(Executor):
    def __init__(self) -> None:
        super().__init__(id="coordinator")
        self.pending: dict[str, SubWorkflowRequestMessage] = {}

    @handler
    async def begin(self, topic: str, ctx: WorkflowContext[Task]) -> None:
        await ctx.send_message(Task(topic, NOW))

    @handler
    async def collect(self, final: Final, ctx: WorkflowContext[None, Final]) -> None:
        await ctx.yield_output(final)

    @handler
    async def passed(
        self, request: SubWorkflowRequestMessage, ctx: WorkflowContext
    ) -> None:
        review = request.source_event.data
        self.pending[review.id] = request
        await ctx.request_info(request_data=review, response_type=str)

    @response_handler
    async def answered(
        self,
        review: Review,
        answer: str,
        ctx: WorkflowContext[SubWorkflowResponseMessage],
    ) -> None:
        await ctx.send_message(self.pending.pop(review.id).create_response(answer))

    async def on_checkpoint_save(self) -> dict:
        return {"pending": self.pending}

    async def on_checkpoint_restore(self, state: dict) -> None:
        self.pending = state.get("pending", {})


def build(storage):
    writer, router, finaliser = (
        Writer("writer"),
        Router("router"),
        Finaliser("finaliser"),
    )
    inner = (
        WorkflowBuilder(name="inner", start_executor=writer)
        .add_chain([writer, router, finaliser])
        .add_edge(finaliser, writer)
        .build()
    )
    coordinator, sub = Coordinator(), WorkflowExecutor(inner, id="sub")
    builder = WorkflowBuilder(
        name="launch", start_executor=coordinator, checkpoint_storage=storage
    )
    return builder.add_edge(coordinator, sub).add_edge(sub, coordinator).build()


async def resumed(storage, checkpoint_id: str, answers: list[str]) -> list:
    workflow = build(storage)
    result = await workflow.run(checkpoint_id=checkpoint_id)
    for answer in answers:
        (event,) = result.get_request_info_events()
        result = await workflow.run(responses={event.request_id: answer})
    return [result.get_outputs(), result.get_final_state()]


async def main() -> dict:
    types = [f"{__name__}:{cls.__name__}" for cls in (Task, Review, Decision, Final)]
    with tempfile.TemporaryDirectory() as folder:
        storage = FileCheckpointStorage(folder, allowed_checkpoint_types=types)
        workflow, asked = build(storage), []
        async for event in workflow.run("gadget", stream=True):
            if event.type == "request_info":
                asked.append(event.data)
            if (
                event.type == "status"
                and event.state is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
            ):
                break
        last = await storage.get_latest(workflow_name="launch")
        return {
            "asked": asked,
            "pending": len(last.pending_request_info_events),
            "approved": await resumed(storage, last.checkpoint_id, ["approve"]),
            "revised first": await resumed(
                storage, last.checkpoint_id, ["no", "no", "approve"]
            ),
        }
