"""Graft: what takes a difference between A and B over into a copy of A, and why some
differences cannot be taken over.
"""

from __future__ import annotations

from typing import Any

import pytest

from designer.model.graft import Graft, NoGraft, graft_of, place_of, steps_of
from runtime.debug.protocol import ChangeItem, MessageMoment, Moment, Value
from tests.designer.panels.fakes import join, moment, value

B = moment(
    6,
    joins=(join().model_copy(update={"key": "key of the join"}),),
    messages=(
        MessageMoment(
            where="queued",
            source="age",
            target="",
            section="queue:0",
            data=value(16),
        ),
        MessageMoment(
            where="queued",
            source="scan",
            target="rank",
            section="queue:1",
            data=value({"graph": 1}),
        ),
        MessageMoment(
            where="buffered",
            source="age",
            target="route",
            edge="join",
            section="held:0",
            data=value(16),
        ),
    ),
)


def change(section: str, path: str, kind: Any, **fields: Any) -> ChangeItem:
    return ChangeItem(section=section, path=path, kind=kind, **fields)


def grafted(item: ChangeItem, other: Moment = B) -> Graft:
    graft = graft_of(item, other, ())
    assert isinstance(graft, Graft), graft
    return graft


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("['draft'].title", ("draft", "title")),
        ("['it\\'s'][2]['b']", ("it's", 2, "b")),
        ('["it\'s"]', ("it's",)),
        ("from scan to rank", ()),
    ],
)
def test_the_path_of_a_difference_is_read(path: str, steps: tuple[object, ...]) -> None:
    assert steps_of(path) == steps


def test_a_changed_value_is_set_to_what_b_has() -> None:
    graft = grafted(change("state", "['reach']['psycopg']", "changed"))
    assert (graft.change.do, graft.change.key) == ("set", "reach")
    assert graft.change.path == ("psycopg",)
    assert graft.read is not None
    assert graft.read.path == ("psycopg",)


def test_a_key_that_only_a_has_is_removed() -> None:
    graft = grafted(change("state", "['verdict']", "removed"))
    assert (graft.change.do, graft.read) == ("remove", None)


def test_of_a_list_all_is_taken_over_because_places_do_not_match() -> None:
    graft = grafted(change("state", "['steps'][3]['name']", "removed"))
    assert (graft.change.do, graft.change.path) == ("set", ())


def test_what_an_executor_keeps_is_set_and_how_often_it_ran_is_not() -> None:
    graft = grafted(change("executors", "['rank']['state']['seen']", "changed"))
    assert (graft.change.section, graft.change.key) == ("executors", "rank")
    assert graft.change.path == ("seen",)
    assert isinstance(
        graft_of(change("executors", "['rank']['runs']", "changed"), B, ()), NoGraft
    )


def test_a_value_inside_of_a_sub_workflow_names_its_run() -> None:
    item = change("state", "['review#1/limit']", "changed", way=("review#1",))
    assert grafted(item).change.run == ("review#1",)
    assert grafted(item).change.key == "limit"


def test_a_message_that_only_b_has_is_added() -> None:
    item = change("messages", "from age", "added", new=value(16), source="age")
    graft = grafted(item)
    assert (graft.change.do, graft.change.source) == ("add", "age")
    assert graft.read is not None
    assert graft.read.spot is not None
    assert graft.read.spot.place == 0


def test_a_message_that_only_a_has_is_dropped_there() -> None:
    item = change("joins", "…", "removed", old=value(16), source="age", edge="join")
    graft = grafted(item)
    assert (graft.change.do, graft.change.key) == ("drop", "key of the join")
    assert graft.message is not None
    assert place_of(graft.message, B) == 0


def test_a_message_that_stands_elsewhere_is_moved_to_its_place_in_b() -> None:
    item = change(
        "messages",
        "from scan → rank",
        "moved",
        new=value({"graph": 1}),
        before="first of 2",
        after="second of 2",
        source="scan",
        executor="rank",
    )
    assert (grafted(item).change.do, grafted(item).change.to) == ("move", 1)


@pytest.mark.parametrize(
    "item",
    [
        change("outputs", "…", "added"),
        change("graph", "node rank", "changed"),
        change("messages", "…", "added", new=Value(type="int", text="7"), source="age"),
        change("requests", "['r1']", "added"),
        change("requests", "['r1']", "changed", before="open", after="answered in s5"),
    ],
    ids=lambda item: f"{item.section} {item.kind}",
)
def test_what_cannot_be_taken_over_says_why(item: ChangeItem) -> None:
    graft = graft_of(item, B, ())
    assert isinstance(graft, NoGraft)
    assert graft.reason.endswith(".")
