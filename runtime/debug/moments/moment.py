"""A `Moment`: everything to see at one checkpoint, or of a run as it is now.

It is made from a viewed checkpoint alone, without user code, for the host, the command
line and tests alike. What only the live run knows (a failure, which executors run) and
what only earlier checkpoints know is passed in beside it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from runtime.checkpoint import Checkpoint, CheckpointHeader
from runtime.debug.graphs.drawn import drawn_definition
from runtime.debug.graphs.graph import Graph, graph_inside, graph_read, read_definition
from runtime.debug.joins.ledger import Ledger
from runtime.debug.moments.edge_facts import EdgeFacts
from runtime.debug.moments.request_moment import request_moment
from runtime.debug.protocol import (
    EdgeMoment,
    InsideMoment,
    InsideRun,
    MessageMoment,
    Moment,
    NodeMoment,
)
from runtime.debug.sections import SECTIONS
from runtime.debug.supersteps.message_fates import losses, routed_in, trace_in
from runtime.debug.supersteps.next_superstep import Outlook, Routed, outlook
from runtime.debug.supersteps.nodes import NOT_LIVE, Live, Nodes
from runtime.debug.supersteps.past_supersteps import NO_PAST, Past, When
from runtime.debug.supersteps.traffic import Place, Traffic, held_places
from runtime.debug.supersteps.writers import writers
from runtime.debug.values.display import to_value
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.sub_workflows import SUB_WORKFLOW, child_of, saved_files
from runtime.errors import DefinitionError
from runtime.state import RunState, Trace, owner_of

# Of messages and of outputs, at most this many are in a moment; the header has the full
# counts.
SHOWN = 500
_TREES = {section.name: section.tree for section in SECTIONS if section.tree}
_SUPERSTEP = re.compile(r"s\d+\b")


@dataclass(frozen=True, slots=True)
class Extras:
    """Facts beyond the checkpoint itself: of the live run and its status, of
    earlier supersteps, and how the next superstep routed the queued messages.
    Without that, only ways without a condition are certain.
    """

    live: Live = NOT_LIVE
    history: Past = NO_PAST
    routed: Routed | None = None
    status: str = ""


NO_EXTRAS = Extras()


def moment(
    checkpoint: Checkpoint, extras: Extras = NO_EXTRAS, *, depth: int = 2
) -> Moment:
    """Return everything to see at a checkpoint, with `depth` levels of the value
    trees.
    """
    return Snapshot.of(checkpoint).moment(extras, depth)


@dataclass(frozen=True)
class Snapshot:
    """A checkpoint, or a run without one (`header` None), prepared for inspection."""

    header: CheckpointHeader | None
    state: RunState
    trace: Trace
    definition: Mapping[str, Any] | None

    @classmethod
    def of(cls, checkpoint: Checkpoint) -> Snapshot:
        return cls(
            checkpoint.header, checkpoint.state, checkpoint.trace, checkpoint.definition
        )

    def routed(self, routed: Routed | None, keys: Sequence[str] = ()) -> Routed | None:
        """Return the part of the routing of the whole tree that concerns this
        run, with the names of this graph.
        """
        return routed_in(routed, keys, self.graph, self.executors)

    @cached_property
    def own_trace(self) -> Trace:
        """Return what the run itself did in the superstep, without the runs
        inside it.
        """
        return trace_in(self.trace, (), self.graph, self.executors)

    @cached_property
    def graph(self) -> Graph:
        return graph_read(self.document, self.definition, self.state)

    @cached_property
    def document(self) -> WorkflowDefinition | None:
        """Return the document that ran; None for a workflow made in code. It
        is read once, because 1000 nodes take 10 ms.
        """
        return read_definition(self.definition)

    def drawn_node(self, node_id: str) -> NodeDefinition | None:
        return None if self.document is None else self.document.node(node_id)

    def drawn_edge(self, edge_id: str) -> EdgeDefinition | None:
        edges = () if self.document is None else self.document.edges
        return next((edge for edge in edges if edge.id == edge_id), None)

    def moment(
        self,
        extras: Extras = NO_EXTRAS,
        depth: int = 2,
        outer_superstep: int | None = None,
    ) -> Moment:
        """Return everything to see of this run. A run inside counts from its own input:
        beside the supersteps of the timeline its numbers would mislead, so it is given
        that of the outermost run.
        """
        routed = self.routed(extras.routed)
        ahead = outlook(self.graph, self.state, routed)
        superstep = self.state.superstep
        if outer_superstep is not None:
            superstep = outer_superstep
        ledger = Ledger(
            self.graph,
            self.state,
            self.own_trace,
            ahead,
            extras.history,
            extras.live.failed,
            outer_superstep,
            () if routed is None else routed.fates,
        )
        joins = ledger.joins()
        nodes = Nodes(
            self.graph,
            self.state,
            self.own_trace,
            ahead,
            joins,
            extras.history,
            extras.live,
        )
        messages, left_out = self._messages(routed, ledger, depth)
        return Moment(
            header=self.header,
            superstep=superstep,
            status=extras.status or ("" if self.header is None else self.header.status),
            decided=extras.routed is not None,
            definition=self._workflow(),
            nodes=nodes.all(),
            edges=self._edges(ahead),
            joins=joins,
            requests=tuple(
                request_moment(request, depth)
                for request in self.state.requests.values()
            ),
            messages=messages,
            outputs=tuple(
                (output.executor_id, to_value(output.data, depth))
                for output in self.trace.outputs[:SHOWN]
            ),
            messages_left_out=left_out,
            outputs_left_out=max(0, len(self.trace.outputs) - SHOWN),
            sections={
                name: to_value(tree(self.state), depth) for name, tree in _TREES.items()
            },
            writers=writers(
                self.state,
                self.own_trace,
                extras.history,
                When(superstep, "" if self.header is None else self.header.id),
            ),
        )

    def follow(
        self, way: Sequence[str], runs: Sequence[str] = ()
    ) -> tuple[Snapshot, tuple[str, ...], tuple[InsideRun, ...]]:
        """Follow a way into sub-workflows. Return the run at its end, the keys
        that lead to it, and all runs at that end.

        `runs` chooses a run on each level; if it has ended, or none is named,
        the newest is taken. If no run is there, the snapshot is empty and so is
        the last key.
        """
        snapshot = self
        keys = list[str]()
        inner_runs = tuple[InsideRun, ...]()
        for level, node in enumerate(way):
            inner_keys = _runs_by_owner(snapshot.state).get(node, [])
            inner_runs = tuple(
                _inside_run(key, snapshot.state.children[key]) for key in inner_keys
            )
            chosen_key = runs[level] if level < len(runs) else ""
            if chosen_key not in inner_keys:
                chosen_key = inner_keys[-1] if inner_keys else ""
            keys.append(chosen_key)
            state = RunState()
            if chosen_key:
                state = snapshot.state.children[chosen_key]
            snapshot = Snapshot(
                self.header, state, Trace(), _drawn_inside(snapshot, node)
            )
        if way and all(keys):
            snapshot = replace(
                snapshot,
                trace=trace_in(self.trace, keys, snapshot.graph, snapshot.executors),
            )
        return snapshot, tuple(keys), inner_runs

    def inside(
        self, way: Sequence[str], runs: Sequence[str], extras: Extras, depth: int = 2
    ) -> InsideMoment:
        """Return everything to see at the end of a way. `extras` has facts of
        the outer run, and for the live run those of the end.
        """
        snapshot, keys, inner_runs = self.follow(way, runs)
        if not all(keys):
            return InsideMoment(way=tuple(way), keys=keys, runs=inner_runs)
        routed = snapshot.routed(extras.routed, keys)
        inner_moment = snapshot.moment(
            Extras(extras.live, extras.history.inside(keys), routed),
            depth,
            self.state.superstep,
        )
        nodes = {
            id_: _without_superstep(node) for id_, node in inner_moment.nodes.items()
        }
        return InsideMoment(
            way=tuple(way),
            keys=keys,
            runs=inner_runs,
            moment=inner_moment.model_copy(update={"nodes": nodes}),
        )

    def traffic(self, routed: Routed | None) -> Traffic:
        """Return the barrier with the routing of its queued messages in the
        superstep after it.
        """
        return Traffic(self.graph, self.state, routed)

    def run_at(self, keys: Sequence[str]) -> Snapshot | None:
        """Return the run inside that these keys lead to, if it has not ended."""
        snapshot, keys_found, _ = self.follow([owner_of(key) for key in keys], keys)
        return snapshot if keys_found == tuple(keys) else None

    @property
    def executors(self) -> Collection[str]:
        """Return the ids of the executors of this run that its graph or its
        state names.
        """
        return self.graph.titles.keys() | self.state.executors.keys()

    def section(self, name: str) -> Any:
        """Return the root value of a section, which `ExpandArguments` names. Raise
        `LookupError` if the name is unknown or the section is not there.
        """
        kind, _, which = name.partition(":")
        match kind:
            case _ if name in _TREES:
                return _TREES[name](self.state)
            case "queue" if which.isdecimal() and int(which) < len(self.state.queue):
                return self.state.queue[int(which)].data
            case "held" if which.isdecimal() and int(which) < len(self._held):
                return self._held[int(which)]
            case "own" if which in self.state.executors:
                return dict(self.state.executors[which].state)
            case "params":
                node = self.drawn_node(which)
                if node is None:
                    raise LookupError(
                        f"There is no node '{which}' with parameters here."
                    )
                return dict(node.params)
            case "output" if which.isdecimal() and int(which) < len(self.trace.outputs):
                return self.trace.outputs[int(which)].data
            case "request" if which in self.state.requests:
                return self.state.requests[which].data
            case "queue" | "held" | "output" if which.isdecimal():
                raise LookupError(f"There is no {name} here: {self._last(kind)}.")
            case _:
                raise LookupError(
                    f"There is no section '{name}' here: use {', '.join(_TREES)}, request:ID, output:N, "
                    "queue:N, held:N, params:NODE, own:NODE."
                )

    def _last(self, kind: str) -> str:
        """Return which numbered section of a kind is the last one."""
        items, nothing = {
            "queue": (self.state.queue, "no message is queued"),
            "held": (self._held, "no join holds a message"),
            "output": (self.trace.outputs, "this superstep put out nothing"),
        }[kind]
        return f"the last one is {kind}:{len(items) - 1}" if items else nothing

    def _workflow(self) -> dict[str, Any] | None:
        definition = self.definition or {}
        workflow = definition.get("workflow")
        if isinstance(workflow, Mapping):
            return dict(workflow)
        return drawn_definition(definition.get("graph"))

    @cached_property
    def _held(self) -> list[Any]:
        return [place.message.data for _, place in held_places(self.graph, self.state)]

    def _messages(
        self, routed: Routed | None, ledger: Ledger, depth: int
    ) -> tuple[tuple[MessageMoment, ...], int]:
        """Return the waiting messages, one entry for each known way, and how
        many are left out. Queued messages come first, then those in joins.
        """
        traffic = self.traffic(routed)
        entries = list[tuple[Place, str, str, str, int | None]]()
        for position, message in enumerate(self.state.queue):
            place = Place(f"queue:{position}", message)
            ways, note = traffic.next_ways(position)
            for target, edge in ways or [("", "")]:
                entries.append((place, target, edge, note, ledger.superstep))
        ages = {
            join.edge: {
                source: iter(supersteps)
                for source, supersteps in ledger.ages(join).items()
            }
            for join in self.graph.joins
        }
        for join, place in held_places(self.graph, self.state):
            since = next(ages[join.edge][place.message.source_id], None)
            entries.append((place, join.target, join.edge, "", since))
        shown = [_message_moment(*entry, depth=depth - 1) for entry in entries[:SHOWN]]
        return tuple(shown), max(0, len(entries) - SHOWN)

    def _edges(self, ahead: Outlook) -> dict[str, EdgeMoment]:
        """Return what each edge carried and dropped in this superstep, and
        what is queued on it; only edges with something to show.
        """
        facts_by_edge: dict[str, EdgeFacts] = {}
        lost_counts = losses(self.own_trace.fates)
        for fate in self.own_trace.fates:
            # A fate without a target says that the message was for another executor,
            # which is no loss of this edge.
            if not fate.edge_id or fate.target_id is None:
                continue
            facts = facts_by_edge.setdefault(fate.edge_id, EdgeFacts())
            if fate.kind == "dropped":
                facts.add_drop(fate, lost_counts[fate])
            else:
                facts.delivered[fate.source_id, fate.target_id] += fate.count
                if fate.case:
                    facts.taken[fate.case] = None
        for (edge, source, target), count in ahead.ways.items():
            facts_by_edge.setdefault(edge, EdgeFacts()).queued[source, target] += count
        for edge, case in ahead.cases:
            facts_by_edge.setdefault(edge, EdgeFacts()).cases[case] = None
        return {edge: facts.moment() for edge, facts in facts_by_edge.items()}


def _runs_by_owner(state: RunState) -> dict[str, list[str]]:
    """Return the runs of sub-workflows by the executor that wraps them, the newest
    last.
    """
    keys_by_owner: dict[str, list[str]] = {}
    for key in sorted(state.children, key=lambda key: int(key.rpartition("#")[2])):
        keys_by_owner.setdefault(owner_of(key), []).append(key)
    return keys_by_owner


def _inside_run(key: str, state: RunState) -> InsideRun:
    return InsideRun(
        key=key,
        superstep=state.superstep,
        queued=len(state.queue),
        questions=len(state.requests),
    )


def _drawn_inside(snapshot: Snapshot, node_id: str) -> dict[str, Any] | None:
    """Return the definition part of the workflow inside a node: from the document,
    from its file as it was saved, or as it is now where the checkpoint is of an older
    version, or from the graph of a workflow made in code.
    """
    definition = snapshot.definition or {}
    graph = graph_inside(definition.get("graph"), node_id)
    if graph is not None:
        return {"graph": graph}
    node = snapshot.drawn_node(node_id)
    if node is None or node.type != SUB_WORKFLOW:
        return None
    try:
        files = saved_files(definition)
        child = child_of(node, str(definition.get("folder") or "."), files=files)
    except DefinitionError:
        return None
    drawn = {
        "workflow": child.workflow.model_dump(mode="json"),
        "folder": str(child.folder),
    }
    if files:
        drawn["files"] = {
            str(path): workflow.model_dump(mode="json")
            for path, workflow in files.items()
        }
    return drawn


def _without_superstep(node: NodeMoment) -> NodeMoment:
    if not _SUPERSTEP.match(node.detail):
        return node
    return node.model_copy(
        update={"detail": node.detail.partition(" · ")[2] if node.attempts > 1 else ""}
    )


def _message_moment(
    place: Place, target: str, edge: str, note: str, since: int | None, *, depth: int
) -> MessageMoment:
    return MessageMoment(
        where="queued" if place.section.startswith("queue:") else "buffered",
        source=place.message.source_id,
        target=target,
        edge=edge,
        note=note,
        section=place.section,
        since=since,
        data=to_value(place.message.data, depth),
    )
