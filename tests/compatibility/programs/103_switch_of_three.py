"""Three verdicts by a switch: not spam, spam, and whoever is not sure falls to the default."""

from dataclasses import dataclass
from typing import Literal

from agent_framework import (
    Case,
    Default,
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)

from tests.compatibility.facts import told

Verdict = Literal["NotSpam", "Spam", "Uncertain"]


@dataclass
class Result:
    verdict: Verdict
    mail: str


class Decide(Executor):
    @handler
    async def decide(self, mail: str, ctx: WorkflowContext[Result]) -> None:
        verdict: Verdict = (
            "Spam" if "win" in mail else "NotSpam" if "dear" in mail else "Uncertain"
        )
        await ctx.send_message(Result(verdict, mail))


class Handle(Executor):
    @handler
    async def handle(self, result: Result, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.id}: {result.mail}")


def is_case(expected: str):
    return lambda message: isinstance(message, Result) and message.verdict == expected


async def main() -> dict:
    decide, answer, spam, unsure = (
        Decide("decide"),
        Handle("answer"),
        Handle("spam"),
        Handle("unsure"),
    )
    cases = [
        Case(condition=is_case("NotSpam"), target=answer),
        Case(condition=is_case("Spam"), target=spam),
        Default(target=unsure),
    ]
    workflow = (
        WorkflowBuilder(start_executor=decide)
        .add_switch_case_edge_group(decide, cases)
        .build()
    )
    results = [await workflow.run(mail) for mail in ("dear you", "win now", "hm")]
    return {
        "outputs": [result.get_outputs() for result in results],
        "invoked": [told(result, "executor_invoked")[-1] for result in results],
    }
