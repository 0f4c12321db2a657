"""Checks of the graph as a whole: what can be reached, joins that cannot fill, loops without an exit, dead ends.

Messages are not simulated. A finding is a warning where user code could make it harmless, and only what the drawing
alone decides is an error.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from runtime.checks.disabled import off_problems
from runtime.checks.graph import Flow
from runtime.checks.joins import join_problems
from runtime.checks.loops import loop_problems
from runtime.document.definition import Infos, WorkflowDefinition
from runtime.document.disabled import live
from runtime.document.graph import reached
from runtime.document.problem import Problem
from runtime.document.sub_workflows import info_of
from runtime.edges.arcs import Arc
from runtime.expressions.python_sends import code_sends_many

Severity = Literal["error", "warning", "info"]


def check_flow(
    definition: WorkflowDefinition, infos: Infos, folder: Path | str | None = None
) -> Iterator[Problem]:
    """The problems of a definition whose ids and ends are sound, and in which no node is off."""
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
            one: known[one].model_copy(update={"sends_many": True}) for one in many
        }
    drawn = Flow(definition, known)
    running = live(definition)
    flow = drawn if running is definition else Flow(running, known)
    yield from _too_large(flow)
    yield from _unreachable(drawn)
    yield from off_problems(drawn, flow)
    yield from join_problems(flow)
    if not flow.is_too_large:
        yield from _meetings(flow)
    yield from loop_problems(flow)
    yield from _dead_ends(flow)


def _problem(
    severity: Severity, rule: str, location: str, message: str, remedy: str
) -> Problem:
    return Problem(
        severity=severity, rule=rule, message=message, location=location, remedy=remedy
    )


# --- the checks ---------------------------------------------------------------------------------------------------


def _too_large(flow: Flow) -> Iterator[Problem]:
    if flow.is_too_large:
        text = f"With {len(flow.switches)} switches it is not checked which ways exclude each other"
        yield _problem(
            "info",
            "too-large",
            "",
            text,
            "Look at the joins behind switches yourself, or split the workflow.",
        )


def _unreachable(flow: Flow) -> Iterator[Problem]:
    found = reached(flow.targets, flow.start)
    for node in flow.definition.nodes:
        if node.id not in found:
            text = f"{node.title} cannot be reached from the start"
            yield _problem(
                "error", "reachable", node.id, text, "Lead an edge to it, or delete it."
            )


def _meetings(flow: Flow) -> Iterator[Problem]:
    """Plain edges that meet although all of them carry a message each time: the node runs once for each."""
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
            continue  # of an output, each message is a result of its own
        # Of those that come round a loop, the node was the cause.
        own = flow.component_of[node.id]
        meeting = [arc for arc in meeting if flow.component_of[arc.source] != own]
        together = [
            arc.source
            for arc in meeting
            if any(_go_together(flow, arc, other) for other in meeting)
        ]
        if together:
            text = f"{node.title} runs once for each message of {flow.names(together)}: they meet without a join"
            remedy = "Make the edges one join if the messages belong together."
            yield _problem("warning", "meeting-without-join", node.id, text, remedy)


def _go_together(flow: Flow, one: Arc, other: Arc) -> bool:
    if one is other:
        return False
    for choice in flow.choices:
        ways = choice.ways_of(one)
        other_ways = choice.ways_of(other)
        if ways is not None and other_ways is not None and not ways & other_ways:
            return False
    return True


def _dead_ends(flow: Flow) -> Iterator[Problem]:
    """Nodes, or loops, that nothing leads out of, and that neither yield an output nor act on the outside."""
    for members, _ in flow.components:
        inside = set(members)
        leaves = any(
            target not in inside for one in members for target in flow.targets[one]
        )
        if leaves or not all(
            one in flow.infos and not flow.infos[one].sink for one in members
        ):
            continue
        verb = "are" if len(members) > 1 else "is"
        text = f"{flow.names(members)} {verb} not connected to an output; messages end there"
        yield _problem(
            "info",
            "reaches-output",
            members[0],
            text,
            "Lead an edge to an output, or to a node that acts.",
        )
