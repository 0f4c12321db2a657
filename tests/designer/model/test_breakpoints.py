"""Breakpoints as data: the file, merging two windows, and following edits."""

from __future__ import annotations

import json

import pytest

from designer.model import breakpoint_words as words
from designer.model import edits
from designer.model.breakpoints import (
    DebugNotes,
    condition_of,
    missing_in,
    place_of,
    renamed,
    renames_of,
    with_writer,
    writer_of,
)
from designer.model.debug_file import (
    UnreadableError,
    file_name,
    merged,
    parse,
    serialise,
)
from runtime.debug.protocol import Breakpoint, BreakpointStatus
from tests.designer.panels.fakes import design


def point(id: str = "a", **fields: object) -> Breakpoint:
    return Breakpoint.model_validate({"id": id, "where": "rank", **fields})


def notes(*points: Breakpoint, **fields: object) -> DebugNotes:
    return DebugNotes(points, **fields)  # type: ignore[arg-type]


# --- the file


def test_what_is_written_is_read_again() -> None:
    kept = notes(
        point(condition="message > 3", hits="from", count=2, log="n {message}"),
        point("b", kind="write", where="verdict", inside=("judge",), enabled=False),
        muted=True,
        watches=("state.verdict",),
    )
    assert parse(serialise(kept)) == kept


def test_fields_and_entries_of_another_version_are_written_back() -> None:
    content = {
        "format": 7,
        "breakpoints": [
            {"id": "a", "kind": "before", "where": "rank", "colour": "blue"},
            {"id": "t", "kind": "teleport", "where": "rank"},
            "nonsense",
        ],
        "watches": ["state.x"],
        "bookmarks": {"mine": 1},
    }
    read = parse(json.dumps(content).encode())
    assert [entry.id for entry in read.breakpoints] == ["a"]
    written = json.loads(serialise(read.put(point("z"))))
    assert written["bookmarks"] == {"mine": 1}
    assert written["breakpoints"][0]["colour"] == "blue"
    assert {"id": "t", "kind": "teleport", "where": "rank"} in written["breakpoints"]
    assert "nonsense" in written["breakpoints"]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"breakpoints": 3}', b"\xff"])
def test_a_file_that_is_none_says_why(content: bytes) -> None:
    with pytest.raises(UnreadableError, match="It"):
        parse(content)


def test_the_file_is_named_after_the_document() -> None:
    assert file_name("audit.stepwell.json") == "audit.debug.json"
    assert file_name("audit.json") == "audit.debug.json"


def test_two_windows_keep_the_changes_of_both() -> None:
    base = notes(point("a"), point("b"))
    mine = base.put(point("a", enabled=False)).put(point("mine"))
    theirs = base.without({"b"}).put(point("theirs"))
    both = merged(base, mine, theirs)
    assert [entry.id for entry in both.breakpoints] == ["a", "theirs", "mine"]
    assert not both.breakpoints[0].enabled


def test_a_breakpoint_that_was_changed_here_survives_its_deletion_there() -> None:
    base = notes(point("a"))
    both = merged(base, base.put(point("a", once=True)), notes())
    assert [entry.id for entry in both.breakpoints] == ["a"]


# --- where


def test_the_writes_of_one_node_are_a_condition_on_a_key() -> None:
    both = point(
        kind="write", where="verdict", condition=with_writer('value == "x"', "rank")
    )
    assert (writer_of(both), condition_of(both)) == ("rank", 'value == "x"')
    assert place_of(both) == "rank"
    bare = point(kind="write", where="verdict", condition=with_writer("", "rank"))
    assert (writer_of(bare), condition_of(bare)) == ("rank", "")
    own = point(kind="write", where="verdict", condition='executor == "a" || true')
    assert (writer_of(own), condition_of(own)) == ("", 'executor == "a" || true')


def test_a_renamed_node_keeps_its_breakpoints_on_every_level() -> None:
    before = design()
    after = edits.set_id(before, "rank", "reach")
    names = renames_of(before.workflow, after.workflow)
    renames = {((), old): new for old, new in names.items()}
    kept = renamed(
        notes(
            point("node"),
            point("inside", where="leaf", inside=("rank",)),
            point(
                "write",
                kind="write",
                where="k",
                condition=with_writer("true", "rank"),
            ),
            point("other", where="age"),
        ),
        renames,
    )
    assert kept.breakpoints[0].where == "reach"
    assert kept.breakpoints[1].inside == ("reach",)
    assert writer_of(kept.breakpoints[2]) == "reach"
    assert kept.breakpoints[3].where == "age"


def test_a_renamed_edge_keeps_its_breakpoints() -> None:
    before = design().workflow
    edges = tuple(
        edge.model_copy(update={"id": "fanned"}) if edge.id == "fan" else edge
        for edge in before.edges
    )
    after = before.model_copy(update={"edges": edges})
    assert renames_of(before, after) == {"fan": "fanned"}


def test_a_deleted_node_leaves_its_breakpoint_with_a_reason() -> None:
    after = edits.remove(design(), {"rank"})
    assert "rank" in missing_in(after, point())
    assert missing_in(design(), point()) == ""
    assert missing_in(design(), point(kind="message", where="fan")) == ""
    assert "sub-workflow" in missing_in(None, point(inside=("gone",)))
    assert missing_in(after, point(kind="write", where="any key")) == ""


# --- words and marks


def test_a_breakpoint_is_said_in_words() -> None:
    name = {"rank": "Rank by reach"}.get
    stop = point(condition="message >\n 3", hits="from", count=2)
    assert words.where(stop, name) == "Rank by reach"  # type: ignore[arg-type]
    assert (words.when(stop), words.only_if(stop)) == ("before it runs", "message > 3")
    assert words.then(stop) == "stop from hit 2"
    assert words.then(point(log="n {message}")) == 'log "n {message}"'
    assert words.then(point(hits="every", count=3, once=True)) == (
        "stop at every 3rd hit, once"
    )
    failure = point(kind="failure", where="")
    assert words.where(failure, str) == "Any failure"
    key = point(kind="write", where="verdict")
    assert (words.where(key, str), words.when(key)) == ("Key verdict", "is written")


def test_marks_show_state_by_shape() -> None:
    assert words.mark_of([point()], {}).shape == "octagon"
    assert words.mark_of([point(log="x")], {}).shape == "diamond"
    assert words.mark_of([point(condition="true")], {}).sign == "bars"
    assert words.mark_of([point(condition="true")], {}, hit="a").sign == "triangle"
    assert not words.mark_of([point(enabled=False)], {}).filled
    muted = words.mark_of([point()], {}, muted=True)
    assert not muted.filled
    assert muted.words.endswith(", muted")


def test_a_mark_is_grey_with_the_reason_when_nothing_can_hit_it() -> None:
    status = BreakpointStatus(id="a", verified=False, reason="There is no node 'rank'.")
    mark = words.mark_of([point()], {"a": status})
    assert not mark.verified
    assert "There is no node 'rank'." in mark.words


def test_how_many_are_on() -> None:
    points = [point(), point("b", enabled=False)]
    assert words.count_on(points, muted=False) == "1 of 2 breakpoints on"
    assert words.count_on(points[:1], muted=False) == "1 breakpoint"
    assert words.count_on(points, muted=True) == "breakpoints muted"
    assert words.count_on([], muted=False) == ""
