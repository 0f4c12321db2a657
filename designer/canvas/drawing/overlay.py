"""What a moment of a run looks like, as data: a face for each node, join and edge
group.

Everything here is pure, and nothing paints. `STATES` is the table of states of the
look: words, glyph, border and colour of a state change together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from designer.look.difference_marks import SIGNS
from designer.model.differences import FIRST, Chip
from designer.model.names import one_line
from runtime.debug.protocol import (
    Attempt,
    DeliveryMoment,
    Drop,
    EdgeMoment,
    InsideSuperstep,
    JoinMoment,
    JoinSource,
    Moment,
    NodeMoment,
    ProgressBody,
)
from runtime.document.definition import WorkflowDefinition
from runtime.document.disabled import disabled_ids

Pair = tuple[str, str]
# what the engine calls a case or a target that a switch or a selection did not choose
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
        Face("paused", "Held", "waiting", "warn", "warn", 1.0, "4 3"),
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
    """What a run has recorded or decided about an edge group, never what might have
    been.

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
    dots on the wire. `chips` say what differs from the moment that is compared with,
    and `staged` what the user has staged at a node. `frame` is the colour role of the
    frame around a copy that is edited; "" for none.
    """

    nodes: Mapping[str, Face] = field(default_factory=dict)
    joins: Mapping[str, JoinFace] = field(default_factory=dict)
    edges: Mapping[str, EdgeFace] = field(default_factory=dict)
    legend: tuple[tuple[str, str, str], ...] = ()
    pulses: bool = False
    running: frozenset[str] = frozenset()
    superstep: int = 0
    chips: Mapping[str, Chip] = field(default_factory=dict)
    staged: Mapping[str, str] = field(default_factory=dict)
    frame: str = ""


NOTHING = Overlay()


def compared(overlay: Overlay, chips: Mapping[str, Chip]) -> Overlay:
    """Return an overlay with the chips of a comparison, which the legend explains
    instead of the states.
    """
    kinds = {chip.kind for chip in chips.values()}
    legend = [
        (kind, sign.role, sign.words) for kind, sign in SIGNS.items() if kind in kinds
    ]
    if any(chip.text == FIRST for chip in chips.values()):
        legend.insert(0, ("changed", SIGNS["changed"].role, FIRST))
        legend = [row for row in legend if row[2] != SIGNS["changed"].words]
    return replace(overlay, chips=chips, legend=tuple(legend))


_IDLE = NodeMoment()


def overlay_of(
    moment: Moment | None,
    progress: ProgressBody | None,
    workflow: WorkflowDefinition,
    *,
    running: bool,
    held: Collection[str] = (),
    standing: InsideSuperstep | None = None,
    runs: tuple[str, ...] = (),
) -> Overlay:
    """Return the faces of a moment.

    While a superstep runs, `progress` says which nodes run and which have ended. `held`
    are nodes that the user keeps from running. `standing` is the superstep in which the
    run stands, with all deliveries; `runs` are the keys that lead to the run that the
    moment is of.
    """
    moment = moment or Moment()
    live = progress if running else None
    at_work = frozenset(live.running) if live else frozenset()
    edges = _edge_faces(moment, live=live is not None)
    senders = {source for face in edges.values() for source, _ in face.sent}
    nodes = {}
    for node in workflow.nodes:
        state = moment.nodes.get(node.id, _IDLE)
        nodes[node.id] = _node_face(node.id, state, live, sent=node.id in senders)
    if standing is not None:
        nodes.update(_standing_faces(standing, runs, nodes, moment))
    for held_id in held:
        face = nodes.get(held_id)
        if face is not None and face.state not in ("running", "held"):
            nodes[held_id] = _face("paused", "", "", face.questions)
    titles = {node.id: one_line(node.title) for node in workflow.nodes}
    recorded = {join.edge: join for join in moment.joins}
    joins = {
        join.edge: _join_face(join, titles, live)
        for join in (*moment.joins, *_unfilled_joins(workflow, recorded))
    }
    superstep = live.superstep if live else moment.superstep
    legend = _legend(nodes.values(), edges.values(), moment.superstep, live)
    if standing is not None:
        legend = _standing_legend(standing)
    pulses = not running and standing is None
    return Overlay(nodes, joins, edges, legend, pulses, at_work, superstep)


def _standing_faces(
    standing: InsideSuperstep,
    runs: tuple[str, ...],
    nodes: Mapping[str, Face],
    moment: Moment,
) -> dict[str, Face]:
    """Return the faces of the nodes with deliveries in the superstep in which the run
    stands: done ones are held until the barrier. A delivery inside a sub-workflow is
    one of its node.
    """
    faces: dict[str, Face] = {}
    count = len(standing.deliveries) + standing.left_out
    for delivery in standing.deliveries:
        node = _node_at(delivery, runs)
        if node not in nodes:
            continue
        before = faces.get(node)
        if before is not None and before.state != "held":
            continue  # because the first of its calls that is not done says most
        questions = moment.nodes.get(node, _IDLE).questions
        faces[node] = _standing_face(delivery, count, questions)
    return faces


def _node_at(delivery: DeliveryMoment, runs: tuple[str, ...]) -> str:
    """Return the node whose delivery this is in the run to which these keys lead; "" if
    it is not in there.
    """
    depth = len(runs)
    if delivery.path[:depth] != runs:
        return ""
    if len(delivery.path) > depth:
        return delivery.path[depth].rpartition("#")[0]
    return delivery.executor


def _standing_face(delivery: DeliveryMoment, count: int, questions: int) -> Face:
    took = seconds(delivery.seconds) if delivery.seconds is not None else ""
    match delivery.state:
        case "done":
            return _face("held", "", took, questions)
        case "running":
            return _face("running", "", took, questions)
        case "next":
            place = f"{delivery.place}/{count}"
            return _face("next", "Next delivery", place, questions)
        case "failed":
            return _face("failed", "", delivery.error, questions)
        case "held":
            return _face("paused", "", "", questions)
    return _face("queued", "", f"{delivery.place}/{count}", questions, 1)


def _standing_legend(standing: InsideSuperstep) -> tuple[tuple[str, str, str], ...]:
    done = sum(delivery.state == "done" for delivery in standing.deliveries)
    rows = []
    if done:
        rows.append(("tick", "ok", f"{done} done, held until the barrier"))
    if any(delivery.state == "next" for delivery in standing.deliveries):
        rows.append(("next", "accent", "next delivery"))
    return tuple(rows)


def _edge_faces(moment: Moment, *, live: bool) -> dict[str, EdgeFace]:
    """Return the faces of the edge groups about which there is something to show."""
    faces: dict[str, EdgeFace] = {}
    for edge, state in moment.edges.items():
        if live:
            face = _edge_at_work(state, decided=moment.decided)
        else:
            face = _edge_at_rest(state, decided=moment.decided)
        if face.sent or face.queued or face.stopped:
            faces[edge] = face
    return faces


def _unfilled_joins(
    workflow: WorkflowDefinition, recorded: Collection[str]
) -> Iterator[JoinMoment]:
    """Yield the joins of which a moment says nothing, because nothing has arrived."""
    silent = disabled_ids(workflow)
    for edge in workflow.edges:
        if edge.join is None or edge.id in recorded:
            continue
        sources = tuple(
            JoinSource(id=source, have=0, need=1, disabled=source in silent)
            for source in edge.source_ids
        )
        yield JoinMoment(
            edge=edge.id,
            target=edge.target_ids[0],
            policy=edge.join.policy,
            sources=sources,
        )


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
        words, detail = _at_work(live.running[node], live.attempts.get(node))
        return _face("running", words, detail, moment.questions)
    if live is not None and node in live.done:
        return _face("held", "", seconds(live.done[node]), moment.questions)
    state = moment.state
    detail = moment.detail
    if live is not None and state == "ran":
        # It ran in the superstep before.
        attempts = f" · {moment.attempts} attempts" if moment.attempts > 1 else ""
        state = "done"
        detail = f"s{moment.superstep}{attempts}"
    if live is not None and state == "next":
        # Its superstep goes on, and its turn has not come.
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
    """Return words and detail of a node that runs, with its attempt if there are
    several.
    """
    if attempt is None:
        return "", seconds(since)
    if attempt.wait:
        return f"Waits {attempt.wait:.3g} s", f"{attempt.number}/{attempt.most}"
    # There is room for both on the narrowest node.
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
    """Return the face of an edge between two supersteps.

    It shows what was sent in the last one, if it is decided which way that goes, and
    what it stopped, which is not recorded later. What it delivered is the past already.
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
    delivered = {(source, target): count for source, target, count in edge.delivered}
    stopped = {}
    for pair, pair_drops in drops.items():
        count = delivered.get(pair, 0)
        words = "; ".join(drop_words(drop, count) for drop in pair_drops)
        stopped[pair] = Stopped(words, any(drop.lost for drop in pair_drops))
    return stopped


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
    if join.fired:
        segments = _fired_segments(join)
        return JoinFace(segments, fired_words(join), "tick", "ok", fired=True)
    missing = [
        source for source in join.sources if not (source.have or source.disabled)
    ]
    ids = frozenset(source.id for source in missing)
    names = people([titles.get(source.id, source.id) for source in missing])
    progress = f"{join.filled} of {join.awaited}"
    if join.stalled:
        segments = _segments(join, "filled", "never")
        text = f"{progress} — stalled without {names}"
        reason = next((source.reason for source in missing if source.reason), "")
        if reason:
            text += f": {reason}"
        return JoinFace(segments, text, "warning", "warn", missing=ids)
    if join.filled:
        segments = _segments(join, "filled", "missing")
        text = f"{progress} — waiting for {names}" if missing else f"{progress} — ready"
        return JoinFace(segments, text, "waiting", "warn", missing=ids)
    done = live.done if live is not None else {}
    held = sum(source.id in done for source in join.sources)
    text = f"{progress} — {held} done, held" if held else progress
    return JoinFace(_segments(join, "empty", "empty"), text)


def _segments(join: JoinMoment, filled: str, empty: str) -> tuple[str, ...]:
    """Return one segment for each source.

    That of a disabled one stays empty, because the join does not wait for it.
    """
    segments = []
    for source in join.sources:
        if source.disabled:
            segments.append("empty")
        else:
            segments.append(filled if source.have else empty)
    return tuple(segments)


def _fired_segments(join: JoinMoment) -> tuple[str, ...]:
    """Return the segments of a join that fired, without hiding what it holds again."""
    segments = []
    for source in join.sources:
        if source.released:
            segments.append("fired")
        else:
            segments.append("filled" if source.have else "empty")
    return tuple(segments)


def fired_words(join: JoinMoment) -> str:
    """Return what a join sent when it fired, if not one message of each source."""
    unheard = sum(
        1 for source in join.sources if not (source.released or source.disabled)
    )
    count = sum(source.released for source in join.sources)
    words = f"fired s{join.fired}"
    if unheard:
        messages = f"{count} message{'' if count == 1 else 's'}"
        heard = join.awaited - unheard
        words += f" — {messages} from {heard} of {join.awaited} sources"
    elif count > join.awaited:
        words += f" — {count} messages"
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
        if live:
            rows.append(("wire", "accent", f"delivered in s{superstep + 1}"))
        else:
            rows.append(("sent", "accent", f"sent a message in s{superstep}"))
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
