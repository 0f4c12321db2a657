"""Words are counted by map and reduce: slices in the shared state, addressed messages, two joins in a row."""

import asyncio
from collections import Counter
from dataclasses import dataclass

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowViz,
    handler,
)


class Ready:
    pass


@dataclass
class Part:
    counts: dict[str, int]


@dataclass
class Share:
    reducer: str
    counts: list[tuple[str, int]]


class Split(Executor):
    def __init__(self, mappers: list[str], id: str) -> None:
        super().__init__(id=id)
        self.mappers = mappers

    @handler
    async def split(self, text: str, ctx: WorkflowContext[Ready]) -> None:
        words = text.split()
        ctx.set_state("words", words)
        size = len(words) // len(self.mappers)

        async def assign(number: int) -> None:
            last = number == len(self.mappers) - 1
            ctx.set_state(
                self.mappers[number],
                (number * size, len(words) if last else (number + 1) * size),
            )
            await ctx.send_message(Ready(), self.mappers[number])

        await asyncio.gather(*(assign(number) for number in range(len(self.mappers))))


class Map(Executor):
    @handler
    async def map(self, _: Ready, ctx: WorkflowContext[Part]) -> None:
        start, end = ctx.get_state(self.id)
        await ctx.send_message(Part(dict(Counter(ctx.get_state("words")[start:end]))))


class Shuffle(Executor):
    def __init__(self, reducers: list[str], id: str) -> None:
        super().__init__(id=id)
        self.reducers = reducers

    @handler
    async def shuffle(self, parts: list[Part], ctx: WorkflowContext[Share]) -> None:
        pairs = sorted(pair for part in parts for pair in part.counts.items())
        for number, reducer in enumerate(self.reducers):
            await ctx.send_message(
                Share(reducer, [pair for pair in pairs if len(pair[0]) % 2 == number])
            )


class Reduce(Executor):
    @handler
    async def _reduce(self, share: Share, ctx: WorkflowContext[Part]) -> None:
        if share.reducer == self.id:
            total: Counter[str] = Counter()
            for word, count in share.counts:
                total[word] += count
            await ctx.send_message(Part(dict(total)))


class Done(Executor):
    @handler
    async def done(
        self, parts: list[Part], ctx: WorkflowContext[None, list[dict[str, int]]]
    ) -> None:
        await ctx.yield_output([part.counts for part in parts])


async def main() -> dict:
    maps, reduces = (
        [Map(f"map{number}") for number in range(3)],
        [Reduce(f"reduce{number}") for number in range(2)],
    )
    split, shuffle = (
        Split([one.id for one in maps], "split"),
        Shuffle([one.id for one in reduces], "shuffle"),
    )
    done = Done("done")
    workflow = (
        WorkflowBuilder(start_executor=split)
        .add_fan_out_edges(split, maps)
        .add_fan_in_edges(maps, shuffle)
        .add_fan_out_edges(shuffle, reduces)
        .add_fan_in_edges(reduces, done)
        .build()
    )
    result = await workflow.run("a bee sees a tree and a bee sees me")
    return {
        "outputs": result.get_outputs(),
        "mermaid": WorkflowViz(workflow).to_mermaid().count("fan-in"),
    }
