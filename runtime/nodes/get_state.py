"""Get state: reads a value of the shared state, and sends it on alone or with the
message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template
from runtime.nodes.base import (
    FLOW,
    NodeParams,
    NodeType,
    Place,
    TemplateLine,
    only_when,
    render,
)


class GetStateParams(NodeParams):
    key: TemplateLine = Field(
        min_length=1,
        title="Key",
        description="The name of the value, such as draft or order-{message.id}.",
    )
    send: Literal["value", "field", "both"] = Field(
        "value",
        title="Send",
        description="value sends the value in the message's place, field puts it into the message, which must be a "
        "map, and both sends {'message': …, 'value': …}.",
    )
    field: str = Field(
        "",
        title="Field",
        description="For 'field': its name in the message; left empty, the key is its name.",
        json_schema_extra=only_when(send="field"),
    )
    missing: Literal["error", "default"] = Field(
        "error",
        title="If missing",
        description="When there is no such key: an error, or the value below.",
    )
    default: Any = Field(
        None,
        title="Default",
        description="The value where the key is missing, as JSON.",
        json_schema_extra=only_when(missing="default"),
    )


class GetStateExecutor(Executor):
    def __init__(self, id: str, params: GetStateParams) -> None:
        super().__init__(id, type=GET_STATE.type)
        self._params = params
        self._key = Template(params.key)

    @handler
    async def read(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        key = render(self._key, message, self.id)
        if self._params.missing == "error" and not ctx.state.has(key):
            known = ", ".join(ctx.state) or "nothing"
            raise NodeError(
                f"the shared state has no '{key}'; it has: {known}. Set it in an earlier superstep, or choose a "
                "default in 'If missing'.",
                self.id,
            )
        await ctx.send_message(
            self._sent(message, key, ctx.get_state(key, self._params.default))
        )

    def _sent(self, message: Any, key: str, value: Any) -> Any:
        match self._params.send:
            case "value":
                return value
            case "both":
                return {"message": message, "value": value}
        if not isinstance(message, Mapping):
            raise NodeError(
                f"the message is of type {type(message).__name__} and no map, so it takes no field. Choose 'both'.",
                self.id,
            )
        return {**message, self._params.field or key: value}


def _make(place: Place, params: GetStateParams) -> Executor:
    return GetStateExecutor(place.node_id, params)


GET_STATE = NodeType(
    type="get_state",
    title="Get state",
    category=FLOW,
    icon="open",
    description="Reads a value of the run's shared state, as it was at the end of the superstep before, and sends it "
    "on: in the message's place, in a field of the message, or both side by side.",
    params=GetStateParams,
    make=_make,
    summary="key",
    always_sends=True,
)
