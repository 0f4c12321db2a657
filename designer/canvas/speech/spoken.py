"""What a screen reader says of a node or an edge group: its name first, and more for who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from designer.canvas.speech.describe import describe
from designer.canvas.speech.walking import neighbours

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene


def name_of(scene: CanvasScene, key: str) -> str:
    """What is said first: "Age check, Python function, 1 input, 2 outputs, Waiting 2 of 3"."""
    item = scene.nodes.get(key)
    if item is None:
        return describe(scene, key).replace(" · ", ", ")
    node = scene.design.workflow.node(key)
    info = scene.infos.get(node.type) if node is not None else None
    before, after = neighbours(scene.topology, key)
    kind = info.title if info is not None else "unknown type"
    parts = [item.title, kind] if kind != item.title else [kind]
    parts += [_count(len(before), "input"), _count(len(after), "output")]
    parts += [item.off.capitalize()] * bool(item.off)
    if item.face is not None:
        parts.append(" ".join(filter(None, (item.face.words, item.face.detail))))
        parts += [_count(item.face.questions, "open question")] * bool(
            item.face.questions
        )
    else:
        parts += [
            _count(number, what)
            for number, what in zip(item.problems, ("error", "warning"), strict=True)
            if number
        ]
        parts += ["the run starts here"] * item.start
    return ", ".join(parts)


def description_of(scene: CanvasScene, key: str) -> str:
    """More, for who asks: of a node where its messages come from and go to, of an edge group its ways."""
    titles = {node: item.title for node, item in scene.nodes.items()}
    if key in scene.nodes:
        before, after = neighbours(scene.topology, key)
        ends = [("From", before), ("To", after)]
        ways = [
            f"{word} {', '.join(sorted(titles.get(end, end) for end in found))}"
            for word, found in ends
            if found
        ]
        return ". ".join(filter(None, (scene.nodes[key].summary, *ways)))
    pairs = scene.topology.edges[key].pairs if key in scene.topology.edges else ()
    return ", ".join(
        f"{titles.get(source, source)} to {titles.get(target, target)}"
        for source, target in pairs
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
