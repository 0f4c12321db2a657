"""The first name of a node makes its id, and the ids of edges that came from the old
one.
"""

from __future__ import annotations

import pytest

from designer.model import edits
from designer.model.design import Design
from designer.model.edits.first_name import is_first_name, with_id_of_name
from runtime.checks.check import check


def drawn() -> tuple[Design, str]:
    """Two new functions, the second named, with wires from it, to it, and a join."""
    design, one = edits.add_node(Design(), "python_function", (0, 0), name="Function")
    design, two = edits.add_node(design, "python_function", (0, 0), name="Function")
    design, end = edits.add_node(design, "output", (0, 0), name="Output")
    design, _ = edits.connect(design, one, two)
    design, _ = edits.connect_join(design, (one, two), end)
    return edits.rename(design, two, "Check the age"), two


def test_edges_that_were_called_by_their_ends_are_called_by_the_new_ones() -> None:
    design, node = drawn()
    changed, new_id = with_id_of_name(design, node)
    assert new_id == "check_the_age"
    assert [edge.id for edge in changed.workflow.edges] == [
        "function->check_the_age",
        "fan_in:output",
    ]
    assert {problem.rule for problem in check(changed.workflow)} == {
        problem.rule for problem in check(design.workflow)
    }
    assert changed.positions.keys() == {"function", "check_the_age", "output"}


def test_an_edge_with_dots_keeps_its_id_and_them() -> None:
    design, node = drawn()
    edge = design.workflow.edges[0]
    dotted = edits.set_dots(design, edge.id, node, [(5, 5)])
    changed, _ = with_id_of_name(dotted, node)
    assert changed.workflow.edges[0].id == edge.id
    assert changed.dots.keys() == {edge.id}


def test_a_name_that_others_have_made_an_id_of_is_counted_on() -> None:
    design, node = drawn()
    design, _ = edits.add_node(design, "output", (0, 0), name="Check the age")
    assert with_id_of_name(design, node)[1] == "check_the_age_2"


@pytest.mark.parametrize(
    ("node_id", "name", "first"),
    [
        ("function", "Check", True),
        ("function_2", "Check", True),
        ("function", "Function", False),
        ("function_2", "Function", False),
        ("function", "???", False),
        ("mine", "Check", False),
        ("functional", "Check", False),
        ("check", "Check it", False),
    ],
)
def test_an_id_is_that_of_its_type_or_somebody_chose_it(
    node_id: str, name: str, *, first: bool
) -> None:
    design, _ = edits.add_node(
        Design(), "python_function", (0, 0), node_id=node_id, name=name
    )
    assert is_first_name(design, node_id, "Function") is first
