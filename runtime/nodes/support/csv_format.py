"""The parameters of the CSV format, for reading and writing."""

from __future__ import annotations

import codecs
import csv
from typing import Annotated, Any

from pydantic import Field

from runtime.expressions.text_formats import ENCODING_FORMAT
from runtime.nodes.base import NodeParams, TemplateLine, well_formed

Encoding = Annotated[
    str,
    well_formed(ENCODING_FORMAT),
    Field(json_schema_extra={"format": ENCODING_FORMAT}),
]


LARGEST_VALUE = 10_000_000  # characters


def allow_large_values() -> None:
    """The module reads no values above 131,072 characters. Its limit is one for the
    process, so it is only raised.
    """
    if csv.field_size_limit() < LARGEST_VALUE:
        csv.field_size_limit(LARGEST_VALUE)


def outside() -> Any:
    """The last parameter of both."""
    return Field(
        False,
        title="Allow outside",
        description="Let the path lead out of the workflow's folder.",
    )


class CsvParams(NodeParams):
    path: TemplateLine = Field(
        title="Path",
        description="Relative to the workflow's folder. May hold placeholders: {message.name} is a part.",
        json_schema_extra={"file": "read"},
    )
    header: bool = Field(
        True,
        title="Header",
        description="The first row of the file holds the names of the columns.",
    )
    columns: list[str] = Field(
        default_factory=list,
        title="Columns",
        description="The names of the columns, where the file has no header or another order is wanted.",
    )
    delimiter: str = Field(
        ",",
        pattern=r'^([^"\r\n]|tab)$',
        title="Delimiter",
        description="The character between two values, such as , or ; or tab.",
        json_schema_extra={"group": "Format"},
    )
    encoding: Encoding = Field(
        "utf-8",
        title="Encoding",
        description="Such as utf-8, cp1252 or latin-1.",
        json_schema_extra={"group": "Format"},
    )

    @property
    def separator(self) -> str:
        return "\t" if self.delimiter == "tab" else self.delimiter

    @property
    def reading(self) -> str:
        """The encoding for reading, which passes over the mark that spreadsheets put
        before UTF-8.
        """
        if codecs.lookup(self.encoding).name == "utf-8":
            return "utf-8-sig"
        return self.encoding
