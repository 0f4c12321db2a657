"""What the differences between two moments lead to in the drawing, and what is said of
them there.

A moment is compared with another, A with B. Values inside of sub-workflows lead to the
node on the shown level that they run in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from runtime.debug.protocol import ChangeItem, DivergenceReason
from runtime.document.definition import WorkflowDefinition
from runtime.values.words import counted

_KEY = re.compile(r"\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
FIRST = "first difference"


class Chip(NamedTuple):
    """What is said at an element: a kind of difference and a few words. `source` is
    the one whose wire of an edge is meant; "" for none.
    """

    kind: str
    text: str
    source: str = ""


class Target(NamedTuple):
    """An element of the shown level, and for an edge the source of the wire; "" if a
    difference leads nowhere.
    """

    element: str = ""
    source: str = ""


def target_of(change: ChangeItem) -> Target:
    """Return the element of the shown level that a difference leads to."""
    if change.way:
        return Target(node_of(change.way[0]))
    if change.edge:
        return Target(change.edge, change.source)
    # A message to everybody has no target yet, so it is where it comes from.
    return Target(change.executor or change.source)


def node_of(key: str) -> str:
    """Return the sub-workflow whose invocation has a key: `review#2` is one of
    `review`.
    """
    return key.rpartition("#")[0] or key


def in_words(path: str) -> str:
    """Return the path of a value as people read it: `['draft'].title` is
    `draft.title`.
    """
    return _KEY.sub(
        lambda match: f".{match.group(1) or match.group(2) or ''}", path
    ).removeprefix(".")


def chips_of(
    changes: Iterable[ChangeItem], workflow: WorkflowDefinition
) -> dict[str, Chip]:
    """Return what is said at the elements of a workflow, by their ids."""
    known = {node.id for node in workflow.nodes} | {edge.id for edge in workflow.edges}
    by_target: dict[Target, list[ChangeItem]] = {}
    for change in changes:
        target = target_of(change)
        if target.element in known:
            by_target.setdefault(target, []).append(change)
    chips: dict[str, Chip] = {}
    for target, differences in by_target.items():
        # A join has one chip, although several of its wires may differ.
        if target.element in chips:
            continue
        chips[target.element] = _chip(differences, target.source)
    return chips


def _chip(changes: list[ChangeItem], source: str) -> Chip:
    if len(changes) == 1:
        (change,) = changes
        return Chip(change.kind, _words(change), source)
    kinds = {change.kind for change in changes}
    kind = kinds.pop() if len(kinds) == 1 else "changed"
    return Chip(kind, counted(len(changes), "difference"), source)


def _words(change: ChangeItem) -> str:
    if change.way:
        return f"in {change.way[0]}"
    match change.section:
        case "messages":
            if change.kind == "moved":
                return "message moved"
            return f"1 queued in {_side(change)}"
        case "joins":
            if change.kind == "moved":
                return "message moved"
            value = change.new or change.old
            return f"1 {value.type}" if value is not None else "1 message"
        case "requests":
            if change.before and change.after:
                return f"{change.after}, was {change.before}"
            return f"question in {_side(change)}"
        case "outputs":
            return f"output in {_side(change)}"
        case "graph":
            return "in the graph"
        case "executors":
            _executor, _, field = in_words(change.path).partition(".")
            return field.replace("_", " ") or "has run"
    return in_words(change.path)


def _side(change: ChangeItem) -> str:
    return "A" if change.kind == "removed" else "B"


def first_chips(reason: DivergenceReason) -> dict[str, Chip]:
    """Return what is said at the elements where two runs part."""
    if reason.way:
        return {node_of(reason.way[0]): Chip("changed", FIRST)}
    chips: dict[str, Chip] = {}
    if reason.edge:
        chips[reason.edge] = Chip("changed", FIRST, reason.source)
    elif reason.executor:
        chips[reason.executor] = Chip("changed", FIRST)
    return chips
