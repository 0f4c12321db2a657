"""Which values fit an annotation, and which annotation is the narrower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, TypedDict

import pytest

from runtime.values.type_matching import (
    can_flow,
    classes_in,
    is_instance_of,
    is_more_specific,
    is_subtype,
    most_specific,
)

UserId = NewType("UserId", int)


class Base: ...


class Derived(Base): ...


class Row(TypedDict):
    a: int


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (True, int),
        ([1, 2], list[int]),
        ([], list[int]),
        ({1, 2}, set[int]),
        ({"a": 1}, dict[str, int]),
        ({"a": 1}, Mapping[str, int]),
        ((1, "a"), tuple[int, str]),
        ((1, 2, 3), tuple[int, ...]),
        (None, int | None),
        (None, None),
        ("a", Literal["a", "b"]),
        (3, Annotated[int, "positive"]),
        (3, UserId),
        ({"a": 1}, Row),
        (Derived(), Base),
        ("x", Any),
        ([1], Sequence[int]),
    ],
)
def test_rule_11_fits_element_by_element(value, annotation):
    assert is_instance_of(value, annotation)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (["a"], list[int]),
        ([1, "a"], list[int]),
        ({"a": "b"}, dict[str, int]),
        ((1,), tuple[int, str]),
        ((1, "a"), tuple[int, ...]),
        ("c", Literal["a", "b"]),
        (True, Literal[1]),
        (Base(), Derived),
        ("a", int | None),
        (1.0, int),
    ],
)
def test_rule_11_does_not_fit_in_one_element(value, annotation):
    assert not is_instance_of(value, annotation)


def test_literal_of_something_unhashable_is_checked_all_the_same():
    assert is_instance_of("a", Literal["a"] | list[Literal["b"]])


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [
        (Derived, Base),
        (bool, int),
        (int, int | str),
        (Literal["a"], str),
        (Literal["a"], Literal["a", "b"]),
        (list[int], list),
        (list[int], Sequence),
        (list[bool], list[int]),
        (dict[str, int], dict[str, Any]),
        (tuple[int, int], tuple[int, ...]),
        (int | None, Any),
        (int, Any),
    ],
)
def test_rule_11_narrower(narrow, wide):
    assert is_more_specific(narrow, wide)
    assert not is_subtype(wide, narrow)


def test_rule_11_the_most_specific_is_the_first_of_those_that_none_is_narrower_than():
    assert most_specific([Base, Derived, Derived]) == 1
    assert most_specific([int, str]) == 0
    assert most_specific([]) is None
    # Of int and str none is narrower, so the first of the two: that object stands
    # before both changes nothing.
    assert most_specific([int, str, bool]) == 1
    assert most_specific([object, str, bool, int]) == 1


def test_flow_needs_one_fitting_alternative_and_any_always_fits():
    assert can_flow(int | str, str | bytes)
    assert can_flow(Any, int)
    assert can_flow(list[Any], list[int])
    assert not can_flow(int, str)
    assert not can_flow(list[str], list[int])


def test_classes_are_found_inside_generics_but_not_inside_literals():
    assert set(classes_in(dict[str, list[Base] | None])) >= {str, Base}
    assert list(classes_in(Literal["a"])) == []
