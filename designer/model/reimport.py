"""A document that was imported from Python, and the code as it is now: what a person drew and gave is kept."""

from __future__ import annotations

from dataclasses import replace

from designer.model.design import Design, Position
from designer.model.layout.arrange import arrange, free_place
from runtime.document.definition import NodeDefinition

LINKED = "python_executor"  # the type of a node that stands for an executor in code


def reference_of(design: Design) -> str:
    """`module:name` of the workflow that the document is linked to; "" if there is none, or several are mixed."""
    found = {
        str(node.params.get("workflow", ""))
        for node in design.workflow.nodes
        if node.type == LINKED
    }
    return found.pop() if len(found) == 1 else ""


def reimported(old: Design, new: Design) -> Design:
    """`new`, as it was imported again, with what does not come from the code as it is in `old`: names, icons and
    places of nodes that are still there, dots, frames and notes, the input, and unknown fields. Nodes that the code
    does not have are gone.
    """
    before = {node.id: node for node in old.workflow.nodes}
    nodes = tuple(_with_face(node, before.get(node.id)) for node in new.workflow.nodes)
    workflow = new.workflow.model_copy(
        update={"nodes": nodes, "input": old.workflow.input}
    )
    extra = {
        key: value
        for key, value in (old.workflow.model_extra or {}).items()
        if not hasattr(workflow, key)
    }
    edges = {edge.id for edge in workflow.edges}
    kept = {
        node.id: old.positions[node.id] for node in nodes if node.id in old.positions
    }
    made = replace(
        old,
        workflow=workflow.model_copy(update=extra),
        positions=kept,
        dots={edge: wires for edge, wires in old.dots.items() if edge in edges},
    )
    return replace(made, positions={**kept, **_places(made)})


def _with_face(node: NodeDefinition, old: NodeDefinition | None) -> NodeDefinition:
    if old is None:
        return node
    return node.model_copy(
        update={
            "name": old.name,
            "icon": old.icon,
            "off": old.off,
            **(old.model_extra or {}),
        }
    )


def _places(design: Design) -> dict[str, Position]:
    """Where nodes stand that are new: as a layout of all would have them, and beside what is there."""
    missing = [
        node.id for node in design.workflow.nodes if node.id not in design.positions
    ]
    wanted = arrange(design) if missing else {}
    found: dict[str, Position] = {}
    for node_id in missing:
        found[node_id] = free_place(
            replace(design, positions={**design.positions, **found}), wanted[node_id]
        )
    return found
