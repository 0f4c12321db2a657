"""A model decides, conditions on it lead on: an answer is drafted, or the mail is blocked, or the route is an error."""

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)
from pydantic import BaseModel

from tests.compatibility.facts import caught


class Finding(BaseModel):
    is_spam: bool
    reason: str
    content: str


class Detect(Executor):
    @handler
    async def detect(self, mail: str, ctx: WorkflowContext[Finding]) -> None:
        ctx.set_state("mail", mail)
        await ctx.send_message(
            Finding(is_spam="win" in mail, reason="words", content=mail[:20])
        )


@executor
async def draft(finding: Finding, ctx: WorkflowContext[None, str]) -> None:
    if finding.is_spam:
        raise RuntimeError("This should only handle mail that is none.")
    await ctx.yield_output(f"re: {ctx.get_state('mail')}")


@executor
async def block(finding: Finding, ctx: WorkflowContext[None, str]) -> None:
    await ctx.yield_output(f"blocked: {finding.reason}")


def expects(spam: bool):
    def condition(message) -> bool:
        return not isinstance(message, Finding) or message.is_spam == spam

    return condition


async def main() -> dict:
    detect = Detect("detect")
    workflow = (
        WorkflowBuilder(start_executor=detect)
        .add_edge(detect, draft, condition=expects(False))
        .add_edge(detect, block, condition=expects(True))
        .build()
    )
    crossed = (
        WorkflowBuilder(start_executor=detect)
        .add_edge(detect, draft, condition=expects(True))
        .build()
    )
    return {
        "crossed, nothing": (await crossed.run("hello")).get_outputs(),
        "fine": (await workflow.run("let us meet")).get_outputs(),
        "spam": (await workflow.run("you win")).get_outputs(),
        "crossed": await caught(RuntimeError, lambda: crossed.run("you win")),
        "after a failure": await caught(RuntimeError, lambda: crossed.run("hello")),
    }
