"""Checks of the whole graph: unreachable nodes, joins that cannot fill, loops without
an exit, dead ends.

Messages are not simulated. A problem is a warning if user code could make it harmless;
it is an error only if the drawing alone decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from runtime.checks.disabled import disabled_problems
from runtime.checks.graph import Flow
from runtime.checks.joins import join_problems
from runtime.checks.loops import loop_problems
from runtime.checks.rules import problem
from runtime.document.definition import Infos, WorkflowDefinition
from runtime.document.disabled import live
from runtime.document.graph import reached
from runtime.document.problem import Problem
from runtime.document.sub_workflows import info_of
from runtime.edges.arcs import Arc
from runtime.expressions.python_sends import code_sends_many


def check_flow(
    definition: WorkflowDefinition, infos: Infos, folder: Path | str | None = None
) -> Iterator[Problem]:
    """Yield the problems of a definition with sound ids and ends, in which no node
    is disabled.
    """
    known = {
        node.id: info
        for node in definition.nodes
        if (info := info_of(node, infos, folder)) is not None
    }
    if any(edge.join is not None for edge in definition.edges):
        many = [
            node.id
            for node in definition.nodes
            if node.id in known and code_sends_many(node.type, node.params, folder)
        ]
        known |= {
            node_id: known[node_id].model_copy(update={"sends_many": True})
            for node_id in many
        }
    drawn = Flow(definition, known)
    running = live(definition)
    flow = drawn if running is definition else Flow(running, known)
    yield from _too_large(flow)
    yield from _unreachable(drawn)
    yield from disabled_problems(drawn, flow)
    yield from join_problems(flow)
    if not flow.is_too_large:
        yield from _meetings(flow)
    yield from loop_problems(flow)
    yield from _dead_ends(flow)


# --- the checks ---------------------------------------------------------------------------------------------------


def _too_large(flow: Flow) -> Iterator[Problem]:
    if flow.is_too_large:
        yield problem("too-large", "switches", count=len(flow.switches))


def _unreachable(flow: Flow) -> Iterator[Problem]:
    reachable = reached(flow.targets, flow.start)
    for node in flow.definition.nodes:
        if node.id not in reachable:
            yield problem("reachable", "never", node.id, node=node.title)


def _meetings(flow: Flow) -> Iterator[Problem]:
    """Yield nodes where plain edges meet that all carry a message each time: the
    node runs once for each.
    """
    certain = reached(
        flow.targets_by(arc for arc in flow.arcs if arc.taken != "maybe"), flow.start
    )
    for node in flow.definition.nodes:
        info = flow.infos.get(node.id)
        meeting = [
            arc
            for arc in flow.incoming[node.id]
            if arc.taken != "maybe" and arc.source in certain
        ]
        if len(meeting) < 2 or (info is not None and not info.outputs):
            continue  # an output makes a result of each message
        # Messages that come round a loop were caused by the node itself.
        component = flow.component_of[node.id]
        meeting = [arc for arc in meeting if flow.component_of[arc.source] != component]
        together = [
            arc.source
            for arc in meeting
            if any(_go_together(flow, arc, other) for other in meeting)
        ]
        if together:
            names = flow.names(together)
            yield problem(
                "meeting-without-join", "meeting", node.id, node=node.title, names=names
            )


def _go_together(flow: Flow, first: Arc, other: Arc) -> bool:
    if first is other:
        return False
    for choice in flow.choices:
        ways = choice.ways_of(first)
        other_ways = choice.ways_of(other)
        if ways is not None and other_ways is not None and not ways & other_ways:
            return False
    return True


def _dead_ends(flow: Flow) -> Iterator[Problem]:
    """Yield nodes, or loops, without a way out that neither yield an output nor
    act on the outside.
    """
    for members, _ in flow.components:
        inside = set(members)
        leaves = any(
            target not in inside
            for member in members
            for target in flow.targets[member]
        )
        if leaves or not all(
            member in flow.infos and not flow.infos[member].sink for member in members
        ):
            continue
        name = "several" if len(members) > 1 else "one"
        names = flow.names(members)
        yield problem("reaches-output", name, members[0], names=names)
