"""Breakpoints, watches and pinned results of a document.

They are no part of the drawing: setting one is no edit, and a run of the document alone
does not depend on them. So they have no undo step, and the document stays saved.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from designer.model.design import Design
from designer.model.names import other_ids
from designer.model.pins import NO_PINS, Pins, Renames, renamed_pins
from runtime.debug.protocol import Breakpoint, BreakpointKind
from runtime.document.definition import EdgeDefinition, WorkflowDefinition

Way = tuple[str, ...]
_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _nothing() -> Mapping[str, Any]:
    return _NOTHING


@dataclass(frozen=True)
class DebugNotes:
    """The breakpoints, watches and pinned results of one document.

    breakpoints  in the order in which they were set
    muted        whether none of them stops or logs for the time being
    watches      CEL expressions over the moment that is shown
    pins         the results that stand in for calls
    extra        fields of the file that this version does not know, as they came
    extras       the same of the breakpoints, by their ids
    unread       entries of the file that are no breakpoints of this version
    """

    breakpoints: tuple[Breakpoint, ...] = ()
    muted: bool = False
    watches: tuple[str, ...] = ()
    pins: Pins = NO_PINS
    extra: Mapping[str, Any] = field(default_factory=_nothing)
    extras: Mapping[str, Mapping[str, Any]] = field(default_factory=_nothing)
    unread: tuple[Any, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing that a file would keep."""
        kept = (
            self.breakpoints,
            self.watches,
            self.pins,
            self.extra,
            self.unread,
            self.muted,
        )
        return not any(kept)

    def get(self, id: str) -> Breakpoint | None:
        """Return the breakpoint with an id."""
        return next((point for point in self.breakpoints if point.id == id), None)

    def at(self, element: str, inside: Way) -> tuple[Breakpoint, ...]:
        """Return the breakpoints of a node or edge group on a level."""
        return tuple(
            point
            for point in self.breakpoints
            if element and point.inside == inside and place_of(point) == element
        )

    def put(self, *points: Breakpoint) -> DebugNotes:
        """Return it with these breakpoints, each in the place of the one with its id."""
        given = {point.id: point for point in points}
        known = {point.id for point in self.breakpoints}
        present = [given.get(point.id, point) for point in self.breakpoints]
        added = [point for id, point in given.items() if id not in known]
        return replace(self, breakpoints=(*present, *added))

    def with_pins(self, pins: Pins) -> DebugNotes:
        """Return it with other pinned results."""
        return replace(self, pins=pins)

    def without(self, ids: Collection[str]) -> DebugNotes:
        """Return it without these breakpoints."""
        left = tuple(point for point in self.breakpoints if point.id not in ids)
        return replace(self, breakpoints=left)


NO_NOTES = DebugNotes()


def new_id() -> str:
    """Return an id that no other breakpoint of any window has."""
    return secrets.token_hex(6)


# --- where a breakpoint is --------------------------------------------------------------------------------------------

# A breakpoint on the writes of one node to a key. The protocol knows the key only, so
# the node is the beginning of its condition.
_WRITER = "executor == "


def writer_of(point: Breakpoint) -> str:
    """Return the node whose writes to a key a breakpoint is about; "" for every node."""
    return _parted(point.condition)[0] if point.kind == "write" else ""


def condition_of(point: Breakpoint) -> str:
    """Return the condition of a breakpoint as a person writes it, without its node."""
    if point.kind != "write":
        return point.condition
    return _parted(point.condition)[1]


def with_writer(condition: str, node: str) -> str:
    """Return the condition that holds for the writes of one node; "" for every node."""
    if not node:
        return condition
    its_own = f"{_WRITER}{json.dumps(node)}"
    return f"{its_own} && ({condition})" if condition.strip() else its_own


def with_condition(point: Breakpoint, condition: str) -> Breakpoint:
    """Return a breakpoint with another condition, as a person writes it."""
    text = with_writer(condition, writer_of(point))
    return point.model_copy(update={"condition": text})


def of_kind(
    point: Breakpoint, element: str, kind: BreakpointKind, key: str
) -> Breakpoint:
    """Return a breakpoint of a node or edge group that is about something else that
    happens there. `key` is the key that a node writes, "" for every key.
    """
    condition = condition_of(point)
    if kind != "write" or not element:
        where = element or (point.where if kind == point.kind else "")
        changes = {"kind": kind, "where": where, "condition": condition}
    else:
        condition = with_writer(condition, element)
        changes = {"kind": kind, "where": key.strip(), "condition": condition}
    return point.model_copy(update=changes)


def _parted(condition: str) -> tuple[str, str]:
    """Return the node and the remainder of a condition of `with_writer`."""
    if not condition.startswith(_WRITER):
        return "", condition
    text = condition.removeprefix(_WRITER)
    try:
        node, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return "", condition
    remainder = text[end:]
    if not isinstance(node, str):
        return "", condition
    if not remainder:
        return node, ""
    if remainder.startswith(" && (") and remainder.endswith(")"):
        return node, remainder.removeprefix(" && (")[:-1]
    return "", condition


def place_of(point: Breakpoint) -> str:
    """Return the node or edge group with the mark of a breakpoint; "" for a key, and
    for anything anywhere.
    """
    if point.kind == "write":
        return writer_of(point)
    return point.where


def missing_in(design: Design | None, point: Breakpoint) -> str:
    """Return why a drawing has no place for a breakpoint of its level; "" if it has.

    `design` is the drawing of that level, None if there is none.
    """
    if design is None:
        return "The sub-workflow of this breakpoint is not in the drawing."
    element = place_of(point)
    if not element or element in _ids(design.workflow):
        return ""
    noun = "edge" if point.kind in ("message", "fires", "starves") else "node"
    return f"The drawing has no {noun} '{element}'. Undo brings a deleted one back."


def _ids(workflow: WorkflowDefinition) -> set[str]:
    return {node.id for node in workflow.nodes} | {edge.id for edge in workflow.edges}


# --- following edits --------------------------------------------------------------------------------------------------


def renames_of(
    before: WorkflowDefinition, after: WorkflowDefinition
) -> Mapping[str, str]:
    """Return the new ids of renamed nodes and edge groups, by the ids that they had."""
    if before is after:
        return {}
    nodes = other_ids(before, after)
    return {**nodes, **_renamed_edges(before.edges, after.edges, nodes)}


def _renamed_edges(
    before: tuple[EdgeDefinition, ...],
    after: tuple[EdgeDefinition, ...],
    nodes: Mapping[str, str],
) -> dict[str, str]:
    """Return the new ids of edge groups: one at the same place in the order joins the
    same nodes, its old id is gone, and its new one is new.
    """
    if len(before) != len(after):
        return {}
    old_ids = {edge.id for edge in before}
    new_ids = {edge.id for edge in after}
    renamed = {}
    for edge, same_place in zip(before, after, strict=True):
        if edge.id in new_ids or same_place.id in old_ids:
            continue
        ends = [(nodes.get(a, a), nodes.get(b, b)) for a, b in edge.pairs]
        if edge.kind == same_place.kind and ends == list(same_place.pairs):
            renamed[edge.id] = same_place.id
    return renamed


def renamed(notes: DebugNotes, renames: Renames) -> DebugNotes:
    """Return breakpoints and pins at the new ids of what they are about."""
    if not renames:
        return notes
    points = tuple(_renamed(point, renames) for point in notes.breakpoints)
    pins = renamed_pins(notes.pins, renames)
    if points == notes.breakpoints and pins is notes.pins:
        return notes
    return replace(notes, breakpoints=points, pins=pins)


def _renamed(point: Breakpoint, renames: Renames) -> Breakpoint:
    inside = tuple(
        renames.get((point.inside[:depth], node), node)
        for depth, node in enumerate(point.inside)
    )
    changes: dict[str, Any] = {}
    if inside != point.inside:
        changes["inside"] = inside
    element = place_of(point)
    new_id = renames.get((point.inside, element), element) if element else element
    if new_id != element and point.kind == "write":
        changes["condition"] = with_writer(condition_of(point), new_id)
    elif new_id != element:
        changes["where"] = new_id
    return point.model_copy(update=changes) if changes else point
