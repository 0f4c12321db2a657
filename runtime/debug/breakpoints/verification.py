"""Whether a breakpoint can ever be hit, and if not, why."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from runtime.debug.breakpoints.kinds import KINDS, Place
from runtime.debug.facts.probe import LogText, Probe
from runtime.debug.graphs.graph import Graph
from runtime.debug.moments.moment import Snapshot
from runtime.debug.protocol import Breakpoint, RunToArguments
from runtime.errors import ConditionError
from runtime.executors.context import check_key
from runtime.state import RunState, Trace, owner_of
from runtime.values.user_failures import text_of

# The workflow that a breakpoint is about, as far as it is drawn.
Drawn = Snapshot


def drawn(definition: Mapping[str, object] | None) -> Drawn | None:
    """Return the workflow of the definition part of a checkpoint; None for nothing."""
    if definition is None:
        return None
    return Snapshot(None, RunState(), Trace(), definition)


def place_to_run_to(request: RunToArguments) -> Breakpoint:
    """Return a node or an edge to run to as a breakpoint."""
    return Breakpoint(
        id="",
        kind="before" if request.node else "message",
        where=request.node or request.edge,
        inside=request.inside,
        run=request.run,
    )


def fault_of(breakpoint: Breakpoint, workflow: Drawn | None) -> str:
    """Return why a breakpoint can never be hit in a workflow, "" if it can. A key that
    is never written is no fault, because code may write any key.
    """
    fault = fault_of_texts(breakpoint)
    if fault:
        return fault
    if workflow is None:
        return "No workflow is open."
    return _fault_of_way(breakpoint, workflow) or _fault_of_place(breakpoint, workflow)


def fault_of_texts(breakpoint: Breakpoint) -> str:
    """Return why the condition or the log text does not compile."""
    try:
        Probe("before", condition=breakpoint.condition)
    except ConditionError as error:
        return f"The condition does not compile: {text_of(error)}"
    try:
        LogText(breakpoint.log)
    except ConditionError as error:
        return f"The log text does not compile: {text_of(error)}"
    return ""


def _fault_of_way(breakpoint: Breakpoint, workflow: Drawn) -> str:
    way = breakpoint.inside
    for depth, node in enumerate(way):
        outer, _, _ = workflow.follow(way[:depth])
        if node not in outer.graph.titles:
            return f"There is no node '{node}' that it could be inside of."
    if not breakpoint.run:
        return ""
    if not way:
        return f"Invocation '{breakpoint.run}' needs the sub-workflow that it is of."
    if owner_of(breakpoint.run) != way[-1]:
        return f"Invocation '{breakpoint.run}' is not one of '{way[-1]}'."
    return ""


def _fault_of_place(breakpoint: Breakpoint, workflow: Drawn) -> str:
    if not breakpoint.where:
        return ""
    snapshot, _, _ = workflow.follow(breakpoint.inside)
    return _FAULTS[KINDS[breakpoint.kind].place](breakpoint.where, snapshot.graph)


def _fault_of_executor(where: str, graph: Graph) -> str:
    return "" if where in graph.titles else f"There is no node '{where}'."


def _fault_of_edge(where: str, graph: Graph) -> str:
    edge = next((edge for edge in graph.edges if edge.id == where), None)
    if edge is None:
        # The name of an edge may also be the node to which it leads.
        return "" if where in graph.titles else f"There is no edge '{where}'."
    sources = edge.source_ids
    if sources and graph.silent.issuperset(sources):
        return f"Nothing goes along edge '{where}': '{sources[0]}' is disabled."
    return ""


def _fault_of_join(where: str, graph: Graph) -> str:
    if any(where in (join.edge, join.target) for join in graph.joins):
        return ""
    if where in graph.edge_ids or where in graph.titles:
        return (
            f"'{where}' is no join. Only an edge that joins messages fires or starves."
        )
    return f"There is no join '{where}'."


def _fault_of_key(where: str, _: Graph) -> str:
    try:
        check_key(where)
    except ValueError as error:
        return text_of(error)
    return ""


_FAULTS: Mapping[Place, Callable[[str, Graph], str]] = {
    "executor": _fault_of_executor,
    "edge": _fault_of_edge,
    "join": _fault_of_join,
    "key": _fault_of_key,
}
