"""Import the workflow of a document from its Python again: what a person drew and named
stays.
"""

from __future__ import annotations

from dataclasses import replace

from designer.model.design import Design, Position
from designer.model.layout.arrange import arrange, free_place
from runtime.document.definition import NodeDefinition

LINKED = "python_executor"  # the type of a node that stands for an executor in code


def reference_of(design: Design) -> str:
    """Return `module:name` of the workflow that the document is linked to; "" for none
    or several.
    """
    references = {
        str(node.params.get("workflow", ""))
        for node in design.workflow.nodes
        if node.type == LINKED
    }
    return references.pop() if len(references) == 1 else ""


def reimported(before: Design, imported: Design) -> Design:
    """Return the drawing that was imported again, with all that does not come from the
    code as it was before.

    That is names, icons and places of nodes that still exist, dots, frames and notes,
    the input, and unknown fields. Nodes that the code does not have are removed.
    """
    nodes_before = {node.id: node for node in before.workflow.nodes}
    nodes = tuple(
        _with_face(node, nodes_before.get(node.id)) for node in imported.workflow.nodes
    )
    workflow = imported.workflow.model_copy(
        update={"nodes": nodes, "input": before.workflow.input}
    )
    extra = {
        name: value
        for name, value in (before.workflow.model_extra or {}).items()
        if not hasattr(workflow, name)
    }
    edge_ids = {edge.id for edge in workflow.edges}
    dots = {
        edge_id: lines for edge_id, lines in before.dots.items() if edge_id in edge_ids
    }
    positions = {
        node.id: before.positions[node.id]
        for node in nodes
        if node.id in before.positions
    }
    merged = replace(
        before,
        workflow=workflow.model_copy(update=extra),
        positions=positions,
        dots=dots,
    )
    return replace(merged, positions={**positions, **_new_places(merged)})


def _with_face(node: NodeDefinition, before: NodeDefinition | None) -> NodeDefinition:
    """Return a node with what a person gave it before."""
    if before is None:
        return node
    face = {"name": before.name, "icon": before.icon, "off": before.off}
    return node.model_copy(update={**face, **(before.model_extra or {})})


def _new_places(design: Design) -> dict[str, Position]:
    """Return places for new nodes: where a layout of all would have them, beside what
    is there.
    """
    missing = [
        node.id for node in design.workflow.nodes if node.id not in design.positions
    ]
    ideal = arrange(design) if missing else {}
    places: dict[str, Position] = {}
    for node_id in missing:
        placed = replace(design, positions={**design.positions, **places})
        places[node_id] = free_place(placed, ideal[node_id])
    return places
