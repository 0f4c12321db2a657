"""Output: what arrives here is a result of the workflow."""

from __future__ import annotations

from typing import Any, Never

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import START, NodeParams, NodeType, Place


class OutputParams(NodeParams):
    """None: what arrives is what goes out."""


class OutputExecutor(Executor):
    @handler
    async def hand_out(self, message: Any, ctx: WorkflowContext[Never, Any]) -> None:
        await ctx.yield_output(message)


def _make(place: Place, _params: OutputParams) -> Executor:
    return OutputExecutor(place.node_id, type=OUTPUT.type)


OUTPUT = NodeType(
    type="output",
    title="Output",
    category=START,
    icon="flag",
    description="Hands every message that arrives to whoever runs the workflow, as one of its results. "
    "A workflow may have several.",
    params=OutputParams,
    make=_make,
    outputs=(),
    sink=True,
)
