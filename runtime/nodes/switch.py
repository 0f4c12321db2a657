"""Switch: passes the message on unchanged; the switch edge that leaves it decides where
to.
"""

from __future__ import annotations

from typing import Any

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import FLOW, NodeParams, NodeType, Place


class SwitchParams(NodeParams):
    """None: the cases belong to the switch edge."""


class SwitchExecutor(Executor):
    @handler
    async def pass_on(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        await ctx.send_message(message)


def _make(place: Place, _params: SwitchParams) -> Executor:
    return SwitchExecutor(place.node_id, type=SWITCH.type)


SWITCH = NodeType(
    type="switch",
    title="Switch",
    category=FLOW,
    icon="switch",
    description="Sends each message down exactly one way: the first case whose condition is true, else the default. "
    "The message itself is not changed. Draw an edge for each case and write its condition in CEL.",
    params=SwitchParams,
    make=_make,
    figure="diamond",
    always_sends=True,
    passes_on=True,
)
