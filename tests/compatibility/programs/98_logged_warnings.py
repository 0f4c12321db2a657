"""What is odd and allowed is said in the log."""

import logging

from agent_framework import (
    Executor,
    InMemoryCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    executor,
    handler,
    response_handler,
)


class Heard(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.texts = []

    def emit(self, record) -> None:
        self.texts.append(record.getMessage())


class Ask(Executor):
    @handler
    async def ask(self, text: str, ctx: WorkflowContext) -> None:
        await ctx.request_info(text, bool, request_id=text)

    @response_handler
    async def answer(
        self, text: str, yes: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        await ctx.yield_output(f"{text} {yes}")


@executor
async def around(number: int, ctx: WorkflowContext[int]) -> None:
    pass


@executor
async def silent(number: int, ctx: WorkflowContext) -> None:
    pass


@executor
async def last(number: int, ctx: WorkflowContext[None, int]) -> None:
    pass


async def heard(call, length: int) -> list[str]:
    handler, logger = Heard(), logging.getLogger()
    logger.addHandler(handler)
    try:
        await call()
    finally:
        logger.removeHandler(handler)
    return [text[:length] for text in handler.texts]


async def loop() -> None:
    WorkflowBuilder(start_executor=around).add_edge(around, around).build()


async def untyped() -> None:
    WorkflowBuilder(start_executor=silent).add_edge(silent, last).build()


async def fine() -> None:
    WorkflowBuilder(start_executor=around).add_edge(around, last).build()


async def wrapped() -> None:
    storage = InMemoryCheckpointStorage()
    WorkflowExecutor(
        WorkflowBuilder(start_executor=last, checkpoint_storage=storage).build(),
        id="sub",
    )


async def main() -> dict:
    storage = InMemoryCheckpointStorage()
    workflow = WorkflowBuilder(
        start_executor=Ask("ask"), checkpoint_storage=storage
    ).build()

    async def first() -> None:
        await workflow.run("first")

    async def second() -> None:
        await workflow.run("second")

    async def restore() -> None:
        await workflow.run(checkpoint_id=workflow.get_last_checkpoint_id())

    async def answer() -> None:
        await workflow.run(responses={"first": True})

    named = len(f"Workflow {workflow.id} received ")
    return {
        "self-loop": await heard(loop, 53),
        "no types": await heard(untyped, 48),
        "fine": await heard(fine, 10),
        "inner storage": [
            text.replace(text.split()[2], "ID")[:50]
            for text in await heard(wrapped, 100)
        ],
        "first": await heard(first, 10),
        "second": [text[named:] for text in await heard(second, named + 21)],
        "restore": [text[named:] for text in await heard(restore, named + 20)],
        "answer": await heard(answer, 10),
    }
