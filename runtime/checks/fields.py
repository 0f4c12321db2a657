"""`check`: fields that no part of the program reads, and failure policies where they have no effect.

Unknown fields are kept in the file, as a newer version may know them; but whoever wrote one expects that it does
something, so it is told that it does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from pydantic import BaseModel

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
        remedy = f"Did you mean '{near[0]}'? " if near else ""
        yield Problem(
            severity="warning",
            rule="field-known",
            message=f"The field '{name}' of {what} is not known here and has no effect",
            location=location,
            part=f"{before}{name}",
            remedy=f"{remedy}It stays in the file until you remove it there.",
        )


def policy_problems(definition: WorkflowDefinition) -> Iterator[Problem]:
    """What a sub-workflow is told to do about failures is told to nobody."""
    for node in definition.nodes:
        if node.type == SUB_WORKFLOW and (
            node.retry is not None or node.timeout is not None
        ):
            yield Problem(
                severity="warning",
                rule="policy-has-effect",
                message=f"{node.title} is a sub-workflow, which takes several supersteps: it is not tried again, and "
                "no time limit holds for it",
                location=node.id,
                part="retry" if node.retry is not None else "timeout",
                remedy="Give retry and time limit to the nodes inside it, or lead an error edge out of it.",
            )
