"""A workflow that handles one text is used for a list of them, and the parent collects the results."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
)


@dataclass
class Task:
    text: str
    id: str


@dataclass
class Done:
    id: str
    words: int


class Count(Executor):
    @handler
    async def count(self, task: Task, ctx: WorkflowContext[None, Done]) -> None:
        await ctx.yield_output(Done(task.id, len(task.text.split())))


class Orchestrate(Executor):
    def __init__(self) -> None:
        super().__init__(id="orchestrate")
        self.results: list[Done] = []
        self.expected = 0

    @handler
    async def start(self, texts: list[str], ctx: WorkflowContext[Task]) -> None:
        self.expected = len(texts)
        for number, text in enumerate(texts):
            await ctx.send_message(Task(text, f"t{number}"))

    @handler
    async def collect(self, done: Done, ctx: WorkflowContext[None, list[Done]]) -> None:
        self.results.append(done)
        if len(self.results) == self.expected:
            await ctx.yield_output(self.results)


async def main() -> dict:
    inner = WorkflowBuilder(start_executor=Count("count")).build()
    orchestrate, sub = Orchestrate(), WorkflowExecutor(inner, id="texts")
    workflow = (
        WorkflowBuilder(start_executor=orchestrate)
        .add_edge(orchestrate, sub)
        .add_edge(sub, orchestrate)
        .build()
    )
    result = await workflow.run(["one two", "", "three"])
    return {"outputs": result.get_outputs(), "state": result.get_final_state()}
