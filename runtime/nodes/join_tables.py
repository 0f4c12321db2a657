"""Join two tables: rows of one beside those rows of the other that have the same values
in some columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import DATA, NodeParams, NodeType, Place
from runtime.nodes.support.tables import (
    MOST_ROWS,
    ROW_NUMBER,
    Row,
    RowsPath,
    Table,
    column_of,
    require_polars,
)

if TYPE_CHECKING:
    from polars import DataFrame, DataType, Series

_OTHER_NUMBER = "row number of the right table"


class JoinTablesParams(NodeParams):
    on: dict[str, str] = Field(
        min_length=1,
        title="On",
        description="Columns of the left table, and the column of the right table that each must equal. Where both "
        "have one name, the second may be left empty.",
        json_schema_extra={
            **column_of("left"),
            "text_column_of": "right",
            "columns": ["Left column", "Right column"],
        },
    )
    how: Literal["inner", "left", "right", "full", "semi", "anti"] = Field(
        "inner",
        title="Keep",
        description="inner: rows that have a partner. left, right, full: also those rows of the left table, the right "
        "one or both that have none. semi and anti: only rows of the left table, those with a partner and those "
        "without.",
    )
    left: RowsPath = Field(
        "message[0]",
        title="Left table",
        description="Where the first table is: of a join the first source's.",
    )
    right: RowsPath = Field(
        "message[1]", title="Right table", description="Where the second table is."
    )
    suffix: str = Field(
        "_right",
        min_length=1,
        title="Suffix",
        description="The ending for names of right columns that the left table has too.",
    )


class JoinTablesExecutor(Executor):
    def __init__(self, id: str, params: JoinTablesParams) -> None:
        super().__init__(id, type=JOIN_TABLES.type)
        self._params = params

    @handler
    def join(self, message: Any, ctx: WorkflowContext[list[Any]]) -> None:
        require_polars(JOIN_TABLES.title)
        left = Table(message, self._params.left, self.id)
        right = Table(message, self._params.right, self.id)
        pairs = self._pairs(left, right)
        if self._params.how in ("semi", "anti"):
            ctx.send_message([left.rows[number] for number in pairs[ROW_NUMBER]])
        else:
            ctx.send_message(list(self._joined(left, right, pairs)))

    def _pairs(self, left: Table, right: Table) -> DataFrame:
        """The places of the rows that go together, in the order of the left table, then
        of the right one.
        """
        import polars as pl

        left_frame = left.frame(tuple(self._params.on))
        right_frame = right.frame(
            [other or name for name, other in self._params.on.items()]
        )
        keys = [name for name in left_frame.columns if name != ROW_NUMBER]
        left_frame, right_frame = _typed_alike(
            left_frame, right_frame.rename({ROW_NUMBER: _OTHER_NUMBER}), keys
        )
        try:
            self._refuse_explosion(left_frame, right_frame, keys)
            return left_frame.join(
                right_frame, on=keys, how=self._params.how, maintain_order="left_right"
            )
        except pl.exceptions.PolarsError as error:
            raise NodeError(
                f"the columns {', '.join(self._params.on)} are of other types in the two tables, so none are equal.",
                self.id,
            ) from error

    def _refuse_explosion(
        self, left_frame: DataFrame, right_frame: DataFrame, keys: list[str]
    ) -> None:
        """A value that is often in both tables makes as many rows as there are pairs of
        it.
        """
        import polars as pl

        if self._params.how in ("semi", "anti"):
            return
        counts = (
            left_frame.group_by(keys)
            .len("left")
            .join(right_frame.group_by(keys).len("right"), on=keys)
        )
        rows = (counts["left"].cast(pl.Int64) * counts["right"].cast(pl.Int64)).sum()
        if rows > MOST_ROWS:
            raise NodeError(
                f"the tables would make {rows:,} rows together; {MOST_ROWS:,} are the most. Join on more columns, or "
                "group one table first.",
                self.id,
            )

    def _joined(self, left: Table, right: Table, pairs: DataFrame) -> Iterator[Row]:
        renamed = self._renamed(left.columns, right.columns)
        for number, other_number in pairs.select(ROW_NUMBER, _OTHER_NUMBER).iter_rows():
            other = {} if other_number is None else right.rows[other_number]
            if number is None:
                row = self._without_left(other, left.columns)
            else:
                row = left.rows[number]
            yield {
                **row,
                **{name: other.get(column) for column, name in renamed.items()},
            }

    def _without_left(self, other: Row, columns: tuple[str, ...]) -> Row:
        """A row of the right table that has no partner; what should have been equal
        keeps its name and value.
        """
        return {
            **dict.fromkeys(columns),
            **{name: other.get(twin or name) for name, twin in self._params.on.items()},
        }

    def _renamed(
        self, columns: tuple[str, ...], others: tuple[str, ...]
    ) -> dict[str, str]:
        """Return the names of the other columns of the right table in joined rows, so
        that none hides another.
        """
        twins = {twin or name for name, twin in self._params.on.items()}
        taken = {*columns, *others}
        renamed = dict[str, str]()
        for column in others:
            if column in twins:
                continue
            name = column
            while name in columns or (name != column and name in taken):
                name += self._params.suffix
            renamed[column] = name
            taken.add(name)
        return renamed


def _typed_alike(
    left_frame: DataFrame, right_frame: DataFrame, keys: list[str]
) -> tuple[DataFrame, DataFrame]:
    """A column without any value has no type of its own, and equal numbers may be
    written in two ways.
    """
    for key in keys:
        common = _common_type(left_frame[key], right_frame[key])
        if common is not None:
            left_frame = left_frame.cast({key: common})
            right_frame = right_frame.cast({key: common})
    return left_frame, right_frame


def _common_type(left: Series, right: Series) -> DataType | None:
    """The type in which two columns can be compared exactly; None where it is their
    own, or there is none.
    """
    import polars as pl

    if pl.Null in (left.dtype, right.dtype):
        return right.dtype if left.dtype == pl.Null else left.dtype
    if isinstance(left.dtype, pl.Decimal) and isinstance(right.dtype, pl.Decimal):
        return pl.Decimal(38, max(left.dtype.scale, right.dtype.scale))
    for integers, other in ((left, right), (right, left)):
        if (
            integers.dtype.is_integer()
            and other.dtype.is_float()
            and _is_exact(integers)
        ):
            return pl.Float64()
    return None


def _is_exact(integers: Series) -> bool:
    """Whether a float holds each of these integers."""
    return bool((integers.drop_nulls().abs() <= 2**53).all())


def _make(place: Place, params: JoinTablesParams) -> Executor:
    return JoinTablesExecutor(place.node_id, params)


JOIN_TABLES = NodeType(
    type="join_tables",
    title="Join two tables",
    category=DATA,
    icon="join",
    description="Puts rows of two tables together that have equal values in some columns, and sends the joined rows "
    "on. Draw a join into it: its first source is the left table, its second the right one. Values that are missing "
    "equal nothing; a row without a partner has null in the columns of the other table. Needs the package polars (pip "
    "install 'stepwell[tables]').",
    params=JoinTablesParams,
    make=_make,
    outputs=("list[Any]",),
    summary="on",
    always_sends=True,
)
