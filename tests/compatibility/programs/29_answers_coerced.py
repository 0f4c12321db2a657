"""Answers as plain data become the type that was asked for."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)
from pydantic import BaseModel


@dataclass
class Verdict:
    yes: bool
    note: str = "none"


class Review(BaseModel):
    stars: int
    words: list[str] = []


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        for number, kind in enumerate((Verdict, Review, float, set[int], list[int])):
            await ctx.request_info(text, kind, request_id=str(number))

    @response_handler
    async def verdict(
        self, text: str, answer: Verdict, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"verdict {answer.yes} {answer.note}")

    @response_handler
    async def review(
        self, text: str, answer: Review, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"review {answer.stars} {answer.words}")

    @response_handler
    async def number(
        self, text: str, answer: float, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"number {answer!r}")

    @response_handler
    async def some(
        self, text: str, answer: set[int], ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"some {sorted(answer)}")

    @response_handler
    async def numbers(
        self, text: str, answer: list[int], ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"numbers {answer!r}")


async def main() -> dict:
    workflow = WorkflowBuilder(start_executor=Ask("ask")).build()
    await workflow.run("x")
    given = {
        "0": {"yes": True},
        "1": {"stars": 4, "words": ["a"]},
        "2": 3,
        "3": [1, 2],
        "4": [1, 2],
    }
    return {
        name: (await workflow.run(responses={name: answer})).get_outputs()
        for name, answer in given.items()
    }
