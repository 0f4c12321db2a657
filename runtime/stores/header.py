"""A header between the engine and the stores, derived from its declaration in
`runtime.checkpoint`.

A header is made of the values of all its fields, by keyword or in the order of
`HEADER_FIELDS`. Both follow from the declaration, so no store repeats the list.

Paid for by `python -m tests.benchmarks --only w2,w7-100000`: every superstep makes two
headers, and a timeline of 100,000 checkpoints lists them by the thousand. The
constructor of a frozen dataclass takes three times as long as `maker_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any, get_origin

from runtime.checkpoint import HEADER_FIELDS, CheckpointHeader
from runtime.values.kept_fields import Keeper, KeptField, is_set
from runtime.values.records import maker_of, replacer_of

header_of = maker_of(CheckpointHeader)
with_sequence: Callable[[CheckpointHeader, int], CheckpointHeader] = replacer_of(
    CheckpointHeader, "sequence"
)

# The place of each field in the values of a header.
POSITIONS = {field.name: position for position, field in enumerate(HEADER_FIELDS)}
# The fields that a seal covers in every record, and the fields that were added later.
SEALED = [
    field.name
    for field in HEADER_FIELDS
    if field.kept.by is Keeper.SAVE and not field.kept.added
]
ADDED = [field for field in HEADER_FIELDS if field.kept.added]
_JSON_TYPES: Mapping[type, type | tuple[type, ...]] = {
    str: str,
    int: int,
    bool: bool,
    float: (int, float),
}

sealed_values: Callable[[CheckpointHeader], tuple[Any, ...]] = attrgetter(*SEALED)


def added_values(header: CheckpointHeader) -> dict[str, Any]:
    """Return the values of added fields that are not the default.

    Only these are in a seal: so the seal of a record of before, which has none of them,
    is right for ever.
    """
    return {
        field.name: getattr(header, field.name)
        for field in ADDED
        if field.kept.by is Keeper.SAVE and is_set(header, field)
    }


def header_from_json(
    values: Mapping[str, Any], **fields_of_store: Any
) -> CheckpointHeader:
    """Make a header of JSON values by the names of its fields; those that the store
    knows otherwise, as they are.

    Raises `ValueError` or `TypeError` for a value that is missing or of another type.
    """
    fields: dict[str, Any] = dict(fields_of_store)
    for field in HEADER_FIELDS:
        name = field.name
        if name in fields:
            continue
        if name in values:
            fields[name] = _from_json(field, values[name])
        elif not field.kept.added and name != "damaged":
            raise _not_proper(field)
    return header_of(**fields)


def _from_json(field: KeptField, value: Any) -> Any:
    if value is None and field.optional:
        return None
    if get_origin(field.type) is tuple:
        if not isinstance(value, list):
            raise _not_proper(field)
        return tuple(value)
    if issubclass(field.type, Enum):
        return field.type(value)
    if not isinstance(value, _JSON_TYPES[field.type]):
        raise _not_proper(field)
    return value


def _not_proper(field: KeptField) -> TypeError:
    return TypeError(f"its header has no proper {field.name}")
