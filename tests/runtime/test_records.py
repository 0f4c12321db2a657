"""Records that are made many times: all that a frozen dataclass has but the price."""

from __future__ import annotations

import copy
from dataclasses import FrozenInstanceError, dataclass, fields, replace

import pytest

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.message import Message
from runtime.state import RunState, Trace
from runtime.values.copies import isolate
from runtime.values.records import maker_of, record, replacer_of


def test_a_record_is_equal_hashed_shown_and_replaced_as_a_frozen_dataclass():
    one = Message(1, "a")
    assert one == Message(1, "a") != Message(2, "a")
    assert hash(one) == hash(Message(1, "a"))
    assert repr(one) == "Message(data=1, source_id='a', target_id=None, request=None)"
    assert replace(one, data=2) == Message(2, "a")
    assert copy.deepcopy(Message([1], "a")) == Message([1], "a")


def test_a_record_of_values_that_nobody_can_change_is_shared_as_a_frozen_dataclass():
    one = Message(1, "a")
    assert isolate(one) is one


def test_a_record_is_made_without_the_setter_of_a_frozen_dataclass_and_has_no_other_fields():
    @record
    class Point:
        x: int
        y: int = 0

    assert Point.__setattr__ is object.__setattr__
    with pytest.raises(AttributeError):
        Point(1).z = 2


VALUES = (
    "id",
    "run",
    "w",
    3,
    Cause.INPUT,
    None,
    "main",
    7,
    "s",
    1.5,
    1,
    "IDLE",
    1,
    2,
    3,
    4,
    5,
    6,
    ("a",),
    "n",
    "",
)


def test_what_a_maker_makes_is_what_the_constructor_makes():
    made = maker_of(CheckpointHeader)(*VALUES)
    usual = CheckpointHeader(*VALUES)
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


def test_a_maker_takes_keywords_and_leaves_defaults():
    fields = {
        "id": "id",
        "run_id": "run",
        "workflow": "w",
        "superstep": 3,
        "cause": Cause.INPUT,
        "note": "n",
    }
    assert maker_of(CheckpointHeader)(**fields) == CheckpointHeader(**fields)


def test_a_maker_takes_the_values_of_all_fields_without_a_default():
    with pytest.raises(TypeError):
        maker_of(CheckpointHeader)("id", "run")
    with pytest.raises(TypeError):  # its defaults are made by a factory
        maker_of(RunState)(1)


def test_a_replacer_copies_all_fields_but_one():
    header = CheckpointHeader(*VALUES)
    changed = replacer_of(CheckpointHeader, "note")(header, "other")
    assert changed == replace(header, note="other")
    assert header == CheckpointHeader(*VALUES)


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


@pytest.mark.parametrize("value", [RunState(), Trace()], ids=["state", "trace"])
def test_a_runs_state_and_what_led_to_it_are_frozen(value):
    with pytest.raises(FrozenInstanceError):
        setattr(value, fields(value)[0].name, 1)
    made = maker_of(type(value))(*[getattr(value, one.name) for one in fields(value)])
    assert made == value
    assert type(made) is type(value)
    with pytest.raises(FrozenInstanceError):
        setattr(made, fields(value)[0].name, 1)
