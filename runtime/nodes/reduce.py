"""Reduce: many values become one, those of a list or of messages that come one after
the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from pydantic import Field

from runtime.errors import ConditionError, NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.cel import MAX_WORK, Expression
from runtime.expressions.template import show
from runtime.expressions.text_formats import FOLD_VARIABLES, SEPARATOR_FORMAT
from runtime.nodes.base import (
    DATA,
    CelText,
    FoldText,
    NodeParams,
    NodeType,
    Place,
    only_when,
)
from runtime.nodes.support.expressions import MessageExpression
from runtime.nodes.support.own_state import of_this_run

_ACC = "acc"
_NUMBERS = int | float | complex | Decimal | Fraction


class ReduceParams(NodeParams):
    by: Literal["sum", "min", "max", "count", "concat", "expression"] = Field(
        "sum",
        title="By",
        description="sum, min and max need numbers (min and max also take texts), count counts, concat puts texts or "
        "lists together, expression computes each step in CEL.",
    )
    source: Literal["list", "messages"] = Field(
        "list",
        title="Of",
        description="list reduces each list that arrives; messages reduces all messages so far, and sends the result "
        "after each.",
    )
    items: CelText = Field(
        "message",
        title="Items",
        description="CEL over message: the list, such as message.rows.map(x, x.price); for messages the value of "
        "each, such as message.price.",
    )
    expression: FoldText = Field(
        "acc + item",
        title="Expression",
        description="CEL over acc, the result so far, and item, the next value, such as acc + item.price * item.count "
        "or item.size > acc ? item.size : acc. For 'expression' only.",
        json_schema_extra=only_when(by="expression"),
    )
    start: Any = Field(
        None,
        title="Start",
        description="The value of acc before the first value, as JSON. Left empty, the first value is the start.",
    )
    separator: str = Field(
        "",
        title="Separator",
        description="The text between two texts, for concat; \\n is a line break, \\t a tab.",
        json_schema_extra={"format": SEPARATOR_FORMAT, **only_when(by="concat")},
    )


class ReduceExecutor(Executor):
    """The result so far is its own state, so that a restore brings it back."""

    def __init__(self, id: str, params: ReduceParams) -> None:
        super().__init__(id, type=REDUCE.type)
        self._params = params
        self._items = MessageExpression(params.items, id)
        self._expression = Expression(params.expression, FOLD_VARIABLES)

    @handler
    def reduce(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        if self._params.source == "list":
            ctx.send_message(self._fold(self._begun(), self._items.items(message)))
            return
        memory = of_this_run(ctx)
        before = [memory[_ACC]] if _ACC in memory else self._begun()
        memory[_ACC] = acc = self._fold(before, [self._items(message)])
        ctx.send_message(acc)

    def _begun(self) -> list[Any]:
        """The result before the first value, in a list that is empty where there is
        none.
        """
        if self._params.start is not None:
            return [self._params.start]
        return [0] if self._params.by in ("sum", "count") else []

    def _fold(self, begun: list[Any], items: Iterable[Any]) -> Any:
        step = self._step()
        acc = begun
        for item in items:
            try:
                acc = [step(acc[0], item)] if acc else [self._first(item)]
            except (
                TypeError,
                OverflowError,
            ) as error:  # an integer that no float can hold
                raise NodeError(
                    f"the values do not go together: {error}.", self.id
                ) from error
        if not acc:
            raise NodeError(
                f"an empty list has no {self._params.by}. Give a value in 'Start'.",
                self.id,
            )
        return acc[0]

    def _first(self, item: Any) -> Any:
        if self._params.by == "concat" and not isinstance(item, list | tuple):
            return show(item)
        return item

    def _step(self) -> Callable[[Any, Any], Any]:
        match self._params.by:
            case "sum":
                return self._add
            case "min":
                return min
            case "max":
                return max
            case "count":
                return lambda acc, _item: self._add(acc, 1)
            case "concat":
                return self._concat
            case _:
                return self._stepper()

    def _add(self, acc: Any, item: Any) -> Any:
        for operand in (acc, item):
            if isinstance(operand, bool) or not isinstance(operand, _NUMBERS):
                raise NodeError(
                    f"{operand!r:.80} is of type {type(operand).__name__}, not a number.",
                    self.id,
                )
        return acc + item

    def _concat(self, acc: Any, item: Any) -> Any:
        if isinstance(acc, list | tuple):
            if not isinstance(item, list | tuple):
                raise TypeError(f"a list and {type(item).__name__}")
            return [*acc, *item]
        return f"{show(acc)}{self._params.separator}{show(item)}"

    def _stepper(self) -> Callable[[Any, Any], Any]:
        """The expression as a step; all steps of one message together are bounded as
        one expression is.
        """
        spent = 0

        def step(acc: Any, item: Any) -> Any:
            nonlocal spent
            try:
                result, cost = self._expression.measured({_ACC: acc, "item": item})
            except ConditionError as error:
                raise NodeError(str(error), self.id) from error
            spent += cost
            if spent > MAX_WORK:
                raise NodeError(
                    "the list is too long for an expression. Do this work in a Python node.",
                    self.id,
                )
            return result

        return step


def _make(place: Place, params: ReduceParams) -> Executor:
    return ReduceExecutor(place.node_id, params)


REDUCE = NodeType(
    type="reduce",
    title="Reduce",
    category=DATA,
    icon="filter",
    description="Makes one value of many: the sum, the smallest, the largest, the number, one text or list, or what an "
    "expression computes step by step. Of the items of each list, or of all messages of the run so far; that result "
    "is the node's own state and survives a restart.",
    params=ReduceParams,
    make=_make,
    summary="by",
    always_sends=True,
)
