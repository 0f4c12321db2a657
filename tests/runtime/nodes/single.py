"""A workflow of one node and an output behind it, to see what the node makes of
messages.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runtime.checks.check import check
from runtime.document.definition import WorkflowDefinition
from runtime.document.problem import Problem
from runtime.nodes import catalogue
from runtime.workflow.workflow import Workflow
from tests.documents import build


def definition(type: str, params: dict[str, Any]) -> WorkflowDefinition:
    return WorkflowDefinition.model_validate(
        {
            "start": "it",
            "nodes": [
                {"id": "it", "type": type, "params": params},
                {"id": "out", "type": "output"},
            ],
            "edges": [{"kind": "direct", "id": "e", "source": "it", "target": "out"}],
        }
    )


def one_node(type: str, folder: Path | str = ".", **params: Any) -> Workflow:
    return build(definition(type, params), folder=folder)


async def outputs(
    type: str, message: Any, folder: Path | str = ".", **params: Any
) -> list[Any]:
    return (await one_node(type, folder, **params).run(message)).get_outputs()


def problems(type: str, **params: Any) -> list[Problem]:
    """What `check` says, which runs and imports nothing."""
    infos = {one.type: one for one in catalogue().infos()}
    return [
        one for one in check(definition(type, params), infos) if one.location == "it"
    ]
