"""Frames, notes and bookmarks as data: in the layout of the file, apart from the logic,
and nothing unknown is lost.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designer.model import bookmarks, edits, files, frames
from designer.model.design import Design
from designer.model.diff import diff
from designer.model.edits.collapse import collapse
from designer.model.edits.expand import expand
from designer.model.edits.inside import with_child
from designer.model.errors import EditError
from designer.model.inside import child
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition

NODES = tuple(NodeDefinition(id=key, type="template") for key in "abc")
EDGES = (
    DirectEdge(id="a->b", source="a", target="b"),
    DirectEdge(id="b->c", source="b", target="c"),
)
CHAIN = Design(
    WorkflowDefinition(start="a", nodes=NODES, edges=EDGES),
    {"a": (0, 0), "b": (300, 0), "c": (600, 0)},
)
JUNK: tuple[Any, ...] = (
    7,
    {"id": "x"},
    {"id": "", "at": [0, 0], "size": [9, 9]},
    {"id": "y", "at": [0, "0"], "size": [9, 9]},
    {"id": "z", "at": [0, 0], "size": [0, 9]},
    {"id": "w", "at": [0, 1e300], "size": [9, 9]},
)
places = st.integers(-5000, 5000).map(float)
sizes = st.integers(1, 3000).map(float)


def of_file(*entries: Any) -> Design:
    return replace(CHAIN, layout_extra={frames.FRAMES: list(entries)})


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["frame", "note"]), places, places, sizes, sizes, st.text()
        ),
        max_size=6,
    )
)
def test_what_is_added_is_read_from_the_file_again(made: list[Any]) -> None:
    design = CHAIN
    for kind, x, y, width, height, text in made:
        design, _ = frames.add(design, kind, (x, y, width, height), text)
    again = files.loads(files.dumps(design))
    assert frames.frames_of(again) == frames.frames_of(design)
    assert len({frame.id for frame in frames.frames_of(design)}) == len(made)
    assert again.workflow == CHAIN.workflow


def test_what_cannot_be_read_is_not_drawn_and_stays_in_the_file_through_edits() -> None:
    entry = {
        "id": "#1",
        "kind": "note",
        "text": "t",
        "at": [0, 0],
        "size": [200, 96],
        "later": {"a": [1]},
    }
    design = frames.set_text(of_file(*JUNK, entry), "#1", "other")
    design = frames.place(design, {"#1": (8, 8, 300, 96)})
    design, _ = frames.add(design, "frame", (0, 0, 400, 400))
    kept = files.to_file(design).layout[frames.FRAMES]
    assert kept[: len(JUNK)] == list(JUNK)
    assert kept[len(JUNK)]["later"] == {"a": [1]}
    assert [frame.text for frame in frames.frames_of(design)] == ["other", ""]
    assert (
        list(JUNK)
        == files.to_file(frames.without(design, {"#1", "#2"})).layout[frames.FRAMES]
    )


def test_a_layout_of_another_shape_is_left_alone() -> None:
    design = replace(
        CHAIN, layout_extra={frames.FRAMES: {"of": "later"}, bookmarks.BOOKMARKS: 7}
    )
    assert frames.frames_of(design) == ()
    assert bookmarks.bookmarks_of(design) == ()
    assert json.loads(files.dumps(design))["layout"][frames.FRAMES] == {"of": "later"}


def test_an_edit_that_changes_nothing_is_no_edit() -> None:
    design, key = frames.add(CHAIN, "frame", (0, 0, 200, 200), "t")
    assert frames.set_text(design, key, "t") is design
    assert frames.place(design, {key: (0.0, 0.0, 200.0, 200.0)}) is design
    assert frames.without(design, {"a", "nobody"}) is design


def test_what_is_not_there_or_no_place_is_refused_with_words() -> None:
    design, key = frames.add(CHAIN, "frame", (0, 0, 200, 200))
    with pytest.raises(EditError, match="Undo"):
        frames.set_text(design, "#9", "t")
    for x in (float("nan"), 1e9):
        with pytest.raises(EditError, match="no place"):
            frames.place(design, {key: (x, 0, 200, 200)})


def test_a_deleted_frame_leaves_what_stood_on_it_and_a_node_the_frame() -> None:
    design, key = frames.add(CHAIN, "frame", (-24, -52, 216, 136))
    assert edits.remove(design, {key}).workflow == CHAIN.workflow
    assert frames.frame_ids(edits.remove(design, {"a"})) == {key}


def test_a_frame_made_inside_comes_out_when_the_sub_workflow_is_expanded() -> None:
    design, sub = collapse(CHAIN, {"b"})
    inner, _ = frames.add(child(design, sub), "note", (300, -200, 200, 96), "Why")
    expanded, _ = expand(with_child(design, sub, inner), sub)
    (note,) = frames.frames_of(expanded)
    assert (note.text, note.rect[:2]) == ("Why", (300, -200))


def test_collapse_and_expand_keep_frames_and_bookmarks_outside() -> None:
    design, _ = frames.add(CHAIN, "frame", (280, -52, 216, 136), "B")
    design = bookmarks.toggle(design, ["b", "#1"])
    collapsed, sub = collapse(design, {"b"})
    assert bookmarks.bookmarks_of(collapsed) == ("#1",)
    assert not diff(expand(collapsed, sub)[0], design)


def test_bookmarks_are_set_and_taken_away_together() -> None:
    marked = bookmarks.toggle(CHAIN, ["a", "c"])
    assert bookmarks.bookmarks_of(marked) == ("a", "c")
    assert bookmarks.bookmarks_of(bookmarks.toggle(marked, ["b", "c"])) == (
        "a",
        "c",
        "b",
    )
    assert bookmarks.toggle(marked, ["c", "a"]) == CHAIN


def test_a_thousand_copies_have_ids_of_their_own_and_keep_what_is_not_known() -> None:
    entry = {
        "id": "#2",
        "kind": "note",
        "text": "t",
        "at": [0, 0],
        "size": [200, 96],
        "later": 1,
    }
    design, made = frames.pasted(of_file(entry), [entry] * 1000, 10, 20)
    assert len({"#2", *made}) == 1001
    assert frames.frames_of(design)[-1].rect == (10, 20, 200, 96)
    assert files.to_file(design).layout[frames.FRAMES][-1]["later"] == 1


def test_more_frames_than_can_be_drawn_are_not_pasted() -> None:
    entry = {"id": "#1", "at": [0, 0], "size": [99, 99]}
    text = json.dumps({"stepwell": "clip", "frames": [entry] * 10_001})
    with pytest.raises(EditError, match="10,001"):
        edits.paste(CHAIN, text, (0, 0))


def test_what_is_made_under_the_id_of_something_deleted_has_no_bookmark() -> None:
    marked = bookmarks.toggle(CHAIN, ["b"])
    again = edits.add_node(edits.remove(marked, ["b"]), "log", (0, 0), node_id="b")[0]
    assert again.workflow.node("b")
    assert bookmarks.bookmarks_of(again) == ()
