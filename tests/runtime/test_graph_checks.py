"""What a graph must fulfil, for the builder and for a workflow made directly
(agent-framework's checks and texts).
"""

from __future__ import annotations

from typing import Any

import pytest

from runtime.edges import (
    Case,
    Default,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    SingleEdgeGroup,
)
from runtime.errors import (
    EdgeDuplicationError,
    GraphConnectivityError,
    TypeCompatibilityError,
    ValidationTypeEnum,
    WorkflowValidationError,
)
from runtime.executors.executor import Executor, FunctionExecutor
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Collect, Sink, Step, react


async def nothing(_message: Any, _ctx: Any) -> None: ...


def typed(id: str, input: Any, output: Any) -> Executor:
    return react(id, nothing, input=input, output=output)


def test_rule_15_one_pair_joined_twice_is_refused():
    a = Step("a")
    b = Step("b")
    with pytest.raises(EdgeDuplicationError, match="a->b"):
        WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(a, b).build()
    c = Step("c")
    with pytest.raises(EdgeDuplicationError):
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_edge(
            a, c
        ).build()


def test_rule_15_a_workflow_made_directly_is_checked_too():
    parts = {"a": Step("a"), "b": Step("b")}
    with pytest.raises(EdgeDuplicationError):
        Workflow([FanOutEdgeGroup("a", ["b", "b"])], parts, "a")
    with pytest.raises(GraphConnectivityError, match="'nobody'"):
        Workflow([SingleEdgeGroup("a", "nobody")], parts, "a")
    with pytest.raises(GraphConnectivityError, match="Start executor"):
        Workflow([], parts, "nobody")


def test_rule_15_ids_with_arrows_are_no_duplicates():
    a = Step("a")
    ab = Step("a->b")
    b = Step("b->c")
    c = Step("c")
    WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(a, ab).add_edge(
        ab, c
    ).build()


def test_two_edges_of_one_id_are_refused():
    a = Step("a")
    b = Step("b")
    c = Step("c")
    with pytest.raises(WorkflowValidationError, match="id 'e'"):
        WorkflowBuilder(start_executor=a).add_edge(a, b, id="e").add_edge(
            a, c, id="e"
        ).build()


def test_types_that_never_fit_are_refused():
    a = typed("a", str, int)
    b = typed("b", str, str)
    with pytest.raises(TypeCompatibilityError, match="'a' -> 'b'") as caught:
        WorkflowBuilder(start_executor=a).add_edge(a, b).build()
    assert (caught.value.source_types, caught.value.target_types) == ([int], [str])


@pytest.mark.parametrize(
    ("sends", "takes"),
    [(int | str, str), (Any, str), (str, Any), (bool, int), (str, None | str)],
)
def test_types_of_which_some_pair_fits_are_fine(sends: Any, takes: Any):
    a = typed("a", str, sends)
    b = typed("b", takes, str)
    WorkflowBuilder(start_executor=a).add_edge(a, b).build()


def test_a_join_needs_a_target_that_takes_lists():
    a = typed("a", str, int)
    b = typed("b", int, int)
    c = typed("c", int, int)
    good = typed("j", list[int], int)
    bad = typed("j", int, int)
    WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_fan_in_edges(
        [b, c], good
    ).build()
    with pytest.raises(TypeCompatibilityError) as caught:
        WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_fan_in_edges(
            [b, c], bad
        ).build()
    assert caught.value.source_types == [list[int]]


def test_an_executor_out_of_reach_is_refused():
    a = Step("a")
    b = Step("b")
    c = Step("c")
    d = Step("d")
    with pytest.raises(GraphConnectivityError, match=r"\['c', 'd'\]"):
        WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(c, d).build()


@pytest.mark.parametrize(
    ("add", "text"),
    [
        (
            lambda w, a, b: w.add_fan_out_edges(a, [b]),
            "FanOutEdgeGroup must contain at least two targets",
        ),
        (
            lambda w, a, b: w.add_fan_in_edges([a], b),
            "FanInEdgeGroup must contain at least two sources",
        ),
        (
            lambda w, a, b: w.add_switch_case_edge_group(a, [Default(b)]),
            "at least two cases",
        ),
        (
            lambda w, a, b: w.add_switch_case_edge_group(a, [Default(b), Default(b)]),
            "exactly one default",
        ),
        (
            lambda w, a, b: w.add_switch_case_edge_group(
                a, [Case(bool, b), Case(bool, b)]
            ),
            "exactly one default",
        ),
        (
            lambda w, a, b: w.add_multi_selection_edge_group(a, [b], list),
            "at least two targets",
        ),
        (
            lambda w, a, b: w.add_chain([a]),
            "At least two executors are required to form a chain",
        ),
        (
            lambda w, a, b: w.add_edge(a, Step("b")).add_edge(a, b),
            "Duplicate executor ID 'b'",
        ),
    ],
)
def test_builder_calls_that_are_refused(add: Any, text: str):
    a = Step("a")
    b = Step("b")
    with pytest.raises(ValueError, match=text):
        add(WorkflowBuilder(start_executor=a), a, b)


def test_a_class_and_an_executor_that_is_not_set_up_are_refused_with_the_remedy():
    class Bare(Step):
        def __init__(self) -> None:
            pass

    with pytest.raises(TypeError, match=r"Make one: Step\(…\)\."):
        WorkflowBuilder(start_executor=Step)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"Bare.__init__ must call super\(\).__init__\(id\)"
    ):
        WorkflowBuilder(start_executor=Bare())


def test_something_else_than_an_executor_is_refused():
    a = Step("a")
    with pytest.raises(
        TypeError, match="expected an Executor or SupportsAgentRun instance; got str"
    ):
        WorkflowBuilder(start_executor=a).add_edge(a, "b")  # type: ignore[arg-type]


def test_several_cases_may_lead_to_one_target():
    a = Step("a")
    b = Step("b")
    c = Step("c")
    cases = [Case(lambda m: m == "1", b), Case(lambda m: m == "2", b), Default(c)]
    WorkflowBuilder(start_executor=a).add_switch_case_edge_group(a, cases).build()


# --- output designation -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"output_from": []}, "must include at least one"),
        ({"output_from": "j", "twice": True}, "Duplicate output executor"),
        (
            {"output_from": "j", "intermediate_output_from": "j"},
            "both output and intermediate",
        ),
        ({"output_from": "other"}, "not present in the workflow graph"),
        ({"output_from": "quiet"}, "must have output type annotations defined"),
    ],
)
def test_designations_that_are_refused(options: dict[str, Any], text: str):
    quiet = Step("quiet")
    j = Collect("j")
    other = Collect("other")
    by_name = {"j": j, "other": other, "quiet": quiet}
    twice = options.pop("twice", False)
    chosen = {
        key: [by_name[value]] * (2 if twice else 1) if isinstance(value, str) else value
        for key, value in options.items()
    }
    b = Step("b")
    builder = (
        WorkflowBuilder(start_executor=quiet, **chosen)
        .add_edge(quiet, b)
        .add_fan_in_edges([quiet, b], j)
    )
    with pytest.raises(WorkflowValidationError, match=text) as caught:
        builder.build()
    assert caught.value.validation_type is ValidationTypeEnum.OUTPUT_VALIDATION


def test_other_ways_to_designate():
    a = Sink("a")
    b = Sink("b")
    c = Sink("c")
    builder = WorkflowBuilder(
        start_executor=a, output_from=[c], intermediate_output_from="all_other"
    )
    workflow = builder.add_chain([a, b, c]).build()
    assert [one.id for one in workflow.get_output_executors()] == ["c"]
    assert [one.id for one in workflow.get_intermediate_executors()] == ["a", "b"]
    everything = WorkflowBuilder(start_executor=a, output_from="all").build()
    assert everything.is_terminal_executor("a")
    with pytest.raises(ValueError, match="Unsupported output_from literal"):
        WorkflowBuilder(start_executor=a, output_from="some")
    with pytest.raises(TypeError, match="multiple workflow output"):
        WorkflowBuilder(start_executor=a, output_from=[a], output_executors=[a])


def test_the_graph_as_data():
    a = Step("a")
    b = Step("b")
    c = Step("c")
    j = Collect("j")
    builder = WorkflowBuilder(
        start_executor=a, name="w", description="d"
    ).add_fan_out_edges(a, [b, c], id="out")
    made = builder.add_fan_in_edges([b, c], j, policy="zip").build().to_dict()
    assert made["start_executor_id"] == "a"
    assert made["executors"]["j"] == {"id": "j", "type": "Collect"}
    assert made["edge_groups"][0] == {
        "id": "out",
        "type": "FanOutEdgeGroup",
        "edges": [
            {"source_id": "a", "target_id": "b"},
            {"source_id": "a", "target_id": "c"},
        ],
        "selection_func_name": None,
    }
    assert made["edge_groups"][1]["policy"] == "zip"
    assert FanInEdgeGroup(["b", "c"], "j").key == made["edge_groups"][1]["id"]


def test_no_designation_may_be_said_by_none_as_well():
    workflow = WorkflowBuilder(
        start_executor=Step("a"), output_from=None, intermediate_output_from=None
    ).build()
    assert workflow.is_terminal_executor("a")


def test_what_may_be_meant_is_said_in_the_log_but_of_a_document_by_its_own_checks(
    caplog: pytest.LogCaptureFixture,
):
    loop = SingleEdgeGroup("a", "a")
    parts = {
        "a": Step("a"),
        "silent": FunctionExecutor(_prints, "silent"),
        "b": Step("b"),
    }
    edges = [loop, SingleEdgeGroup("a", "silent"), SingleEdgeGroup("silent", "b")]
    with caplog.at_level("INFO"):
        Workflow(edges, parts, "a")
    assert [
        (one.levelname, one.getMessage().partition(":")[0]) for one in caplog.records
    ] == [
        ("WARNING", "Self-loop detected"),
        ("WARNING", "Executor 'silent' has no output type annotations"),
        ("INFO", "Dead-end executors detected (no outgoing edges)"),
    ]
    caplog.clear()
    with caplog.at_level("INFO"):
        Workflow(edges, parts, "a", definition={"workflow": {}})
    assert caplog.records == []


def _prints(text: str) -> None: ...
