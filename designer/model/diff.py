"""What differs between two designs, so that the scene touches only that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from designer.model.design import Design
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    WorkflowDefinition,
)

_NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Diff:
    """Ids by what happened to them; true if anything differs.

    A node that only moved is not changed, and an edge of which only dots moved is not
    either. `workflow_changed` is everything else: name, start, input, the order of
    nodes and edges, unknown fields.
    """

    nodes_added: frozenset[str] = _NONE
    nodes_removed: frozenset[str] = _NONE
    nodes_changed: frozenset[str] = _NONE
    nodes_moved: frozenset[str] = _NONE
    edges_added: frozenset[str] = _NONE
    edges_removed: frozenset[str] = _NONE
    edges_changed: frozenset[str] = _NONE
    edges_moved: frozenset[str] = _NONE
    workflow_changed: bool = False

    def __bool__(self) -> bool:
        return any(getattr(self, field.name) for field in fields(self))


def diff(before: Design, after: Design) -> Diff:
    """Return what leads from one design to another.

    Cheap where they share nodes and edges, as a design and its edit do.
    """
    if before.workflow is after.workflow:
        return _moves(before, after)
    nodes = _by_id(before.workflow.nodes)
    new_nodes = _by_id(after.workflow.nodes)
    edges = _by_id(before.workflow.edges)
    new_edges = _by_id(after.workflow.edges)
    moved = differing(before.positions, after.positions)
    # Positions of nodes that do not exist come from a file and are kept for it.
    moved_nowhere = moved - nodes.keys() - new_nodes.keys()
    return Diff(
        nodes_added=frozenset(new_nodes.keys() - nodes.keys()),
        nodes_removed=frozenset(nodes.keys() - new_nodes.keys()),
        nodes_changed=_changed(nodes, new_nodes),
        nodes_moved=frozenset(moved & nodes.keys() & new_nodes.keys()),
        edges_added=frozenset(new_edges.keys() - edges.keys()),
        edges_removed=frozenset(edges.keys() - new_edges.keys()),
        edges_changed=_changed(edges, new_edges),
        edges_moved=frozenset(differing(before.dots, after.dots)),
        workflow_changed=(
            bool(moved_nowhere)
            or not _same(_settings(before.workflow), _settings(after.workflow))
            or not _same(_extra_fields(before), _extra_fields(after))
            or _order(nodes, new_nodes) != _order(new_nodes, nodes)
            or _order(edges, new_edges) != _order(new_edges, edges)
        ),
    )


def _moves(before: Design, after: Design) -> Diff:
    """Return the same for two designs that share their workflow, without a look at each
    node.

    Every move asks, and with thousands of nodes a person would feel it.
    """
    moved = differing(before.positions, after.positions)
    known: frozenset[str] = _NONE
    if moved:
        known = frozenset(
            moved.intersection([node.id for node in after.workflow.nodes])
        )
    has_other_fields = not _same(_extra_fields(before), _extra_fields(after))
    return Diff(
        nodes_moved=known,
        edges_moved=frozenset(differing(before.dots, after.dots)),
        workflow_changed=len(known) < len(moved) or has_other_fields,
    )


def _by_id(
    items: Iterable[NodeDefinition | EdgeDefinition],
) -> dict[str, tuple[Any, ...]]:
    """Return all items of each id, because a half-finished file may have two of one."""
    by_id: dict[str, tuple[Any, ...]] = {}
    for item in items:
        by_id[item.id] = (*by_id.get(item.id, ()), item)
    return by_id


def _changed(
    before: Mapping[str, tuple[Any, ...]], after: Mapping[str, tuple[Any, ...]]
) -> frozenset[str]:
    return frozenset(
        key
        for key, items in after.items()
        if key in before and not _same(items, before[key])
    )


def _same(before: tuple[Any, ...], after: tuple[Any, ...]) -> bool:
    """Return whether values are equal, also in type: 1, 1.0 and True are equal in
    Python, and different in a file.
    """
    if len(before) != len(after):
        return False
    return all(
        a is b or (a == b and repr(a) == repr(b))
        for a, b in zip(before, after, strict=True)
    )


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> set[str]:
    """Return the keys that only one of two mappings has, or whose values differ."""
    if before is after:
        return set()
    keys = before.keys() | after.keys()
    return {key for key in keys if before.get(key) != after.get(key)}


def _order(items: Mapping[str, object], others: Mapping[str, object]) -> list[str]:
    return [key for key in items if key in others]


def _settings(workflow: WorkflowDefinition) -> tuple[Any, ...]:
    """Return all fields but nodes and edges."""
    names = sorted(type(workflow).model_fields.keys() - {"nodes", "edges"})
    return (*(getattr(workflow, name) for name in names), workflow.model_extra)


def _extra_fields(design: Design) -> tuple[Any, ...]:
    return dict(design.extra), dict(design.layout_extra)
