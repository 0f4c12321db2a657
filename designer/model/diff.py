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
    """Ids by what happened to them. A node that only moved is not changed, nor is an edge of which only dots did.
    `workflow_changed` is everything else: name, start, input, the order of nodes and edges, unknown fields. True if
    anything at all differs.
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


def diff(old: Design, new: Design) -> Diff:
    """What leads from `old` to `new`. Cheap where they share nodes and edges, as a design and its edit do."""
    before = old.workflow
    after = new.workflow
    if before is after:
        return _moves(old, new)
    nodes = _by_id(before.nodes)
    new_nodes = _by_id(after.nodes)
    edges = _by_id(before.edges)
    new_edges = _by_id(after.edges)
    moved = differing(old.positions, new.positions)
    return Diff(
        nodes_added=frozenset(new_nodes.keys() - nodes.keys()),
        nodes_removed=frozenset(nodes.keys() - new_nodes.keys()),
        nodes_changed=_changed(nodes, new_nodes),
        nodes_moved=frozenset(moved & nodes.keys() & new_nodes.keys()),
        edges_added=frozenset(new_edges.keys() - edges.keys()),
        edges_removed=frozenset(edges.keys() - new_edges.keys()),
        edges_changed=_changed(edges, new_edges),
        edges_moved=frozenset(differing(old.dots, new.dots)),
        workflow_changed=(
            # Positions of nodes that are nowhere come from a file and are kept for it.
            bool(moved - nodes.keys() - new_nodes.keys())
            or not _same(_rest(before), _rest(after))
            or not _same(_rest_of_file(old), _rest_of_file(new))
            or _order(nodes, new_nodes) != _order(new_nodes, nodes)
            or _order(edges, new_edges) != _order(new_edges, edges)
        ),
    )


def _moves(old: Design, new: Design) -> Diff:
    """The same of two designs that share their workflow: every move asks, and thousands of nodes would feel it."""
    moved = differing(old.positions, new.positions)
    known = frozenset(
        moved.intersection([node.id for node in new.workflow.nodes]) if moved else ()
    )
    return Diff(
        nodes_moved=known,
        edges_moved=frozenset(differing(old.dots, new.dots)),
        workflow_changed=len(known) < len(moved)
        or not _same(_rest_of_file(old), _rest_of_file(new)),
    )


def _by_id(
    items: Iterable[NodeDefinition | EdgeDefinition],
) -> dict[str, tuple[Any, ...]]:
    """All items of each id: a half-finished file may have two of one."""
    found: dict[str, tuple[Any, ...]] = {}
    for item in items:
        found[item.id] = (*found.get(item.id, ()), item)
    return found


def _changed(
    old: Mapping[str, tuple[Any, ...]], new: Mapping[str, tuple[Any, ...]]
) -> frozenset[str]:
    return frozenset(
        key for key, items in new.items() if key in old and not _same(items, old[key])
    )


def _same(old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
    """Equal also in type: 1, 1.0 and True are equal in Python, and different in a file."""
    return len(old) == len(new) and all(
        a is b or (a == b and repr(a) == repr(b)) for a, b in zip(old, new, strict=True)
    )


def differing(old: Mapping[str, Any], new: Mapping[str, Any]) -> set[str]:
    """Keys that only one has, or whose values differ."""
    if old is new:
        return set()
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _order(items: Mapping[str, object], others: Mapping[str, object]) -> list[str]:
    return [key for key in items if key in others]


def _rest(workflow: WorkflowDefinition) -> tuple[Any, ...]:
    own = type(workflow).model_fields.keys() - {"nodes", "edges"}
    return (*(getattr(workflow, name) for name in sorted(own)), workflow.model_extra)


def _rest_of_file(design: Design) -> tuple[Any, ...]:
    return dict(design.extra), dict(design.layout_extra)
