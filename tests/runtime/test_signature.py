"""What changes a graph's signature, and what does not (design.md, section 5)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from runtime.edges import Case, Default
from runtime.graph.signature import describe_callable, differences, reasons
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.workflow import Workflow
from tests.runtime.graphs import Sink, Step, uneven_join


def conditional(condition: Callable[[Any], bool]) -> Workflow:
    a = Step("a")
    b = Step("b")
    return WorkflowBuilder(start_executor=a).add_edge(a, b, condition).build()


def above(limit: int) -> Callable[[Any], bool]:
    return lambda text: len(text) > limit


def switch(*, swapped: bool = False, other_default: bool = False) -> Workflow:
    a = Step("a")
    b = Step("b")
    c = Step("c")
    d = Step("d")
    cases = [Case(lambda m: m == "b", b), Case(lambda m: m == "c", c)]
    if swapped:
        cases.reverse()
    default = Default(b if other_default else d)
    builder = WorkflowBuilder(start_executor=a).add_switch_case_edge_group(
        a, [*cases, default]
    )
    return (builder.add_edge(b, d) if other_default else builder).build()


def test_an_equal_graph_has_an_equal_signature_also_in_another_process():
    code = (
        "from tests.runtime.graphs import uneven_join; print(uneven_join().signature())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == uneven_join().signature()


def test_the_same_lambda_is_the_same_condition_whatever_its_layout():
    one = conditional(lambda text: len(text) > 1)
    # fmt: off
    two = conditional(lambda text:
                      len(text)  > 1)  # a comment
    # fmt: on
    names = [
        workflow.graph["edges"][0]["condition"].rpartition(":")[2]
        for workflow in (one, two)
    ]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (conditional(lambda text: text > "a"), conditional(lambda text: text > "b")),
        (conditional(above(1)), conditional(above(2))),
        (switch(), switch(swapped=True)),
        (switch(), switch(other_default=True)),
    ],
)
def test_what_changes_it(one: Workflow, two: Workflow):
    assert one.signature() != two.signature()
    assert differences(one.graph, two.graph)


def test_two_lambdas_on_one_line_are_told_apart():
    one, two = lambda text: text > "a", lambda text: text > "b"
    assert describe_callable(one) != describe_callable(two)


def test_a_condition_with_a_text_is_known_by_it():
    class Cel:
        text = "message > 1"

        def __call__(self, message: Any) -> bool:
            return bool(message > 1)

    assert describe_callable(Cel()) == "text:message > 1"


def test_executor_classes_and_edge_ids():
    a = Step("a")
    one = WorkflowBuilder(start_executor=a).add_edge(a, Step("b"), id="x").build()
    two = WorkflowBuilder(start_executor=a).add_edge(a, Step("b"), id="y").build()
    three = WorkflowBuilder(start_executor=a).add_edge(a, Sink("b")).build()
    assert one.signature() == two.signature()
    assert differences(one.graph, three.graph)[0].startswith("executors[b].class")


def test_differences_name_what_is_new_gone_and_moved():
    one = {"nodes": [{"id": "a", "type": "x"}, {"id": "b"}]}
    two = {"nodes": [{"id": "a", "type": "y"}, {"id": "c"}]}
    assert differences(one, two) == [
        'nodes[a].type: "x" is now "y"',
        "nodes[b] is gone",
        "nodes[c] is new",
    ]
    assert differences(
        [{"id": "a"}, {"id": "b"}], [{"id": "b"}, {"id": "a"}], "edges"
    ) == ["edges are in another order"]
    assert (
        differences(
            {"name": "x", "max_supersteps": 1}, {"name": "y", "max_supersteps": 2}
        )
        == []
    )


def test_a_mismatch_always_has_a_reason():
    node = {
        "id": "a",
        "type": "python_class",
        "icon": "x",
        "params": {"class_name": "m:A"},
    }
    moved = {
        "workflow": {"nodes": [{**node, "icon": "y", "params": {"class_name": "m:B"}}]},
        "folder": "/there",
    }
    (reason,) = reasons({"workflow": {"nodes": [node]}, "folder": "/here"}, moved)
    assert "another class" in reason
    (reason,) = reasons(
        {"workflow": {"nodes": [node]}},
        {"workflow": {"nodes": [{**node, "type": "ask"}]}},
    )
    assert reason == 'workflow.nodes[a].type: "python_class" is now "ask"'
