"""A person answers whether a guess is too high or too low, until it is right."""

from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    handler,
    response_handler,
)


@dataclass
class Feedback:
    prompt: str


@dataclass
class Ask:
    low: int
    high: int


class Agent(Executor):
    @handler
    async def guess(self, ask: Ask, ctx: WorkflowContext[int]) -> None:
        await ctx.send_message((ask.low + ask.high) // 2)


class Turns(Executor):
    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id or "turns")

    @handler
    async def start(self, _: str, ctx: WorkflowContext[Ask]) -> None:
        ctx.set_state("range", [1, 10])
        await ctx.send_message(Ask(1, 10))

    @handler
    async def guessed(self, guess: int, ctx: WorkflowContext) -> None:
        ctx.set_state("guess", guess)
        await ctx.request_info(
            request_data=Feedback(f"is it {guess}?"), response_type=str
        )

    @response_handler
    async def feedback(
        self, request: Feedback, answer: str, ctx: WorkflowContext[Ask, str]
    ) -> None:
        low, high = ctx.get_state("range")
        guess = ctx.get_state("guess")
        if answer == "yes":
            await ctx.yield_output(f"it is {guess}")
            return
        low, high = (guess + 1, high) if answer == "higher" else (low, guess - 1)
        ctx.set_state("range", [low, high])
        await ctx.send_message(Ask(low, high))


async def main() -> dict:
    turns, agent = Turns(), Agent("agent")
    workflow = (
        WorkflowBuilder(start_executor=turns)
        .add_edge(turns, agent)
        .add_edge(agent, turns)
        .build()
    )
    prompts, states, responses, outputs = [], [], None, []
    secret = 7
    while not outputs:
        stream = (
            workflow.run(stream=True, responses=responses)
            if responses
            else workflow.run("start", stream=True)
        )
        async for event in stream:
            if event.type == "request_info":
                number = int(event.data.prompt.removeprefix("is it ").removesuffix("?"))
                prompts.append(event.data.prompt)
                responses = {
                    event.request_id: "yes"
                    if number == secret
                    else "higher"
                    if number < secret
                    else "lower"
                }
            elif event.type == "status":
                states.append(event.state)
            elif event.type == "output":
                outputs.append(event.data)
    return {"prompts": prompts, "outputs": outputs, "states": states}
