"""One executor asks three kinds of questions: the handler is chosen by question and answer, or by the decorator."""

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
class Price:
    of: str


class Choice(BaseModel):
    options: list[str]


class Picked(BaseModel):
    option: str


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(Price(text), float, request_id="price")
        await ctx.request_info(
            Choice(options=[text, "none"]), Picked, request_id="choice"
        )
        await ctx.request_info(text, bool, request_id="sure")
        await ctx.request_info(text, str, request_id="note")

    @response_handler
    async def priced(
        self, asked: Price, price: float, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{asked.of} costs {price} ({ctx.request_id})")

    @response_handler(request=Choice, response=Picked, workflow_output=str)
    async def chosen(self, asked, picked, ctx) -> None:
        await ctx.yield_output(f"{picked.option} of {asked.options}")

    @response_handler
    async def sure(
        self, asked: str, sure: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{asked} is {'sure' if sure else 'not sure'}")

    @response_handler
    async def noted(
        self, asked: str, note: str, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{asked}: {note}")


async def main() -> dict:
    ask = Ask("ask")
    workflow = WorkflowBuilder(start_executor=ask).build()
    asked = await workflow.run("tea")
    answers = {"price": 3, "choice": {"option": "tea"}, "sure": False, "note": "hot"}
    done = await workflow.run(responses=answers)
    return {
        "asked": [
            [event.request_id, event.request_type, event.response_type]
            for event in asked.get_request_info_events()
        ],
        "outputs": sorted(done.get_outputs()),
        "supported": [
            ask.is_request_supported(*pair)
            for pair in ((Price, float), (Price, str), (str, bool), (str, bytes))
        ],
        "capable": ask.is_request_response_capable,
    }
