"""What differs is said in words before anything is replaced."""

from __future__ import annotations

from dataclasses import replace

from designer.model import edits
from designer.model.summary import size, summary, text_diff
from tests.designer.model.designs import design, direct


def test_each_kind_of_change_is_a_line() -> None:
    old = design("abc", direct("a", "b"))
    new = edits.remove(
        edits.rename(edits.move(old, {"a": (9, 9)}), "b", "Second"), ["c", "a->b"]
    )
    new, _ = edits.add_node(new, "python", (0, 0), node_id="d")
    new, _ = edits.connect(new, "b", "d")
    assert summary(old, new) == (
        "1 node added: d",
        "1 node removed: c",
        "1 node changed: Second",
        "1 node moved: a",
        "1 edge group added: b->d",
        "1 edge group removed: a->b",
    )
    assert size(new) == "3 nodes, 1 edge group"


def test_many_are_counted_and_settings_are_named_only_when_they_differ() -> None:
    assert summary(design(""), design("abcdef", start="a")) == (
        "6 nodes added: a, b, c, d and 2 more",
        "the workflow's own settings differ, or the order of its parts",
    )
    assert summary(design("ab"), edits.set_workflow(design("ab"), description="x"))[
        0
    ].startswith("the workflow's own")
    assert summary(design("ab"), design("ab")) == ()


def test_the_text_shows_what_changed_in_the_file() -> None:
    old = design("a")
    new = edits.set_params(old, "a", {"text": "new"})
    assert '+          "text": "new"' in text_diff(old, new, "disk", "mine")
    assert text_diff(old, replace(old, extra={"x": float("nan")}), "disk", "mine") == ""


def test_of_thousands_of_nodes_the_changes_are_counted_and_not_listed_line_by_line() -> (
    None
):
    old = design(" ".join(f"n{number}" for number in range(3000)))
    new = edits.move(old, {f"n{number}": (number, 7) for number in range(3000)})
    assert summary(old, new)[0].startswith("3,000 nodes moved")
    assert text_diff(old, new, "disk", "mine") == ""
