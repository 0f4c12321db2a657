"""Tables for nodes: lists of maps. The library polars computes with the columns that
are needed.

Only those columns are passed to it, with the position of each row; the rows that are
sent on are the original ones. So a value in another column may be of any type, and none
is changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from runtime.errors import ExtraMissingError, NodeError
from runtime.expressions.template import look_up, parse_path
from runtime.expressions.text_formats import MESSAGE_PATH_FORMAT
from runtime.nodes.base import well_formed

if TYPE_CHECKING:
    from polars import DataFrame, Series

MOST_ROWS = 1_000_000
DECIMAL_DIGITS = 38
ROW_NUMBER = "row number"
Row = Mapping[str, Any]
RowsPath = Annotated[
    str,
    well_formed(MESSAGE_PATH_FORMAT),
    Field(json_schema_extra={"format": MESSAGE_PATH_FORMAT}),
]


def column_of(path: str) -> dict[str, Any]:
    """For `json_schema_extra`: the parameter names a column of the rows at the path
    that this other one holds.
    """
    return {"column_of": path}


class Table:
    """The rows at a place in a message. Raise `NodeError` unless they are a list of
    maps with texts as keys.
    """

    def __init__(self, message: Any, path: str, node_id: str) -> None:
        self._path = path
        self._node_id = node_id
        try:
            rows = look_up(message, parse_path(path))
        except LookupError as error:
            raise self.error(f"there are no rows: {error.args[0]}") from error
        if not isinstance(rows, list | tuple):
            raise self.error(
                f"{path} is of type {type(rows).__name__}, but rows are a list of maps"
            )
        if len(rows) > MOST_ROWS:
            raise self.error(
                f"{path} has {len(rows):,} rows; {MOST_ROWS:,} are the most"
            )
        for number, row in enumerate(rows):
            if not isinstance(row, Mapping) or not all(
                isinstance(name, str) for name in row
            ):
                raise self.error(
                    f"row {number} of {path} is of type {type(row).__name__}, but rows are maps by column"
                )
        self.rows: Sequence[Row] = rows

    def error(self, text: str) -> NodeError:
        return NodeError(f"{text}.", self._node_id)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns, in the order in which the rows name them."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    def frame(self, columns: Sequence[str]) -> DataFrame:
        """These columns, and the place of each row as `ROW_NUMBER`. A row without a
        column has none there (`null`).
        """
        import polars as pl

        numbers = pl.Series(ROW_NUMBER, range(len(self.rows)), dtype=pl.Int64)
        return pl.DataFrame(
            [
                numbers,
                *(
                    self.series(name, f"column {index}")
                    for index, name in enumerate(columns)
                ),
            ]
        )

    def series(self, column: str, called: str) -> Series:
        """A column for the library. Raise `NodeError` for one that no row has, or whose
        values are of unlike types.
        """
        import polars as pl

        if self.rows and not any(column in row for row in self.rows):
            raise self.error(
                f"there is no column '{column}' in {self._path}. It has: {', '.join(self.columns)}"
            )
        values = [row.get(column) for row in self.rows]
        types = {type(value) for value in values if value is not None}
        if types == {int, float} and all(
            value is None or float(value) == value for value in values
        ):
            values = [None if value is None else float(value) for value in values]
        elif len(types) > 1 or not _go_together(values):
            raise self._unfit(column, types)
        try:
            series = pl.Series(called, values, strict=True)
        except (
            TypeError,
            OverflowError,
            UnicodeError,
            pl.exceptions.PolarsError,
        ) as error:
            raise self._unfit(column, types) from error
        if series.dtype.is_nested() or series.dtype == pl.Object:
            raise self._unfit(column, types)
        return series

    def _unfit(self, column: str, types: Collection[type]) -> NodeError:
        names = " and ".join(sorted(kind.__name__ for kind in types))
        return self.error(
            f"the values of column '{column}' in {self._path}, of type {names}, cannot be compared. Make them numbers, "
            "texts or times of one type first"
        )


def _go_together(values: Sequence[Any]) -> bool:
    """Whether values of one type fit one column. The library panics at decimals that
    are NaN, or that have more than 38 digits together, and it reads a time without a
    zone as UTC.
    """
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, Decimal) for value in present):
        finite = all(value.is_finite() for value in present)
        return (
            finite
            and max(value.adjusted() for value in present) + _most_places(present)
            < DECIMAL_DIGITS
        )
    if present and all(isinstance(value, datetime) for value in present):
        return len({value.utcoffset() is None for value in present}) == 1
    return True


def _most_places(values: Sequence[Decimal]) -> int:
    exponents = [value.as_tuple().exponent for value in values]
    return max(0, *(-exponent for exponent in exponents if isinstance(exponent, int)))


@contextmanager
def library_errors(node_id: str) -> Iterator[None]:
    """Turn errors and panics of the library into errors of the node. A panic is no
    `Exception`, and would end the process.
    """
    import polars as pl

    try:
        yield
    except (
        OverflowError,
        pl.exceptions.PolarsError,
        pl.exceptions.PanicException,
    ) as error:
        raise NodeError(
            f"this cannot be computed of these values: {error}.", node_id
        ) from error


def require_polars(what: str) -> None:
    """Raise `ExtraMissingError`, which says what to install, if polars is missing."""
    try:
        import polars as pl  # noqa: F401
    except ImportError as error:
        raise ExtraMissingError(what, "polars", "tables") from error
