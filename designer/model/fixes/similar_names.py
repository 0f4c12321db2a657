"""Quick fixes for a failure that names a field which was not found, and similar ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from designer.model import edits
from designer.model.design import Design
from designer.model.fixes.nodes import Offers
from runtime.document.definition import EdgeDefinition

_CONDITION = re.compile(
    r"(?:Condition|Expression) '(?P<text>.*)' (?:failed|is too costly)", re.DOTALL
)
_MISSING = re.compile(r"no field '?(?P<wrong>\w+)")
_TEMPLATE = re.compile(
    r"\{(?P<way>message[^{}]*)\} is of type \w+ and has no '(?P<wrong>\w+)'"
)
_NEAR = re.compile(r"did you mean ((?:'\w+'(?: or )?)+)\?")


def near_names(design: Design, node: str, error: str) -> Offers:
    """Offer each name that the error suggests; `node` is the one that failed."""
    near = _NEAR.search(error)
    if near is None:
        return
    for name in re.findall(r"'(\w+)'", near[1]):
        changed = _renamed(design, node, error, name)
        if changed != design:
            yield f"Use '{name}'", partial(_unchanged, changed)


def _unchanged(design: Design) -> Design:
    return design


def _renamed(design: Design, node: str, error: str, name: str) -> Design:
    template = _TEMPLATE.search(error)
    if template is not None:
        wrong = f"{template['way']}.{template['wrong']}"
        right = f"{template['way']}.{name}"
        pattern = re.compile(rf"{re.escape(wrong)}\b")
        return _in_params(design, node, lambda text: pattern.sub(right, text))
    condition = _CONDITION.search(error)
    missing = _MISSING.search(error)
    if condition is None or missing is None:
        return design
    text = condition["text"].strip()
    renamed = re.sub(rf"\b{missing['wrong']}\b", name, text)
    for edge, number in _with_condition(design, text):
        design = edits.set_condition(design, edge.id, number, renamed)
    return _in_params(
        design, node, lambda param: renamed if param.strip() == text else param
    )


def failed_place(design: Design, node: str, error: str) -> tuple[str, str]:
    """Return the element in which a run failed, and the part of it.

    That is an edge whose condition failed, else the node, if it is in this drawing.
    """
    condition = _CONDITION.search(error)
    if condition is not None:
        for edge, number in _with_condition(design, condition["text"].strip()):
            return edge.id, edits.condition_part(edge, number)
    return (node, "") if design.workflow.node(node) is not None else ("", "")


def _with_condition(design: Design, text: str) -> Iterator[tuple[EdgeDefinition, int]]:
    """Yield the edges that have a condition, and its number in each."""
    for edge in design.workflow.edges:
        for number, condition in enumerate(edits.conditions_of(edge)):
            if condition.strip() == text:
                yield edge, number


def _in_params(design: Design, node_id: str, change: Callable[[str], str]) -> Design:
    node = design.workflow.node(node_id)
    if node is None:
        return design
    params = {
        key: change(value) if isinstance(value, str) else value
        for key, value in node.params.items()
    }
    if params != node.params:
        return edits.set_params(design, node_id, params)
    return design
