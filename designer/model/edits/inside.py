"""Edits that put a drawing inside a sub-workflow."""

from __future__ import annotations

from collections.abc import Sequence

from designer.model.design import Design, require_node
from designer.model.edits.nodes import with_workflow
from designer.model.edits.ways import has_ways, renamed_inside
from designer.model.inside import child, value_of
from runtime.document.sub_workflows import INLINE


def with_child(design: Design, node_id: str, inner: Design) -> Design:
    """Return the design with `inner` inside the node."""
    node = require_node(design, node_id)
    if node.params.get(INLINE) is not None and has_ways(node):
        node = renamed_inside(node, child(design, node_id), inner)
    changed = node.model_copy(
        update={"params": {**node.params, INLINE: value_of(inner)}}
    )
    nodes = tuple(
        changed if other.id == node_id else other for other in design.workflow.nodes
    )
    return with_workflow(design, nodes=nodes)


def replaced_at(root: Design, way: Sequence[str], inner: Design) -> Design:
    """Return the root with another drawing at the end of a way."""
    if not way:
        return inner
    first, *others = way
    # The drawing there is not read where it is replaced itself: reading it costs as
    # much as writing it.
    if others:
        inner = replaced_at(child(root, first), others, inner)
    return with_child(root, first, inner)
