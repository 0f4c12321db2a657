"""A `Moment`: everything there is to see at one checkpoint, or of a run as it stands.

Pure: made from a viewed checkpoint alone, without user code, by the host, the command line and tests alike. What only
the live run knows (a failure, who runs just now) and what only earlier checkpoints know can be given beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from runtime.checkpoint import Checkpoint, CheckpointHeader
from runtime.debug.graph import Graph, graph_of
from runtime.debug.joins import NO_HISTORY, History, Ledger, held_messages, join_ledger
from runtime.debug.nodes import NOT_LIVE, Live, Nodes
from runtime.debug.outlook import Outlook, held, outlook, targets
from runtime.debug.protocol import EdgeMoment, MessageMoment, Moment, RequestMoment
from runtime.debug.shapes import clean, shape_of
from runtime.debug.values import field, header_on_wire, plain, to_value
from runtime.message import Message, Request
from runtime.state import RunState, Trace

__all__ = ["NO_EXTRAS", "Extras", "History", "Live", "Sight", "held_messages", "join_ledger", "moment"]

MESSAGES_LIMIT = 500
_BRANCHED = ("condition false", "not selected")
_TITLE_FIELDS = ("title", "question", "text", "prompt")


@dataclass(frozen=True, slots=True)
class Extras:
    """What a checkpoint alone does not tell: of the live run, of its past, whom routing found to be next (executor ->
    messages; without that, `next` is what is certain without evaluating a condition), and the status of a live run.
    """

    live: Live = NOT_LIVE
    history: History = NO_HISTORY
    next: Mapping[str, int] | None = None
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

    @cached_property
    def ahead(self) -> Outlook:
        return outlook(self.graph, self.state)

    def moment(self, extras: Extras = NO_EXTRAS, depth: int = 2) -> Moment:
        ledger = Ledger(self.graph, self.state, self.trace, self.ahead, extras.history, extras.live.failed)
        joins = ledger.joins()
        following = self.ahead.next if extras.next is None else extras.next
        nodes = Nodes(self.graph, self.state, self.trace, self.ahead, joins, following, extras.history, extras.live)
        return Moment(
            header=None if self.header is None else header_on_wire(self.header),
            superstep=self.state.superstep,
            status=extras.status or ("" if self.header is None else self.header.status),
            definition=self._workflow(),
            nodes=nodes.all(),
            edges=self._edges(),
            joins=joins,
            requests=tuple(_request(request, depth) for request in self.state.requests.values()),
            messages=tuple(self._message(found, depth) for found in self._waiting[:MESSAGES_LIMIT]),
            outputs=tuple((output.executor_id, to_value(output.data, depth)) for output in self.trace.outputs),
            state=to_value(self.section("state"), depth),
            executors=to_value(self.section("executors"), depth),
        )

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
            case "message" if which.isdecimal():
                return self._waiting[int(which)][0].data
            case "output" if which.isdecimal():
                return self.trace.outputs[int(which)].data
            case "request":
                return self.state.requests[which].data
            case _:
                raise LookupError(
                    f"There is no section '{name}': use state, executors, message:N, request:ID, output:N."
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

    @staticmethod
    def _message(found: tuple[Message, str, str, str], depth: int) -> MessageMoment:
        message, where, target, edge = found
        return MessageMoment.model_validate(
            {
                "where": where,
                "source": message.source_id,
                "target": target,
                "edge": edge,
                "data": to_value(message.data, depth - 1),
            }
        )

    def _edges(self) -> dict[str, EdgeMoment]:
        """What each edge carried in this superstep, and what is queued on it; only edges with something to tell."""
        sent: dict[str, dict[tuple[str, str], None]] = {}
        dropped: dict[str, dict[tuple[str, str, str], None]] = {}
        carried = {fate.source_id for fate in self.trace.fates if fate.kind != "dropped"}
        for fate in self.trace.fates:
            if not fate.edge_id:
                continue
            pair = (fate.source_id, fate.target_id or "")
            if fate.kind != "dropped":
                sent.setdefault(fate.edge_id, {})[pair] = None
            # A case that was not chosen lost nothing, unless nothing else of that source was.
            elif fate.reason not in _BRANCHED or fate.source_id not in carried:
                dropped.setdefault(fate.edge_id, {})[*pair, fate.reason] = None
        queued: dict[str, list[tuple[str, str, int]]] = {}
        for (edge, source, target), count in self.ahead.ways.items():
            queued.setdefault(edge, []).append((source, target, count))
        return {
            edge: EdgeMoment(
                sent=tuple(sent.get(edge, ())), queued=tuple(queued.get(edge, ())), dropped=tuple(dropped.get(edge, ()))
            )
            for edge in dict.fromkeys([*sent, *dropped, *queued])
        }


def _record(state: RunState, executor_id: str) -> dict[str, Any]:
    record = state.executors[executor_id]
    return {"runs": record.runs, "last superstep": record.last_superstep, "state": dict(record.state)}


def _request(request: Request, depth: int) -> RequestMoment:
    schema = plain(request.schema)
    return RequestMoment(
        id=request.id,
        executor=request.executor_id,
        title=title_of(request.data),
        data=to_value(request.data, depth),
        schema_=schema if isinstance(schema, dict) else {},
        superstep=request.superstep,
    )


def title_of(data: Any) -> str:
    """What a question is called: its text, if it has one, else its type."""
    found = data if isinstance(data, str) else next(filter(None, (field(data, name) for name in _TITLE_FIELDS)), None)
    return clean(" ".join(found.split())) if isinstance(found, str) and found.strip() else shape_of(data).type
