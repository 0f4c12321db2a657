"""Records that are made many times: all that a frozen dataclass has but the price."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

from runtime.isolation import isolate
from runtime.message import Message
from runtime.records import record


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
