"""Where messages go: rules 10 to 18 of the semantics, on the pure function."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.edges import Case, Default, FanInEdgeGroup
from runtime.engine.route import Lost, route
from runtime.engine.sub_runs import route_tree
from runtime.errors import InvalidSelectionError, UnknownTargetError, WorkflowException
from runtime.executors.executor import (
    Executor,
    WorkflowContext,
    handler,
    response_handler,
)
from runtime.message import Message, Request
from runtime.state import Fate, RunState
from runtime.values.type_matching import is_decided_in_list
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react


async def nothing(_message: Any, _ctx: Any) -> None: ...


def ints(id: str) -> Executor:
    return react(id, nothing, input=int)


def texts(id: str) -> Executor:
    return react(id, nothing, input=str)


def anything(id: str) -> Executor:
    return react(id, nothing)


def routed(
    workflow: Workflow,
    *messages: Message,
    buffers: dict[str, tuple[Message, ...]] | None = None,
) -> Any:
    return route(workflow, RunState(queue=messages, buffers=buffers or {}))


def delivered(routing: Any) -> dict[str, list[Any]]:
    return {
        target: [one.data for one in deliveries]
        for target, deliveries in routing.deliveries.items()
    }


def test_rule_12_direct_edge_with_a_condition_delivered_and_dropped_with_the_reason():
    a = anything("a")
    b = ints("b")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, lambda m: m > 1, id="e")
        .build()
    )
    routing = routed(
        workflow, Message(1, "a"), Message(2, "a"), Message("x", "a"), Message(2, "a")
    )
    assert delivered(routing) == {"b": [2, 2]}
    assert set(routing.fates) == {
        Fate("delivered", "a", "b", "e", 2, positions=(1, 3)),
        Fate("dropped", "a", "b", "e", 1, "condition false", positions=(0,)),
        Fate("dropped", "a", "b", "e", 1, "type mismatch", positions=(2,)),
    }


def test_rule_6_an_edge_condition_that_raises_is_never_no():
    a = anything("a")
    b = anything("b")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, lambda m: m["x"], id="e")
        .build()
    )
    with pytest.raises(KeyError) as caught:
        routed(workflow, Message({}, "a"))
    assert any("edge 'e'" in note for note in caught.value.__notes__)


def test_every_group_of_a_source_gets_every_message():
    a = anything("a")
    b = anything("b")
    c = anything("c")
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(a, c).build()
    assert delivered(routed(workflow, Message(1, "a"))) == {"b": [1], "c": [1]}


def test_rule_1_deliveries_are_in_the_order_of_the_definition_then_of_sending():
    a = anything("a")
    b = anything("b")
    c = anything("c")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b)
        .add_edge(a, c)
        .add_edge(c, b)
        .build()
    )
    first_to_c = routed(
        workflow, Message(1, "a", "c"), Message(2, "a", "b"), Message(3, "c")
    )
    assert list(delivered(first_to_c).items()) == [("b", [2, 3]), ("c", [1])]


def test_fan_out_reaches_every_target_that_takes_the_value():
    a = anything("a")
    b = ints("b")
    c = texts("c")
    d = ints("d")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c, d], id="e")
        .build()
    )
    routing = routed(workflow, Message(1, "a"))
    assert delivered(routing) == {"b": [1], "d": [1]}
    assert Fate("dropped", "a", "c", "e", 1, "type mismatch") in routing.fates


def test_rule_12_a_message_without_any_edge_is_known_as_dropped():
    a = anything("a")
    workflow = WorkflowBuilder(start_executor=a).build()
    assert routed(workflow, Message(1, "a")).fates == (
        Fate("dropped", "a", None, None, 1, "no edge"),
    )


def test_rule_12_a_message_is_lost_when_nobody_takes_it_and_nobody_meant_to_stop_it():
    a = anything("a")
    b = ints("b")
    c = ints("c")
    d = anything("d")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c], id="e")
        .add_edge(a, d, lambda m: m == "yes", id="f")
        .build()
    )
    queue = [
        Message(data, source)
        for data, source in ((1, "a"), ("yes", "a"), ("no", "a"), (2, "b"), ("no", "a"))
    ]
    lost = Lost("a", str, (("e", "b"), ("e", "c")))
    assert routed(workflow, *queue).lost == (lost, Lost("b", int, ()), lost)


def test_a_message_that_a_condition_or_a_selection_stops_is_not_lost_and_one_that_a_join_takes_neither():
    a = anything("a")
    b = anything("b")
    c = anything("c")
    j = Collect("j")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_multi_selection_edge_group(a, [b, c], lambda _data, _ids: [])
        .add_edge(b, c, lambda _: False)
        .add_fan_in_edges([a, c], j)
        .build()
    )
    assert (
        routed(workflow, Message(1, "a"), Message(1, "b"), Message(1, "c")).lost == ()
    )


def test_rule_12_an_addressed_message_asks_only_the_groups_with_its_target():
    asked: list[Any] = []
    a = anything("a")
    b = anything("b")
    c = anything("c")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, asked.append)
        .add_edge(a, c)
        .build()
    )
    routing = routed(workflow, Message(1, "a", "c"))
    assert delivered(routing) == {"c": [1]}
    assert asked == []
    # The way that it was not meant for is known, and takes nothing.
    assert {
        (fate.kind, fate.edge_id, fate.target_id, fate.reason) for fate in routing.fates
    } == {
        ("dropped", workflow.edge_groups[0].id, None, "target mismatch"),
        ("delivered", workflow.edge_groups[1].id, "c", ""),
    }


@pytest.mark.parametrize("source", ["a", "b"])
def test_rule_12_a_target_that_no_edge_leads_to_is_an_error_also_in_a_queue_that_was_edited(
    source: str,
):
    """A context refuses it when it is sent; a checkpoint may have been made by hand.
    From `b` no edge leads at all.
    """
    a = anything("a")
    b = anything("b")
    c = anything("c")
    workflow = WorkflowBuilder(start_executor=c).add_edge(c, a).add_edge(a, b).build()
    with pytest.raises(UnknownTargetError) as caught:
        routed(workflow, Message(1, source, "c"))
    assert (caught.value.source_id, caught.value.target_id) == (source, "c")


def test_an_addressed_message_in_a_fan_out_goes_to_its_target_only():
    a = anything("a")
    b = anything("b")
    c = anything("c")
    workflow = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).build()
    assert delivered(routed(workflow, Message(1, "a", "c"))) == {"c": [1]}


# --- functions of the graph that misbehave ------------------------------------------------------------------------


def spoil(data: list[int]) -> bool:
    data.append(9)
    return True


def spoiling(kind: str) -> Workflow:
    """`a` sends to `b` by way of a function that changes the message, and then to `c`."""
    a = anything("a")
    b = anything("b")
    c = anything("c")
    d = anything("d")
    builder = WorkflowBuilder(start_executor=a)
    match kind:
        case "condition":
            builder.add_edge(a, b, spoil).add_edge(a, d)
        case "case":
            cases: list[Case | Default] = [
                Case(lambda data: not spoil(data), d),
                Case(lambda m: m == [1], b),
            ]
            builder.add_switch_case_edge_group(a, [*cases, Default(d)])
        case "selection":
            builder.add_multi_selection_edge_group(
                a, [b, d], lambda data, _ids: ["b"] if spoil(data) else []
            )
    return builder.add_edge(a, c).build()


@pytest.mark.parametrize("kind", ["condition", "case", "selection"])
def test_rule_13_what_a_function_of_the_graph_does_to_a_message_changes_it_for_nobody(
    kind: str,
):
    message = Message([1], "a")
    got = delivered(routed(spoiling(kind), message))
    assert (got["b"], got["c"], message.data) == ([[1]], [[1]], [1])


def test_rule_14_a_selection_may_do_what_it_likes_with_the_ids():
    def select(_data: Any, ids: list[str]) -> list[str]:
        ids.reverse()
        return [ids.pop()]

    workflow = selecting(select)
    for _ in range(2):
        assert delivered(routed(workflow, Message(1, "a"))) == {"b": [1]}
    assert workflow.edge_groups[0].target_ids == ("b", "c")


@pytest.mark.parametrize("raised", [SystemExit(3), asyncio.CancelledError()])
@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("condition", "in the condition of edge 'e', from 'a' to 'b'"),
        ("case", "in case 2 (fail) of edge 'e', to 'b'"),
        ("selection", "in the selection of edge 'e'"),
    ],
)
def test_rule_6_what_would_end_more_than_the_run_is_an_error_that_names_edge_and_case(
    kind: str, place: str, raised: BaseException
):
    def fail(*_: Any) -> bool:
        raise raised

    a = anything("a")
    b = anything("b")
    c = anything("c")
    builder = WorkflowBuilder(start_executor=a).add_edge(a, c)
    match kind:
        case "condition":
            builder.add_edge(a, b, fail, id="e")
        case "case":
            cases: list[Case | Default] = [
                Case(lambda _: False, c),
                Case(fail, b),
                Default(b),
            ]
            builder = WorkflowBuilder(start_executor=a).add_switch_case_edge_group(
                a, cases, id="e"
            )
        case "selection":
            builder = WorkflowBuilder(start_executor=a).add_multi_selection_edge_group(
                a, [b, c], fail, id="e"
            )
    with pytest.raises(WorkflowException) as caught:
        routed(builder.build(), Message(1, "a"))
    assert caught.value.__notes__ == [place]


class Undecided:
    def __bool__(self) -> bool:
        raise ValueError("no truth value")


@pytest.mark.parametrize("answer", [None, 0, "", []])
def test_rule_12_a_condition_that_returns_no_bool_is_taken_for_what_it_is_worth(
    answer: Any,
):
    a = anything("a")
    b = anything("b")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, lambda _: answer, id="e")
        .build()
    )
    assert [fate.reason for fate in routed(workflow, Message(1, "a")).fates] == [
        "condition false"
    ]


def test_rule_6_an_answer_without_a_truth_value_is_never_no():
    a = anything("a")
    b = anything("b")
    c = anything("c")
    cases: list[Case | Default] = [Case(lambda _: Undecided(), b), Default(c)]  # type: ignore[arg-type,return-value]
    direct = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, lambda _: Undecided(), id="e")
        .build()
    )  # type: ignore[arg-type,return-value]
    switched = (
        WorkflowBuilder(start_executor=a)
        .add_switch_case_edge_group(a, cases, id="e")
        .build()
    )
    for workflow in (direct, switched):
        with pytest.raises(ValueError, match="no truth value") as caught:
            routed(workflow, Message(1, "a"))
        assert "edge 'e'" in caught.value.__notes__[0]


@pytest.mark.parametrize("defaults", [0, 2])
def test_rule_14_a_switch_has_exactly_one_default(defaults: int):
    a = anything("a")
    b = anything("b")
    c = anything("c")
    cases: list[Case | Default] = [
        Case(lambda _: True, b),
        Case(lambda _: True, c),
        *[Default(b)] * defaults,
    ]
    with pytest.raises(ValueError, match="exactly one default"):
        WorkflowBuilder(start_executor=a).add_switch_case_edge_group(a, cases).build()


# --- switch and selection -----------------------------------------------------------------------------------------


def switch(*, default_first: bool = False) -> Workflow:
    a = anything("a")
    low = ints("low")
    high = ints("high")
    other = anything("other")
    cases: list[Case | Default] = [
        Case(lambda m: m < 10, low),
        Case(lambda m: m < 20, high),
    ]
    cases.insert(0 if default_first else 2, Default(other))
    return (
        WorkflowBuilder(start_executor=a)
        .add_switch_case_edge_group(a, cases, id="s")
        .build()
    )


@pytest.mark.parametrize("default_first", [False, True])
@pytest.mark.parametrize(("value", "target"), [(5, "low"), (15, "high"), (25, "other")])
def test_rule_14_the_first_true_case_wins_and_the_default_only_when_none_is(
    default_first, value, target
):
    routing = routed(switch(default_first=default_first), Message(value, "a"))
    assert delivered(routing) == {target: [value]}
    assert {fate.reason for fate in routing.fates if fate.kind == "dropped"} == {
        "not selected"
    }


def test_case_16_a_case_that_raises_names_edge_and_case_and_never_takes_the_default():
    with pytest.raises(TypeError) as caught:
        routed(switch(), Message("text", "a"))
    assert any(
        "case 1" in note and "edge 's'" in note for note in caught.value.__notes__
    )


def test_the_fate_says_which_of_two_cases_with_one_target_was_taken():
    a = anything("a")
    b = anything("b")
    c = anything("c")
    cases: list[Case | Default] = [
        Case(lambda m: m == 0, b),
        Default(c),
        Case(lambda m: m == 1, b),
    ]
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_switch_case_edge_group(a, cases, id="s")
        .build()
    )
    taken = [
        fate
        for fate in routed(workflow, *(Message(n, "a") for n in range(3))).fates
        if fate.kind == "delivered"
    ]
    assert [(fate.target_id, fate.case) for fate in taken] == [
        ("b", "0"),
        ("b", "1"),
        ("c", "default"),
    ]


def test_an_addressed_message_is_delivered_only_if_its_target_is_selected():
    assert delivered(routed(switch(), Message(5, "a", "low"))) == {"low": [5]}
    routing = routed(switch(), Message(15, "a", "low"))
    assert delivered(routing) == {}
    assert [fate.reason for fate in routing.fates] == ["not selected"]


def selecting(select: Any) -> Workflow:
    a = anything("a")
    b = ints("b")
    c = ints("c")
    return (
        WorkflowBuilder(start_executor=a)
        .add_multi_selection_edge_group(a, [b, c], select, id="m")
        .build()
    )


def test_rule_14_selection_picks_any_number_and_repeats_count_once():
    assert delivered(
        routed(selecting(lambda _m, _ids: ["c", "c"]), Message(1, "a"))
    ) == {"c": [1]}
    assert delivered(routed(selecting(lambda _m, ids: ids), Message(1, "a"))) == {
        "b": [1],
        "c": [1],
    }
    assert delivered(routed(selecting(lambda _m, _ids: []), Message(1, "a"))) == {}


def test_rule_14_selection_is_not_asked_about_a_value_that_no_target_takes():
    asked: list[Any] = []
    routing = routed(
        selecting(lambda m, _ids: asked.append(m) or []), Message("text", "a")
    )
    assert asked == []
    assert {fate.reason for fate in routing.fates} == {"type mismatch"}


def test_rule_14_an_unknown_selection_is_refused():
    with pytest.raises(
        InvalidSelectionError, match="Invalid selection result"
    ) as caught:
        routed(selecting(lambda _m, _ids: ["nobody"]), Message(1, "a"))
    assert caught.value.unknown == ("nobody",)


# --- joins --------------------------------------------------------------------------------------------------------


def joined(**options: Any) -> tuple[Workflow, FanInEdgeGroup]:
    a = anything("a")
    b = anything("b")
    c = anything("c")
    j = Collect("j")
    builder = WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c])
    workflow = builder.add_fan_in_edges([b, c], j, id="join", **options).build()
    return workflow, workflow.joins[0]


def from_(source: str, *values: Any) -> list[Message]:
    return [Message(value, source) for value in values]


def test_rule_15_a_join_waits_in_the_state_under_its_structural_key():
    workflow, join = joined()
    routing = routed(workflow, Message(1, "b"))
    assert join.key == 'fan_in:[["b","j"],["c","j"]]'
    assert routing.buffers == {join.key: (Message(1, "b"),)}
    assert routing.fates == (Fate("buffered", "b", "j", "join"),)


def test_rule_16_a_complete_join_delivers_everything_in_declared_order():
    workflow, _ = joined()
    routing = routed(workflow, *from_("c", "c1", "c2"), *from_("b", "b1"))
    assert delivered(routing) == {"j": [["b1", "c1", "c2"]]}
    assert routing.buffers == {}
    assert routing.releases[0].counts == (1, 2)
    assert {fate.kind for fate in routing.fates} == {"delivered"}


@pytest.mark.parametrize(
    "order", [[0, 1, 2, 3], [0, 2, 1, 3], [2, 0, 3, 1], [2, 3, 0, 1]]
)
def test_rule_16_readiness_does_not_depend_on_interleaving(order):
    messages = [*from_("b", "b1", "b2"), *from_("c", "c1", "c2")]
    workflow, _ = joined()
    assert delivered(routed(workflow, *[messages[index] for index in order])) == {
        "j": [["b1", "b2", "c1", "c2"]]
    }


def test_case_40_zip_pairs_the_rounds_and_keeps_the_rest():
    workflow, join = joined(policy="zip")
    routing = routed(workflow, *from_("b", "b1", "b2", "b3"), *from_("c", "c1", "c2"))
    assert delivered(routing) == {"j": [["b1", "c1"], ["b2", "c2"]]}
    assert routing.buffers == {join.key: (Message("b3", "b"),)}
    assert Fate("buffered", "b", "j", "join", 1, positions=(2,)) in routing.fates
    assert Fate("delivered", "b", "j", "join", 2, positions=(0, 1)) in routing.fates


def test_case_35_any_fires_with_what_there_is():
    workflow, _ = joined(policy="any")
    assert delivered(routed(workflow, Message(1, "c"))) == {"j": [[1]]}


def test_rule_16_count_fires_when_enough_are_held():
    workflow, join = joined(policy="count", count=3)
    first = routed(workflow, *from_("b", 1, 2))
    assert first.deliveries == {}
    assert delivered(
        routed(workflow, Message(3, "c"), buffers=dict(first.buffers))
    ) == {"j": [[1, 2, 3]]}
    assert join.missing(first.buffers[join.key]) == ("c",)


def test_case_38_an_empty_list_is_a_message():
    workflow, _ = joined()
    assert delivered(routed(workflow, Message([], "b"), Message([1], "c"))) == {
        "j": [[[], [1]]]
    }


def test_a_join_refuses_an_item_that_its_target_does_not_take():
    a = anything("a")
    b = anything("b")
    c = anything("c")
    j = react("j", nothing, input=list[int])
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_fan_out_edges(a, [b, c])
        .add_fan_in_edges([b, c], j)
        .build()
    )
    routing = routed(workflow, Message("text", "b"), Message(1, "c"))
    assert [fate.reason for fate in routing.fates if fate.kind == "dropped"] == [
        "type mismatch"
    ]
    assert list(routing.buffers.values()) == [(Message(1, "c"),)]


STRANGE = [["a", "b->T,c"], ["a->T,b", "c"], ['a"b', "c\nd"], ["a,b", "a"]]


@pytest.mark.parametrize("first", STRANGE)
@pytest.mark.parametrize("second", STRANGE)
def test_case_4_keys_of_joins_never_meet(first: Sequence[str], second: Sequence[str]):
    if first != second:
        assert FanInEdgeGroup(first, "T").key != FanInEdgeGroup(second, "T").key


def test_rule_15_the_key_does_not_depend_on_the_order_of_sources():
    assert FanInEdgeGroup(["b", "a"], "T").key == FanInEdgeGroup(["a", "b"], "T").key


@pytest.mark.parametrize(
    "options", [{"policy": "most"}, {"policy": "count"}, {"policy": "all", "count": 2}]
)
def test_rule_16_a_wrong_policy_is_refused(options):
    with pytest.raises(ValueError, match="policy"):
        FanInEdgeGroup(["a", "b"], "t", **options)


def test_case_33_plain_edges_to_a_meeting_point_run_it_twice():
    s = Step("S")
    b = Step("B")
    c = Step("C")
    d = Step("D")
    m = Sink("M")
    workflow = (
        WorkflowBuilder(start_executor=s)
        .add_fan_out_edges(s, [b, c])
        .add_edge(c, d)
        .add_edge(b, m)
        .add_edge(d, m)
        .build()
    )
    assert delivered(routed(workflow, Message("x", "B"), Message("y", "D"))) == {
        "M": ["x", "y"]
    }


def refusing(_value: Any) -> bool:
    raise ValueError("no")


async def awaited(_value: Any) -> bool:
    return True


def test_rule_6_a_condition_that_raises_leaves_no_other_one_waiting():
    """A coroutine that nobody awaits is a warning, and fails this test."""
    a = anything("a")
    b = anything("b")
    c = anything("c")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, awaited)
        .add_edge(a, c, refusing)
        .build()
    )
    with pytest.raises(ValueError, match="no"):
        routed(workflow, Message(1, "a"))


def test_rule_6_neither_in_the_parent_of_the_child_whose_condition_raises():
    first = anything("first")
    second = anything("second")
    child = (
        WorkflowBuilder(start_executor=first).add_edge(first, second, refusing).build()
    )
    a = anything("a")
    b = anything("b")
    sub = WorkflowExecutor(child, "sub")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b, awaited)
        .add_edge(a, sub)
        .build()
    )
    state = RunState(
        queue=(Message(1, "a", "b"),),
        children={"sub#1": RunState(queue=(Message(1, "first"),))},
    )
    with pytest.raises(ValueError, match="no"):
        route_tree(workflow, state, {})


# --- ways that the class of a message decides -------------------------------------------------------------------------


class Number(int):
    pass


def crossing(*, by_class: bool) -> Workflow:
    """Edges of all kinds from `a`, where the class of a message decides and where it
    does not.
    """
    a = anything("a")
    b = ints("b")
    c = texts("c")
    d = ints("d")
    e = react("e", nothing, input=Number)
    j = Collect("j")
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, d, id="1")
        .add_fan_out_edges(a, [c, b], id="2")
        .add_edge(b, c, id="3")
        .add_edge(b, e, lambda m: m != 2, id="4")
        .add_fan_out_edges(c, [e, b], id="5")
        .add_fan_in_edges([d, e], j, id="6")
        .add_fan_in_edges([e, c, b], react("k", nothing, input=list[int]), id="7")
        .build()
    )
    for executor in workflow.executors.values():
        executor.class_decides = by_class and executor.class_decides
        executor.class_in_list_decides = by_class
    return workflow


messages = st.builds(
    Message,
    st.sampled_from([1, 2, True, Number(2), "x", 1.5, None]),
    st.sampled_from("abcde"),
    st.none(),
) | st.builds(
    Message, st.sampled_from([1, Number(2), "x"]), st.just("a"), st.sampled_from("bcd")
)


@given(st.lists(st.lists(messages, max_size=5), max_size=4))
def test_a_way_that_is_known_by_the_class_of_a_message_is_the_way_that_is_found_by_asking(
    queues,
):
    knowing = crossing(by_class=True)
    asking = crossing(by_class=False)
    for queue in queues:
        known, asked = (routed(workflow, *queue) for workflow in (knowing, asking))
        assert flat(known) == flat(asked)


def flat(routing: Any) -> Any:
    deliveries = [
        (
            target,
            [
                (one.data, type(one.data), one.sources, one.handler.name, one.edge_id)
                for one in ones
            ],
        )
        for target, ones in routing.deliveries.items()
    ]
    return deliveries, routing.buffers, routing.fates, routing.releases, routing.lost


def test_an_answer_goes_to_the_handler_of_its_question_whatever_way_messages_of_its_class_go():
    """A queue that was edited may have one from another executor."""

    class Asking(Executor):
        @handler
        async def take(self, message: int, ctx: WorkflowContext) -> None: ...

        @response_handler
        async def hear(
            self, original_request: str, response: int, ctx: WorkflowContext
        ) -> None: ...

    a = anything("a")
    b = Asking("b")
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    question = Request("r", "b", "how many?", int, 1)
    names = []
    for request in (None, question, None):
        [delivery] = routed(workflow, Message(1, "a", None, request)).deliveries["b"]
        names.append(delivery.handler.name)
    assert names == ["take", "hear", "take"]


def test_a_value_that_must_be_looked_at_is_looked_at_each_time():
    a = anything("a")
    b = react("b", nothing, input=list[int])
    workflow = WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    assert delivered(routed(workflow, Message([1], "a"))) == {"b": [[1]]}
    assert delivered(routed(workflow, Message(["x"], "a"))) == {}


def test_a_join_looks_into_each_value_where_the_class_does_not_say_whether_a_list_of_them_is_taken():
    a = anything("a")
    b = anything("b")
    k = react("k", nothing, input=list[list[int]])
    workflow = (
        WorkflowBuilder(start_executor=a)
        .add_edge(a, b)
        .add_fan_in_edges([a, b], k)
        .build()
    )
    assert not k.class_in_list_decides
    for value, taken in (([1], True), (["x"], False), ([2], True)):
        assert bool(routed(workflow, Message(value, "b")).buffers) is taken


@pytest.mark.parametrize(
    ("types", "decides"),
    [
        ([list[int]], True),
        ([list], True),
        ([list[Any], str], True),
        ([list[int | str]], False),
        ([list[int], dict[str, int]], False),
    ],
)
def test_the_class_of_an_item_decides_only_where_no_handler_looks_further(
    types: list[Any], decides: bool
):
    assert all(map(is_decided_in_list, types)) is decides
