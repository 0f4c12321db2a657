"""The graph that a checkpoint ran with, from data alone, joined to what its joins hold.

Made from the definition that the checkpoint carries. Without one (a workflow made in
code) it is made from the graph that such a workflow leaves, or else from what the state
itself names. An unknown or newer definition never makes a checkpoint unreadable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from runtime.debug.graphs.drawn import edge_fields, pairs_of
from runtime.document import graph as document_graph
from runtime.document.definition import WorkflowDefinition
from runtime.edges.arcs import JoinRule
from runtime.edges.definition import EdgeDefinition
from runtime.edges.registry import EDGE_KINDS
from runtime.edges.unknown_definition import UnknownEdge
from runtime.state import RunState
from runtime.system.bounded_files import from_json


@dataclass(frozen=True, slots=True)
class Join:
    """An edge that joins messages. `key` is the key of its buffer in the state, or None
    if the state has none for it. `silent` are its sources that are disabled: it does
    not wait for them.
    """

    edge: str
    sources: tuple[str, ...]
    target: str
    rule: JoinRule
    key: str | None = None
    silent: frozenset[str] = frozenset()

    @property
    def awaited(self) -> tuple[str, ...]:
        return tuple(source for source in self.sources if source not in self.silent)


class Graph(document_graph.Graph):
    """The graph of the document, with the buffers of the state joined to its joins."""

    def __init__(
        self,
        titles: Mapping[str, str],
        start: str,
        edges: Iterable[EdgeDefinition] = (),
        silent: frozenset[str] = frozenset(),
        keys: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(titles, start, edges, silent)
        keys = keys or {}
        self.joins = tuple(
            Join(
                edge.id,
                edge.source_ids,
                edge.target_ids[0],
                edge.join,
                keys.get(edge.id),
                silent.intersection(edge.source_ids),
            )
            for edge in self.edges
            if edge.join is not None
        )


def read_definition(definition: Mapping[str, Any] | None) -> WorkflowDefinition | None:
    """Return the document in a checkpoint's definition part (`{"workflow": …,
    "folder": …}`), if it can be read.
    """
    try:
        return WorkflowDefinition.model_validate((definition or {})["workflow"])
    except (KeyError, ValidationError):
        return None


def graph_of(definition: Mapping[str, Any] | None, state: RunState) -> Graph:
    """Return the graph in the definition part of a checkpoint, with the buffers of
    the state joined to its joins.
    """
    return graph_read(read_definition(definition), definition, state)


def graph_read(
    workflow: WorkflowDefinition | None,
    definition: Mapping[str, Any] | None,
    state: RunState,
) -> Graph:
    """Do the same with a document that is read already."""
    if workflow is None:
        graph = _from_code((definition or {}).get("graph"), state)
    else:
        graph = document_graph.graph_of(workflow)
    # The key of a buffer names the pairs of its join.
    buffers = {
        frozenset(pairs): key for key in state.buffers if (pairs := pairs_in(key))
    }
    keys = {}
    for edge in graph.edges:
        key = None if edge.join is None else buffers.pop(frozenset(edge.pairs), None)
        if key is not None:
            keys[edge.id] = key
    # A buffer of no edge is shown too: what a run holds is never hidden.
    unnamed = [_unnamed(sorted(pairs), key) for pairs, key in buffers.items()]
    keys.update({edge.id: edge.id for edge in unnamed})
    edges = (*graph.edges, *unnamed)
    return Graph(graph.titles, graph.start, edges, graph.silent, keys)


def _from_code(graph: Any, state: RunState) -> document_graph.Graph:
    """Return the graph that a workflow made in code leaves in its checkpoints
    (`runtime.graph.signature`), or the executors of the state without edges.
    """
    try:
        titles = {
            str(executor["id"]): str(executor["id"]) for executor in graph["executors"]
        }
        edges = [_edge_from_code(group) for group in graph["edges"]]
        return document_graph.Graph(titles, str(graph["start"]), edges)
    except (TypeError, LookupError, ValueError, AttributeError):
        asking = [request.executor_id for request in state.requests.values()]
        named = dict.fromkeys([*state.executors, *asking])
        return document_graph.Graph({node_id: node_id for node_id in named}, "", ())


def graph_inside(graph: Any, executor_id: str) -> Mapping[str, Any] | None:
    """Return the graph of the workflow that an executor wraps, from the graph that a
    workflow made in code leaves.
    """
    executors = graph.get("executors") if isinstance(graph, Mapping) else None
    for executor in executors if isinstance(executors, list) else ():
        if isinstance(executor, Mapping) and executor.get("id") == executor_id:
            inner = executor.get("workflow")
            return inner if isinstance(inner, Mapping) else None
    return None


def _edge_from_code(group: Mapping[str, Any]) -> EdgeDefinition:
    fields = edge_fields(group)
    if fields is not None:
        return EDGE_KINDS[fields["kind"]].definition.model_validate(fields)
    chooses = bool(group.keys() - {"id", "kind", "pairs"})
    return UnknownEdge(
        id=str(group["id"]),
        kind=str(group["kind"]),
        links=tuple(pairs_of(group)),
        chooses=chooses,
    )


def _unnamed(pairs: Sequence[tuple[str, str]], key: str) -> EdgeDefinition:
    return UnknownEdge(id=key, kind="", links=tuple(pairs), holds=True)


def pairs_in(key: str) -> list[tuple[str, str]]:
    """Return the source -> target pairs in the key of a join's buffer; empty for a
    key of another form.
    """
    try:
        _kind, _, pairs = key.partition(":")
        return [(str(source), str(target)) for source, target in from_json(pairs)]
    except (ValueError, TypeError):
        return []
