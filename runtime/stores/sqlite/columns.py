"""The columns of a header in a store file, derived from the declaration of its fields.

A row is the values of `HEADER_FIELDS` in their order, so it becomes a header without a
look-up of names, because a timeline asks for thousands (`python -m tests.benchmarks
--only w7,w7-100000`). Texts that repeat are numbers of rows of `word`, the run is one
of `run`, and lists of texts are JSON.

A field that was added after the first release has a column of its own, which a step of
the format makes. A file of an earlier format that is opened for reading only is read as
if the column had the default of the field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from enum import Enum
from itertools import product
from operator import attrgetter
from typing import Any, NamedTuple, get_origin

from runtime.checkpoint import HEADER_FIELDS, CheckpointHeader
from runtime.stores.header import POSITIONS, header_of
from runtime.system.bounded_files import from_json
from runtime.values.kept_fields import KeptField

_SQL_TYPES: Mapping[type, str] = {
    str: "TEXT",
    int: "INTEGER",
    bool: "INTEGER",
    float: "REAL",
}
_PYTHON_TYPES: Mapping[str, type] = {"TEXT": str, "INTEGER": int, "REAL": float}


class Column(NamedTuple):
    """One field of a header in the table `checkpoint`. NULL is None, or no tags or
    note.
    """

    field: KeptField
    name: str
    sql_type: str
    nullable: bool = False
    is_word: bool = False


def _column(field: KeptField) -> Column:
    if field.name == "run_id":
        return Column(field, "run", "INTEGER")
    # The default of a column that is added to a file cannot be the number of a word,
    # because it may have none yet.
    if field.kept.repeats and not field.kept.added:
        return Column(field, field.name, "INTEGER", is_word=True)
    if _is_list(field):
        return Column(field, field.name, "TEXT", nullable=True)
    sql_type = _SQL_TYPES[str if issubclass(field.type, Enum) else field.type]
    nullable = field.optional or field.name == "note"
    return Column(field, field.name, sql_type, nullable)


def _is_list(field: KeptField) -> bool:
    return get_origin(field.type) is tuple


COLUMNS = [_column(field) for field in HEADER_FIELDS if field.name != "damaged"]
ADDED_COLUMNS = [column for column in COLUMNS if column.field.kept.added]


def columns_of(file_format: int) -> list[Column]:
    """Return the columns that files of a format have: each step after the first adds
    one.
    """
    missing = ADDED_COLUMNS[file_format - 1 :]
    return [column for column in COLUMNS if column not in missing]


def definition(column: Column) -> str:
    """Return what a statement that adds the column to a table says of it."""
    if column.nullable:
        return f"{column.name} {column.sql_type}"
    return f"{column.name} {column.sql_type} NOT NULL DEFAULT {_literal(column)}"


def _literal(column: Column) -> str:
    """Return the default of a column as SQL writes it."""
    value = _stored(column, column.field.default)
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return "NULL" if value is None else str(value)


# --- from a header to a row ---------------------------------------------------------------------------------------

WORD_PLACES = [place for place, column in enumerate(COLUMNS) if column.is_word]
_NAMES = [column.name for column in COLUMNS]
RUN_PLACE = _NAMES.index("run")
SEQUENCE_PLACE = _NAMES.index("sequence")
_values_of: Callable[[CheckpointHeader], tuple[Any, ...]] = attrgetter(
    *[column.field.name for column in COLUMNS]
)


def _stored(column: Column, value: Any) -> Any:
    if _is_list(column.field):
        return json.dumps(value) if value else None
    if column.nullable and not column.field.optional:
        return value or None
    if value is None:
        return None
    return int(value) if column.field.type is bool else value


# The columns whose values are converted, with their places.
_CONVERTED = [
    (place, column)
    for place, column in enumerate(COLUMNS)
    if (column.nullable and not column.field.optional) or column.field.type is bool
]


def to_row(header: CheckpointHeader) -> list[Any]:
    """Return the values of `COLUMNS`; the run and the words are still texts."""
    row = list(_values_of(header))
    for place, column in _CONVERTED:
        row[place] = _stored(column, row[place])
    return row


# --- from a row to a header ---------------------------------------------------------------------------------------


def selected(file_format: int, is_whole: str) -> str:
    """Return what a query selects so that `to_header` reads it; `is_whole` is an
    expression for `damaged`.
    """
    known = columns_of(file_format)
    expressions = {}
    for column in COLUMNS:
        if column.name == "run":
            expressions["run_id"] = "run.run_id"
        elif column in known:
            expressions[column.field.name] = f"checkpoint.{column.name}"
        else:
            expressions[column.field.name] = _literal(column)
    expressions["damaged"] = is_whole
    return ", ".join([expressions[field.name] for field in HEADER_FIELDS])


def misshapen(file_format: int) -> str:
    """Return a condition for rows of which a column has another type than it is
    declared with.

    SQLite keeps a value of any type in any column, and one bit of damage gives all that
    follow it another one. Not `IS NULL`, which SQLite takes for false where a column is
    declared NOT NULL.
    """
    conditions = []
    for column in columns_of(file_format):
        kinds = f"'{column.sql_type.lower()}'"
        if column.nullable:
            kinds += ", 'null'"
        if column.name != "sequence":
            conditions.append(f"typeof(checkpoint.{column.name}) NOT IN ({kinds})")
    conditions += [
        "typeof(checkpoint.length) <> 'integer'",
        "typeof(checkpoint.seal) <> 'blob'",
        "typeof(checkpoint.manifest) <> 'blob'",
    ]
    return " OR ".join(conditions)


def _row_types(column: Column) -> tuple[type, ...]:
    if column.name == "run":
        return (str,)
    kind = _PYTHON_TYPES[column.sql_type]
    return (kind, type(None)) if column.nullable else (kind,)


# All combinations of types that a sound row may have, because one look into a set is
# the fastest check of a row.
_types_of_columns = [_row_types(column) for column in COLUMNS]
_types_of_columns.insert(POSITIONS["damaged"], (int,))
_SHAPES = frozenset(product(*_types_of_columns))
_WORD_POSITIONS = [POSITIONS[column.field.name] for column in COLUMNS if column.is_word]


def _list(text: str) -> tuple[str, ...]:
    texts = from_json(text)
    if type(texts) is not list or not all(type(item) is str for item in texts):
        raise TypeError("its tags")
    return tuple(texts)


def _reader(field: KeptField) -> Callable[[Any], Any] | None:
    if _is_list(field):
        return _list
    if field.type is bool:
        return bool
    if issubclass(field.type, Enum):
        return {member.value: member for member in field.type}.__getitem__
    return None


# By position: how values are read that are not kept as they are, and what NULL is where
# it is not None.
_READERS = [
    (position, read)
    for position, field in enumerate(HEADER_FIELDS)
    if (read := _reader(field)) is not None
]
_NULLABLE = [
    (POSITIONS[column.field.name], column.field.default)
    for column in COLUMNS
    if column.nullable and not column.field.optional
]
_DAMAGED = POSITIONS["damaged"]


def to_header(row: Any, words: Mapping[int, str]) -> CheckpointHeader:
    """Return the header of a row.

    Raise `LookupError`, `TypeError` or `ValueError` for a row that is damaged.
    """
    if row[POSITIONS["run_id"]] is None:
        raise LookupError("its run")
    if tuple(map(type, row)) not in _SHAPES:
        raise TypeError("a value of another type")
    values = list(row)
    for position in _WORD_POSITIONS:
        values[position] = words[values[position]]
    for position, read in _READERS:
        if values[position] is not None:
            values[position] = read(values[position])
    for position, default in _NULLABLE:
        if values[position] is None:
            values[position] = default
    is_whole = values[_DAMAGED]
    values[_DAMAGED] = "" if is_whole else "its list of parts is cut or empty"
    return header_of(*values)
