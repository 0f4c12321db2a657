"""Sort rows: the rows of a table in the order of one column or of several."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import DATA, NodeParams, NodeType, Place
from runtime.nodes.support.tables import (
    ROW_NUMBER,
    RowsPath,
    Table,
    column_of,
    require_polars,
)

Direction = Literal["ascending", "descending"]


class SortRowsParams(NodeParams):
    by: dict[str, Direction] = Field(
        min_length=1,
        title="By",
        description="The columns in order of weight, each ascending or descending.",
        json_schema_extra={
            **column_of("rows"),
            "columns": ["Column", "ascending or descending"],
        },
    )
    rows: RowsPath = Field(
        "message",
        title="Rows",
        description="Where the rows are, such as message or message.rows.",
    )


class SortRowsExecutor(Executor):
    def __init__(self, id: str, params: SortRowsParams) -> None:
        super().__init__(id, type=SORT_ROWS.type)
        self._params = params

    @handler
    def sort(self, message: Any, ctx: WorkflowContext[list[Any]]) -> None:
        require_polars(SORT_ROWS.title)
        table = Table(message, self._params.rows, self.id)
        frame = table.frame(tuple(self._params.by))
        ordered = frame.sort(
            [name for name in frame.columns if name != ROW_NUMBER],
            descending=[
                direction == "descending" for direction in self._params.by.values()
            ],
            nulls_last=True,
            maintain_order=True,
        )
        ctx.send_message([table.rows[number] for number in ordered[ROW_NUMBER]])


def _make(place: Place, params: SortRowsParams) -> Executor:
    return SortRowsExecutor(place.node_id, params)


SORT_ROWS = NodeType(
    type="sort_rows",
    title="Sort rows",
    category=DATA,
    icon="rank",
    description="Puts the rows of a table, a list of maps by column, into the order of one column or of several, and "
    "sends them on. Equal rows stay in the order in which they came; rows without a value are last. Needs the package "
    "polars (pip install 'stepwell[tables]').",
    params=SortRowsParams,
    make=_make,
    outputs=("list[Any]",),
    summary="by",
    always_sends=True,
)
