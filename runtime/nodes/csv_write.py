"""Write CSV: writes the rows of each message to a file, or adds them to it, and passes
the message on.
"""

from __future__ import annotations

import csv
import io
import json
import threading
from collections.abc import Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from runtime.document.files import write_bytes
from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.expressions.template import Template, to_json
from runtime.expressions.text_formats import CSV_WRITE_FORMAT
from runtime.nodes.base import DATA, NodeType, Place, TemplateLine, render, together
from runtime.nodes.support.append_file import end_of
from runtime.nodes.support.csv_format import CsvParams, outside
from runtime.nodes.support.outside_words import on_file
from runtime.nodes.support.paths import resolve
from runtime.system.bounded_files import opened_text

_APPENDING = threading.Lock()  # two nodes of one superstep may add to one file
_HEADER_BYTES = 1_000_000


class CsvWriteParams(CsvParams):
    model_config = together(CSV_WRITE_FORMAT)

    path: TemplateLine = Field(
        title="Path",
        description="Relative to the workflow's folder. May hold placeholders: {message.name} is a part.",
        json_schema_extra={"file": "write"},
    )
    mode: Literal["replace", "append"] = Field(
        "replace",
        title="Mode",
        description=(
            "replace writes a new file; append adds rows to the file. Both write "
            "all rows or none."
        ),
    )
    allow_outside: bool = outside()


class CsvWriteExecutor(Executor):
    def __init__(self, id: str, folder: Path, params: CsvWriteParams) -> None:
        super().__init__(id, type=CSV_WRITE.type)
        self._folder = folder
        self._params = params
        self._path = Template(params.path)

    @handler
    def write(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        path = resolve(
            self._folder,
            render(self._path, message, self.id),
            self._params.allow_outside,
            self.id,
        )
        rows = self._rows(message)
        try:
            if path.is_dir():
                raise NodeError(f"{path} is a folder. Choose a file in it.", self.id)
            path.parent.mkdir(parents=True, exist_ok=True)
            if self._params.mode == "replace":
                write_bytes(
                    path,
                    self._encoded(
                        rows, self._params.columns, header=self._params.header
                    ),
                )
            else:
                with _APPENDING:
                    self._append(path, rows)
        except OSError as error:
            raise NodeError(
                f"{path} cannot be written: {error.strerror}.", self.id
            ) from error
        ctx.send_message(message)

    def _append(self, path: Path, rows: list[Any]) -> None:
        with end_of(path) as end:
            is_new = end.size == 0
            columns = self._params.columns
            if not is_new and self._params.header:
                columns = self._header_of(path)
            content = self._encoded(
                rows, columns, header=is_new and self._params.header
            )
            end.add(content if is_new or end.ends_a_line else b"\n" + content)

    def _header_of(self, path: Path) -> list[str]:
        try:
            with opened_text(path, None, self._params.reading) as stream:
                reader = csv.reader(
                    io.StringIO(stream.read(_HEADER_BYTES), newline=""),
                    delimiter=self._params.separator,
                )
                return next(row for row in reader if row)
        except (UnicodeError, csv.Error, StopIteration) as error:
            raise NodeError(
                f"{path} does not begin with a row of column names. Replace it, or switch off 'Header'.",
                self.id,
            ) from error

    def _rows(self, message: Any) -> list[Any]:
        """Return the rows of a message: a map or a list of plain values is one row,
        because Read CSV sends such lists for files without names; any other list is
        several.
        """
        is_many = isinstance(message, list | tuple) and not (
            message and all(map(_is_plain, message))
        )
        items = message if is_many else [message]
        return [self._row(number, item) for number, item in enumerate(items, start=1)]

    def _row(self, number: int, value: Any) -> Any:
        if isinstance(value, Mapping) or (
            isinstance(value, Sequence) and not isinstance(value, str | bytes)
        ):
            return value
        try:
            plain = json.loads(to_json(value))  # dataclasses and pydantic models
        except ValueError:
            plain = None
        if isinstance(plain, dict):
            return plain
        raise NodeError(
            f"row {number} is of type {type(value).__name__}. Send a map, a list of maps, or a list of lists.",
            self.id,
        )

    def _encoded(self, rows: list[Any], columns: list[str], *, header: bool) -> bytes:
        names = columns or list(
            dict.fromkeys(
                str(key) for row in rows if isinstance(row, Mapping) for key in row
            )
        )
        lines = [_line(names, self._params.separator)] if header and names else []
        lines += [
            _line(self._cells(*numbered_row, names), self._params.separator)
            for numbered_row in enumerate(rows, start=1)
        ]
        try:
            return "".join(lines).encode(self._params.encoding)
        except UnicodeError as error:
            raise NodeError(
                f"the rows do not fit the encoding {self._params.encoding}: {error}.",
                self.id,
            ) from error

    def _cells(self, number: int, row: Any, names: list[str]) -> list[str]:
        if isinstance(row, Mapping):
            row = {str(key): value for key, value in row.items()}
            unknown = next((name for name in row if name not in names), None)
            if unknown is not None:
                raise NodeError(
                    f"row {number} has '{unknown}', which is no column. The columns are: {', '.join(names)}.",
                    self.id,
                )
            return [self._cell(number, row.get(name)) for name in names]
        if names and len(row) != len(names):
            raise NodeError(
                f"row {number} has {len(row)} values, but there are {len(names)} columns.",
                self.id,
            )
        return [self._cell(number, value) for value in row]

    def _cell(self, number: int, value: Any) -> str:
        match value:
            case None:
                return ""
            case str():
                return value
            case bool():
                return "true" if value else "false"
        try:
            text = str(value) if isinstance(value, int | float) else to_json(value)
        except ValueError as error:
            raise NodeError(
                f"row {number} cannot be written: {error}.", self.id
            ) from error
        return json.loads(text) if text.startswith('"') else text  # a date is its text


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(
        value, str | int | float | bytes | Decimal | date | time
    )


def _line(cells: list[str], separator: str) -> str:
    """Return one row with a newline. The csv module quotes only the line end that it is
    given.
    """
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"


def _make(place: Place, params: CsvWriteParams) -> Executor:
    return CsvWriteExecutor(place.node_id, place.folder, params)


CSV_WRITE = NodeType(
    type="csv_write",
    title="Write CSV",
    category=DATA,
    icon="table",
    description=(
        "Writes the rows of each message to a CSV file, and passes the message on "
        "unchanged. A row is a map by column or a list; a message is one row or a "
        "list of rows. A superstep that has failed writes again: use replace if "
        "rows must not appear twice."
    ),
    params=CsvWriteParams,
    make=_make,
    outside=lambda params: on_file("write file", params.path, reads=False),
    summary="path",
    always_sends=True,
    passes_on=True,
    sink=True,
)
