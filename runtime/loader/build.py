"""From a definition to a workflow that can run. This is where user code is imported, and nowhere before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runtime.document.catalogue import Catalogue
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    OnErrorEdge,
    Selection,
    SwitchEdge,
    WorkflowDefinition,
)
from runtime.document.disabled import effective
from runtime.edges import (
    EdgeGroup,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    MultiSelectionEdgeGroup,
    OnErrorEdgeGroup,
    SingleEdgeGroup,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
    SwitchCaseEdgeGroupDefault,
)
from runtime.edges.base import own_copy
from runtime.errors import ConditionError, DefinitionError
from runtime.executors.context import check_reducers
from runtime.executors.effects import Reducer
from runtime.executors.executor import Executor
from runtime.expressions.cel import PYTHON_PREFIX, Condition
from runtime.loader.python_links import is_link, linked_function, linked_reducer
from runtime.loader.python_modules import load
from runtime.policy import FailurePolicy
from runtime.workflow.workflow import Workflow

Test = Callable[[Any], bool]


def build(
    definition: WorkflowDefinition,
    catalogue: Catalogue,
    folder: Path | str = ".",
    *,
    max_supersteps: int | None = None,
    chain: tuple[str, ...] = (),
    entries: Sequence[str] = (),
) -> Workflow:
    """Return the workflow that a definition describes, with executors of the catalogue.

    `folder` is the document's: modules and files are looked up in it. `max_supersteps`
    replaces the definition's limit. `chain` leads to a sub-workflow
    (`runtime.document.sub_workflows`); messages enter it at `entries` beside its start.
    Checkpoints of the workflow carry definition and folder. Raise `DefinitionError`,
    whose location is a node or edge id, and `WorkflowValidationError` where the graph
    cannot work.
    """
    root = Path(folder).resolve()
    _refuse_double_ids(node.id for node in definition.nodes)
    executors = {
        node.id: catalogue.create(node, root, chain)
        for node in effective(definition).nodes
    }
    if not definition.start:
        raise DefinitionError(
            "The workflow has no start. Choose the node that gets the input of the run."
        )
    counted, on_the_way = _designated(definition, executors)
    return Workflow(
        [edge_group(edge, root) for edge in definition.edges],
        executors,
        definition.start,
        max_iterations=definition.max_supersteps
        if max_supersteps is None
        else max_supersteps,
        name=definition.name,
        description=definition.description or None,
        reducers={
            key: reducer_of(text, key, root)
            for key, text in definition.reducers.items()
        },
        state_conflicts=definition.state_conflicts or "error",
        definition={
            "workflow": definition.model_dump(mode="json"),
            "folder": str(root),
        },
        entries=entries,
        output_from=counted,
        intermediate_output_from=on_the_way,
        policies=_policies(definition, executors),
    )


def _policies(
    definition: WorkflowDefinition, executors: Mapping[str, Executor]
) -> dict[str, FailurePolicy]:
    """What each node does when it fails. A sub-workflow has no policy; `check` tells of one that is written there."""
    return {
        node.id: definition.policy_of(node)
        for node in definition.nodes
        if not executors[node.id].wraps_workflow
    }


def _designated(
    definition: WorkflowDefinition, executors: Mapping[str, Executor]
) -> tuple[list[str] | None, list[str] | None]:
    """Whose outputs count, and whose are progress on the way; None and None where all count."""
    if not any(node.outputs for node in definition.nodes):
        return None, None
    counted = [
        node.id
        for node in definition.nodes
        if not node.outputs and executors[node.id].workflow_output_types
    ]
    on_the_way = [
        node.id
        for node in definition.nodes
        if node.outputs == "intermediate" and executors[node.id].workflow_output_types
    ]
    return counted, on_the_way


def reducer_of(text: str, key: str, folder: Path) -> Reducer:
    """What combines values of a key of the shared state: `module:function`, or `module:attribute#key`.

    Raises `DefinitionError` for what cannot be loaded, or is no plain function.
    """
    workflow, _, name = text.partition("#")
    found = linked_reducer(workflow, name, folder) if name else load(text, folder)
    try:
        check_reducers({key: found})
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"The workflow cannot be made: {error}", "reducers"
        ) from error
    return found


def _refuse_double_ids(ids: Iterable[str]) -> None:
    seen: set[str] = set()
    for node_id in ids:
        if node_id in seen:
            raise DefinitionError(
                f"Two nodes have the id '{node_id}'. Give each an id of its own.",
                node_id,
            )
        seen.add(node_id)


def edge_group(edge: EdgeDefinition, folder: Path) -> EdgeGroup:
    """The edge group of the runtime, under the definition's id. Raises `DefinitionError` at the edge's id."""
    try:
        return _edge_group(edge, folder)
    except ConditionError as error:
        raise DefinitionError(
            f"The condition '{error.text}' does not compile: {error}", edge.id
        ) from error
    except ValueError as error:
        raise DefinitionError(str(error), edge.id) from error


def _edge_group(edge: EdgeDefinition, folder: Path) -> EdgeGroup:
    match edge:
        case DirectEdge():
            if edge.condition:
                test = condition_of(edge.condition, folder, edge.id)
            else:
                test = None
            return SingleEdgeGroup(edge.source, edge.target, test, id=edge.id)
        case OnErrorEdge():
            if edge.condition:
                test = condition_of(edge.condition, folder, edge.id)
            else:
                test = None
            return OnErrorEdgeGroup(edge.source, edge.target, test, id=edge.id)
        case FanOutEdge():
            return FanOutEdgeGroup(edge.source, list(edge.targets), id=edge.id)
        case FanInEdge():
            return FanInEdgeGroup(
                list(edge.sources),
                edge.target,
                policy=edge.policy,
                count=edge.count,
                id=edge.id,
            )
        case SwitchEdge():
            cases = [
                SwitchCaseEdgeGroupCase(
                    condition_of(one.when, folder, edge.id), one.target, one.name
                )
                for one in edge.cases
            ]
            return SwitchCaseEdgeGroup(
                edge.source,
                [*cases, SwitchCaseEdgeGroupDefault(edge.default)],
                id=edge.id,
            )
        case MultiSelectionEdge():
            targets = [one.target for one in edge.selections]
            if len(targets) < 2:
                raise ValueError("A multi-selection needs at least two targets.")
            return MultiSelectionEdgeGroup(
                edge.source,
                targets,
                selection_of(edge.selections, folder, edge.id),
                id=edge.id,
            )


def condition_of(text: str, folder: Path, edge_id: str = "") -> Test:
    """What a condition of a document means: CEL, or after `py:` a function of Python, which is loaded: by its name, or
    by its place in a workflow that is written in Python.

    Raises `ConditionError` for CEL that does not compile, and `DefinitionError` for what cannot be loaded.
    """
    if not text.startswith(PYTHON_PREFIX):
        return Condition(text)
    reference = text.removeprefix(PYTHON_PREFIX)
    if is_link(reference):
        function = linked_function(reference, folder, edge_id)
    else:
        function = load(reference, folder, edge_id)
    if not callable(function):
        raise DefinitionError(f"'{text}' is no function of a message.", edge_id)
    return function


def selection_of(
    selections: Sequence[Selection], folder: Path, edge_id: str = ""
) -> Callable[[Any, list[str]], Iterable[str]]:
    """What chooses the ways of a multi-selection: their conditions, or a selection of a workflow in Python, which then
    stands at every way, since it decides about all at once.
    """
    texts = {
        one.when.removeprefix(PYTHON_PREFIX)
        for one in selections
        if one.when.startswith(PYTHON_PREFIX)
    }
    # One of a selection has no number of a case.
    whole = [
        text for text in texts if is_link(text) and "." not in text.partition("#")[2]
    ]
    if not whole:
        return Selecting(selections, folder, edge_id)
    if {one.when for one in selections} != {PYTHON_PREFIX + whole[0]}:
        raise DefinitionError(
            f"The selection '{PYTHON_PREFIX}{whole[0]}' decides about all ways at once. "
            "Give each way this condition, or none.",
            edge_id,
        )
    return linked_function(whole[0], folder, edge_id)


class Selecting:
    """The targets whose condition is true, in declared order. `text` stands for it in the signature, `labels` has the
    conditions by target for pictures.
    """

    def __init__(
        self, selections: Sequence[Selection], folder: Path, edge_id: str
    ) -> None:
        self._tests = [
            (one.target, condition_of(one.when, folder, edge_id) if one.when else None)
            for one in selections
        ]
        self.labels = {one.target: one.when for one in selections if one.when}
        self.text = "; ".join(f"{one.target}: {one.when}" for one in selections)

    # Each of its tests gets a copy of its own.
    only_reads = True

    def __call__(self, data: Any, target_ids: list[str]) -> list[str]:
        return [
            target
            for target, test in self._tests
            if test is None or test(own_copy(test, data))
        ]
