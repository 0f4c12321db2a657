"""Which values fit an annotation, and which annotation is the narrower."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NewType, TypedDict

import pytest

from runtime.typecheck import can_flow, classes_in, is_instance_of, is_more_specific, is_subtype, most_specific

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
def test_fits(value, annotation):
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
def test_does_not_fit(value, annotation):
    assert not is_instance_of(value, annotation)


def test_literal_of_something_unhashable_is_checked_all_the_same():
    assert is_instance_of("a", Literal["a"] | list[Literal["b"]])


@pytest.mark.parametrize(
    ("narrow", "wide"),
    [(Derived, Base), (int, int | str), (list[int], list), (list[int], Sequence), (list[bool], list[int]), (int, Any)],
)
def test_narrower(narrow, wide):
    assert is_more_specific(narrow, wide)
    assert not is_subtype(wide, narrow)


def test_most_specific_takes_the_first_of_equals():
    assert most_specific([Base, Derived, Derived]) == 1
    assert most_specific([int, str]) == 0
    assert most_specific([]) is None


def test_flow_needs_one_fitting_alternative_and_any_always_fits():
    assert can_flow(int | str, str | bytes)
    assert can_flow(Any, int)
    assert can_flow(list[Any], list[int])
    assert not can_flow(int, str)
    assert not can_flow(list[str], list[int])


def test_classes_are_found_inside_generics_but_not_inside_literals():
    assert set(classes_in(dict[str, list[Base] | None])) >= {str, Base}
    assert list(classes_in(Literal["a"])) == []
