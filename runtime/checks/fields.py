"""Unknown fields of a document, and failure policies without effect.

Unknown fields stay in the file, because a newer version may know them. But their writer
expects an effect, so a warning says that there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from pydantic import BaseModel

from runtime.checks.rules import problem
from runtime.document.definition import WorkflowDefinition
from runtime.document.problem import Problem
from runtime.document.sub_workflows import SUB_WORKFLOW


def unknown_fields(definition: WorkflowDefinition) -> Iterator[Problem]:
    """Yield a warning for each unknown field of the workflow, its nodes and its
    edges.
    """
    yield from _fields(definition, "the workflow", "", "")
    yield from _fields(definition.retry, "the retry of the workflow", "", "retry.")
    for node in definition.nodes:
        yield from _fields(node, f"node {node.title}", node.id, "")
        yield from _fields(
            node.retry, f"the retry of node {node.title}", node.id, "retry."
        )
    for edge in definition.edges:
        yield from _fields(edge, f"edge '{edge.id}'", edge.id, "")
        for part in edge.parts():
            what = f"{part.label} of edge '{edge.id}'"
            yield from _fields(part.model, what, edge.id, f"{part.place}.")


def _fields(
    model: BaseModel | None, what: str, location: str, before: str
) -> Iterator[Problem]:
    if model is None:
        return
    known = list(type(model).model_fields)
    for name in model.model_extra or ():
        near = get_close_matches(name, known, n=1)
        guess = f"Did you mean '{near[0]}'? " if near else ""
        yield problem(
            "field-known",
            "unknown",
            location,
            f"{before}{name}",
            name=name,
            what=what,
            guess=guess,
        )


def policy_problems(definition: WorkflowDefinition) -> Iterator[Problem]:
    """Yield a warning for each sub-workflow with a failure policy, because no
    handler of its own obeys it.
    """
    for node in definition.nodes:
        if node.type == SUB_WORKFLOW and (
            node.retry is not None or node.timeout is not None
        ):
            part = "retry" if node.retry is not None else "timeout"
            yield problem(
                "policy-has-effect", "sub_workflow", node.id, part, node=node.title
            )
