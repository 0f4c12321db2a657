"""Input: the run's input enters here and goes on unchanged."""

from __future__ import annotations

from typing import Any

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import START, NodeParams, NodeType, Place


class InputParams(NodeParams):
    """None: what comes in is what the run is given."""


class InputExecutor(Executor):
    @handler
    async def take(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        await ctx.send_message(message)


def _make(place: Place, _params: InputParams) -> Executor:
    return InputExecutor(place.node_id, type=INPUT.type)


INPUT = NodeType(
    type="input",
    title="Input",
    category=START,
    icon="inp",
    description=(
        "Passes the input of the run on, unchanged. Make it the start when several "
        "nodes need the input. The workflow itself or the caller of the run says "
        "what the input is."
    ),
    params=InputParams,
    make=_make,
    inputs=(),
    always_sends=True,
    passes_on=True,
)
