"""A run with something in every section, for patches: a join that waits, messages that
are queued, executors with a state of their own, questions, and a run inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from runtime.checkpoint import CheckpointHeader, CheckpointStore
from runtime.engine.patch_plan import PatchPlan
from runtime.engine.runner import Runner
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.patches import Patch
from runtime.state import RunState
from runtime.stores.memory import MemoryStore
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow

Ctx = WorkflowContext[Any, Any]


@dataclass
class Task:
    title: str
    points: int = 0


class Note(BaseModel):
    text: str
    stars: int = Field(default=0, ge=0)


@dataclass
class Question:
    text: str


@dataclass
class Verdict:
    accepted: bool
    score: float = 0.0


class Begin(Executor):
    @handler
    async def take(self, title: str, ctx: Ctx) -> None:
        ctx.set_state("counts", {"tasks": [1, 2]})
        ctx.set_state("task", Task(title))
        await ctx.send_message(Task(title, 1))


class Rate(Executor):
    """Rates tasks, and counts them in a state of its own."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.seen: list[str] = []

    @handler
    async def take(self, task: Task, ctx: Ctx) -> None:
        self.seen.append(task.title)
        await ctx.send_message(Note(text=f"{self.id}: {task.title}", stars=task.points))

    @handler
    async def pass_on(self, note: Note, ctx: Ctx) -> None:
        await ctx.send_message(note)

    async def on_checkpoint_save(self) -> dict[str, Any]:
        return {"seen": list(self.seen)}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        self.seen = list(state.get("seen", []))


class Merge(Executor):
    @handler
    async def take(self, notes: list[Note], ctx: Ctx) -> None:
        await ctx.yield_output(sorted((note.text, note.stars) for note in notes))


class Ask(Executor):
    @handler
    async def take(self, task: Task, ctx: Ctx) -> None:
        await ctx.request_info(Question(task.title), Verdict, request_id=task.title)

    @response_handler
    async def answer(self, question: Question, verdict: Verdict, ctx: Ctx) -> None:
        await ctx.yield_output((question.text, verdict.accepted, verdict.score))


def joining() -> Workflow:
    """begin -> left, right; right -> late; left and late are joined into merge."""
    begin = Begin("begin")
    left, right, late = Rate("left"), Rate("right"), Rate("late")
    return (
        WorkflowBuilder(start_executor=begin, name="joining")
        .add_edge(begin, left)
        .add_edge(begin, right)
        .add_edge(right, late)
        .add_fan_in_edges([left, late], Merge("merge"))
        .build()
    )


def asking(*, is_passed_out: bool = True) -> Workflow:
    """begin -> review, a sub-workflow that asks once for each task."""
    ask = Ask("ask")
    inner = WorkflowBuilder(start_executor=ask, name="inner").build()
    begin = Begin("begin")
    review = WorkflowExecutor(
        inner, "review", propagate_request=is_passed_out, allow_direct_output=True
    )
    return (
        WorkflowBuilder(start_executor=begin, name="asking")
        .add_edge(begin, review)
        .build()
    )


class Recorded:
    """A finished run in a store, whose checkpoints are patched."""

    def __init__(self, workflow: Workflow, store: CheckpointStore) -> None:
        self.workflow = workflow
        self.store = store
        self.headers: list[CheckpointHeader] = []

    @classmethod
    async def of(
        cls, workflow: Workflow, store: CheckpointStore | None = None
    ) -> Recorded:
        recorded = cls(workflow, store or MemoryStore())
        runner = recorded.runner()
        await runner.start("ship")
        await runner.finish()
        recorded.headers = await recorded.store.headers()
        return recorded

    def runner(self) -> Runner:
        return Runner(self.workflow, self.store)

    def at(self, superstep: int) -> str:
        """Return the id of the checkpoint after a superstep."""
        return self.headers[superstep].id

    async def plan(self, superstep: int, *changes: dict[str, Any]) -> PatchPlan:
        return await self.runner().plan_patch(self.at(superstep), patch_of(*changes))

    async def patched(self, superstep: int, *changes: dict[str, Any]) -> RunState:
        """Return the state that a patch makes, which must have no problem."""
        plan = await self.plan(superstep, *changes)
        assert plan.problems == ()
        return plan.after.state

    async def outputs(self, superstep: int, *changes: dict[str, Any]) -> list[Any]:
        """Return what the rest of the run puts out from a patched checkpoint on."""
        runner = self.runner()
        await runner.restore(self.at(superstep), patch=patch_of(*changes))
        outputs: list[Any] = []
        while (trace := await runner.step()) is not None:
            outputs += [output.data for output in trace.outputs]
        return outputs

    async def bytes(self) -> list[Any]:
        """Return everything that the store keeps of the recorded run."""
        kept: list[Any] = []
        for header in self.headers:
            record = await self.store.load(header.id)
            kept.append((record, await self.store.parts(record.digests)))
        return kept


def patch_of(*changes: dict[str, Any], **fields: Any) -> Patch:
    numbered = [
        {"id": f"c{number}", **change} for number, change in enumerate(changes, 1)
    ]
    return Patch.model_validate({"changes": numbered, **fields})


def texts(plan: PatchPlan) -> list[str]:
    return [issue.text for issue in plan.problems]
