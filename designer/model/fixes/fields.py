"""Quick fixes for unknown fields of a document: rename it to the field that was
probably meant, or remove it.
"""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from typing import Any

from pydantic import ValidationError

from designer.model import edits
from designer.model.design import Design
from designer.model.fixes.nodes import Offers
from runtime.document.definition import Infos, WorkflowDefinition
from runtime.document.problem import Problem

_STEP = re.compile(r"(\w+)|\[(\d+)\]")


def unknown_field(design: Design, problem: Problem, _infos: Infos) -> Offers:
    *way, name = [key or int(number) for key, number in _STEP.findall(problem.part)]
    dumped = design.workflow.model_dump()
    holder = _inside(_element(dumped, problem.location), way)
    if not isinstance(holder, dict) or name not in holder:
        return
    for meant in get_close_matches(
        str(name), _known(design, problem.location, way), n=1
    ):
        if holder.get(meant) in (None, "", {}):
            yield (
                f"Take it for '{meant}'",
                partial(_changed, design, problem, way, str(name), meant),
            )
    yield f"Remove '{name}'", partial(_changed, design, problem, way, str(name), "")


def policy(design: Design, problem: Problem, _infos: Infos) -> Offers:
    yield (
        "Remove retry and time limit",
        lambda: edits.set_failure_policy(design, problem.location, None, None),
    )


def _changed(
    design: Design, problem: Problem, way: list[str | int], name: str, meant: str
) -> Design:
    """Return the drawing with the value under another name, or without it."""
    dumped = design.workflow.model_dump()
    holder = _inside(_element(dumped, problem.location), way)
    value = holder.pop(name)
    if meant:
        holder[meant] = value
    try:
        workflow = WorkflowDefinition.model_validate(dumped)
    except ValidationError as error:
        raise edits.EditError(
            f"The value does not fit '{meant}'.", problem.location
        ) from error
    return replace(design, workflow=workflow)


def _element(dumped: dict[str, Any], location: str) -> Any:
    """Return the workflow, or its node or edge with this id; None if there is none."""
    if not location:
        return dumped
    for element in (*dumped["nodes"], *dumped["edges"]):
        if element["id"] == location:
            return element
    return None


def _inside(value: Any, way: list[str | int]) -> Any:
    for step in way:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def _known(design: Design, location: str, way: list[str | int]) -> list[str]:
    workflow = design.workflow
    holder: Any = workflow
    if location:
        by_id: dict[str, Any] = {node.id: node for node in workflow.nodes}
        by_id.update((edge.id, edge) for edge in workflow.edges)
        holder = by_id.get(location)
    for step in way:
        if isinstance(step, int):
            holder = holder[step]
        else:
            holder = getattr(holder, step, None)
    return [] if holder is None else list(type(holder).model_fields)
