"""Joins that can never fill: each reason is found and named; compared with every run,
there is no false alarm.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.checks.check import check
from runtime.document.definition import (
    EdgeDefinition,
    FanInEdge,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.document.problem import Problem
from tests.runtime.test_validation import (
    INFOS,
    Edges,
    fan_out,
    go,
    join,
    multi,
    switch,
    workflow,
)

# --- every run of a small workflow, by brute force ------------------------------------------------------------------

# who has sent a message; (join, source) for each one held
State = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]
MOST_STATES = 200
MOST_MESSAGES = 6
MOST_TURNS = 64


def joins_that_fill(definition: WorkflowDefinition) -> tuple[set[str], bool]:
    """The joins that fill in some run, by following all ways of all switches, superstep
    by superstep; and whether that came to an end. Every node sends on what it gets.
    """
    first: State = ((definition.start,), ())
    seen = {first}
    waiting = [first]
    filled: set[str] = set()
    whole = True  # whether nothing was left out
    while waiting and len(seen) < MOST_STATES:
        here = waiting.pop(0)
        for state, fired in islice(successors(definition, here), MOST_TURNS):
            filled |= fired
            if len(state[0]) + len(state[1]) > MOST_MESSAGES:
                whole = False
            elif state not in seen:
                seen.add(state)
                waiting.append(state)
    return filled, whole and not waiting


def successors(
    definition: WorkflowDefinition, state: State
) -> Iterator[tuple[State, set[str]]]:
    sent, held = state
    open_ways = [
        list(ways(edge, source))
        for source in sent
        for edge in definition.edges
        if leaves(edge, source)
    ]
    for taken in product(*open_ways):
        targets = [target for group in taken for kind, target in group if kind == "to"]
        buffers = Counter(held) + Counter(
            (edge, source) for group in taken for edge, source in group if edge != "to"
        )
        fired = set()
        for edge in definition.edges:
            if isinstance(edge, FanInEdge) and is_full(edge, buffers):
                fired.add(edge.id)
                targets.append(edge.target)
                for source in edge.sources:
                    del buffers[edge.id, source]
        yield (tuple(sorted(targets)), tuple(sorted(buffers.elements()))), fired


def leaves(edge: EdgeDefinition, source: str) -> bool:
    return any(source == one for one, _ in edge.pairs)


def ways(edge: EdgeDefinition, source: str) -> Iterator[list[tuple[str, str]]]:
    """What one message may do at an edge: go to targets, or lie down in a join."""
    pairs = [("to", target) for one, target in edge.pairs if one == source]
    if isinstance(edge, SwitchEdge):
        yield from ([pair] for pair in pairs)
    elif isinstance(edge, FanInEdge):
        yield [(edge.id, source)]
    else:
        yield pairs


def is_full(edge: FanInEdge, buffers: Counter[tuple[str, str]]) -> bool:
    has = [buffers[edge.id, source] > 0 for source in edge.sources]
    return any(has) if edge.policy == "any" else all(has)


NODES = "abcdef"


@st.composite
def workflows(draw: st.DrawFn) -> WorkflowDefinition:
    """Small ones, in which switches and joins are frequent, forward for the most part."""
    edges: Edges = []
    nodes = NODES[: draw(st.integers(3, 6))]
    some = st.sampled_from(nodes)
    for _ in range(draw(st.integers(1, 6))):
        ends = draw(st.lists(some, min_size=3, max_size=4, unique=True))
        if draw(st.integers(0, 3)):
            ends.sort()
        match draw(st.sampled_from(["switch", "join", "fan_out", "direct", "any"])):
            case "switch":
                edges.append(switch(*ends[:3]))
            case "join":
                edges.append(join(ends[-1], *ends[:-1]))
            case "any":
                edges.append(join(ends[-1], *ends[:-1], policy="any"))
            case "fan_out":
                edges.append(fan_out(*ends))
            case "direct":
                edges += go(*ends[:2])
    return workflow(edges, dict.fromkeys(nodes, "template"))


def alarms(definition: WorkflowDefinition) -> list[Problem]:
    return [
        problem
        for problem in check(definition, INFOS)
        if problem.rule == "join-can-fill"
    ]


@given(workflows())
@settings(max_examples=150, deadline=None)
def test_rule_17_no_join_that_fills_in_any_run_is_called_unfillable(
    definition: WorkflowDefinition,
) -> None:
    filled, _ = joins_that_fill(definition)
    assert not filled & {problem.location for problem in alarms(definition)}


# --- each reason by itself ------------------------------------------------------------------------------------------


def test_rule_17_the_switch_and_its_branches_are_named() -> None:
    edges = [switch("a", "b", "c"), join("out", "b", "c")]
    edges[0]["cases"][0]["name"] = "copyleft"
    (problem,) = alarms(workflow(edges))
    assert problem.message == (
        "The join into out can never fill: a leads to b only by case 1 (copyleft), and to c only by the default; "
        "a message takes one of them"
    )
    assert "any" in problem.remedy


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param([switch("a", "b", "c"), *go("b", "d", "e"), *go("c", "f"), join("out", "e", "f")], id="far"),
        pytest.param([switch("a", "s", "c"), switch("s", "d", "e"), join("out", "d", "c")], id="a switch in a branch"),
        pytest.param(
            [fan_out("a", "b", "c"), join("s", "b", "c"), switch("s", "d", "e"), join("out", "d", "e")],
            id="behind a join that fills",
        ),
        pytest.param(
            [switch("a", "b", "c"), *go("b", "e"), *go("c", "f"), *go("c", "e"), *go("b", "g"), join("out", "f", "g")],
            id="other branches meet",
        ),
        pytest.param([switch("a", "b", "c", "d"), join("out", "b", "c", "d")], id="three ways"),
        pytest.param([switch("a", "l", "c"), *go("l", "m", "l"), join("out", "m", "c")], id="a loop in a branch"),
        pytest.param([switch("a", "b", "c"), *go("b", "b"), join("out", "b", "c")], id="a branch that leads to itself"),
    ],
)  # fmt: skip
def test_rule_17_branches_that_exclude_each_other_are_found_however_they_get_there(
    edges: Edges,
) -> None:
    (problem,) = alarms(workflow(edges))
    assert "a message takes one of them" in problem.message


@pytest.mark.parametrize(
    "edges",
    [
        pytest.param(
            [fan_out("a", "b", "c"), *go("b", "s"), *go("c", "s"), switch("s", "d", "e"), join("out", "d", "e")],
            id="the switch decides about two messages",
        ),
        pytest.param([switch("a", "b", "c"), *go("b", "a"), join("out", "b", "c")], id="a branch leads back to it"),
        pytest.param(
            [switch("a", "b", "c"), fan_out("b", "d", "e"), *go("c", "d"), join("out", "d", "e")], id="one way has both"
        ),
        pytest.param(
            [switch("a", "b", "c"), join("d", "b", "c", policy="any"), fan_out("d", "e", "f"), join("out", "e", "f")],
            id="behind any",
        ),
        pytest.param([multi("a", b="true", c="true"), switch("b", "d", "e"), join("out", "d", "c")], id="one of two"),
    ],
)  # fmt: skip
def test_rule_17_branches_that_can_come_together_are_not_warned_of(
    edges: Edges,
) -> None:
    assert alarms(workflow(edges)) == []


def test_rule_17_a_node_that_sends_many_messages_can_feed_all_ways_of_a_switch() -> (
    None
):
    edges = [*go("a", "s"), switch("s", "b", "c"), join("out", "b", "c")]
    assert len(alarms(workflow(edges))) == 1
    assert alarms(workflow(edges, {"a": {"type": "for_each", "params": {}}})) == []


def test_rule_17_a_join_behind_one_that_never_fills_is_told_with_that_reason() -> None:
    edges = [
        switch("a", "b", "c"),
        join("d", "b", "c"),
        fan_out("d", "e", "f"),
        join("out", "e", "f"),
    ]
    first, second = alarms(workflow(edges))
    assert (first.location, second.location) == ("e1", "e3")
    assert "e and f only runs after another join that can never fill" in second.message


def test_rule_17_three_sources_of_which_each_two_can_come_together() -> None:
    ways: Edges = [
        switch("a", "x", "y", "z"), fan_out("x", "b", "c"), fan_out("y", "c", "d"), fan_out("z", "d", "b"),
        join("out", "b", "c", "d"),
    ]  # fmt: skip
    (problem,) = alarms(workflow(ways))
    assert "none leads to all of b, c and d" in problem.message


def test_a_workflow_that_is_too_large_to_follow_is_said_to_be_so() -> None:
    many = [f"n{at}" for at in range(1000)]
    edges = [
        fan_out("a", *many),
        *(fan_out(node, "m", "out") for node in many),
        join("k", *many[:2]),
    ]
    problems = check(workflow(edges), INFOS)
    assert "too-large" in {problem.rule for problem in problems}
