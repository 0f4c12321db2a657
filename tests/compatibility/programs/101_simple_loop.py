"""A number is guessed by halving: two executors send to each other until one of them yields."""

from dataclasses import dataclass
from enum import Enum

from agent_framework import Executor, WorkflowBuilder, WorkflowContext, handler

from tests.compatibility.facts import told


class Hint(Enum):
    BEGIN = "begin"
    MATCHED = "matched"
    ABOVE = "above"
    BELOW = "below"


@dataclass
class Guess:
    number: int
    tries: int


class Guesser(Executor):
    def __init__(self, low: int, high: int, id: str) -> None:
        super().__init__(id=id)
        self.low, self.high, self.tries, self.last = low, high, 0, 0

    @handler
    async def guess(self, hint: Hint, ctx: WorkflowContext[Guess, str]) -> None:
        if hint is Hint.MATCHED:
            await ctx.yield_output(f"found {self.last} in {self.tries}")
            return
        if hint is Hint.ABOVE:
            self.low = self.last + 1
        elif hint is Hint.BELOW:
            self.high = self.last - 1
        self.last, self.tries = (self.low + self.high) // 2, self.tries + 1
        await ctx.send_message(Guess(self.last, self.tries))


class Judge(Executor):
    def __init__(self, id: str, secret: int) -> None:
        super().__init__(id=id)
        self.secret = secret

    @handler
    async def judge(self, guess: Guess, ctx: WorkflowContext[Hint]) -> None:
        if guess.number == self.secret:
            await ctx.send_message(Hint.MATCHED)
        else:
            await ctx.send_message(
                Hint.ABOVE if guess.number < self.secret else Hint.BELOW
            )


async def main() -> dict:
    guesser, judge = Guesser(1, 100, "guesser"), Judge("judge", 30)
    workflow = (
        WorkflowBuilder(start_executor=guesser)
        .add_edge(guesser, judge)
        .add_edge(judge, guesser)
        .build()
    )
    result = await workflow.run(Hint.BEGIN)
    return {
        "outputs": result.get_outputs(),
        "guesses": told(result, "executor_invoked"),
    }
