"""A secret that stands in the document: one click takes it out, and the check is quiet
then.
"""

from __future__ import annotations

import pytest

from designer.model.design import Design
from designer.model.fixes import fixes
from runtime.checks.check import check
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.nodes import catalogue

INFOS = {info.type: info for info in catalogue().infos()}
CLIENT = NodeDefinition(
    id="a",
    type="python_class",
    params={"class_name": "m:C", "arguments": {"api_key": "x", "token": "y", "b": "z"}},
)
CALL = NodeDefinition(
    id="a",
    type="http_request",
    params={"url": "https://h.org", "headers": {"Authorization": "Bearer x"}},
)


@pytest.mark.parametrize(
    ("node", "says"),
    [
        (CLIENT, "Take it from the environment: A_ARGUMENTS_API_KEY and 1 more"),
        (CALL, "Take it from the environment: A_HEADERS_AUTHORIZATION"),
    ],
)
def test_the_fix_names_the_environment_in_place_of_the_secrets(
    node: NodeDefinition, says: str
) -> None:
    design = Design(WorkflowDefinition(start="a", nodes=[node]))
    problem = next(
        one for one in check(design.workflow, INFOS) if one.part.startswith("params")
    )
    fix = next(one for one in fixes(design, problem, INFOS) if one.text == says)
    assert not [
        one
        for one in check(fix.design.workflow, INFOS)
        if one.part.startswith("params")
    ]
    assert fix.design.workflow.nodes[0].params.keys() == node.params.keys()
