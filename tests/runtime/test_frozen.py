"""Records that are made faster than by their constructor are like those that are made by it."""

from __future__ import annotations

import copy
from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.frozen import maker_of

VALUES = ("id", "run", "w", 3, Cause.INPUT, None, "main", 7, "s", 1.5, 1, "IDLE", 1, 2, 3, 4, 5, 6, ("a",), "n", "")


def test_what_a_maker_makes_is_what_the_constructor_makes():
    made, usual = maker_of(CheckpointHeader)(*VALUES), CheckpointHeader(*VALUES)
    assert type(made) is CheckpointHeader
    assert (made, hash(made), repr(made)) == (usual, hash(usual), repr(usual))
    assert replace(made, note="x") == replace(usual, note="x")
    assert copy.deepcopy(made) == usual


def test_what_a_maker_makes_is_frozen():
    made = maker_of(CheckpointHeader)(*VALUES)
    with pytest.raises(FrozenInstanceError):
        made.note = "x"
    with pytest.raises(FrozenInstanceError):
        del made.note


def test_a_maker_takes_the_values_of_all_fields():
    with pytest.raises(TypeError):
        maker_of(CheckpointHeader)("id", "run")


@dataclass(frozen=True, slots=True)
class Checked:
    number: int

    def __post_init__(self) -> None:
        raise ValueError


@dataclass(frozen=True)
class Loose:
    number: int


@pytest.mark.parametrize("cls", [Checked, Loose])
def test_a_class_that_is_more_than_its_slots_has_no_maker(cls):
    with pytest.raises(TypeError, match="constructor"):
        maker_of(cls)
