"""Sub-workflow: a whole workflow as one node. It is inside the document, or in a file
of its own.
"""

from __future__ import annotations

from typing import Any

from pydantic import Field

from runtime.document.definition import NodeDefinition
from runtime.document.sub_workflows import SUB_WORKFLOW as TYPE
from runtime.document.sub_workflows import Child, child_of
from runtime.errors import DefinitionError, WorkflowValidationError
from runtime.executors.executor import Executor
from runtime.loader.build import build
from runtime.nodes.base import FLOW, NodeParams, NodeType, Place
from runtime.workflow.sub_workflow import WorkflowExecutor


class SubWorkflowParams(NodeParams):
    """`inline` has the content of a workflow file. It is drawn, not typed, so no form
    shows it.
    """

    file: str = Field(
        "",
        description="A workflow file, relative to this document; empty when the workflow is drawn inside.",
        json_schema_extra={"file": "read"},
    )
    direct_output: bool = Field(
        False,
        title="Outputs are results",
        description=(
            "The outputs of the workflow inside are results of this workflow, and "
            "are not sent on."
        ),
    )
    entries: dict[str, str] = Field(
        default_factory=dict,
        title="Ways in",
        description="The id of a node that sends to it, and the id of the node inside at which its messages enter. "
        "Messages of all others enter at the start inside.",
        json_schema_extra={"columns": ["Node that sends", "Node inside"]},
    )
    exits: dict[str, list[str]] = Field(
        default_factory=dict,
        title="Ways out",
        description=(
            "The id of an output inside, and the ids of the only nodes that get "
            "it, with commas between them. All other outputs are sent along all "
            "edges."
        ),
        json_schema_extra={"columns": ["Output inside", "Node, node"]},
    )
    inline: dict[str, Any] | None = Field(
        None,
        description="The workflow inside, as it would stand in a file.",
        json_schema_extra={"hidden": True},
    )


def _make(place: Place, params: SubWorkflowParams) -> Executor:
    node = NodeDefinition(id=place.node_id, type=TYPE, params=params.model_dump())
    files = {} if place.catalogue is None else place.catalogue.files
    child = child_of(node, place.folder, place.chain, files)
    # Questions go to the outside: a document has no executor that could answer them.
    workflow = _built(place, child, params)
    try:
        executor = WorkflowExecutor(
            workflow,
            place.node_id,
            params.direct_output,
            True,
            entries=params.entries,
            exits=params.exits,
        )
    except ValueError as error:
        raise DefinitionError(str(error), place.node_id) from error
    executor.type = TYPE
    return executor


def _built(place: Place, child: Child, params: SubWorkflowParams) -> Any:
    try:
        if place.catalogue is None:
            from runtime.nodes import catalogue

            known = catalogue(child.folder)
        else:
            known = place.catalogue.of_folder(child.folder)
        node_ids = {node.id for node in child.workflow.nodes}
        # another is refused by name, later
        entries = [entry for entry in params.entries.values() if entry in node_ids]
        return build(
            child.workflow, known, child.folder, chain=child.chain, entries=entries
        )
    except (DefinitionError, WorkflowValidationError) as error:
        raise DefinitionError(f"Inside it, {error}", place.node_id) from error


SUB_WORKFLOW = NodeType(
    type=TYPE,
    title="Sub-workflow",
    category=FLOW,
    icon="sub",
    description=(
        "A whole workflow as one step. Each message begins a run of its own "
        "inside, and its outputs are sent on. It has its own shared state, so send "
        "it what it needs to know. Open it with Enter; make one of selected nodes "
        "with Ctrl+Shift+G."
    ),
    params=SubWorkflowParams,
    make=_make,
    summary="file",
    sink=True,
    sends_many=True,
)
