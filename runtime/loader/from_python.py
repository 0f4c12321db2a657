"""Make a document of a workflow that is written in Python.

The document keeps a link to the workflow, because the code stays where it is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from runtime.document.catalogue import Catalogue
from runtime.document.definition import WorkflowFile
from runtime.document.files import parse
from runtime.document.references import is_reference
from runtime.edges.base import EdgeGroup
from runtime.edges.registry import EDGE_KINDS
from runtime.errors import DefinitionError
from runtime.expressions.cel import PYTHON_PREFIX, Condition
from runtime.graph.signature import differences
from runtime.loader.build import build
from runtime.loader.conditions import Selecting
from runtime.loader.python_links import linked_workflow
from runtime.loader.python_modules import load
from runtime.policy import NO_POLICY, FailurePolicy
from runtime.workflow.workflow import Workflow


def import_workflow(
    reference: str, folder: Path | str, catalogue: Catalogue
) -> WorkflowFile:
    """Return the document of the workflow at `module:attribute`, without a layout. It
    belongs into `folder`, where modules are looked up first. Imports the module, which
    runs its code.

    A workflow that is built from the document with the catalogue has an equal
    signature; the document does not hold where checkpoints are saved. Raise
    `DefinitionError` if the reference leads to no workflow, or naming each thing that a
    document cannot hold.
    """
    root = Path(folder).resolve()
    workflow = linked_workflow(reference, root)
    lost = list(_lost(workflow))
    if lost:
        raise DefinitionError(
            f"'{reference}' has what a document cannot hold: {'; '.join(lost)}.",
            reference,
        )
    file = parse(
        json.dumps({"workflow": _document(workflow, _Naming(reference, root))})
    )
    rebuilt = build(file.workflow, catalogue, root)
    if rebuilt.signature() != workflow.signature():
        reasons = "; ".join(differences(workflow.graph, rebuilt.graph))
        reasons = reasons or "its conditions differ each time it is built"
        raise DefinitionError(
            f"'{reference}' would not be the same workflow as a document: {reasons}.",
            reference,
        )
    return file


def _lost(workflow: Workflow) -> Iterator[str]:
    """Yield what the document would not hold."""
    for group in workflow.edge_groups:
        kind = EDGE_KINDS.find(group.kind)
        if kind is None or type(group) is not kind.group:
            yield (
                f"the edge group '{group.id}' of the kind {type(group).__name__} "
                "(use one of the six of the builder)"
            )
        elif refusal := kind.definition.refusal_of(group):
            yield refusal


def _document(workflow: Workflow, naming: _Naming) -> dict[str, Any]:
    return {
        "name": workflow.name,
        "description": workflow.description or "",
        "start": workflow.start_executor_id,
        "max_supersteps": workflow.max_iterations,
        "nodes": [
            {
                "id": executor_id,
                "type": "python_executor",
                "params": {"workflow": naming.reference},
                "outputs": _outputs(workflow, executor_id),
                **_policy(workflow.policies.get(executor_id, NO_POLICY)),
            }
            for executor_id in workflow.executors
        ],
        "reducers": {
            key: naming.reducer(key, reducer)
            for key, reducer in workflow.reducers.items()
        },
        "state_conflicts": ""
        if workflow.state_conflicts == "error"
        else workflow.state_conflicts,
        "edges": [
            _edge(group, number, naming)
            for number, group in enumerate(workflow.edge_groups)
        ],
    }


def _policy(policy: FailurePolicy) -> dict[str, Any]:
    retry = {} if policy.retry is None else {"retry": asdict(policy.retry)}
    return retry | ({} if policy.timeout is None else {"timeout": policy.timeout})


def _outputs(workflow: Workflow, executor_id: str) -> str:
    kind = workflow.output_kind(executor_id)
    if kind == "output" or not workflow.executors[executor_id].workflow_output_types:
        return ""
    return kind or "none"


def _edge(group: EdgeGroup, number: int, naming: _Naming) -> dict[str, Any]:
    kind = EDGE_KINDS[group.kind]
    fields = kind.definition.fields_of(group, _FunctionNames(naming, number))
    # An id that was not given is left out, because a file has shorter ones.
    own_id = {} if group.id == group.structural_id() else {"id": group.id}
    return {**own_id, "kind": kind.name, **fields}


def _name_of(function: Any) -> str:
    return (
        f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', '')}"
    )


class _Naming:
    """Names conditions and reducers: CEL by its text, a function of a module by its
    name, and any other function by its place in the workflow.
    """

    def __init__(self, reference: str, folder: Path) -> None:
        self.reference = reference
        self._folder = folder

    def text(self, condition: Callable[..., Any], place: str) -> str:
        if isinstance(condition, Condition):
            return condition.text
        name = _name_of(condition)
        return PYTHON_PREFIX + (
            name if self._leads_to(name, condition) else f"{self.reference}#{place}"
        )

    def reducer(self, key: str, reducer: Callable[..., Any]) -> str:
        name = _name_of(reducer)
        return name if self._leads_to(name, reducer) else f"{self.reference}#{key}"

    def _leads_to(self, name: str, condition: Any) -> bool:
        if not is_reference(name) or name.partition(":")[0] not in sys.modules:
            return False
        try:
            return load(name, self._folder) is condition
        except DefinitionError:
            return False


class _FunctionNames:
    """Names the functions of one edge group, by its place among the groups."""

    def __init__(self, naming: _Naming, number: int) -> None:
        self._naming = naming
        self._number = number

    def condition(self, function: Callable[..., Any], case: int | None = None) -> str:
        place = str(self._number) if case is None else f"{self._number}.{case}"
        return self._naming.text(function, place)

    def selection(self, function: Callable[..., Any], target: str) -> str:
        # A selection in Python decides about all ways at once, so it stands at each.
        if isinstance(function, Selecting):
            return function.labels.get(target, "")
        return f"{PYTHON_PREFIX}{self._naming.reference}#{self._number}"
