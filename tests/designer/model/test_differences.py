"""Where differences are in the drawing, and what is said of them there."""

from __future__ import annotations

import pytest

from designer.model.differences import (
    FIRST,
    Chip,
    chips_of,
    first_chips,
    in_words,
    target_of,
)
from runtime.debug.protocol import ChangeItem, DivergenceReason, Value
from runtime.document.definition import (
    FanInEdge,
    NodeDefinition,
    WorkflowDefinition,
)

WORKFLOW = WorkflowDefinition(
    name="w",
    start="a",
    nodes=tuple(
        NodeDefinition(id=name, type="input") for name in ("a", "b", "c", "review")
    ),
    edges=(FanInEdge(id="join", sources=("a", "b"), target="c"),),
)


def change(section: str = "state", kind: str = "changed", **fields) -> ChangeItem:
    fields.setdefault("path", "['reach']")
    return ChangeItem.model_validate({"section": section, "kind": kind, **fields})


@pytest.mark.parametrize(
    ("difference", "element", "chip"),
    [
        (change(executor="a"), "a", Chip("changed", "reach")),
        (
            change("executors", path="['a']['last_superstep']", executor="a"),
            "a",
            Chip("changed", "last superstep"),
        ),
        (
            change("messages", "removed", executor="c", source="a"),
            "c",
            Chip("removed", "1 queued in A"),
        ),
        (
            change("messages", "added", source="a"),  # to everybody
            "a",
            Chip("added", "1 queued in B"),
        ),
        (
            change("messages", "moved", executor="c", source="a"),
            "c",
            Chip("moved", "message moved"),
        ),
        (
            change(
                "joins",
                "added",
                executor="c",
                source="b",
                edge="join",
                new=Value(type="AgeReport", text="…"),
            ),
            "join",
            Chip("added", "1 AgeReport", "b"),
        ),
        (
            change("requests", before="answered in s5", after="open", executor="b"),
            "b",
            Chip("changed", "open, was answered in s5"),
        ),
        (
            change("outputs", "removed", executor="c"),
            "c",
            Chip("removed", "output in A"),
        ),
        (
            change(executor="inner", way=("review#2", "deep#1")),
            "review",
            Chip("changed", "in review#2"),
        ),
    ],
)
def test_each_difference_is_said_at_its_element(
    difference: ChangeItem, element: str, chip: Chip
) -> None:
    assert chips_of([difference], WORKFLOW) == {element: chip}


def test_several_differences_of_one_element_are_counted() -> None:
    both = [change(kind="added", executor="a"), change(kind="added", executor="a")]
    assert chips_of(both, WORKFLOW) == {"a": Chip("added", "2 differences")}
    mixed = [change(kind="added", executor="a"), change(executor="a")]
    assert chips_of(mixed, WORKFLOW) == {"a": Chip("changed", "2 differences")}


def test_what_is_not_drawn_is_not_said() -> None:
    gone = [change(executor="gone"), change("graph", path="node x")]
    assert chips_of(gone, WORKFLOW) == {}
    assert target_of(gone[1]).element == ""


def test_the_first_difference_is_at_the_edge_or_the_executor_of_its_cause() -> None:
    at_edge = DivergenceReason(
        kind="edge", text="", executor="c", source="b", edge="join"
    )
    assert first_chips(at_edge) == {"join": Chip("changed", FIRST, "b")}
    at_node = DivergenceReason(kind="call", text="", executor="b")
    assert first_chips(at_node) == {"b": Chip("changed", FIRST)}
    inside = DivergenceReason(kind="call", text="", executor="b", way=("review#1",))
    assert first_chips(inside) == {"review": Chip("changed", FIRST)}


def test_a_path_is_read_as_people_write_it() -> None:
    assert in_words("['draft'].title") == "draft.title"
    assert in_words('["it\'s"][0]') == "it's[0]"
