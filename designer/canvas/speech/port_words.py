"""What a port takes or gives, in words: its types, and of a sub-workflow which way leads where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from designer.model.errors import EditError
from designer.model.inside import child
from designer.model.names import one_line
from runtime.document.definition import NodeDefinition
from runtime.document.sub_workflows import SUB_WORKFLOW, info_of
from runtime.document.ways import entries_of, exits_of

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

MOST = 6  # types, and ways, that a tool tip names


def describe_port(scene: CanvasScene, node_id: str, side: str) -> str:
    """A sentence about the port of a node; `side` is in or out. Empty for a node of an unknown type."""
    node = scene.design.workflow.node(node_id)
    info = info_of(node, scene.infos, scene.folder) if node is not None else None
    if node is None or info is None:
        return ""
    types = info.inputs if side == "in" else info.outputs
    said = ", ".join(types[:MOST]) + (" and others" if len(types) > MOST else "")
    verb = "takes" if side == "in" else "gives"
    parts = [f"{one_line(node.title)} {verb} {_plain(said) or 'nothing'}"]
    if node.type == SUB_WORKFLOW:
        parts += _ways_in(scene, node) if side == "in" else _ways_out(scene, node)
    return " · ".join(parts)


def _plain(types: str) -> str:
    return "any message" if types == "Any" else types


def _ways_in(scene: CanvasScene, node: NodeDefinition) -> list[str]:
    ways = list(entries_of(node).items())[:MOST]
    return [
        f"{_title(scene, source)} enters at {_inner(scene, node, entry)}"
        for source, entry in ways
    ]


def _ways_out(scene: CanvasScene, node: NodeDefinition) -> list[str]:
    ways = list(exits_of(node).items())[:MOST]
    return [
        f"{_inner(scene, node, output)} sends to {' and '.join(_title(scene, one) for one in to)}"
        for output, to in ways
    ]


def _title(scene: CanvasScene, node_id: str) -> str:
    return scene.nodes[node_id].title if node_id in scene.nodes else node_id


def _inner(scene: CanvasScene, node: NodeDefinition, inner_id: str) -> str:
    try:
        found = child(scene.design, node.id, scene.folder).workflow.node(inner_id)
    except EditError:
        found = None
    if found is not None:
        return one_line(found.title)
    return f"'{inner_id}', which is not inside"
