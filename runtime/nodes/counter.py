"""Counter: counts the messages that pass."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import FLOW, NodeParams, NodeType, Place
from runtime.nodes.support.own_state import of_this_run

_COUNT = "count"


class CounterParams(NodeParams):
    send: Literal["count", "both", "message"] = Field(
        "both",
        title="Send",
        description="count sends the number, both sends {'count': 3, 'message': …}, message passes the message on "
        "and only counts.",
    )
    start: int = Field(
        0, title="Start", description="The count before the first message."
    )
    step: int = Field(
        1,
        title="Step",
        description="The number that each message adds; below zero it counts down.",
    )


class CounterExecutor(Executor):
    """The count is its own state, so that a restore brings it back."""

    def __init__(self, id: str, params: CounterParams) -> None:
        super().__init__(id, type=COUNTER.type)
        self._params = params

    @handler
    async def count(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        memory = of_this_run(ctx)
        memory[_COUNT] = count = (
            memory.get(_COUNT, self._params.start) + self._params.step
        )
        match self._params.send:
            case "count":
                await ctx.send_message(count)
            case "both":
                await ctx.send_message({"count": count, "message": message})
            case _:
                await ctx.send_message(message)


def _make(place: Place, params: CounterParams) -> Executor:
    return CounterExecutor(place.node_id, params)


COUNTER = NodeType(
    type="counter",
    title="Counter",
    category=FLOW,
    icon="plus",
    description=(
        "Counts the messages of the run, and sends the count, the message, or "
        "both. Each run counts from the start. The count is the node's own state: "
        "when an earlier checkpoint is restored, the count goes back too."
    ),
    params=CounterParams,
    make=_make,
    summary="send",
    always_sends=True,
)
