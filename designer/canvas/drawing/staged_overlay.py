"""What a copy that is edited looks like: the faces of its preview, in the words of what
would be, and tags for what the user has staged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from designer.canvas.drawing.overlay import (
    EdgeFace,
    Face,
    JoinFace,
    Overlay,
    Pair,
    Stopped,
)
from runtime.debug.protocol import (
    MessageMoment,
    Moment,
    PatchChange,
    PatchPlanBody,
)
from runtime.values.words import counted

DROPPED = "dropped by you"
# What is said at a node; the first of them that there is.
_WORDS = {
    "answer": "answered",
    "withdraw": "withdrawn",
    "set": "edited",
    "remove": "edited",
}


def staged_overlay(
    overlay: Overlay,
    changes: Iterable[PatchChange],
    plan: PatchPlanBody | None,
    original: Moment,
    run: tuple[str, ...],
) -> Overlay:
    """Return the overlay of a preview with what is staged over `original`, the level
    that is shown. `run` has the keys that lead to it.
    """
    changes = tuple(changes)
    superstep = original.superstep + 1
    nodes = dict(overlay.nodes)
    joins = dict(overlay.joins)
    if plan is not None:
        nodes.update(_running(overlay, plan, run, superstep))
        joins.update(_firing(overlay, plan, run, superstep))
    here = [change for change in changes if change.run == run]
    edges = _with_drops(overlay.edges, here, original)
    staged = _staged_words(changes, here, original)
    return replace(
        overlay,
        nodes=nodes,
        joins=joins,
        edges=edges,
        staged=staged,
        legend=_legend(nodes.values(), edges.values(), bool(staged), superstep),
        pulses=False,
        frame="past",
    )


def _running(
    overlay: Overlay, plan: PatchPlanBody, run: tuple[str, ...], superstep: int
) -> dict[str, Face]:
    """Return the faces of the nodes that would run. A call inside of a sub-workflow is
    one of its node.
    """
    faces: dict[str, Face] = {}
    depth = len(run)
    for call in plan.upcoming:
        if call.path[:depth] != run:
            continue
        node = call.executor
        if len(call.path) > depth:
            node = call.path[depth].rpartition("#")[0]
        face = overlay.nodes.get(node)
        if face is not None:
            faces[node] = replace(
                face,
                state="next",
                words="Would run",
                glyph="next",
                colour="accent",
                border="accent",
                width=1.5,
                dash="",
                detail=f"s{superstep}",
            )
    return faces


def _firing(
    overlay: Overlay, plan: PatchPlanBody, run: tuple[str, ...], superstep: int
) -> dict[str, JoinFace]:
    """Return the faces of the joins that would fire."""
    faces: dict[str, JoinFace] = {}
    for forecast in plan.fires:
        face = overlay.joins.get(forecast.join)
        if face is None or forecast.path != run:
            continue
        count = sum(number for _, number in forecast.counts)
        text = f"would fire in s{superstep} with {counted(count, 'message')}"
        segments = tuple("fired" for _ in face.segments)
        faces[forecast.join] = replace(
            face,
            segments=segments,
            text=text,
            glyph="tick",
            role="ok",
            fired=True,
            missing=frozenset(),
        )
    return faces


def _with_drops(
    edges: Mapping[str, EdgeFace], changes: Iterable[PatchChange], original: Moment
) -> dict[str, EdgeFace]:
    """Return the faces of the edges, with the messages that the user has dropped. What
    the past stopped on them is no matter of the copy.
    """
    faces = {edge: replace(face, stopped={}) for edge, face in edges.items()}
    for change in changes:
        if change.do != "drop" or change.spot is None or change.spot.place is None:
            continue
        for message in _messages_at(original, change):
            if not message.edge:
                continue
            pair: Pair = (message.source, message.target)
            face = faces.get(message.edge, EdgeFace())
            stopped = {**face.stopped, pair: Stopped(DROPPED, lost=True)}
            faces[message.edge] = replace(face, stopped=stopped)
    return faces


def _messages_at(original: Moment, change: PatchChange) -> list[MessageMoment]:
    """Return the messages of a checkpoint that a change is about, one for each edge."""
    place = change.spot.place if change.spot is not None else None
    if change.section == "queue":
        section = f"queue:{place}"
        return [each for each in original.messages if each.section == section]
    edges = {join.key or join.edge: join.edge for join in original.joins}
    held = [
        message
        for message in original.messages
        if message.where == "buffered" and message.edge == edges.get(change.key, "")
    ]
    return held[place : place + 1] if place is not None else []


def _staged_words(
    changes: Iterable[PatchChange], here: Iterable[PatchChange], original: Moment
) -> dict[str, str]:
    """Return what is staged at each node: at its question, its own state, or a message
    that it will get.
    """
    words: dict[str, str] = {}
    askers = {request.id: request.executor for request in original.requests}
    for change in changes:
        asker = askers.get(change.key, "")
        if change.section == "requests" and asker:
            words[asker] = _WORDS.get(change.do, "")
    for change in here:
        if change.section == "executors":
            words.setdefault(change.key, "edited")
        elif change.section in ("queue", "buffers"):
            for node, text in _message_words(change, original):
                words.setdefault(node, text)
    return words


def _message_words(change: PatchChange, original: Moment) -> Iterable[tuple[str, str]]:
    if change.do == "add" and change.target:
        yield change.target, "message added"
    if change.spot is None or change.do not in _WORDS:
        return
    for message in _messages_at(original, change):
        if message.target:
            yield message.target, "message edited"


def _legend(
    nodes: Iterable[Face],
    edges: Iterable[EdgeFace],
    is_staged: bool,
    superstep: int,
) -> tuple[tuple[str, str, str], ...]:
    rows: list[tuple[str, str, str]] = []
    edges = list(edges)
    if any(face.state == "next" for face in nodes):
        rows.append(("next", "accent", f"would run in s{superstep}"))
    if any(face.sent or face.queued for face in edges):
        rows.append(("wire", "accent", "would be delivered"))
    if any(face.stopped for face in edges):
        rows.append(("failed", "bad", DROPPED))
    if is_staged:
        rows.append(("queued", "accent", "staged by you"))
    return tuple(rows)
