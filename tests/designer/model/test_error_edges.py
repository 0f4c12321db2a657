"""Error edges in a drawing: they stand alone, beside other edges, and go through every
edit that edges go through.
"""

from __future__ import annotations

import pytest

from designer.model import edits
from designer.model.completion.message_examples import arriving
from designer.model.design import Design
from designer.model.edge_kinds.on_error import error_edge
from designer.model.edits.collapse import collapse
from designer.model.edits.expand import expand
from designer.model.errors import EditError
from designer.model.inside import child
from runtime.document.definition import OnErrorEdge, RetryDefinition
from runtime.nodes import catalogue
from tests.designer.model.designs import design, direct, join

INFOS = {info.type: info for info in catalogue().infos()}


def error(source: str, target: str, condition: str = "") -> OnErrorEdge:
    return error_edge(source, target).model_copy(update={"condition": condition})


def kinds(drawing: Design) -> list[tuple[str, str]]:
    return [(edge.kind, edge.id) for edge in drawing.workflow.edges]


def test_it_may_stand_beside_a_plain_edge_but_not_beside_its_like() -> None:
    drawing, edge = edits.connect_on_error(design("ab", direct("a", "b")), "a", "b")
    assert kinds(drawing) == [("direct", "a->b"), ("on_error", "on_error:a->b")]
    with pytest.raises(EditError, match="connected already"):
        edits.connect_on_error(drawing, "a", "b")
    assert (
        edits.connect(edits.remove(drawing, {"a->b"}), "a", "b")[0].workflow.edges[0].id
        == edge
    )


def test_a_plain_edge_becomes_one_and_back() -> None:
    drawing = design("abc", direct("a", "b"), direct("a", "c"))
    turned, (edge,) = edits.convert(drawing, "a->b", "on_error")
    # not its sibling
    assert kinds(turned) == [("on_error", "on_error:a->b"), ("direct", "a->c")]
    assert edits.convert(turned, edge, "direct")[0] == drawing


@pytest.mark.parametrize(
    ("drawing", "edge", "kind", "reason"),
    [
        (
            design("ab", direct("a", "b", "true")),
            "a->b",
            "on_error",
            "asked about the failure",
        ),
        (
            design("ab", error("a", "b", "true")),
            "on_error:a->b",
            "direct",
            "asked about the message",
        ),
        (design("abc", join("ab", "c")), "fan_in:c", "on_error", "is a group"),
        (
            design("ab", error("a", "b")),
            "on_error:a->b",
            "fan_out",
            "cannot be in a group",
        ),
    ],
)
def test_a_conversion_that_would_mean_something_else_is_refused(
    drawing: Design, edge: str, kind: edits.ConvertKind, reason: str
) -> None:
    with pytest.raises(EditError, match=reason):
        edits.convert(drawing, edge, kind)


def test_it_goes_with_either_end_and_follows_a_new_id() -> None:
    drawing = design("abc", error("a", "b"), direct("a", "c"))
    assert kinds(edits.remove(drawing, {"b"})) == [("direct", "a->c")]
    assert kinds(edits.remove(drawing, {"a"})) == []
    renamed = edits.set_id(drawing, "a", "x").workflow.edges[0]
    assert (renamed.kind, renamed.source_ids, renamed.target_ids) == (
        "on_error",
        ("x",),
        ("b",),
    )


def test_a_node_that_is_put_into_it_gets_the_failures() -> None:
    spliced = edits.splice(
        design("abc", error("a", "b")), "on_error:a->b", edits.Way("a", "b"), "c"
    )
    pairs = [
        (edge.kind, edge.source_ids, edge.target_ids) for edge in spliced.workflow.edges
    ]
    assert sorted(pairs) == [("direct", ("c",), ("b",)), ("on_error", ("a",), ("c",))]


def test_a_node_that_is_healed_away_takes_its_own_failures_along() -> None:
    healed = edits.remove_healed(
        design("abcd", direct("a", "b"), direct("b", "c"), error("b", "d")), {"b"}
    )
    assert [
        (edge.kind, edge.source_ids, edge.target_ids) for edge in healed.workflow.edges
    ] == [("direct", ("a",), ("c",))]
    led_past = edits.remove_healed(
        design("abc", error("a", "b"), direct("b", "c")), {"b"}
    ).workflow.edges
    assert [(edge.kind, edge.target_ids) for edge in led_past] == [("on_error", ("c",))]


def test_it_is_led_to_another_node() -> None:
    led, _ = edits.lead(
        design("abc", error("a", "b")), {"on_error:a->b"}, "in", "b", "c"
    )
    assert kinds(led) == [("on_error", "on_error:a->c")]


def test_a_copy_of_both_ends_has_it_too() -> None:
    drawing = design("ab", error("a", "b", "message.attempts > 1"))
    pasted, _ = edits.paste(drawing, edits.copy(drawing, {"a", "b"}), (0.0, 0.0))
    copied = [edge for edge in pasted.workflow.edges if edge.id != "on_error:a->b"]
    assert [(edge.kind, edge.condition) for edge in copied] == [
        ("on_error", "message.attempts > 1")
    ]  # type: ignore[union-attr]


def test_a_border_through_it_is_refused_with_a_reason() -> None:
    drawing = design("abc", direct("a", "b"), error("b", "c"))
    with pytest.raises(EditError, match="fails as a whole"):
        collapse(drawing, {"a", "b"})


def test_conditions_of_it_are_set_like_others() -> None:
    drawing = edits.set_condition(
        design("ab", error("a", "b")), "on_error:a->b", 0, "message.attempts > 2"
    )
    assert edits.conditions_of(drawing.workflow.edges[0]) == ("message.attempts > 2",)


def test_the_example_of_a_failure_has_the_message_that_the_node_had() -> None:
    drawing = edits.set_workflow(design("ab", error("a", "b")), input={"price": 3})
    example = arriving(drawing, "b", INFOS)
    assert (example["executor_id"], example["message"]) == ("a", {"price": 3})


# --- policies -----------------------------------------------------------------------------------------------------


def test_a_policy_is_set_for_a_node_or_for_all() -> None:
    retry = RetryDefinition(attempts=2)
    drawing = edits.set_failure_policy(design("ab"), "a", retry, 5.0)
    assert (drawing.workflow.nodes[0].retry, drawing.workflow.nodes[0].timeout) == (
        retry,
        5.0,
    )
    drawing = edits.set_failure_policy(drawing, "", None, 9.0)
    assert (drawing.workflow.retry, drawing.workflow.timeout) == (None, 9.0)
    assert drawing.workflow.policy_of(drawing.workflow.nodes[1]).timeout == 9.0


def test_a_time_limit_that_is_none_is_refused() -> None:
    with pytest.raises(EditError, match="timeout"):
        edits.set_failure_policy(design("ab"), "a", None, -1.0)


def test_what_nodes_do_when_they_fail_goes_along_into_a_sub_workflow_and_out_of_it() -> (
    None
):
    drawing = edits.set_failure_policy(
        design("abc", direct("a", "b"), direct("b", "c")), "", RetryDefinition(), 5.0
    )
    collapsed, sub = collapse(drawing, {"a", "b"})
    inner = child(collapsed, sub).workflow
    assert (inner.retry, inner.timeout) == (RetryDefinition(), 5.0)
    other = edits.set_failure_policy(collapsed, "", None, 7.0)
    expanded, _ = expand(other, sub)
    nodes = {node.id: node for node in expanded.workflow.nodes}
    assert (nodes["a"].retry, nodes["a"].timeout, nodes["c"].timeout) == (
        RetryDefinition(),
        5.0,
        None,
    )
    plain = edits.set_failure_policy(
        expand(collapsed, sub)[0], "", RetryDefinition(), 5.0
    )
    assert plain.workflow == drawing.workflow
