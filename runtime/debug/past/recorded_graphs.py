"""The graphs of recorded runs, each read once: thousands of checkpoints share one
definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runtime.debug.graphs.graph import Graph, graph_read, read_definition
from runtime.debug.moments.moment import Snapshot
from runtime.document.definition import WorkflowDefinition
from runtime.state import RunState, Trace, owner_of

Way = tuple[str, ...]
_Definition = Mapping[str, Any] | None
# A graph depends on the state only by the keys of its buffers.
_GRAPHS_KEPT = 200


class RecordedGraphs:
    """The graphs of the tree of runs that one saved definition describes."""

    def __init__(self, definition: _Definition) -> None:
        self._root = Snapshot(None, RunState(), Trace(), definition)
        self._read: dict[Way, tuple[WorkflowDefinition | None, _Definition]] = {}
        self._graphs: dict[tuple[Way, Way], Graph] = {}

    def at(self, path: tuple[str, ...], state: RunState) -> Graph:
        """Return the graph of the run that these keys lead to, with the buffers of its
        state.
        """
        way = tuple(owner_of(key) for key in path)
        document, definition = self._definition_at(way)
        if document is None and "graph" not in (definition or {}):
            # Such a graph is made of what the state names.
            return graph_read(None, definition, state)
        key = (way, tuple(state.buffers))
        graph = self._graphs.get(key)
        if graph is None:
            graph = graph_read(document, definition, state)
            if len(self._graphs) >= _GRAPHS_KEPT:
                self._graphs.clear()
            self._graphs[key] = graph
        return graph

    def is_drawn(self, path: tuple[str, ...]) -> bool:
        """Return whether the run has a document, whose edges have ids that people
        know.
        """
        document, _ = self._definition_at(tuple(owner_of(key) for key in path))
        return document is not None

    def _definition_at(self, way: Way) -> tuple[WorkflowDefinition | None, _Definition]:
        if way not in self._read:
            snapshot, _, _ = self._root.follow(way)
            definition = snapshot.definition
            self._read[way] = (read_definition(definition), definition)
        return self._read[way]
