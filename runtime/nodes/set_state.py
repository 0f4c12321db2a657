"""Set state: writes a value into the shared state, and passes the message on."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.context import check_key
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template
from runtime.nodes.base import (
    FLOW,
    CelText,
    NodeParams,
    NodeType,
    Place,
    TemplateLine,
    render,
)
from runtime.nodes.support.expressions import MessageExpression


class SetStateParams(NodeParams):
    key: TemplateLine = Field(
        min_length=1,
        title="Key",
        description="The name of the value, such as draft or order-{message.id}. It must not begin with _.",
    )
    value: CelText = Field(
        "message",
        title="Value",
        description="CEL over message: message for the whole of it, or a part such as message.total.",
    )


class SetStateExecutor(Executor):
    def __init__(self, id: str, params: SetStateParams) -> None:
        super().__init__(id, type=SET_STATE.type)
        self._key = Template(params.key)
        self._value = MessageExpression(params.value, id)

    @handler
    def write(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        key = render(self._key, message, self.id)
        if not key.strip():
            raise NodeError(
                "the key is empty for this message. Correct 'Key'.", self.id
            )
        try:
            check_key(key)
        except ValueError as error:
            raise NodeError(str(error), self.id) from error
        ctx.set_state(key, self._value(message))
        ctx.send_message(message)


def _make(place: Place, params: SetStateParams) -> Executor:
    return SetStateExecutor(place.node_id, params)


SET_STATE = NodeType(
    type="set_state",
    title="Set state",
    category=FLOW,
    icon="save",
    description="Keeps a value under a name in the shared state of the run, where every node can read it from the next "
    "superstep on, and passes the message on unchanged. Two nodes that write different values to one key in one "
    "superstep are an error.",
    params=SetStateParams,
    make=_make,
    summary="key",
    always_sends=True,
    passes_on=True,
    sink=True,
)
