"""The ends of edge groups, whatever their kind: what is left when some go, and other
nodes in their place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from designer.model.edge_kinds import kind_of
from runtime.document.definition import EdgeDefinition


def ends(edge: EdgeDefinition) -> set[str]:
    return {*edge.source_ids, *edge.target_ids}


def usual_id(edge: EdgeDefinition) -> str:
    """Return a readable id that says where the edge leads, or which node holds the
    group.
    """
    return kind_of(edge).usual_id(edge)


def without(edge: EdgeDefinition, removed: Collection[str]) -> EdgeDefinition | None:
    """Return what is left of a group when nodes go: the same group, a smaller one, a
    plain edge, or nothing.

    A group with one wire left becomes a plain edge with another id.
    """
    kind = kind_of(edge)
    if ends(edge).isdisjoint(removed):
        return edge
    if kind.hub(edge) in removed:
        return None
    return kind.fewer(edge, removed)


def renamed(edge: EdgeDefinition, names: Mapping[str, str]) -> EdgeDefinition:
    """Return the same group with other node ids at its ends; ids that `names` does not
    have stay.
    """
    return kind_of(edge).with_ends(edge, names, names)
