"""A `Moment`: everything there is to see at one checkpoint, or of a run as it stands.

Pure: made from a viewed checkpoint alone, without user code, by the host, the command line and tests alike. What only
the live run knows (a failure, who runs just now) and what only earlier checkpoints know can be given beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runtime.checkpoint import Checkpoint, CheckpointHeader
from runtime.children import SUB_WORKFLOW, child_of
from runtime.debug.graph import Graph, graph_of, read_definition
from runtime.debug.joins import NO_PAST, Ledger, Past
from runtime.debug.nodes import NOT_LIVE, Live, Nodes
from runtime.debug.outlook import Outlook, Routed, held, outlook, targets
from runtime.debug.protocol import (
    EdgeMoment,
    InsideMoment,
    InsideRun,
    MessageMoment,
    Moment,
    NodeMoment,
    RequestMoment,
)
from runtime.debug.shapes import clean, shape_of
from runtime.debug.values import field, header_on_wire, plain, to_value
from runtime.errors import DefinitionError
from runtime.message import Message, Request
from runtime.state import RunState, Trace, owner_of

# Of messages and of outputs, at most this many are in a moment; the header has the full counts.
SHOWN = 500
_BRANCHED = ("condition false", "not selected")
TITLE_LIMIT = 500
TEXT_LIMIT = 20_000
_SUPERSTEP = re.compile(r"s\d+\b")
_TEXT_FIELDS = ("text", "question", "prompt", "title")


@dataclass(frozen=True, slots=True)
class Extras:
    """What a checkpoint alone does not tell: of the live run and its status, of the supersteps before, and how the
    queued messages were routed in the superstep after; without that, only what is certain without a condition is told.
    """

    live: Live = NOT_LIVE
    history: Past = NO_PAST
    routed: Routed | None = None
    status: str = ""


NO_EXTRAS = Extras()


def moment(checkpoint: Checkpoint, extras: Extras = NO_EXTRAS, *, depth: int = 2) -> Moment:
    """Everything to see at a checkpoint; `depth` levels of the trees of the state, the executors and the messages."""
    return Sight.of(checkpoint).moment(extras, depth)


@dataclass(frozen=True)
class Sight:
    """A checkpoint, or a run that has none yet (`header` None), prepared for looking at."""

    header: CheckpointHeader | None
    state: RunState
    trace: Trace
    definition: Mapping[str, Any] | None

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> Sight:
        return cls(checkpoint.header, checkpoint.state, checkpoint.trace, checkpoint.definition)

    @cached_property
    def graph(self) -> Graph:
        return graph_of(self.definition, self.state)

    def moment(self, extras: Extras = NO_EXTRAS, depth: int = 2) -> Moment:
        ahead = outlook(self.graph, self.state, extras.routed)
        joins = Ledger(self.graph, self.state, self.trace, ahead, extras.history, extras.live.failed).joins()
        nodes = Nodes(self.graph, self.state, self.trace, ahead, joins, extras.history, extras.live)
        return Moment(
            header=None if self.header is None else header_on_wire(self.header),
            superstep=self.state.superstep,
            status=extras.status or ("" if self.header is None else self.header.status),
            definition=self._workflow(),
            nodes=nodes.all(),
            edges=self._edges(ahead),
            joins=joins,
            requests=tuple(_request(request, depth) for request in self.state.requests.values()),
            messages=tuple(self._message(found, ahead, depth) for found in self._waiting[:SHOWN]),
            outputs=tuple((output.executor_id, to_value(output.data, depth)) for output in self.trace.outputs[:SHOWN]),
            state=to_value(self.section("state"), depth),
            executors=to_value(self.section("executors"), depth),
        )

    def at(self, way: Sequence[str], runs: Sequence[str] = ()) -> tuple[Sight, tuple[str, ...], tuple[InsideRun, ...]]:
        """What a way into sub-workflows leads to, by which runs, and the runs that there are at its end. `runs` chooses
        on each level; for one that has ended, or is not named, the newest is taken. Where none is on, the sight is
        empty and so is the last key.
        """
        sight, keys, there = self, list[str](), tuple[InsideRun, ...]()
        for level, node in enumerate(way):
            found = _runs(sight.state).get(node, [])
            there = tuple(_run(key, sight.state.children[key]) for key in found)
            wanted = runs[level] if level < len(runs) else ""
            keys.append(wanted if wanted in found else found[-1] if found else "")
            state = sight.state.children[keys[-1]] if keys[-1] else RunState()
            sight = Sight(self.header, state, Trace(), _drawn_inside(sight.definition, node))
        return sight, tuple(keys), there

    def inside(self, way: Sequence[str], runs: Sequence[str], live: Live, depth: int = 2) -> InsideMoment:
        """What there is to see at the end of a way. What a run inside did in its last superstep on the edges is not
        recorded; what is queued on them is.
        """
        sight, keys, there = self.at(way, runs)
        if not all(keys):
            return InsideMoment(way=tuple(way), keys=keys, runs=there)
        seen = sight.moment(Extras(live), depth)
        nodes = {id_: _without_superstep(node) for id_, node in seen.nodes.items()}
        return InsideMoment(way=tuple(way), keys=keys, runs=there, moment=seen.model_copy(update={"nodes": nodes}))

    def section(self, name: str) -> Any:
        """The root value of a section, for `expand`: `state`, `executors`, `message:<index>`, `request:<id>`,
        `output:<index>`. Raises `LookupError` for another name and for what is not there.
        """
        kind, _, which = name.partition(":")
        match kind:
            case "state":
                return dict(self.state.shared)
            case "executors":
                return {id_: _record(self.state, id_) for id_ in self.state.executors}
            case "message" if which.isdecimal() and int(which) < len(self._waiting):
                return self._waiting[int(which)][0].data
            case "output" if which.isdecimal() and int(which) < len(self.trace.outputs):
                return self.trace.outputs[int(which)].data
            case "request" if which in self.state.requests:
                return self.state.requests[which].data
            case _:
                raise LookupError(
                    f"There is no section '{name}' here: use state, executors, message:N, request:ID, output:N."
                )

    def _workflow(self) -> dict[str, Any] | None:
        found = (self.definition or {}).get("workflow")
        return dict(found) if isinstance(found, Mapping) else None

    @cached_property
    def _waiting(self) -> list[tuple[Message, str, str, str]]:
        """Queued messages, then those held by joins: (message, where, target, edge), one entry per certain way."""
        found = []
        for message in self.state.queue:
            ways = targets(self.graph, message) or [(message.target_id or "", "")]
            found += [(message, "queued", target, edge) for target, edge in ways]
        for join in self.graph.joins:
            found += [(message, "buffered", join.target, join.edge) for message in held(join, self.state)]
        return found

    def _message(self, found: tuple[Message, str, str, str], ahead: Outlook, depth: int) -> MessageMoment:
        message, where, target, edge = found
        if not target:
            target, edge = self._decided(message.source_id, ahead)
        return MessageMoment.model_validate(
            {
                "where": where,
                "source": message.source_id,
                "target": target,
                "edge": edge,
                "data": to_value(message.data, depth - 1),
            }
        )

    def _decided(self, source: str, ahead: Outlook) -> tuple[str, str]:
        """Where a condition sent the messages of a source, where that is known and is one place."""
        certain = {(way.edge, way.target) for way in self.graph.out.get(source, ()) if way.certain}
        chosen = {(target, edge) for edge, s, target in ahead.ways if s == source and (edge, target) not in certain}
        return chosen.pop() if len(chosen) == 1 else ("", "")

    def _edges(self, ahead: Outlook) -> dict[str, EdgeMoment]:
        """What each edge carried in this superstep, and what is queued on it; only edges with something to tell."""
        sent: dict[str, dict[tuple[str, str], None]] = {}
        dropped: dict[str, dict[tuple[str, str, str], None]] = {}
        cases: dict[str, dict[str, None]] = {}
        carried = {fate.source_id for fate in self.trace.fates if fate.kind != "dropped"}
        for fate in self.trace.fates:
            if not fate.edge_id or fate.target_id is None:  # that a message was for others is no loss of this edge
                continue
            pair = (fate.source_id, fate.target_id or "")
            if fate.kind != "dropped":
                sent.setdefault(fate.edge_id, {})[pair] = None
                if fate.case:
                    cases.setdefault(fate.edge_id, {})[fate.case] = None
            # A case that was not chosen lost nothing, unless nothing else of that source was.
            elif fate.reason not in _BRANCHED or fate.source_id not in carried:
                dropped.setdefault(fate.edge_id, {})[*pair, fate.reason] = None
        queued: dict[str, list[tuple[str, str, int]]] = {}
        for (edge, source, target), count in ahead.ways.items():
            queued.setdefault(edge, []).append((source, target, count))
            sent.setdefault(edge, {})[source, target] = None  # it was sent in this superstep
        for edge, case in ahead.cases:
            cases.setdefault(edge, {})[case] = None
        return {
            edge: EdgeMoment(
                sent=tuple(sent.get(edge, ())),
                queued=tuple(queued.get(edge, ())),
                dropped=tuple(dropped.get(edge, ())),
                cases=tuple(cases.get(edge, ())),
            )
            for edge in dict.fromkeys([*sent, *dropped, *queued])
        }


def _runs(state: RunState) -> dict[str, list[str]]:
    """The runs of sub-workflows by the executor that wraps them, the newest last."""
    found: dict[str, list[str]] = {}
    for key in sorted(state.children, key=lambda key: int(key.rpartition("#")[2])):
        found.setdefault(owner_of(key), []).append(key)
    return found


def _run(key: str, state: RunState) -> InsideRun:
    return InsideRun(key=key, superstep=state.superstep, queued=len(state.queue), questions=len(state.requests))


def _drawn_inside(definition: Mapping[str, Any] | None, node_id: str) -> dict[str, Any] | None:
    """The definition part of the workflow inside a node: in the document, or in its file as that is now."""
    workflow = read_definition(definition)
    node = None if workflow is None else workflow.node(node_id)
    if node is None or node.type != SUB_WORKFLOW:
        return None
    try:
        child = child_of(node, str((definition or {}).get("folder") or "."))
    except DefinitionError:
        return None
    return {"workflow": child.workflow.model_dump(mode="json"), "folder": str(child.folder)}


def _without_superstep(node: NodeMoment) -> NodeMoment:
    # A run inside counts from its own input: beside the supersteps of the timeline its numbers would mislead.
    return node.model_copy(update={"detail": ""}) if _SUPERSTEP.match(node.detail) else node


def _record(state: RunState, executor_id: str) -> dict[str, Any]:
    record = state.executors[executor_id]
    return {"runs": record.runs, "last superstep": record.last_superstep, "state": dict(record.state)}


def _request(request: Request, depth: int) -> RequestMoment:
    schema = plain(request.schema)
    return RequestMoment(
        id=request.id,
        executor=request.executor_id,
        title=title_of(request.data),
        text=text_of(request.data)[:TEXT_LIMIT],
        data=to_value(request.data, depth),
        schema_=schema if isinstance(schema, dict) else {},
        superstep=request.superstep,
    )


def title_of(data: Any) -> str:
    """What a question is called: its text in one line, if it has one, else its type."""
    return " ".join(text_of(data).split())[:TITLE_LIMIT] or shape_of(data).type


def text_of(data: Any) -> str:
    """The text of a question as it was written, or empty."""
    found = data if isinstance(data, str) else next(filter(None, (field(data, name) for name in _TEXT_FIELDS)), None)
    return clean(found) if isinstance(found, str) else ""
