"""What a port takes or gives, in words: its types, and the ways into a sub-workflow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from designer.model.errors import EditError
from designer.model.inside import child
from designer.model.names import one_line
from runtime.document.definition import NodeDefinition
from runtime.document.sub_workflows import SUB_WORKFLOW, info_of
from runtime.document.ways import entries_of, exits_of

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene

MOST = 6  # types, and ways, that a tooltip names


def describe_port(scene: CanvasScene, node_id: str, side: str) -> str:
    """Return a sentence about the "in" or "out" port of a node.

    It is "" for a node of an unknown type.
    """
    node = scene.design.workflow.node(node_id)
    info = info_of(node, scene.infos, scene.folder) if node is not None else None
    if node is None or info is None:
        return ""
    if side == "in":
        sentence = f"{one_line(node.title)} takes {_types(info.inputs)}"
        ways = _ways_in(scene, node)
    else:
        sentence = f"{one_line(node.title)} gives {_types(info.outputs)}"
        ways = _ways_out(scene, node)
    return " · ".join([sentence, *ways])


def _types(types: Sequence[str]) -> str:
    if not types:
        return "nothing"
    if list(types) == ["Any"]:
        return "any message"
    named = ", ".join(types[:MOST])
    return f"{named} and others" if len(types) > MOST else named


def _ways_in(scene: CanvasScene, node: NodeDefinition) -> list[str]:
    if node.type != SUB_WORKFLOW:
        return []
    return [
        f"{_title(scene, source)} enters at {_inner(scene, node, entry)}"
        for source, entry in list(entries_of(node).items())[:MOST]
    ]


def _ways_out(scene: CanvasScene, node: NodeDefinition) -> list[str]:
    if node.type != SUB_WORKFLOW:
        return []
    ways = []
    for output, targets in list(exits_of(node).items())[:MOST]:
        titles = " and ".join(_title(scene, target) for target in targets)
        ways.append(f"{_inner(scene, node, output)} sends to {titles}")
    return ways


def _title(scene: CanvasScene, node_id: str) -> str:
    return scene.nodes[node_id].title if node_id in scene.nodes else node_id


def _inner(scene: CanvasScene, node: NodeDefinition, inner_id: str) -> str:
    """Return the title of a node inside a sub-workflow."""
    try:
        inner = child(scene.design, node.id, scene.folder).workflow.node(inner_id)
    except EditError:
        inner = None
    if inner is None:
        return f"'{inner_id}', which is not inside"
    return one_line(inner.title)
