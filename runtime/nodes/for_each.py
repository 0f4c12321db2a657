"""For each: sends the items of a list, each as a message of its own."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import FLOW, CelText, NodeParams, NodeType, Place
from runtime.nodes.support.expressions import MessageExpression


class ForEachParams(NodeParams):
    items: CelText = Field(
        "message",
        title="Items",
        description="CEL over message that names the list: message, if it is the list itself; message.rows; or "
        "message.rows.filter(x, x.price > 10).",
    )
    numbered: bool = Field(
        False,
        title="Numbered",
        description="Send {'item': …, 'index': 0, 'total': 3} and not the item alone; index counts from 0.",
    )


class ForEachExecutor(Executor):
    def __init__(self, id: str, params: ForEachParams) -> None:
        super().__init__(id, type=FOR_EACH.type)
        self._items = MessageExpression(params.items, id)
        self._numbered = params.numbered

    @handler
    def send_each(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        items = self._items.items(message)
        for index, item in enumerate(items):
            ctx.send_message(
                {"item": item, "index": index, "total": len(items)}
                if self._numbered
                else item
            )


def _make(place: Place, params: ForEachParams) -> Executor:
    return ForEachExecutor(place.node_id, params)


FOR_EACH = NodeType(
    type="for_each",
    title="For each",
    category=FLOW,
    icon="msgstep",
    description="Takes a list and sends each of its items as a message of its own, in order, all in one superstep. "
    "The node behind it gets them one after the other. An empty list sends nothing. To bring the results together "
    "again, number the items and gather 'total' of them with Batch.",
    params=ForEachParams,
    make=_make,
    summary="items",
    sends_many=True,
)
