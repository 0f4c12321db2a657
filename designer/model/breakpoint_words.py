"""Breakpoints in words, and the kinds that fit what a person clicks on."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from designer.model.breakpoints import condition_of, place_of, writer_of
from designer.model.edge_kinds import kind_of
from runtime.debug.protocol import Breakpoint, BreakpointKind, BreakpointStatus
from runtime.document.definition import WorkflowDefinition
from runtime.values.words import counted

_FAILED = re.compile(r"^(?:Expression|Condition) '.*' failed: ", re.DOTALL)
Target = Literal["node", "edge", "join", "key", "any"]
Name = Callable[[str], str]  # an element of the level of a breakpoint, for people

# What each kind says in the list, and what the editor says after "Stop".
WHEN: Mapping[BreakpointKind, str] = {
    "before": "before it runs",
    "after": "after it ran",
    "failure": "fails",
    "question": "asks",
    "write": "is written",
    "output": "yields an output",
    "message": "message arrives",
    "fires": "fires",
    "starves": "starves",
}
CHOICES: Mapping[Target, Mapping[BreakpointKind, str]] = {
    "node": {
        "before": "before it runs",
        "after": "after it ran",
        "failure": "when it fails",
        "question": "when it asks",
        "output": "when it yields",
        "write": "when it writes",
    },
    "edge": {"message": "when a message arrives"},
    "join": {
        "fires": "when it fires",
        "starves": "when it starves",
        "message": "when a message arrives",
    },
    "key": {"write": "when it is written"},
    "any": {
        "failure": "at any failure",
        "question": "at any question",
        "output": "at any output",
        "before": "before any delivery",
        "fires": "when any join fires",
        "starves": "when any join starves",
    },
}
HITS: Mapping[str, str] = {
    "always": "every time",
    "from": "from hit",
    "every": "every nth hit",
}
ANYWHERE = {
    "failure": "Any failure",
    "question": "Any question",
    "output": "Any output",
    "before": "Any delivery",
    "after": "Any delivery",
    "message": "Any message",
    "write": "Any key",
    "fires": "Any join",
    "starves": "Any join",
}
# Names that a condition and a log text may use, with what completion says of them.
VARIABLES: Mapping[str, str] = {
    "message": "the message, also the value that was written or yielded",
    "state": "the shared state at the barrier before",
    "own": "the own state of the executor",
    "source": "who sent it",
    "executor": "who runs",
    "superstep": "number of the superstep",
    "old": "the value before a write",
    "error": "the text of a failure",
    "key": "the key that is written",
    "edge": "the edge group",
    "handler": "the handler",
    "attempt": "number of the attempt, from 1",
    "path": "the runs of sub-workflows on the way",
    "value": "the same as message",
    "kind": "what happens",
    "target": "the same as executor",
    "reason": "why a message was dropped, or a join starves",
}


def title_of(workflow: WorkflowDefinition, element: str) -> str:
    """Return what a node or edge group is called; its id if it is not drawn."""

    def name(node_id: str) -> str:
        node = workflow.node(node_id)
        return node.title if node is not None else node_id

    for edge in workflow.edges:
        if edge.id == element:
            return kind_of(edge).heading(edge, name)
    return name(element)


def where(point: Breakpoint, name: Name) -> str:
    """Return what a breakpoint is about: a node, an edge, a key, or anything."""
    writer = writer_of(point)
    if writer:
        return f"{name(writer)} writes {point.where or 'any key'}"
    if point.kind == "write" and point.where:
        return f"Key {point.where}"
    if not point.where:
        return ANYWHERE[point.kind]
    return name(place_of(point))


def target_without_place(point: Breakpoint) -> Target:
    """Return what the editor offers for a breakpoint that it cannot point at."""
    if point.kind == "write":
        return "node" if writer_of(point) else "key"
    if not point.where:
        return "any"
    if point.kind == "message":
        return "edge"
    return "join" if point.kind in ("fires", "starves") else "node"


def when(point: Breakpoint) -> str:
    """Return what must happen."""
    if writer_of(point):
        return "writes"
    if not point.where:
        return "happens"
    return WHEN[point.kind]


def only_if(point: Breakpoint) -> str:
    """Return the condition in one line; "" without one."""
    return " ".join(condition_of(point).split())


def then(point: Breakpoint) -> str:
    """Return what it does when it is hit: `stop from hit 2`, `log "…"`."""
    verb = f'log "{" ".join(point.log.split())}"' if point.log else "stop"
    match point.hits:
        case "from" if point.count > 1:
            verb += f" from hit {point.count:,}"
        case "every" if point.count > 1:
            verb += f" at every {ordinal(point.count)} hit"
    return f"{verb}, once" if point.once else verb


def ordinal(number: int) -> str:
    """Return 2nd for 2."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def described(points: Iterable[Breakpoint]) -> str:
    """Return the breakpoints of one element in words, for a tool tip and for speech."""
    return "; ".join(_described(point) for point in points)


def _described(point: Breakpoint) -> str:
    words = "log point" if point.log else "breakpoint"
    if not point.enabled:
        words += ", off"
    words += f", {when(point)}"
    condition = only_if(point)
    return f"{words}, only if {condition}" if condition else words


def sentence_of(error: str) -> str:
    """Return an error of a condition without the text of the condition."""
    reason = _FAILED.sub("", error)
    return reason[:1].upper() + reason[1:]


def hits(status: BreakpointStatus | None) -> str:
    """Return how often a breakpoint was hit."""
    count = status.hits if status is not None else 0
    return "1 hit" if count == 1 else f"{count:,} hits"


def count_on(points: Sequence[Breakpoint], *, muted: bool) -> str:
    """Return how many are on: "5 of 6 breakpoints on"; "" without any."""
    if not points:
        return ""
    if muted:
        return "breakpoints muted"
    enabled = sum(point.enabled for point in points)
    if enabled == len(points):
        return counted(enabled, "breakpoint")
    return f"{enabled} of {counted(len(points), 'breakpoint')} on"


# --- marks ------------------------------------------------------------------------------------------------------------

Shape = Literal["octagon", "diamond"]
Sign = Literal["", "bars", "triangle"]


@dataclass(frozen=True, slots=True)
class BreakpointMark:
    """How the breakpoints of one element are shown.

    shape     a diamond logs a text, an octagon stops
    filled    whether one of them is on
    sign      bars for a condition, a triangle where the run stands
    verified  whether the run knows the place; else it is grey, and `words` say why
    words     the breakpoints, for a tool tip and for speech
    """

    shape: Shape = "octagon"
    filled: bool = True
    sign: Sign = ""
    verified: bool = True
    words: str = ""


# Shows where a click would set one.
GHOST = BreakpointMark(filled=False, verified=False)


def mark_of(
    points: Sequence[Breakpoint],
    statuses: Mapping[str, BreakpointStatus],
    *,
    hit: str = "",
    muted: bool = False,
    reasons: Mapping[str, str] | None = None,
) -> BreakpointMark:
    """Return the mark of the breakpoints of one element.

    `hit` is the breakpoint at which the run stands. `reasons` say by id why the drawing
    has no place for one, before a run has verified it.
    """
    enabled = [point for point in points if point.enabled]
    shown = enabled or list(points)
    is_log = all(point.log for point in shown)
    sign: Sign = ""
    if any(point.id == hit for point in points):
        sign = "triangle"
    elif any(condition_of(point) or point.hits != "always" for point in shown):
        sign = "bars"
    faults = faults_of(points, statuses, reasons)
    said = f"{described(points)}, muted" if muted else described(points)
    return BreakpointMark(
        shape="diamond" if is_log else "octagon",
        filled=bool(enabled) and not muted,
        sign=sign,
        verified=not faults or len(faults) < len(points),
        words=". ".join((said, *faults)),
    )


def faults_of(
    points: Collection[Breakpoint],
    statuses: Mapping[str, BreakpointStatus],
    reasons: Mapping[str, str] | None = None,
) -> list[str]:
    """Return why breakpoints cannot be hit, a sentence for each."""
    faults = []
    for point in points:
        status = statuses.get(point.id)
        if status is not None and not status.verified:
            faults.append(status.reason or "The run has no such place.")
        elif reasons and reasons.get(point.id):
            faults.append(reasons[point.id])
    return faults
