"""An executor that puts out pieces as it makes them: each is read before the next, one that fails, one that is left."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
)

from tests.compatibility.facts import told


class Writer(Executor):
    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.read = asyncio.Event()
        self.ended = False

    @handler
    async def write(self, text: str, ctx: WorkflowContext[str, str]) -> None:
        try:
            for word in text.split():
                if word == "fail":
                    raise ValueError("no such word")
                await ctx.yield_output(word)
                await self.read.wait()
                self.read.clear()
        finally:
            self.ended = True


async def read_of(workflow, writer, text, until=None):
    events = []
    try:
        async for event in workflow.run(text, stream=True):
            events.append(event)
            if event.type in ("output", "intermediate"):
                if event.data == until:
                    break
                writer.read.set()
    except ValueError as error:
        events.append(error)
    return events


def lines(events) -> list:
    return [
        str(one) if isinstance(one, ValueError) else told([one])[0] for one in events
    ]


async def main() -> dict:
    writer = Writer("writer")
    workflow = WorkflowBuilder(start_executor=writer).build()
    whole = await read_of(workflow, writer, "one two three")
    left = await read_of(workflow, writer, "four five six", until="five")
    del workflow
    await asyncio.sleep(0.01)

    failing = Writer("failing")
    failed = await read_of(
        WorkflowBuilder(start_executor=failing).build(), failing, "seven eight fail"
    )

    inner = Writer("inner")
    child = WorkflowExecutor(
        WorkflowBuilder(start_executor=inner).build(),
        id="child",
        allow_direct_output=True,
    )
    inner.read.set()  # there an output is told when the sub-workflow has ended: waiting for a reader would not end
    before = Writer("before")
    outer = (
        WorkflowBuilder(start_executor=child, output_from=[child])
        .add_edge(child, before)
        .build()
    )
    nested = [
        event.data
        for event in await read_of(outer, inner, "nine")
        if event.type == "output"
    ]

    progress = Writer("progress")
    designated = WorkflowBuilder(
        start_executor=progress, intermediate_output_from=[progress]
    ).build()
    return {
        "whole": lines(whole),
        "left": [line for line in lines(left) if "output" in line],
        "handler has ended": writer.ended,
        "failed": lines(failed),
        "nested": nested,
        "progress": lines(await read_of(designated, progress, "ten eleven")),
    }
