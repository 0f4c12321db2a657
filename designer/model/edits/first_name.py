"""The first name of a new node: its id is made from it, and so are the ids of edges that came from the old one.

A node of the palette is called as its type is; code and checkpoints should not speak of `function_3`.
"""

from __future__ import annotations

from collections.abc import Collection

from designer.model.design import Design
from designer.model.edits.ends import usual_id
from designer.model.edits.nodes import require_node, set_id, with_workflow
from designer.model.names import Names, is_made_from, snake_case
from runtime.document.definition import EdgeDefinition


def is_first_name(design: Design, node_id: str, title: str) -> bool:
    """Whether the id of a node is still that of its type, whose title is given, while its name says something else."""
    node = design.workflow.node(node_id)
    if (
        node is None
        or not is_made_from(node_id, title)
        or is_made_from(node_id, node.name)
    ):
        return False
    return bool(snake_case(node.name, otherwise=""))


def with_id_of_name(design: Design, node_id: str) -> tuple[Design, str]:
    """The node under an id made from its name, and that id. Only for a node that no run and no other file knows."""
    node = require_node(design, node_id)
    new_id = Names(design).take(snake_case(node.name, otherwise=node_id))
    changed = set_id(design, node_id, new_id)
    names = Names(changed)
    pairs = zip(design.workflow.edges, changed.workflow.edges, strict=True)
    edges = tuple(_called_anew(old, new, names, design.dots) for old, new in pairs)
    return with_workflow(changed, edges=edges), new_id


def _called_anew(
    old: EdgeDefinition, new: EdgeDefinition, names: Names, dotted: Collection[str]
) -> EdgeDefinition:
    """An edge that was called by its ends is called by its new ones; dots are kept by the id, so that one keeps it."""
    usual = usual_id(new)
    if old.id != usual_id(old) or old.id == usual or old.id in dotted:
        return new
    return new.model_copy(update={"id": names.take(usual)})
