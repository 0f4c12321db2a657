"""What a moment of a run looks like, as data: a face for each node, join and edge group. Pure; nothing here paints.

The table of states is the look's table "State": words, glyph, border and colour change together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from designer.model.names import one_line
from runtime.debug.protocol import EdgeMoment, JoinMoment, JoinSource, Moment, NodeMoment, ProgressBody
from runtime.definition import FanInEdge, WorkflowDefinition
from runtime.disabling import disabled_ids

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Face:
    """How a node shows its state. `colour` and `border` are roles of the theme; `elapsed` is None unless it runs."""

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
    """`segments` holds filled, missing, empty, fired or never, in source order; the tag is text, glyph and role."""

    segments: tuple[str, ...]
    text: str
    glyph: str = ""
    role: str = ""
    fired: bool = False
    missing: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class EdgeFace:
    """`cases` are the numbers of the switch cases that were taken, 0 for the default; empty when that is not known."""

    sent: frozenset[Pair] = frozenset()
    queued: Mapping[Pair, int] = field(default_factory=dict)
    dropped: Mapping[Pair, str] = field(default_factory=dict)
    cases: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Overlay:
    """Empty when editing. `pulses` is true at a standstill, where sent messages are shown as three dots on the wire."""

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
    moment: Moment | None, progress: ProgressBody | None, workflow: WorkflowDefinition, *, running: bool
) -> Overlay:
    """The faces of a moment; while a superstep runs, `progress` says who is at work and who has ended."""
    moment = moment or Moment()
    live = progress if running else None
    at_work = frozenset(live.running) if live else frozenset()
    ran = frozenset(key for key, node in moment.nodes.items() if _ran(node, moment.superstep))
    edges = {edge: _delivered(face) if live else _edge_face(face, ran) for edge, face in moment.edges.items()}
    edges = {edge: face for edge, face in edges.items() if face.sent or face.queued or face.dropped}
    senders = {source for face in edges.values() for source, _ in face.sent}
    titles = {node.id: one_line(node.title) for node in workflow.nodes}
    silent = disabled_ids(workflow)
    nodes = {
        node.id: _node_face(node.id, moment.nodes.get(node.id, _IDLE), live, sent=node.id in senders)
        for node in workflow.nodes
    }
    joins = {join.edge: _join_face(join, titles, live) for join in moment.joins}
    for edge in workflow.edges:
        if isinstance(edge, FanInEdge) and edge.id not in joins:
            empty = tuple(JoinSource(id=one, have=0, need=1, disabled=one in silent) for one in edge.sources)
            untold = JoinMoment(edge=edge.id, target=edge.target, policy=edge.policy, sources=empty)
            joins[edge.id] = _join_face(untold, titles, live)
    superstep = live.superstep if live else moment.superstep
    legend = _legend(nodes.values(), edges.values(), moment.superstep, live)
    return Overlay(nodes, joins, edges, legend, not running, at_work, superstep)


def seconds(value: float) -> str:
    """A duration for people: 96 ms, 1.4 s, 12 s, 3 min."""
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    if value < 99.5:
        return f"{value:.1f} s" if value < 9.95 else f"{value:.0f} s"
    return f"{value / 60:.0f} min"


def _node_face(node: str, moment: NodeMoment, live: ProgressBody | None, *, sent: bool) -> Face:
    if live is not None and node in live.running:
        return _face("running", "", seconds(live.running[node]), moment.questions)
    if live is not None and node in live.done:
        return _face("held", "", seconds(live.done[node]), moment.questions)
    state, detail = moment.state, moment.detail
    if live is not None and state == "ran":  # that was the superstep before
        state, detail = "done", f"s{moment.superstep}"
    if live is not None and state == "next":  # its superstep is on, and its turn has not come
        state, detail = "queued", ""
    words = ""
    if state in ("waiting", "stalled") and detail:
        words, detail = f"{STATES[state].words}, {detail}", ""
    if state == "failed":
        detail = detail or moment.error
    if state == "queued" and not detail:
        detail = f"{moment.queued} msg"
    return _face(state, words, detail, moment.questions, moment.queued, sent=sent)


@lru_cache(maxsize=4096)
def _face(state: str, words: str, detail: str, questions: int, queued: int = 0, *, sent: bool = False) -> Face:
    """Thousands of nodes share a few dozen faces: comparing them is comparing identities."""
    face = STATES[state]
    return replace(face, words=words or face.words, detail=detail, questions=questions, sent=sent, queued=queued)


def _ran(node: NodeMoment, superstep: int) -> bool:
    return node.state == "ran" or (superstep > 0 and node.superstep == superstep)


def _edge_face(edge: EdgeMoment, ran: frozenset[str]) -> EdgeFace:
    """At a barrier: what those who ran in this superstep have sent. What was delivered to them is the past already."""
    return EdgeFace(
        frozenset(pair for pair in edge.sent if pair[0] in ran),
        {(source, target): count for source, target, count in edge.queued},
        {(source, target): reason for source, target, reason in edge.dropped},
        _cases(edge),
    )


def _delivered(edge: EdgeMoment) -> EdgeFace:
    """While a superstep runs: what was queued for it is on its way, and queued no more."""
    return EdgeFace(frozenset((source, target) for source, target, _ in edge.queued), cases=_cases(edge))


def _cases(edge: EdgeMoment) -> frozenset[int]:
    return frozenset(0 if case == "default" else int(case) + 1 for case in edge.cases)


def _join_face(join: JoinMoment, titles: Mapping[str, str], live: ProgressBody | None) -> JoinFace:
    total = join.awaited
    if join.fired:
        return JoinFace(_segments(join, "fired", "fired"), f"fired s{join.fired}", "tick", "ok", fired=True)
    missing = [source.id for source in join.sources if not (source.have or source.disabled)]
    names = people([titles.get(source, source) for source in missing])
    so_far = f"{join.filled} of {total}"
    if join.stalled:
        segments = _segments(join, "filled", "never")
        return JoinFace(segments, f"{so_far} — stalled without {names}", "warning", "warn", missing=frozenset(missing))
    if join.filled:
        segments = _segments(join, "filled", "missing")
        text = f"{so_far} — waiting for {names}" if missing else f"{so_far} — ready"
        return JoinFace(segments, text, "waiting", "warn", missing=frozenset(missing))
    held = sum(1 for source in join.sources if live is not None and source.id in live.done)
    return JoinFace(_segments(join, "empty", "empty"), f"{so_far} — {held} done, held" if held else so_far)


def _segments(join: JoinMoment, there: str, else_: str) -> tuple[str, ...]:
    """One for each source; that of a disabled one stays empty, as the join does not wait for it."""
    return tuple("empty" if one.disabled else there if one.have else else_ for one in join.sources)


def people(names: list[str]) -> str:
    """Names in a sentence: A; A and B; A, B and 2 more."""
    if len(names) < 2:
        return "".join(names)
    if len(names) == 2:
        return f"{names[0]} and {names[1]}"
    return f"{names[0]}, {names[1]} and {len(names) - 2} more"


def _legend(
    nodes: Iterable[Face], edges: Iterable[EdgeFace], superstep: int, live: ProgressBody | None
) -> tuple[tuple[str, str, str], ...]:
    """(glyph, role, words) for what is to be seen now, and for nothing else."""
    states = {face.state for face in nodes}
    edges = list(edges)
    rows: list[tuple[str, str, str]] = []
    if any(face.sent for face in edges):
        rows.append(
            ("wire", "accent", f"delivered in s{live.superstep}")
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
    if any(face.dropped for face in edges):
        rows.append(("failed", "bad", "message dropped"))
    return tuple(rows)
