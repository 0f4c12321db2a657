"""Build a workflow that can run from its definition.

User code is imported here, and nowhere before.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from runtime.document.catalogue import Catalogue
from runtime.document.definition import WorkflowDefinition
from runtime.document.disabled import effective
from runtime.document.sub_workflows import is_file_child
from runtime.edges.base import EdgeGroup
from runtime.edges.definition import EdgeDefinition
from runtime.errors import ConditionError, DefinitionError
from runtime.executors.context import check_reducers
from runtime.executors.effects import Reducer
from runtime.executors.executor import Executor
from runtime.loader.conditions import Conditions
from runtime.loader.python_links import linked_reducer
from runtime.loader.python_modules import load
from runtime.migration.outline_reader import file_key
from runtime.policy import FailurePolicy
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow


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
    Checkpoints of the workflow carry definition, folder, and the files of its
    sub-workflows. Raise `DefinitionError`,
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
        definition=_saved(definition, root, executors),
        entries=entries,
        output_from=counted,
        intermediate_output_from=on_the_way,
        policies=_policies(definition, executors),
    )


def _saved(
    definition: WorkflowDefinition, root: Path, executors: Mapping[str, Executor]
) -> dict[str, Any]:
    """Return what checkpoints carry: the document, its folder, and the documents of the
    sub-workflows that are in files of their own, so that a run can go on as it was
    although a file has changed.
    """
    saved: dict[str, Any] = {
        "workflow": definition.model_dump(mode="json"),
        "folder": str(root),
    }
    files: dict[str, Any] = {}
    for node in definition.nodes:
        executor = executors[node.id]
        if not isinstance(executor, WorkflowExecutor):
            continue
        inner = executor.workflow.definition or {}
        folder = ""
        if is_file_child(node):
            key = file_key("", str(node.params["file"]))
            files[key] = inner.get("workflow")
            folder = posixpath.dirname(key)
        for name, workflow in inner.get("files", {}).items():
            files[file_key(folder, name)] = workflow
    if files:
        saved["files"] = files
    return saved


def _policies(
    definition: WorkflowDefinition, executors: Mapping[str, Executor]
) -> dict[str, FailurePolicy]:
    """Return what each node does when it fails. A sub-workflow has no policy; `check`
    reports one that is written there.
    """
    return {
        node.id: definition.policy_of(node)
        for node in definition.nodes
        if not executors[node.id].wraps_workflow
    }


def _designated(
    definition: WorkflowDefinition, executors: Mapping[str, Executor]
) -> tuple[list[str] | None, list[str] | None]:
    """Return the nodes whose outputs count, and those whose outputs are progress on the
    way. Both are None where all outputs count.
    """
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
    """Return the function that combines values of a key of the shared state. `text` is
    `module:function`, or `module:attribute#key`.

    Raise `DefinitionError` for what cannot be loaded, or is no plain function.
    """
    workflow, _, name = text.partition("#")
    reducer = linked_reducer(workflow, name, folder) if name else load(text, folder)
    try:
        check_reducers({key: reducer})
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            f"The workflow cannot be made: {error}", "reducers"
        ) from error
    return reducer


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
    """Return the engine's rule for an edge, under the edge's id.

    Raise `DefinitionError` at that id for what cannot be built.
    """
    try:
        return edge.build(Conditions(folder, edge.id))
    except ConditionError as error:
        raise DefinitionError(
            f"The condition '{error.text}' does not compile: {error}", edge.id
        ) from error
    except ValueError as error:
        raise DefinitionError(str(error), edge.id) from error
