"""What all stores do in one way."""

from __future__ import annotations

from dataclasses import fields, replace

from runtime.checkpoint import CheckpointHeader
from runtime.stores.header import with_sequence

# A value of its own for each field, so that none can stand in the place of another.
VALUES = [f"value of {one.name}" for one in fields(CheckpointHeader)]


def test_a_header_as_kept_differs_in_its_sequence_alone() -> None:
    given = CheckpointHeader(*VALUES)  # type: ignore[arg-type]
    assert with_sequence(given, 7) == replace(given, sequence=7)
    assert given == CheckpointHeader(*VALUES)  # type: ignore[arg-type]  # what was given stays as it is
