"""Rule 13: no two owners of a mutable payload. Rule 32: what cannot be copied is
shared.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.values.copies import isolate

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(), inner)
        | st.tuples(inner, inner)
        | st.builds(set, st.lists(st.integers()))
        | st.builds(lambda one: defaultdict(list, {"k": [one]}), inner)
    ),
    max_leaves=12,
)


def mutable_ids(value):
    found = {id(value)} if isinstance(value, list | dict | set) else set()
    if isinstance(value, dict):
        items = value.values()
    elif isinstance(value, list | tuple):
        items = value
    else:
        items = ()
    return found.union(*(mutable_ids(item) for item in items))


@given(values)
def test_rule_13_a_copy_is_equal_of_the_same_type_and_shares_nothing_mutable(value):
    copied = isolate(value)
    assert copied == value
    assert type(copied) is type(value)
    assert not mutable_ids(copied) & mutable_ids(value)


def shape(value, seen):
    """A value as text, in which a mutable container that comes again is the number that
    it had before.
    """
    if isinstance(value, list | dict | set):
        if id(value) in seen:
            return f"#{seen[id(value)]}"
        seen[id(value)] = len(seen)
    if not isinstance(value, list | dict | tuple):
        return repr(sorted(value) if isinstance(value, set) else value)
    items = value.items() if isinstance(value, dict) else value
    return f"{type(value).__name__}({', '.join(shape(item, seen) for item in items)})"


@given(values, values)
def test_rule_13_what_was_one_object_inside_of_a_value_is_one_object_inside_of_its_copy(
    one, other
):
    value = [one, {"a": one, "b": (other, one)}, other]
    value.append(value)
    assert shape(isolate(value), {}) == shape(value, {})


class Name:
    """A key that is known by its identity, and may be changed."""


def test_rule_13_keys_that_may_be_changed_are_copied_in_their_order_even_where_they_hold_the_mapping():
    name = Name()
    value = {"first": [1], name: [2], "last": 3}
    name.mapping = value
    copied = isolate(value)
    _, key, _ = copied
    assert key is not name
    assert key.mapping is copied
    assert list(copied.values()) == [[1], [2], 3]
    assert copied[key] is not value[name]


@dataclass
class Note:
    text: str
    tags: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Point:
    x: int
    y: int


def test_rule_13_dataclasses_are_copied_and_frozen_ones_of_atoms_are_shared():
    note = Note("a", ["x"])
    point = Point(1, 2)
    copied = isolate([note, point])
    copied[0].tags.append("y")
    assert note.tags == ["x"]
    assert copied[1] is point


def test_rule_13_immutable_containers_are_shared():
    value = (1, ("a", frozenset({2})))
    assert isolate(value) is value


def test_cycles_and_shared_parts_keep_their_shape():
    part = [1]
    value = {"a": part, "b": part}
    value["self"] = value
    copied = isolate(value)
    assert copied["a"] is copied["b"] is not part
    assert copied["self"] is copied


def test_exceptions_that_lead_to_themselves_keep_their_shape():
    error = ValueError("a")
    other = KeyError("b")
    error.me = error
    error.other = other
    other.owner = error
    error.all = [error, other]
    error.args = ("a", error.all)
    copied = isolate(error)
    assert copied is not error
    assert copied.me is copied.other.owner is copied.all[0] is copied
    assert copied.args[1] is copied.all
    assert copied.all[1] is copied.other is not other


def test_rule_32_an_exception_that_is_its_own_argument_is_shared_as_a_whole():
    error = ValueError("a")
    shared = []
    error.args = (error,)
    assert isolate(error, shared) is error
    assert [one.cls for one in shared] == [ValueError]


def test_rule_32_an_exception_whose_class_does_not_take_its_arguments_is_shared():
    error = UnicodeDecodeError("utf8", b"x", 0, 1, "bad")
    shared = []
    error.args = ()
    assert isolate([error], shared)[0] is error
    assert [one.cls for one in shared] == [UnicodeDecodeError]


def test_rule_32_what_cannot_be_copied_is_shared_and_the_rest_around_it_is_not():
    with socket.socket() as connection:
        lock = threading.Lock()
        value = {"socket": connection, "lock": lock, "list": []}
        copied = isolate(value)
        assert copied["socket"] is connection
        assert copied["lock"] is lock
        assert copied["list"] is not value["list"]


def test_subclasses_of_containers_keep_their_class():
    assert type(isolate(Counter("aab"))) is Counter


@dataclass
class Lines(list[str]):
    title: str = ""


def test_a_dataclass_that_is_a_list_too_is_copied_whole():
    lines = Lines("t")
    lines.append("a")
    copied = isolate(lines)
    assert (copied, copied.title, type(copied)) == (lines, "t", Lines)
    copied.append("b")
    assert list(lines) == ["a"]


def test_an_object_that_cannot_be_copied_leaves_no_half_copies_behind():
    class Holder:
        pass

    holder = Holder()
    holder.items = [1, threading.Lock(), 2]
    assert isolate([holder, holder.items])[1] == holder.items


def test_rule_32_what_is_nested_too_deep_to_be_copied_is_shared():
    deep = []
    for _ in range(5000):
        deep = [deep]
    assert isolate(deep) is deep


def test_a_read_only_view_of_a_mapping_is_copied_with_what_is_in_it():
    view = MappingProxyType({"items": [1]})
    copied = isolate(view)
    assert (type(copied), copied["items"]) == (MappingProxyType, [1])
    assert copied["items"] is not view["items"]


def test_read_only_views_side_by_side_keep_each_its_own():
    views = [MappingProxyType({"n": number}) for number in range(50)]
    assert isolate(views) == views


@pytest.mark.parametrize(
    "kind", [asyncio.Lock, asyncio.Event, asyncio.Queue, asyncio.Condition]
)
def test_rule_32_what_wakes_others_is_shared_since_nobody_waits_for_a_copy(kind):
    value = kind()
    assert isolate({"one": value})["one"] is value


class Slotted:
    __slots__ = ("extra",)


@dataclass
class BelowSlots(Slotted):
    x: int


def test_rule_13_a_dataclass_below_slots_that_are_no_fields_is_copied_whole():
    value = BelowSlots(1)
    value.extra = [2]
    copied = isolate(value)
    assert (copied, copied.extra) == (value, [2])
    assert copied.extra is not value.extra


class Loose(Point):
    """No dataclass itself, so that it may be given attributes."""


def test_rule_13_what_is_below_a_frozen_dataclass_and_is_not_frozen_is_copied():
    value = Loose(1, 2)
    assert isolate(value) is not value
