"""Older formats are lifted step by step; others are refused by number."""

from __future__ import annotations

import pytest

from runtime.checkpoint import FORMAT_VERSION
from runtime.checkpoints.migrations import MIGRATIONS, Encoded, EncodedPart, lift
from runtime.errors import DecodeError

PARTS = (EncodedPart("shared", "k", b"1"),)


def add(text: bytes) -> object:
    def step(parts: Encoded) -> Encoded:
        return tuple(part._replace(data=part.data + text) for part in parts)

    return step


STEPS = {1: add(b" two"), 2: add(b" three")}


@pytest.mark.parametrize(
    ("version", "data"), [(1, b"1 two three"), (2, b"1 three"), (3, b"1")]
)
def test_parts_are_lifted_from_their_version_to_the_newest(
    version: int, data: bytes
) -> None:
    assert lift(PARTS, version, steps=STEPS, newest=3) == (
        EncodedPart("shared", "k", data),
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("version", "message"), [(4, "format 4.*up to 3"), (0, "format 0 is not one")]
)
def test_other_versions_are_refused_by_number(version: int, message: str) -> None:
    with pytest.raises(DecodeError, match=message):
        lift(PARTS, version, steps=STEPS, newest=3)  # type: ignore[arg-type]


def test_every_older_format_can_be_lifted() -> None:
    assert set(MIGRATIONS) == set(range(1, FORMAT_VERSION))
