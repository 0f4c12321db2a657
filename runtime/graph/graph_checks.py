"""Checks a graph before it can run. The texts are agent-framework's where it has the
same check.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn

from runtime.edges.base import EdgeGroup
from runtime.errors import (
    EdgeDuplicationError,
    GraphConnectivityError,
    NestingError,
    TypeCompatibilityError,
    ValidationTypeEnum,
    WorkflowValidationError,
)
from runtime.values.type_matching import can_flow

if TYPE_CHECKING:
    from runtime.executors.executor import Executor

_LOG = logging.getLogger("runtime")
# How many workflows may be nested in each other. Python's limit of 1,000 calls allows
# more for a run alone, but not for comparing or copying such graphs. And the codec
# keeps 250 levels of containers, of which each workflow takes three.
MOST_LEVELS = 64


def validate_workflow_graph(
    edge_groups: Sequence[EdgeGroup],
    executors: Mapping[str, Executor],
    start_executor: str | Executor,
    output_executors: Sequence[str] | None = None,
    intermediate_executors: Sequence[str] | None = None,
    entries: Sequence[str] = (),
    *,
    warns: bool = True,
) -> None:
    """Raise a `WorkflowValidationError` for the first rule that the graph breaks.

    entries  where messages enter a sub-workflow besides its start
    warns    whether unusual things that may be meant are logged; other callers report them in their own way
    """
    start_id = start_executor if isinstance(start_executor, str) else start_executor.id
    outputs = {
        "output": output_executors or (),
        "intermediate": intermediate_executors or (),
    }
    _check_selection(outputs)
    _check_present(edge_groups, executors, start_id)
    _check_unique(edge_groups)
    for group in edge_groups:
        _check_types(group, executors)
    _check_reachable(edge_groups, executors, start_id, entries)
    for kind, ids in outputs.items():
        _check_designation(kind, ids, executors)
    _check_nesting(executors)
    if warns:
        _warn(edge_groups, executors)


def _warn(groups: Sequence[EdgeGroup], executors: Mapping[str, Executor]) -> None:
    pairs = [pair for group in groups for pair in group.pairs]
    for source_id, target_id in pairs:
        if not executors[source_id].output_types:
            _LOG.warning(
                "Executor '%s' has no output type annotations: what its edge to '%s' carries is not checked. Annotate "
                "its context as WorkflowContext[T].",
                source_id,
                target_id,
            )
        if source_id == target_id:
            _LOG.warning(
                "Self-loop detected: Executor '%s' connects to itself. It goes round until a condition ends it, or "
                "max_iterations does.",
                source_id,
            )
    sources = {source_id for source_id, _ in pairs}
    ends = sorted(
        executor_id for executor_id in executors if executor_id not in sources
    )
    if ends:
        _LOG.info(
            "Dead-end executors detected (no outgoing edges): %s. There the workflow ends.",
            ends,
        )


def _check_present(
    groups: Sequence[EdgeGroup], executors: Mapping[str, Executor], start_id: str
) -> None:
    if start_id not in executors:
        raise GraphConnectivityError(
            f"Start executor '{start_id}' is not present in the workflow graph."
        )
    for group in groups:
        for executor_id in (*group.source_ids, *group.target_ids):
            if executor_id not in executors:
                raise GraphConnectivityError(
                    f"Edge '{group.id}' names the executor '{executor_id}', which is not present in the workflow graph."
                )


def _check_unique(groups: Sequence[EdgeGroup]) -> None:
    # Pairs are compared as pairs, because ids may contain an arrow. An error edge may
    # go beside another edge, because one message never goes along both.
    seen: set[tuple[bool, str, str]] = set()
    ids: set[str] = set()
    for group in groups:
        is_for_errors = group.carries_failures
        pairs: Sequence[tuple[str, str]]
        if group.may_repeat:
            pairs = group.pairs
        else:
            pairs = [(edge.source_id, edge.target_id) for edge in group.edges]
        for pair in pairs:
            if (is_for_errors, *pair) in seen:
                raise EdgeDuplicationError(f"{pair[0]}->{pair[1]}")
            seen.add((is_for_errors, *pair))
        if group.id in ids:
            raise WorkflowValidationError(
                f"Two edges have the id '{group.id}'. Give each edge an id of its own.",
                ValidationTypeEnum.EDGE_DUPLICATION,
            )
        ids.add(group.id)


def _check_types(group: EdgeGroup, executors: Mapping[str, Executor]) -> None:
    for source_id, target_id in group.pairs:
        outputs = group.types_along(executors[source_id].output_types)
        inputs = executors[target_id].input_types
        if (
            outputs
            and inputs
            and not any(
                can_flow(output, input_) for output in outputs for input_ in inputs
            )
        ):
            raise TypeCompatibilityError(
                source_id,
                target_id,
                outputs,
                inputs,
                joined=group.is_join,
            )


def _check_reachable(
    groups: Sequence[EdgeGroup],
    executors: Mapping[str, Executor],
    start_id: str,
    entries: Sequence[str],
) -> None:
    ways: dict[str, list[str]] = {}
    for group in groups:
        for source_id, target_id in group.pairs:
            ways.setdefault(source_id, []).append(target_id)
    waiting = [start_id, *entries]
    reached = set(waiting)
    while waiting:
        for target_id in ways.get(waiting.pop(), ()):
            if target_id not in reached:
                reached.add(target_id)
                waiting.append(target_id)
    unreachable = sorted(
        executor_id for executor_id in executors if executor_id not in reached
    )
    if unreachable:
        raise GraphConnectivityError(
            f"The following executors are unreachable from the start executor '{start_id}': {unreachable}. "
            "This may indicate a disconnected workflow graph. Add an edge to each, or leave it out."
        )


def _check_nesting(executors: Mapping[str, Executor]) -> None:
    for executor in executors.values():
        levels = levels_of([executor])
        if levels > MOST_LEVELS:
            raise NestingError(executor.id, levels, MOST_LEVELS)


def levels_of(executors: Iterable[Executor]) -> int:
    """Return how many workflows are nested in each other in a workflow of these
    executors, itself included.
    """
    inner_levels = [
        executor.workflow.levels  # type: ignore[attr-defined]
        for executor in executors
        if executor.wraps_workflow
    ]
    return 1 + max(inner_levels, default=0)


# --- which executors yield the workflow's outputs -----------------------------------------------------------------


def _check_selection(outputs: Mapping[str, Sequence[str]]) -> None:
    for kind, ids in outputs.items():
        duplicates = sorted({name for name in ids if list(ids).count(name) > 1})
        if duplicates:
            _refuse(f"Duplicate {kind} executor designation(s): {duplicates}.")
    both = sorted(set(outputs["output"]) & set(outputs["intermediate"]))
    if both:
        _refuse(f"Executors cannot be both output and intermediate designated: {both}.")


def _check_designation(
    kind: str, ids: Sequence[str], executors: Mapping[str, Executor]
) -> None:
    for executor_id in ids:
        if executor_id not in executors:
            _refuse(
                f"{kind.capitalize()} executor '{executor_id}' is not present in the workflow graph."
            )
        if not executors[executor_id].workflow_output_types:
            _refuse(
                f"{kind.capitalize()} executor '{executor_id}' must have output type annotations defined."
            )


def _refuse(text: str) -> NoReturn:
    raise WorkflowValidationError(text, ValidationTypeEnum.OUTPUT_VALIDATION)
