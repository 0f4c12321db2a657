"""The graph that a checkpoint ran with, as the debugger reads it: titles, ways and joins, from data alone.

Made from the definition that the checkpoint carries; without one (a workflow made in code) from what the state itself
names. An unknown or newer definition never makes a checkpoint unreadable.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    MultiSelectionEdge,
    OnErrorEdge,
    SwitchEdge,
    WorkflowDefinition,
    edge_pairs,
)
from runtime.document.disabled import disabled_ids
from runtime.state import RunState
from runtime.system.bounded_files import from_json

FAN_IN_PREFIX = "fan_in:"


@dataclass(frozen=True, slots=True)
class Way:
    """One source -> target pair of an edge group. `certain` is false where a condition decides. What is `on_error`
    carries failures of its source, and no message.
    """

    edge: str
    source: str
    target: str
    certain: bool = True
    on_error: bool = False


@dataclass(frozen=True, slots=True)
class Join:
    """A fan-in edge. `key` is the key of its buffer in the state, or None if the state has none for it. `silent` are
    those of its sources that are disabled: it does not wait for them.
    """

    edge: str
    sources: tuple[str, ...]
    target: str
    policy: str = "all"
    count: int = 0
    key: str | None = None
    silent: frozenset[str] = frozenset()

    @property
    def awaited(self) -> tuple[str, ...]:
        return tuple(source for source in self.sources if source not in self.silent)


@dataclass(frozen=True)
class Graph:
    """Titles by executor id in the order of the definition, the start, ways of all edges but joins, and joins. Ways out
    of disabled nodes, on which nothing comes, are `muted`.
    """

    titles: Mapping[str, str]
    start: str
    ways: tuple[Way, ...]
    joins: tuple[Join, ...]
    muted: tuple[Way, ...] = ()

    @cached_property
    def lost(self) -> dict[str, list[str]]:
        """Every executor that no message can reach because of disabled ones, with these."""
        found: dict[str, list[str]] = {}
        if self.muted:
            live = {self.start, *self.reachable([self.start])}
            for way in self.muted:
                for target in (
                    {way.target, *self.reachable([way.target])} - live
                    if way.source in live
                    else ()
                ):
                    if way.source not in found.setdefault(target, []):
                        found[target].append(way.source)
        return found

    @cached_property
    def out(self) -> dict[str, list[Way]]:
        """Ways by their source, joins included."""
        return _grouped(self._all_ways, "source")

    @cached_property
    def into(self) -> dict[str, list[Way]]:
        """Ways by their target, joins included."""
        return _grouped(self._all_ways, "target")

    @cached_property
    def edge_of(self) -> dict[tuple[str, str], str]:
        """The edge of each source -> target pair. Of two edges one is an error edge: then the other."""
        ways = sorted(self._all_ways, key=lambda way: not way.on_error)
        return {(way.source, way.target): way.edge for way in ways}

    @cached_property
    def edge_ids(self) -> frozenset[str]:
        return frozenset([way.edge for way in (*self._all_ways, *self.muted)])

    @property
    def _all_ways(self) -> list[Way]:
        into_joins = [
            Way(join.edge, source, join.target)
            for join in self.joins
            for source in join.awaited
        ]
        return [*self.ways, *into_joins]

    def title(self, executor_id: str) -> str:
        return self.titles.get(executor_id, executor_id)

    def reachable(self, starts: Iterable[str]) -> set[str]:
        """Every executor that messages from `starts` can reach, those not included unless a loop leads back."""
        seen: set[str] = set()
        todo = list(starts)
        while todo:
            for way in self.out.get(todo.pop(), ()):
                if way.target not in seen:
                    seen.add(way.target)
                    todo.append(way.target)
        return seen


def _grouped(ways: Iterable[Way], by: str) -> dict[str, list[Way]]:
    groups: dict[str, list[Way]] = {}
    for way in ways:
        groups.setdefault(getattr(way, by), []).append(way)
    return groups


def read_definition(definition: Mapping[str, Any] | None) -> WorkflowDefinition | None:
    """The document in a checkpoint's definition part (`{"workflow": …, "folder": …}`), if there is one to read."""
    try:
        return WorkflowDefinition.model_validate((definition or {})["workflow"])
    except (KeyError, ValidationError):
        return None


def graph_of(definition: Mapping[str, Any] | None, state: RunState) -> Graph:
    """The graph in the definition part of a checkpoint, with the buffers of the state joined to its joins."""
    return graph_read(read_definition(definition), definition, state)


def graph_read(
    workflow: WorkflowDefinition | None,
    definition: Mapping[str, Any] | None,
    state: RunState,
) -> Graph:
    """The same for who has read the document of the definition part already."""
    if workflow is None:
        graph = _from_code((definition or {}).get("graph"), state)
    else:
        graph = _from_document(workflow)
    keys = {frozenset(pairs): key for key in state.buffers if (pairs := _pairs(key))}
    joins = [
        replace(j, key=keys.pop(frozenset((s, j.target) for s in j.sources), None))
        for j in graph.joins
    ]
    # A buffer that no edge owns is shown too: what a run holds is never hidden.
    joins += [_unnamed(pairs, key) for pairs, key in keys.items()]
    return replace(graph, joins=tuple(joins))


def _from_document(workflow: WorkflowDefinition) -> Graph:
    silent = disabled_ids(workflow)
    joins = [
        Join(
            edge.id,
            edge.sources,
            edge.target,
            edge.policy,
            edge.count,
            silent=silent.intersection(edge.sources),
        )
        for edge in workflow.edges
        if isinstance(edge, FanInEdge)
    ]
    ways = [
        way
        for edge in workflow.edges
        if not isinstance(edge, FanInEdge)
        for way in _ways(edge)
    ]
    muted = [way for way in ways if way.source in silent]
    muted += [
        Way(join.edge, one, join.target)
        for join in joins
        if not join.awaited
        for one in join.sources
    ]
    ways = [way for way in ways if way.source not in silent] if silent else ways
    titles = {node.id: node.title for node in workflow.nodes}
    return Graph(titles, workflow.start, tuple(ways), tuple(joins), tuple(muted))


def _from_code(graph: Any, state: RunState) -> Graph:
    """The graph that a workflow made in code leaves in its checkpoints (`runtime.graph.signature`), or none."""
    try:
        titles = {str(one["id"]): str(one["id"]) for one in graph["executors"]}
        read = [_edge_from_code(edge) for edge in graph["edges"]]
        return Graph(
            titles,
            str(graph["start"]),
            tuple(way for _join, ways in read for way in ways),
            tuple(join for join, _ways in read if join is not None),
        )
    except (TypeError, LookupError, ValueError, AttributeError):
        named = [
            *state.executors,
            *(request.executor_id for request in state.requests.values()),
        ]
        return Graph({id_: id_ for id_ in dict.fromkeys(named)}, "", (), ())


def graph_inside(graph: Any, executor_id: str) -> Mapping[str, Any] | None:
    """The graph of the workflow that an executor wraps, in the graph that a workflow made in code leaves."""
    executors = graph.get("executors") if isinstance(graph, Mapping) else None
    for executor in executors if isinstance(executors, list) else ():
        if isinstance(executor, Mapping) and executor.get("id") == executor_id:
            inner = executor.get("workflow")
            return inner if isinstance(inner, Mapping) else None
    return None


def _edge_from_code(edge: Mapping[str, Any]) -> tuple[Join | None, list[Way]]:
    edge_id = str(edge["id"])
    pairs = [(str(source), str(target)) for source, target in edge["pairs"]]
    if edge["kind"] == "fan_in":
        sources = tuple(source for source, _target in pairs)
        return Join(
            edge_id,
            sources,
            pairs[0][1],
            str(edge.get("policy", "all")),
            int(edge.get("count", 0)),
        ), []
    logic = edge.keys() - {"id", "kind", "pairs"}
    on_error = edge["kind"] == "on_error"
    return None, [
        Way(edge_id, source, target, not logic, on_error)
        for source, target in dict.fromkeys(pairs)
    ]


def _unnamed(pairs: frozenset[tuple[str, str]], key: str) -> Join:
    ordered = sorted(pairs)
    return Join(
        key, tuple(source for source, _target in ordered), ordered[0][1], key=key
    )


def _pairs(key: str) -> list[tuple[str, str]]:
    """The source -> target pairs in the key of a join's buffer; empty for a key of another shape."""
    try:
        found = from_json(key.removeprefix(FAN_IN_PREFIX))
        return [(str(source), str(target)) for source, target in found]
    except (ValueError, TypeError):
        return []


def _ways(edge: EdgeDefinition) -> list[Way]:
    pairs = edge_pairs(edge)
    match edge:
        case DirectEdge():
            certain = {edge.target: not edge.condition}
        case OnErrorEdge():
            return [
                Way(
                    edge.id, edge.source, edge.target, not edge.condition, on_error=True
                )
            ]
        case SwitchEdge():
            certain = dict.fromkeys(
                (target for _source, target in pairs), len(pairs) == 1
            )
        case MultiSelectionEdge():
            certain = {
                selection.target: not selection.when for selection in edge.selections
            }
        case _:
            certain = {}
    return [
        Way(edge.id, source, target, certain.get(target, True))
        for source, target in pairs
    ]
