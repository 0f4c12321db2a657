"""`check`: fields that no part of the program reads, and failure policies where they have no effect.

Unknown fields are kept in the file, as a newer version may know them; but whoever wrote one expects that it does
something, so it is told that it does not.
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
    """A warning for each field that is not known, of the workflow, its nodes and its edges."""
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
    """What a sub-workflow is told to do about failures is told to nobody."""
    for node in definition.nodes:
        if node.type == SUB_WORKFLOW and (
            node.retry is not None or node.timeout is not None
        ):
            part = "retry" if node.retry is not None else "timeout"
            yield problem(
                "policy-has-effect", "sub_workflow", node.id, part, node=node.title
            )
