"""What a moment of a run looks like, as data: a face for each node, join and edge group. Pure; nothing here paints.

The table of states is the look's table "State": words, glyph, border and colour change together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from designer.model.names import one_line
from runtime.debug.protocol import (
    Attempt,
    Drop,
    EdgeMoment,
    JoinMoment,
    JoinSource,
    Moment,
    NodeMoment,
    ProgressBody,
)
from runtime.document.definition import WorkflowDefinition
from runtime.document.disabled import disabled_ids

Pair = tuple[str, str]
# the engine's word for a case or a target that a switch or a selection did not choose
NOT_SELECTED = "not selected"


@dataclass(frozen=True, slots=True)
class Face:
    """How a node shows its state.

    `colour` and `border` are roles of the theme; `elapsed` is None unless it runs.
    """

    state: str
    words: str
    glyph: str
    colour: str
    border: str = "line2"
    width: float = 1.0
    dash: str = ""
    detail: str = ""
    questions: int = 0
    sent: bool = False
    queued: int = 0

    @property
    def muted(self) -> bool:
        return self.state in ("not_taken", "disabled", "bypassed")


STATES: Mapping[str, Face] = {
    face.state: face
    for face in (
        Face("idle", "Not started", "idle", "text3"),
        Face("queued", "Queued", "queued", "accent"),
        Face("running", "Running", "running", "accent", "accent", 1.5),
        Face("ran", "Ran now", "tick", "ok"),
        Face("done", "Done", "tick", "ok"),
        Face("held", "Done, held", "tick", "ok"),
        Face("next", "Runs next", "next", "accent", "accent", 1.5),
        Face("waiting", "Waiting", "waiting", "warn", "warn", 1.0, "4 3"),
        Face("asking", "Waiting for answer", "bubble", "ask", "ask", 1.5),
        Face("failed", "Failed", "failed", "bad", "bad", 1.5),
        Face("stalled", "Stalled", "stalled", "warn", "warn", 1.0, "4 3"),
        Face("not_taken", "Branch not taken", "dash", "text3", "line"),
        Face("cancelled", "Cancelled", "struck", "text3"),
    )
}


@dataclass(frozen=True, slots=True)
class JoinFace:
    """How a join shows its state: text, glyph and role of its tag, and its segments.

    `segments` are filled, missing, empty, fired or never, in the order of the sources.
    """

    segments: tuple[str, ...]
    text: str
    glyph: str = ""
    role: str = ""
    fired: bool = False
    missing: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stopped:
    """Messages that an edge stopped, in words; `lost` when no other edge took them."""

    text: str
    lost: bool = False


@dataclass(frozen=True, slots=True)
class EdgeFace:
    """What a run has recorded of an edge group, or decided: nothing here is what might have been.

    sent     pairs on which a message is on its way: sent in this superstep, or, while one runs, delivered in it
    queued   messages that wait on a pair for the next superstep
    stopped  pairs on which this superstep stopped messages
    cases    the numbers of the switch cases that were taken, 0 for the default; empty when that is not known
    """

    sent: frozenset[Pair] = frozenset()
    queued: Mapping[Pair, int] = field(default_factory=dict)
    stopped: Mapping[Pair, Stopped] = field(default_factory=dict)
    cases: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Overlay:
    """All faces of a moment; there are none while editing.

    `pulses` is true between supersteps, when messages that were sent are shown as three
    dots on the wire.
    """

    nodes: Mapping[str, Face] = field(default_factory=dict)
    joins: Mapping[str, JoinFace] = field(default_factory=dict)
    edges: Mapping[str, EdgeFace] = field(default_factory=dict)
    legend: tuple[tuple[str, str, str], ...] = ()
    pulses: bool = False
    running: frozenset[str] = frozenset()
    superstep: int = 0


NOTHING = Overlay()
_IDLE = NodeMoment()


def overlay_of(
    moment: Moment | None,
    progress: ProgressBody | None,
    workflow: WorkflowDefinition,
    *,
    running: bool,
) -> Overlay:
    """Return the faces of a moment.

    While a superstep runs, `progress` says which nodes run and which have ended.
    """
    moment = moment or Moment()
    live = progress if running else None
    at_work = frozenset(live.running) if live else frozenset()
    face_of = partial(_edge_at_work if live else _edge_at_rest, decided=moment.decided)
    edges = {edge: face_of(carried) for edge, carried in moment.edges.items()}
    edges = {
        edge: face
        for edge, face in edges.items()
        if face.sent or face.queued or face.stopped
    }
    senders = {source for face in edges.values() for source, _ in face.sent}
    titles = {node.id: one_line(node.title) for node in workflow.nodes}
    silent = disabled_ids(workflow)
    nodes = {
        node.id: _node_face(
            node.id, moment.nodes.get(node.id, _IDLE), live, sent=node.id in senders
        )
        for node in workflow.nodes
    }
    joins = {join.edge: _join_face(join, titles, live) for join in moment.joins}
    for edge in workflow.edges:
        if edge.join is not None and edge.id not in joins:
            empty = tuple(
                JoinSource(id=source, have=0, need=1, disabled=source in silent)
                for source in edge.source_ids
            )
            untold = JoinMoment(
                edge=edge.id,
                target=edge.target_ids[0],
                policy=edge.join.policy,
                sources=empty,
            )
            joins[edge.id] = _join_face(untold, titles, live)
    superstep = live.superstep if live else moment.superstep
    legend = _legend(nodes.values(), edges.values(), moment.superstep, live)
    return Overlay(nodes, joins, edges, legend, not running, at_work, superstep)


def seconds(value: float) -> str:
    """Return a duration for people: 96 ms, 1.4 s, 12 s, 3 min."""
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    if value < 99.5:
        return f"{value:.1f} s" if value < 9.95 else f"{value:.0f} s"
    return f"{value / 60:.0f} min"


def _node_face(
    node: str, moment: NodeMoment, live: ProgressBody | None, *, sent: bool
) -> Face:
    if live is not None and node in live.running:
        return _face(
            "running",
            *_at_work(live.running[node], live.attempts.get(node)),
            moment.questions,
        )
    if live is not None and node in live.done:
        return _face("held", "", seconds(live.done[node]), moment.questions)
    state = moment.state
    detail = moment.detail
    if live is not None and state == "ran":  # that was the superstep before
        tried = f" · {moment.attempts} attempts" if moment.attempts > 1 else ""
        state = "done"
        detail = f"s{moment.superstep}{tried}"
    # its superstep is on, and its turn has not come
    if live is not None and state == "next":
        state = "queued"
        detail = ""
    words = ""
    if state in ("waiting", "stalled") and detail:
        words = f"{STATES[state].words}, {detail}"
        detail = ""
    if state == "failed" and moment.handed_on:
        # As much of `failure_words` as a node has room for.
        words = " ".join(filter(None, ("Failed", detail))) + ", handed on"
        detail = ""
    elif state == "failed":
        detail = detail or moment.error
    if state == "queued" and not detail:
        detail = f"{moment.queued} msg"
    return _face(state, words, detail, moment.questions, moment.queued, sent=sent)


def _at_work(since: float, attempt: Attempt | None) -> tuple[str, str]:
    """Return words and detail of a node that runs, with its attempt if there are several."""
    if attempt is None:
        return "", seconds(since)
    if attempt.wait:
        return f"Waits {attempt.wait:.3g} s", f"{attempt.number}/{attempt.most}"
    # room for both on the narrowest node
    return f"Attempt {attempt.number}/{attempt.most}", seconds(since)


@lru_cache(maxsize=4096)
def _face(
    state: str,
    words: str,
    detail: str,
    questions: int,
    queued: int = 0,
    *,
    sent: bool = False,
) -> Face:
    """Return a shared face: thousands of nodes have a few dozen, compared by identity."""
    face = STATES[state]
    return replace(
        face,
        words=words or face.words,
        detail=detail,
        questions=questions,
        sent=sent,
        queued=queued,
    )


def _edge_at_rest(edge: EdgeMoment, *, decided: bool) -> EdgeFace:
    """At a barrier: what was sent in this superstep, where it is known which way it went. What the superstep delivered
    is the past already; what it stopped is not to be seen later.
    """
    queued = {(source, target): count for source, target, count in edge.queued}
    return EdgeFace(
        frozenset(queued) if decided else frozenset(),
        queued,
        _stopped(edge),
        _cases(edge),
    )


def _edge_at_work(edge: EdgeMoment, *, decided: bool) -> EdgeFace:
    """Return the faces while a superstep runs: what was queued for it is delivered."""
    pairs = frozenset((source, target) for source, target, _ in edge.queued)
    return EdgeFace(pairs if decided else frozenset(), cases=_cases(edge))


def _stopped(edge: EdgeMoment) -> dict[Pair, Stopped]:
    """Return what was stopped, except for cases and targets beside one that was chosen."""
    drops: dict[Pair, list[Drop]] = {}
    for drop in edge.dropped:
        if drop.lost or drop.reason != NOT_SELECTED:
            drops.setdefault((drop.source, drop.target), []).append(drop)
    came = {(source, target): count for source, target, count in edge.delivered}
    return {
        pair: Stopped(
            "; ".join(drop_words(drop, came.get(pair, 0)) for drop in of_pair),
            any(drop.lost for drop in of_pair),
        )
        for pair, of_pair in drops.items()
    }


def drop_words(drop: Drop, delivered: int) -> str:
    """Return why messages did not go along an edge: "2 of 3 stopped: condition false"."""
    verb = "dropped" if drop.lost else "stopped"
    if drop.count == 1 and not delivered:
        return f"{verb}: {drop.reason}"
    return f"{drop.count} of {drop.count + delivered} {verb}: {drop.reason}"


def _cases(edge: EdgeMoment) -> frozenset[int]:
    return frozenset(0 if case == "default" else int(case) + 1 for case in edge.cases)


def _join_face(
    join: JoinMoment, titles: Mapping[str, str], live: ProgressBody | None
) -> JoinFace:
    total = join.awaited
    if join.fired:
        return JoinFace(
            _fired_segments(join), fired_words(join), "tick", "ok", fired=True
        )
    missing = [
        source.id for source in join.sources if not (source.have or source.disabled)
    ]
    names = people([titles.get(source, source) for source in missing])
    so_far = f"{join.filled} of {total}"
    if join.stalled:
        segments = _segments(join, "filled", "never")
        why = next(
            (
                source.reason
                for source in join.sources
                if source.id in missing and source.reason
            ),
            "",
        )
        text = f"{so_far} — stalled without {names}" + (f": {why}" if why else "")
        return JoinFace(segments, text, "warning", "warn", missing=frozenset(missing))
    if join.filled:
        segments = _segments(join, "filled", "missing")
        text = f"{so_far} — waiting for {names}" if missing else f"{so_far} — ready"
        return JoinFace(segments, text, "waiting", "warn", missing=frozenset(missing))
    held = sum(
        1 for source in join.sources if live is not None and source.id in live.done
    )
    return JoinFace(
        _segments(join, "empty", "empty"),
        f"{so_far} — {held} done, held" if held else so_far,
    )


def _segments(join: JoinMoment, filled: str, empty: str) -> tuple[str, ...]:
    """Return one segment for each source.

    That of a disabled one stays empty, because the join does not wait for it.
    """
    return tuple(
        "empty" if source.disabled else filled if source.have else empty
        for source in join.sources
    )


def _fired_segments(join: JoinMoment) -> tuple[str, ...]:
    """Return the segments of a join that fired, without hiding what it holds again."""
    return tuple(
        "fired" if source.released else "filled" if source.have else "empty"
        for source in join.sources
    )


def fired_words(join: JoinMoment) -> str:
    """Return what a join sent when it fired, if not one message of each source."""
    silent = sum(
        1 for source in join.sources if not (source.released or source.disabled)
    )
    many = sum(source.released for source in join.sources)
    words = f"fired s{join.fired}"
    if silent:
        messages = f"{many} message{'' if many == 1 else 's'}"
        words += f" — {messages} from {join.awaited - silent} of {join.awaited} sources"
    elif many > join.awaited:
        words += f" — {many} messages"
    return f"{words}, holds {join.held}" if join.held else words


def people(names: list[str]) -> str:
    """Return names for a sentence: A; A and B; A, B and 2 more."""
    if len(names) < 2:
        return "".join(names)
    if len(names) == 2:
        return f"{names[0]} and {names[1]}"
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"


def _legend(
    nodes: Iterable[Face],
    edges: Iterable[EdgeFace],
    superstep: int,
    live: ProgressBody | None,
) -> tuple[tuple[str, str, str], ...]:
    """Return glyph, role and words of each kind of mark that is shown now."""
    states = {face.state for face in nodes}
    edges = list(edges)
    rows: list[tuple[str, str, str]] = []
    if any(face.sent for face in edges):
        rows.append(
            ("wire", "accent", f"delivered in s{superstep + 1}")
            if live
            else ("sent", "accent", f"sent a message in s{superstep}")
        )
    if any(face.queued for face in edges) and not live:
        rows.append(("queued", "accent", f"queued for s{superstep + 1}"))
    if live is not None and live.running:
        rows.append(("running", "accent", f"{len(live.running)} running"))
    if live is not None and live.done:
        rows.append(("tick", "ok", f"{len(live.done)} done, held until the barrier"))
    if "next" in states and not live:
        rows.append(("next", "accent", "runs next"))
    stopped = [mark.lost for face in edges for mark in face.stopped.values()]
    if any(stopped):
        rows.append(("failed", "bad", f"message lost in s{superstep}"))
    if not all(stopped):
        rows.append(("dash", "text2", f"stopped on this edge in s{superstep}"))
    return tuple(rows)
