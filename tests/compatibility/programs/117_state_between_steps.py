"""Executors hand a large text over by the shared state and send only its key."""

import uuid
from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)


@dataclass
class Mail:
    id: str
    text: str


@dataclass
class Verdict:
    mail_id: str
    is_spam: bool


class Keep(Executor):
    @handler
    async def keep(self, text: str, ctx: WorkflowContext[str]) -> None:
        mail = Mail(str(uuid.uuid4()), text)
        ctx.set_state(f"mail:{mail.id}", mail)
        ctx.set_state("current", mail.id)
        await ctx.send_message(mail.id)


class Judge(Executor):
    @handler
    async def judge(self, mail_id: str, ctx: WorkflowContext[Verdict]) -> None:
        mail: Mail = ctx.get_state(f"mail:{mail_id}")
        await ctx.send_message(Verdict(mail_id, "win" in mail.text))


@executor
async def answer(verdict: Verdict, ctx: WorkflowContext[None, str]) -> None:
    mail = ctx.get_state(f"mail:{ctx.get_state('current')}")
    mail.text = "changed by its reader"
    again = ctx.get_state(f"mail:{verdict.mail_id}").text
    await ctx.yield_output(
        f"{again} {verdict.is_spam} {ctx.get_state('nothing')} {ctx.get_state('nothing', 7)}"
    )


async def main() -> dict:
    keep, judge = Keep("keep"), Judge("judge")
    workflow = (
        WorkflowBuilder(start_executor=keep).add_chain([keep, judge, answer]).build()
    )
    return {
        "outputs": [
            (await workflow.run(text)).get_outputs() for text in ("you win", "hello")
        ]
    }
