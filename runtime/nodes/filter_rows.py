"""Filter rows: those rows of a table for which a condition is true."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from runtime.errors import ConditionError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.cel import MAX_WORK, Expression
from runtime.expressions.text_formats import ROW_VARIABLES
from runtime.nodes.base import DATA, NodeParams, NodeType, Place, RowCondition
from runtime.nodes.support.tables import RowsPath, Table, column_of


class FilterRowsParams(NodeParams):
    condition: RowCondition = Field(
        title="Keep where",
        description="CEL over row, such as row.price > 10 && row.city == 'Paris'. A column whose name is no word is "
        "row['unit price'].",
        json_schema_extra=column_of("rows"),
    )
    rows: RowsPath = Field(
        "message",
        title="Rows",
        description="Where the rows are, such as message or message.rows.",
    )


class FilterRowsExecutor(Executor):
    def __init__(self, id: str, params: FilterRowsParams) -> None:
        super().__init__(id, type=FILTER_ROWS.type)
        self._path = params.rows
        self._condition = Expression(params.condition, ROW_VARIABLES)

    @handler
    def filter(self, message: Any, ctx: WorkflowContext[list[Any]]) -> None:
        table = Table(message, self._path, self.id)
        matching = []
        work = 0
        for number, row in enumerate(table.rows):
            keeps, cost = self._judged(table, number, row)
            work += cost
            if work > MAX_WORK:
                raise table.error(
                    "the table is too large for a condition. Do this work in a Python node"
                )
            if keeps:
                matching.append(row)
        ctx.send_message(matching)

    def _judged(self, table: Table, number: int, row: Any) -> tuple[bool, int]:
        """Whether a row is kept, and what it cost to know."""
        try:
            keeps, cost = self._condition.measured({"row": row})
        except ConditionError as error:
            raise table.error(f"row {number}: {str(error).rstrip('.')}") from error
        if not isinstance(keeps, bool):
            raise table.error(
                f"row {number}: the condition gives {type(keeps).__name__}, not true or false"
            )
        return keeps, cost


def _make(place: Place, params: FilterRowsParams) -> Executor:
    return FilterRowsExecutor(place.node_id, params)


FILTER_ROWS = NodeType(
    type="filter_rows",
    title="Filter rows",
    category=DATA,
    icon="filter",
    description=(
        "Sends on the rows of a table, a list of maps by column, for which a "
        "condition is true, in their order. Columns are offered while you type, as "
        "far as they are known. If the condition needs a column and a row lacks "
        "it, that is an error; has(row.price) tests for it."
    ),
    params=FilterRowsParams,
    make=_make,
    outputs=("list[Any]",),
    summary="condition",
    always_sends=True,
)
