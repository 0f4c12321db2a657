"""JSON transform: a new value made of the message by an expression in CEL."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from runtime.errors import ConditionError, NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.cel_long_lists import Transform
from runtime.nodes.base import DATA, CelText, NodeParams, NodeType, Place


class JsonTransformParams(NodeParams):
    expression: CelText = Field(
        "message",
        title="Expression",
        description="CEL over message. Build a map with {'total': message.price * 2}, a list with [message.a, "
        "message.b], take a part with message.items[0].name, change each element with message.items.map(x, x.name), "
        "choose with message.items.filter(x, x.price > 10), and decide with has(message.name) ? message.name : 'none'.",
    )


class JsonTransformExecutor(Executor):
    def __init__(self, id: str, expression: Transform) -> None:
        super().__init__(id, type=JSON_TRANSFORM.type)
        self._expression = expression

    @handler
    def transform(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        try:
            result = self._expression(message=message)
        except ConditionError as error:
            raise NodeError(str(error), self.id) from error
        ctx.send_message(result)


def _make(place: Place, params: JsonTransformParams) -> Executor:
    return JsonTransformExecutor(place.node_id, Transform(params.expression))


JSON_TRANSFORM = NodeType(
    type="json_transform",
    title="JSON transform",
    category=DATA,
    icon="map",
    description="Makes a new value of each message by an expression in CEL, and sends it on: pick fields, build maps "
    "and lists, change or filter the elements of a list. An expression only looks at data, it cannot run code. Long "
    "lists are best walked last, as in message.items.filter(x, ...).map(x, ...).",
    params=JsonTransformParams,
    make=_make,
    summary="expression",
    always_sends=True,
)
