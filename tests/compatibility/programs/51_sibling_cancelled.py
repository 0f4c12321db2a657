"""One of two parallel handlers raises while the other waits."""

import asyncio

from agent_framework import (
    Executor,
    WorkflowBuilder,
    WorkflowContext,
    executor,
    handler,
)

from tests.compatibility.facts import caught, told

LOG = []


@executor
async def start(text: str, ctx: WorkflowContext[str]) -> None:
    await ctx.send_message(text)


class Wait(Executor):
    @handler
    async def wait(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            LOG.append("cancelled")
            raise


class Fail(Executor):
    @handler
    async def fail(self, text: str, ctx: WorkflowContext[None, str]) -> None:
        await asyncio.sleep(0)
        raise KeyError(text)


async def main() -> dict:
    wait, fail = Wait("wait"), Fail("fail")
    workflow = (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [wait, fail])
        .build()
    )
    seen = []

    async def watch() -> None:
        async for event in workflow.run("x", stream=True):
            seen.append(event)  # noqa: PERF401

    return {
        "error": await caught(KeyError, watch),
        "log": LOG,
        "failed": told(seen, "executor_failed", "failed"),
        "of the one that waits": [
            event.type for event in seen if event.executor_id == "wait"
        ],
        "status": workflow.status,
    }
