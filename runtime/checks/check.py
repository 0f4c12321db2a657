"""`check`: the problems of a definition, with place and remedy. It runs nothing that
the definition names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path

from runtime.checks.fields import policy_problems, unknown_fields
from runtime.checks.rules import RULES, problem, problem_of
from runtime.document.definition import Infos, WorkflowDefinition
from runtime.document.disabled import effective, known_infos
from runtime.document.problem import Problem
from runtime.document.sub_workflows import SUB_WORKFLOW
from runtime.document.ways import WAYS_IN, with_entries
from runtime.edges.definition import EdgeDefinition, Finding
from runtime.errors import ConditionError
from runtime.expressions.cel import PYTHON_PREFIX, Condition

__all__ = ["Problem", "as_inside", "check"]


def check(
    definition: WorkflowDefinition,
    infos: Infos | None = None,
    folder: Path | str | None = None,
    chain: tuple[str, ...] = (),
    entries: Collection[str] = (),
) -> list[Problem]:
    """Return all problems, errors first, then in the order of the definition.

    `infos` are the known node types by name; without them rules about types are not
    checked. `folder` is the document's; without it no file or module is looked for.
    `chain` leads to the document (`runtime.document.sub_workflows`); at `entries`
    messages enter a sub-workflow beside its start. A definition without errors can
    be built, as far as can be known without importing the code that it names.
    """
    problems = [
        *_ids(definition),
        *_start(definition),
        *_reducers(definition),
        *_edges(definition),
    ]
    problems += [*unknown_fields(definition), *policy_problems(definition)]
    drawn = definition
    definition = effective(definition)
    if infos is not None:
        infos = known_infos(infos)
        from runtime.checks.nodes import check_nodes, secrets_of_disabled

        problems += secrets_of_disabled(drawn, infos)
        problems += check_nodes(definition, infos, folder)
    if not any(problem.rule in _BREAKS_THE_GRAPH for problem in problems):
        from runtime.checks.flow import check_flow

        entered = with_entries(definition, entries)
        problems += [
            flow_problem
            for flow_problem in check_flow(entered, infos or {}, folder)
            if flow_problem.location != WAYS_IN
        ]
    if infos is not None and folder is not None:
        from runtime.checks.sources import check_sources

        problems += check_sources(definition, infos, Path(folder))
    if any(node.type == SUB_WORKFLOW for node in definition.nodes):
        from runtime.checks.sub_workflows import check_children

        problems += check_children(definition, infos, folder, chain)
    order = ("error", "warning", "info")
    return sorted(problems, key=lambda problem: order.index(problem.severity))


def as_inside(reported: Problem) -> Problem:
    """Return a problem of a workflow as one of a sub-workflow: a disabled start
    silences only the sub-workflow, so it is a warning there.
    """
    if reported.rule == "start-on":
        return reported.model_copy(update={"severity": "warning"})
    return reported


# After one of these problems the graph cannot be walked: further problems would be
# noise.
_BREAKS_THE_GRAPH = frozenset({"ids-unique", "edge-ends-exist", "start-exists"})


# --- ids and start ------------------------------------------------------------------------------------------------


def _ids(definition: WorkflowDefinition) -> Iterator[Problem]:
    for what, ids in (
        ("nodes", [node.id for node in definition.nodes]),
        ("edges", [edge.id for edge in definition.edges]),
    ):
        for element_id, number in Counter(ids).items():
            if number > 1:
                yield problem(
                    "ids-unique",
                    "double",
                    element_id,
                    "id",
                    count=number,
                    what=what,
                    id=element_id,
                )
    for node in definition.nodes:
        if not node.id.strip():
            yield problem("ids-visible", "blank", node.id, "id", id=node.id)
        if node.id.startswith("internal:"):
            yield problem("ids-unique", "kept", node.id, "id", id=node.id)


def _start(definition: WorkflowDefinition) -> Iterator[Problem]:
    if definition.node(definition.start) is not None:
        return
    if not definition.nodes:
        name = "empty"
    elif not definition.start:
        name = "none"
    else:
        name = "unknown"
    yield problem("start-exists", name, part="start", start=definition.start)


# --- reducers -----------------------------------------------------------------------------------------------------


def _reducers(definition: WorkflowDefinition) -> Iterator[Problem]:
    """Check the form of reducers. `checks.sources` looks into the files."""
    if not definition.reducers:
        return
    from runtime.document.references import is_reference

    for key, text in definition.reducers.items():
        if not is_reference(text.partition("#")[0]):
            part = f"reducers.{key}"
            yield problem("reducer-named", "form", part=part, key=key, text=text)


# --- edges --------------------------------------------------------------------------------------------------------


def _edges(definition: WorkflowDefinition) -> Iterator[Problem]:
    nodes = {node.id for node in definition.nodes}
    # Two nodes may be joined by an error edge and another edge, because no message
    # takes both.
    seen: dict[bool, dict[tuple[str, str], str]] = {True: {}, False: {}}
    for edge in definition.edges:
        for finding in _findings(edge, nodes, seen[edge.carries_failures]):
            yield problem_of(finding, edge.id)
        yield from _conditions(edge)


def _findings(
    edge: EdgeDefinition, nodes: Collection[str], seen: dict[tuple[str, str], str]
) -> Iterator[Finding]:
    for end in edge.ends():
        if end.node_id not in nodes:
            yield edge.loose_end(end)
    for source, target in edge.pairs:
        if (source, target) in seen:
            text = RULES["pairs-unique"].texts["double"]
            message = text.message.format(
                source=source, target=target, other=seen[source, target]
            )
            yield Finding("pairs-unique", message, "", text.remedy)
        seen[source, target] = edge.id
    yield from edge.problems()


# --- conditions ---------------------------------------------------------------------------------------------------


def _conditions(edge: EdgeDefinition) -> Iterator[Problem]:
    for part, label, text in edge.conditions():
        problem = _condition(edge, part, label, text)
        if problem is not None:
            yield problem


def _condition(
    edge: EdgeDefinition, part: str, label: str, text: str
) -> Problem | None:
    try:
        if text.startswith(PYTHON_PREFIX):
            _check_reference(text.removeprefix(PYTHON_PREFIX))
        else:
            Condition(text)
    except ConditionError as error:
        where = f" (line {error.line}, column {error.column})" if error.line else ""
        reason = str(error).partition(": ")[2] if error.line else str(error)
        return problem(
            "condition-compiles",
            "broken",
            edge.id,
            part,
            line=error.line,
            column=error.column,
            label=label,
            reason=reason.rstrip("."),
            place=where,
        )
    return None


def _check_reference(text: str) -> None:
    from runtime.document.references import is_reference

    reference, hash_, place = text.partition("#")
    # After a # comes the place of a condition without a name, in a workflow of Python
    # (`runtime.loader.python_links`).
    if not is_reference(reference) or (
        hash_ and not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,6})?", place)
    ):
        raise ConditionError(
            f"'{PYTHON_PREFIX}{text}' is not of the form py:module:function."
        )
