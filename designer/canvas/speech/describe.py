"""What a thing on the canvas is, in words: for the status bar, tooltips, and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from designer.model.edge_kinds import kind_of
from designer.model.names import one_line

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene


def describe(scene: CanvasScene, key: str) -> str:
    """A sentence about a node, an edge group or a frame; empty for what is not there."""
    if key in scene.nodes:
        return _node(scene, key)
    if key in scene.topology.edges:
        return _edge(scene, key)
    frame = scene.backdrop.frames.get(key)
    if frame is not None:
        kind = "Note" if frame.kind == "note" else "Frame"
        if frame.text:
            return f"{kind}: {one_line(frame.text)}"
        return f"{kind} without words"
    return ""


def _node(scene: CanvasScene, key: str) -> str:
    item = scene.nodes[key]
    parts = [item.title]
    face = item.shown
    if face is not None:
        between = ", " if item.off else " "
        parts.append(between.join(filter(None, (face.words, face.detail))))
        if face.questions:
            parts.append(f"{face.questions} open question{'s' * (face.questions != 1)}")
    elif item.summary:
        parts.append(item.summary)
    errors, warnings = item.problems if item.face is None else (0, 0)
    if errors:
        parts.append(f"{errors} error{'s' * (errors != 1)}")
    if warnings:
        parts.append(f"{warnings} warning{'s' * (warnings != 1)}")
    if item.start and item.face is None:
        parts.append(
            "the run starts here"
            if scene.design.workflow.start == key
            else "messages enter here"
        )
    return " · ".join(parts)


def _edge(scene: CanvasScene, key: str) -> str:
    edge = scene.topology.edges[key]

    def name(node: str) -> str:
        return scene.nodes[node].title if node in scene.nodes else node

    text = kind_of(edge).sentence(edge, name)
    return " · ".join([text, *_dots(scene, key), *_moments(scene, key)])


def _dots(scene: CanvasScene, key: str) -> list[str]:
    count = sum(map(len, scene.design.dots.get(key, {}).values()))
    return [f"{count} reroute dot{'s' * (count != 1)}"] if count else []


def _moments(scene: CanvasScene, key: str) -> list[str]:
    """What a run has to say of an edge."""
    parts = []
    join = scene.overlay.joins.get(key)
    face = scene.overlay.edges.get(key)
    if join is not None:
        parts.append(join.text)
    if face is not None and face.sent and not face.queued:
        parts.append(f"delivers on {len(face.sent)} way{'s' * (len(face.sent) != 1)}")
    if face is not None and face.queued:
        parts.append(
            f"{sum(face.queued.values())} queued for superstep {scene.overlay.superstep + 1}"
        )
    if face is not None:
        parts += [stopped.text for stopped in face.stopped.values()]
    return parts
