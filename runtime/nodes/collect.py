"""Collect: what a join delivers, as a list, one text, or a sum."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import show
from runtime.expressions.text_formats import SEPARATOR_FORMAT
from runtime.nodes.base import DATA, NodeParams, NodeType, Place, only_when


class CollectParams(NodeParams):
    into: Literal["list", "text", "sum"] = Field(
        "list",
        title="Into",
        description="list keeps the values, text joins them, sum adds numbers up.",
    )
    separator: str = Field(
        "\n",
        title="Separator",
        description="The text between two values; \\n is a line break, \\t a tab.",
        json_schema_extra={"format": SEPARATOR_FORMAT, **only_when(into="text")},
    )


class CollectExecutor(Executor):
    def __init__(self, id: str, into: str, separator: str) -> None:
        super().__init__(id, type=COLLECT.type)
        self._into = into
        self._separator = separator

    @handler
    async def collect(self, message: list[Any], ctx: WorkflowContext[Any]) -> None:
        await ctx.send_message(self._collected(message))

    def _collected(self, values: list[Any]) -> Any:
        match self._into:
            case "text":
                return self._separator.join(map(show, values))
            case "sum":
                return self._sum(values)
            case _:
                return values

    def _sum(self, values: list[Any]) -> Any:
        for position, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(
                value, int | float | complex | Decimal | Fraction
            ):
                raise NodeError(
                    f"value {position} of the list is of type {type(value).__name__}, not a number.",
                    self.id,
                )
        try:
            return sum(values)
        except (
            TypeError,
            OverflowError,
        ) as error:  # Decimal and float do not add; an integer that no float can hold
            raise NodeError(
                f"the values cannot be added up: {error}.", self.id
            ) from error


def _make(place: Place, params: CollectParams) -> Executor:
    return CollectExecutor(place.node_id, params.into, params.separator)


COLLECT = NodeType(
    type="collect",
    title="Collect",
    category=DATA,
    icon="list",
    description="Takes the list that a join delivers, in the order of the join's sources, and passes it on as a list, "
    "as one text, or as the sum of its numbers. Draw a join into it.",
    params=CollectParams,
    make=_make,
    inputs=("list[Any]",),
    summary="into",
    always_sends=True,
)
