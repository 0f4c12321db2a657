"""Group rows: one row for each group of rows that have equal values in some columns,
with what is computed of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.text_formats import AGGREGATES_FORMAT, parse_aggregate
from runtime.nodes.base import DATA, NodeParams, NodeType, Place, well_formed
from runtime.nodes.support.tables import (
    ROW_NUMBER,
    RowsPath,
    Table,
    column_of,
    library_errors,
    require_polars,
)

if TYPE_CHECKING:
    from polars import DataFrame, Expr, Series

_PICKS = ("first", "last", "min", "max", "list")  # they take values as they are
Aggregates = Annotated[
    dict[str, str],
    well_formed(AGGREGATES_FORMAT),
    Field(json_schema_extra={"format": AGGREGATES_FORMAT}),
]


class GroupRowsParams(NodeParams):
    by: list[str] = Field(
        title="By",
        description="The columns whose values rows of one group have in common. Left empty, all rows are one group.",
        json_schema_extra=column_of("rows"),
    )
    compute: Aggregates = Field(
        {"count": "count()"},
        min_length=1,
        title="Compute",
        description="New columns and what they hold: sum, mean, median, min, max, first, last, count, distinct or "
        "list of a column, such as sum(price). count() counts the rows, count(price) those with a price, "
        "distinct(price) the different prices.",
        json_schema_extra={
            "text_column_of": "rows",
            "columns": ["New column", "sum(column)"],
        },
    )
    rows: RowsPath = Field(
        "message",
        title="Rows",
        description="Where the rows are, such as message or message.rows.",
    )


class GroupRowsExecutor(Executor):
    def __init__(self, id: str, params: GroupRowsParams) -> None:
        super().__init__(id, type=GROUP_ROWS.type)
        self._params = params
        self._computed = {
            name: parse_aggregate(text) for name, text in params.compute.items()
        }
        twice = next((name for name in params.by if name in params.compute), None)
        if twice is not None:
            raise ValueError(
                f"'{twice}' is a column to group by and a new column. Call the new one otherwise."
            )

    @handler
    def group(self, message: Any, ctx: WorkflowContext[list[Any]]) -> None:
        require_polars(GROUP_ROWS.title)
        table = Table(message, self._params.rows, self.id)
        groups = self._groups(table)
        with library_errors(self.id):
            rows = list(groups.iter_rows())
        ctx.send_message([self._row(table, *values) for values in rows])

    def _groups(self, table: Table) -> DataFrame:
        """For each group the place of its first row, and for each new column a value,
        or places of rows (`_PICKS`).
        """
        import polars as pl

        frame = table.frame(self._params.by)
        keys = [name for name in frame.columns if name != ROW_NUMBER]
        columns = dict.fromkeys(
            column for _, column in self._computed.values() if column
        )
        values = {
            column: table.series(column, f"value {number}")
            for number, column in enumerate(columns)
        }
        frame = frame.with_columns(list(values.values()))
        results = [
            self._result(function, column, values.get(column)).alias(f"result {number}")
            for number, (function, column) in enumerate(self._computed.values())
        ]
        with library_errors(self.id):
            grouped = frame.group_by(keys or pl.lit(0), maintain_order=True)
            first = pl.col(ROW_NUMBER).first().alias("first row")
            return grouped.agg(first, *results).select("first row", "^result .*$")

    def _result(self, function: str, column: str, series: Series | None) -> Expr:
        import polars as pl

        place = pl.col(ROW_NUMBER)
        if series is None:
            return place.len()
        values = pl.col(series.name)
        has_value = pl.col(series.name).is_not_null()
        match function:
            case "count":
                return values.count()
            case "distinct":
                return values.drop_nulls().n_unique()
            case "list":
                return place
            case "first" | "last":
                if function == "first":
                    return place.filter(has_value).first()
                return place.filter(has_value).last()
            case "min" | "max":
                return place.filter(
                    values == (values.min() if function == "min" else values.max())
                ).first()
        self._require_numbers(series, function, column)
        if function == "sum" and series.dtype.is_integer():
            return values.cast(pl.Int128).sum()  # 64 bit would run over without a word
        if function == "sum":
            return values.sum()
        if function == "mean":
            return values.mean()
        return values.median()

    def _require_numbers(self, series: Series, function: str, column: str) -> None:
        import polars as pl

        kind = series.dtype
        if not (kind.is_numeric() or kind in (pl.Duration, pl.Null)):
            raise NodeError(
                f"{function}({column}) needs numbers; '{column}' holds {kind} values.",
                self.id,
            )

    def _row(self, table: Table, first: int, *results: Any) -> dict[str, Any]:
        """Return the row of a group. Its values come from the original rows, so they
        keep their types.
        """
        row = {name: table.rows[first].get(name) for name in self._params.by}
        for (name, (function, column)), result in zip(
            self._computed.items(), results, strict=True
        ):
            row[name] = (
                _picked(table, column, result)
                if column and function in _PICKS
                else result
            )
        return row


def _picked(table: Table, column: str, places: Any) -> Any:
    if isinstance(places, list):
        return [table.rows[place].get(column) for place in places]
    return None if places is None else table.rows[places].get(column)


def _make(place: Place, params: GroupRowsParams) -> Executor:
    return GroupRowsExecutor(place.node_id, params)


GROUP_ROWS = NodeType(
    type="group_rows",
    title="Group rows",
    category=DATA,
    icon="steps",
    description="Makes one row of each group of rows that have equal values in some columns, and sends these on, in "
    "the order in which the groups begin: sums, means, numbers, smallest and largest values of other columns. Values "
    "that are missing are left out. Needs the package polars (pip install 'stepwell[tables]').",
    params=GroupRowsParams,
    make=_make,
    outputs=("list[Any]",),
    summary="by",
    always_sends=True,
)
