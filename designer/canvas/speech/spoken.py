"""What a screen reader says of a node or an edge group: a name, and more on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from designer.canvas.speech.describe import breakpoint_words, counted, describe
from designer.canvas.speech.graph_walk import neighbours

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene


def name_of(scene: CanvasScene, key: str) -> str:
    """Return what is said first.

    Of a node: "Age check, Python function, 1 input, 2 outputs, Waiting 2 of 3".
    """
    item = scene.nodes.get(key)
    if item is None:
        return describe(scene, key).replace(" · ", ", ")
    node = scene.design.workflow.node(key)
    info = scene.infos.get(node.type) if node is not None else None
    type_title = info.title if info is not None else "unknown type"
    before, after = neighbours(scene.topology, key)
    parts = [item.title]
    if type_title != item.title:
        parts.append(type_title)
    parts.append(counted(len(before), "input"))
    parts.append(counted(len(after), "output"))
    if item.off:
        parts.append(item.off.capitalize())
    face = item.face
    if face is not None:
        parts.append(" ".join(filter(None, (face.words, face.detail))))
        if face.questions:
            parts.append(counted(face.questions, "open question"))
    else:
        errors, warnings = item.problems
        if errors:
            parts.append(counted(errors, "error"))
        if warnings:
            parts.append(counted(warnings, "warning"))
        if item.start:
            parts.append("the run starts here")
    parts += breakpoint_words(scene, key)
    return ", ".join(parts)


def description_of(scene: CanvasScene, key: str) -> str:
    """Return more: where the messages of a node come from and go to, or the ways of an
    edge group.
    """
    titles = {node: item.title for node, item in scene.nodes.items()}
    if key in scene.nodes:
        before, after = neighbours(scene.topology, key)
        parts = [scene.nodes[key].summary]
        for word, nodes in (("From", before), ("To", after)):
            if nodes:
                names = sorted(titles.get(node, node) for node in nodes)
                parts.append(f"{word} {', '.join(names)}")
        return ". ".join(filter(None, parts))
    edge = scene.topology.edges.get(key)
    if edge is None:
        return ""
    return ", ".join(
        f"{titles.get(source, source)} to {titles.get(target, target)}"
        for source, target in edge.pairs
    )
