"""The picture of a workflow file. Nothing that it names is imported, so half-finished
workflows have a picture too.
"""

from __future__ import annotations

from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.document.files import from_value
from runtime.document.sub_workflows import INLINE, SUB_WORKFLOW
from runtime.errors import DefinitionError
from runtime.export.picture_graph import Box, Key, Look, Picture, add_drawing

# Deeper ones than a run allows are drawn as a box without its inside.
_MOST_LEVELS = 64


def picture_of_document(definition: WorkflowDefinition, way: Key = ()) -> Picture:
    """Return boxes with the names of the nodes, and lines with the conditions as
    written. A missing end of an edge is shown as missing; a workflow inside a
    node is drawn in it.
    """
    picture = Picture((*way, definition.start))
    for node in definition.nodes:
        key = (*way, node.id)
        picture.boxes.setdefault(key, _box(node, key, node.id == definition.start))
    for edge in definition.edges:
        for end in dict.fromkeys(end for pair in edge.pairs for end in pair):
            key = (*way, end)
            picture.boxes.setdefault(key, Box(key, f"{end} (missing)", Look.INTERNAL))
    for edge in definition.edges:
        add_drawing(picture, edge.drawing(), f"{edge.kind}::{edge.id}", way)
    if picture.start not in picture.boxes:
        picture.start = next(iter(picture.boxes), picture.start)
    return picture


def _box(node: NodeDefinition, key: Key, starts: bool) -> Box:
    child = _child(node) if len(key) < _MOST_LEVELS else None
    title = f"{node.title} ({node.off})" if node.off else node.title
    if child is not None:
        return Box(
            key, title, Look.WORKFLOW, "", starts, picture_of_document(child, key)
        )
    return Box(key, title, Look.START if starts else Look.EXECUTOR, node.type, starts)


def _child(node: NodeDefinition) -> WorkflowDefinition | None:
    """Return the inline workflow of a node, or None. Files are not read."""
    inline = node.params.get(INLINE) if node.type == SUB_WORKFLOW else None
    if inline is None:
        return None
    try:
        child = from_value(inline).workflow
    except DefinitionError:
        return None  # the check says what is wrong
    return child if child.nodes else None
