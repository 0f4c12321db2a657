"""A value is JSON and back: beside the value that it was it comes back exactly, whatever
its type. So a patch says nothing that it does not mean.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given, settings
from pydantic import BaseModel

from runtime.codec import TypeRegistry
from runtime.patches.inner_value import (
    inner_value,
    with_inner_value,
    without_inner_value,
)
from runtime.patches.json_form import as_json, typed
from runtime.patches.refused import Refused
from tests.runtime.codec_values import VALUES, Number, registry, same
from tests.runtime.patches.runs import Note, Task

EVERYTHING = registry()


@settings(max_examples=100, deadline=None)
@given(VALUES)
@example({Number.BIG})
def test_any_value_comes_back_exactly_beside_the_value_that_it_was(value: Any) -> None:
    form = as_json(value, EVERYTHING)
    assert json.loads(json.dumps(form)) == form
    assert same(typed(form, value, EVERYTHING), value)


class Size(enum.Enum):
    SMALL = "s"
    LARGE = "l"


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclass(frozen=True)
class Box:
    size: Size
    at: Point
    when: dt.date
    tasks: tuple[Task, ...] = ()


TYPES = TypeRegistry()
for cls in (Size, Point, Box, Task, Note):
    TYPES.register(cls)
BOX = Box(Size.SMALL, Point(1, 2), dt.date(2026, 1, 31), (Task("a"),))


def test_a_value_reads_as_people_write_it() -> None:
    assert as_json(BOX, TYPES) == {
        "size": "s",
        "at": {"x": 1, "y": 2},
        "when": "2026-01-31",
        "tasks": [{"title": "a", "points": 0}],
    }


def test_other_json_of_the_same_kind_becomes_a_value_of_the_same_types() -> None:
    form = {
        "size": "l",
        "at": {"x": 3, "y": 4},
        "when": "2026-02-01",
        "tasks": [{"title": "b", "points": 1}, {"title": "c", "points": 2}],
    }
    assert typed(form, BOX, TYPES) == Box(
        Size.LARGE, Point(3, 4), dt.date(2026, 2, 1), (Task("b", 1), Task("c", 2))
    )


@pytest.mark.parametrize(
    ("path", "value", "says", "where"),
    [
        (("size",), "xl", "is no Size", ".size"),
        (("when",), "yesterday", "is no date", ".when"),
        (("tasks", 0, "points"), "many", "takes int", ".tasks[0].points"),
        (("tasks", 4), {}, "no item 4", ".tasks[4]"),
        (("at", "z"), 1, "A Point has no field 'z'. Its fields: x, y.", ".at.z"),
        (("at",), [1, 2], "takes Point", ".at"),
    ],
)
def test_json_that_does_not_fit_is_refused_with_its_place(
    path: tuple[str | int, ...], value: Any, says: str, where: str
) -> None:
    with pytest.raises(Refused) as caught:
        with_inner_value(BOX, path, lambda old: typed(value, old, TYPES), TYPES)
    assert says in caught.value.text
    assert caught.value.path == where


def test_a_change_inside_makes_what_is_around_it_anew() -> None:
    path = ("tasks", 0, "title")
    new = with_inner_value(BOX, path, lambda _: "new", TYPES)
    assert inner_value(new, path, TYPES) == "new"
    assert inner_value(BOX, path, TYPES) == "a"
    assert without_inner_value(new, ("tasks", 0), TYPES).tasks == ()


def test_a_model_says_what_it_does_not_take() -> None:
    note = Note(text="a", stars=1)
    with pytest.raises(Refused, match="greater than or equal to 0"):
        with_inner_value(note, ("stars",), lambda _: -1, TYPES)
    changed = with_inner_value(note, ("stars",), lambda _: 4, TYPES)
    assert (changed, changed.model_fields_set) == (
        Note(text="a", stars=4),
        {"text", "stars"},
    )


class Page(BaseModel):
    title: str
    lines: list[str] = []


def test_a_field_that_was_not_set_is_not_set_by_its_old_value() -> None:
    TYPES.register(Page)
    page = typed({"title": "b", "lines": []}, Page(title="a"), TYPES)
    assert (page, page.model_fields_set) == (Page(title="b"), {"title"})
