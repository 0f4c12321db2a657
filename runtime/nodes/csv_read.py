"""Read CSV: sends the rows of a file, all in one list or each by itself."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template
from runtime.nodes.base import DATA, NodeType, Place, render
from runtime.nodes.support.csv_format import CsvParams, allow_large_values, outside
from runtime.nodes.support.outside_words import on_file
from runtime.nodes.support.paths import resolve
from runtime.system.bounded_files import LARGEST_DATA, opened_text

# no leading zeros: a postcode is no number
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?")


class CsvReadParams(CsvParams):
    numbers: bool = Field(
        False,
        title="Read numbers",
        description="Make numbers of texts that look like one: 12, -0.5, 1e3; not of 007 or 1,5.",
    )
    each_row: bool = Field(
        False,
        title="One message per row",
        description="Send one message for each row, and not one list.",
    )
    allow_outside: bool = outside()


class CsvReadExecutor(Executor):
    def __init__(self, id: str, folder: Path, params: CsvReadParams) -> None:
        super().__init__(id, type=CSV_READ.type)
        self._folder = folder
        self._params = params
        self._path = Template(params.path)

    @handler
    def read(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        path = resolve(
            self._folder,
            render(self._path, message, self.id),
            self._params.allow_outside,
            self.id,
        )
        rows = self._rows(path)
        for payload in rows if self._params.each_row else [rows]:
            ctx.send_message(payload)

    def _rows(self, path: Path) -> list[Any]:
        allow_large_values()
        try:
            with opened_text(path, LARGEST_DATA, self._params.reading) as stream:
                return list(
                    self._parsed(
                        path,
                        csv.reader(
                            stream, delimiter=self._params.separator, strict=True
                        ),
                    )
                )
        except OSError as error:
            raise NodeError(
                f"{path} cannot be read: {error.strerror}.", self.id
            ) from error
        except UnicodeError as error:
            raise NodeError(
                f"{path} is not in the encoding {self._params.encoding}: {error}. Choose another encoding.",
                self.id,
            ) from error

    def _parsed(self, path: Path, reader: Any) -> Iterator[Any]:
        """Return the rows as maps by column, or as lists if nothing names the columns.
        Empty lines are no rows.
        """
        names: list[str] | None = None
        if not self._params.header and self._params.columns:
            names = self._checked(path, self._params.columns)
        width = len(names) if names else 0
        columns = self._params.columns if self._params.header else []
        for line, row in self._numbered(path, reader):
            if self._params.header and names is None:
                names = self._checked(path, row)
                self._require(path, columns, names)
            elif width and len(row) != width:
                raise NodeError(
                    f"{path}, line {line}: there are {len(row)} values, but {width} columns.",
                    self.id,
                )
            else:
                yield self._row(names, row, columns)
            width = width or len(row)

    def _numbered(self, path: Path, reader: Any) -> Iterator[tuple[int, list[str]]]:
        """Each row with the line in which it begins; a quoted value may go over
        several.
        """
        begin = 1
        try:
            for row in reader:
                if row:
                    yield begin, row
                begin = reader.line_num + 1
        except csv.Error as error:
            raise NodeError(
                f"{path}, line {begin}: this is no CSV ({error}). Check delimiter and quotes.",
                self.id,
            ) from error

    def _row(self, names: list[str] | None, row: list[str], columns: list[str]) -> Any:
        if self._params.numbers:
            values: list[Any] = [_number(text) for text in row]
        else:
            values = list(row)
        if names is None:
            return values
        cells = dict(zip(names, values, strict=True))
        return {name: cells[name] for name in columns} if columns else cells

    def _checked(self, path: Path, names: list[str]) -> list[str]:
        double = next(
            (name for index, name in enumerate(names) if name in names[:index]), None
        )
        if double is not None:
            raise NodeError(
                f"{path}: two columns are called '{double}'. Give each a name of its own.",
                self.id,
            )
        return names

    def _require(self, path: Path, columns: list[str], names: list[str]) -> None:
        missing = [name for name in columns if name not in names]
        if missing:
            raise NodeError(
                f"{path} has no column '{missing[0]}'. It has: {', '.join(names)}.",
                self.id,
            )


def _number(text: str) -> Any:
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def _make(place: Place, params: CsvReadParams) -> Executor:
    return CsvReadExecutor(place.node_id, place.folder, params)


CSV_READ = NodeType(
    type="csv_read",
    title="Read CSV",
    category=DATA,
    icon="table",
    description="Reads a CSV file for each message that arrives, and sends its rows on: as a list of maps by column, "
    "or each row as a message of its own. Without header and column names a row is a list. A row that does not fit "
    "is an error that names its line.",
    params=CsvReadParams,
    make=_make,
    outside=lambda params: on_file("read file", params.path, reads=True),
    summary="path",
    sends_many=True,
)
