"""What a thing on the canvas is, in words: for status bar, tooltips and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from designer.canvas.drawing.result_marks import words_of
from designer.look.difference_marks import SIGNS
from designer.model.edge_kinds import kind_of
from designer.model.frames import Frame
from designer.model.names import one_line

if TYPE_CHECKING:
    from designer.canvas.drawing.scene import CanvasScene


def describe(scene: CanvasScene, key: str) -> str:
    """Return a sentence about a node, an edge group or a frame; "" for what is not
    there.
    """
    if key in scene.nodes:
        beside = (
            *breakpoint_words(scene, key),
            *result_words(scene, key),
            *difference_words(scene, key),
        )
        return " · ".join([_node(scene, key), *beside])
    if key in scene.topology.edges:
        beside = (*breakpoint_words(scene, key), *difference_words(scene, key))
        return " · ".join([_edge(scene, key), *beside])
    frame = scene.backdrop.frames.get(key)
    return _frame(frame) if frame is not None else ""


def breakpoint_words(scene: CanvasScene, key: str) -> list[str]:
    """Return what the marks of breakpoints say of an element."""
    mark = scene.breakpoints.get(key)
    if mark is None:
        return []
    return [
        f"the run stands at its {mark.words}" if mark.sign == "triangle" else mark.words
    ]


def result_words(scene: CanvasScene, key: str) -> list[str]:
    """Return what the mark of a node says of its results."""
    mode = scene.results.get(key)
    return [words_of(mode)] if mode is not None else []


def difference_words(scene: CanvasScene, key: str) -> list[str]:
    """Return what the chip of a comparison says of an element."""
    chip = scene.overlay.chips.get(key)
    if chip is None:
        return []
    return [f"{SIGNS[chip.kind].words}: {chip.text}"]


def counted(count: int, noun: str) -> str:
    """Return "1 input" or "2 inputs"."""
    return f"{count} {noun}{'s' * (count != 1)}"


def _frame(frame: Frame) -> str:
    is_note = frame.kind == "note"
    if frame.text:
        return f"{'Note' if is_note else 'Frame'}: {one_line(frame.text)}"
    return "Note without text" if is_note else "Frame without a title"


def _node(scene: CanvasScene, key: str) -> str:
    item = scene.nodes[key]
    parts = [item.title]
    face = item.shown
    if face is not None:
        # A node that is off says so first, and then what it did.
        between = ", " if item.off else " "
        parts.append(between.join(filter(None, (face.words, face.detail))))
        if face.questions:
            parts.append(counted(face.questions, "open question"))
    elif item.summary:
        parts.append(item.summary)
    if item.face is None:
        errors, warnings = item.problems
        if errors:
            parts.append(counted(errors, "error"))
        if warnings:
            parts.append(counted(warnings, "warning"))
        if item.start:
            is_first = scene.design.workflow.start == key
            parts.append("the run starts here" if is_first else "messages enter here")
    return " · ".join(parts)


def _edge(scene: CanvasScene, key: str) -> str:
    edge = scene.topology.edges[key]

    def name(node: str) -> str:
        return scene.nodes[node].title if node in scene.nodes else node

    sentence = kind_of(edge).sentence(edge, name)
    return " · ".join([sentence, *_dots(scene, key), *_in_run(scene, key)])


def _dots(scene: CanvasScene, key: str) -> list[str]:
    count = sum(map(len, scene.design.dots.get(key, {}).values()))
    return [counted(count, "reroute dot")] if count else []


def _in_run(scene: CanvasScene, key: str) -> list[str]:
    """Return what a run says about an edge."""
    parts = []
    join = scene.overlay.joins.get(key)
    if join is not None:
        parts.append(join.text)
    face = scene.overlay.edges.get(key)
    if face is None:
        return parts
    if face.queued:
        count = sum(face.queued.values())
        parts.append(f"{count} queued for superstep {scene.overlay.superstep + 1}")
    elif face.sent:
        parts.append(f"delivers on {counted(len(face.sent), 'way')}")
    parts += [stopped.text for stopped in face.stopped.values()]
    return parts
