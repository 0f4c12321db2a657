"""Batch: cuts a list into chunks, or gathers messages until there are enough of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from runtime.errors import ConditionError, NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.cel import Condition
from runtime.nodes.base import FLOW, NodeParams, NodeType, OptionalCel, Place, only_when
from runtime.nodes.support.expressions import MessageExpression
from runtime.nodes.support.own_state import of_this_run

_HELD = "held"


class BatchParams(NodeParams):
    size: int = Field(
        10,
        ge=1,
        le=1_000_000,
        title="Size",
        description="How many items there are in a batch.",
    )
    source: Literal["list", "messages"] = Field(
        "list",
        title="Of",
        description="list cuts each list that arrives into batches; messages gathers single messages into one.",
    )
    ends_with: OptionalCel = Field(
        "",
        title="Ends with",
        description="CEL over message, for messages: when it is true, what was gathered is sent with this message as "
        "its last, though it is not full. Such as message.index == message.total - 1 behind a numbered For each.",
        json_schema_extra=only_when(source="messages"),
    )


class BatchExecutor(Executor):
    """Gathered messages are its own state, so that a restore brings them back."""

    def __init__(self, id: str, params: BatchParams) -> None:
        super().__init__(id, type=BATCH.type)
        self._size = params.size
        self._of_list = params.source == "list"
        self._items = MessageExpression("message", id)
        self._is_last: Condition | None = None
        if params.ends_with.strip():
            self._is_last = Condition(params.ends_with)

    @handler
    def batch(self, message: Any, ctx: WorkflowContext[list[Any]]) -> None:
        if self._of_list:
            items = self._items.items(message)
            for begin in range(0, len(items), self._size):
                ctx.send_message(items[begin : begin + self._size])
        else:
            self._gather(message, ctx)

    def _gather(self, message: Any, ctx: WorkflowContext[list[Any]]) -> None:
        memory = of_this_run(ctx)
        held = [*memory.get(_HELD, []), message]
        if len(held) >= self._size or self._ends(message):
            ctx.send_message(held)
            held = []
        memory[_HELD] = held

    def engine_left_over(self, state: Mapping[str, Any]) -> str:
        held = len(state.get(_HELD, ()))
        if held > 1:
            what = f"{held} messages that do not fill a batch of {self._size}"
        else:
            what = "a message"
        how = "They were" if held > 1 else "It was"
        if held:
            return f"has kept {what}. {how} not sent on: say in 'Ends with' which message is the last."
        return ""

    def _ends(self, message: Any) -> bool:
        try:
            return self._is_last is not None and self._is_last(message)
        except ConditionError as error:
            raise NodeError(str(error), self.id) from error


def _make(place: Place, params: BatchParams) -> Executor:
    return BatchExecutor(place.node_id, params)


BATCH = NodeType(
    type="batch",
    title="Batch",
    category=FLOW,
    icon="steps",
    description=(
        "Sends lists of a certain size: cuts a long list into several, or gathers "
        "messages until there are enough. Gathered messages wait for more over "
        "supersteps and restarts. The node's state shows them, and a warning "
        "reports them when the run is over. 'Ends with' names the message that "
        "sends a batch early."
    ),
    params=BatchParams,
    make=_make,
    outputs=("list[Any]",),
    summary="size",
    sends_many=True,
)
