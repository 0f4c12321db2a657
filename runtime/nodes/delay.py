"""Delay: waits, then passes the message on."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic import Field

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.executors.outside import Outside
from runtime.nodes.base import FLOW, NodeParams, NodeType, Place


class DelayParams(NodeParams):
    seconds: float = Field(
        1.0,
        ge=0,
        le=86_400,
        title="Seconds",
        description="How long to wait, up to a day.",
        json_schema_extra={"unit": "s"},
    )


class DelayExecutor(Executor):
    def __init__(self, id: str, seconds: float) -> None:
        super().__init__(id, type=DELAY.type)
        self._seconds = seconds

    @handler
    async def wait(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        await asyncio.sleep(self._seconds)
        await ctx.send_message(message)


def _make(place: Place, params: DelayParams) -> Executor:
    return DelayExecutor(place.node_id, params.seconds)


DELAY = NodeType(
    type="delay",
    title="Delay",
    category=FLOW,
    icon="timer",
    description="Waits, then passes the message on unchanged. The superstep lasts as long as its slowest node, so "
    "everything else waits at the barrier too.",
    params=DelayParams,
    make=_make,
    outside=lambda params: Outside(f"wait of {params.seconds:g} s", is_harmless=True),
    summary="seconds",
    always_sends=True,
    passes_on=True,
)
