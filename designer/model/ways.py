"""The ways into and out of sub-workflows follow when a node, outside or inside, gets another id."""

from __future__ import annotations

from collections.abc import Mapping

from designer.model.design import Design
from runtime.children import SUB_WORKFLOW
from runtime.definition import NodeDefinition
from runtime.ways import ENTRIES, EXITS, entries_of, exits_of


def has_ways(node: NodeDefinition) -> bool:
    """Whether a sub-workflow has other ways in or out than its start and all its edges."""
    return bool(entries_of(node) or exits_of(node))


def renamed_outside(nodes: tuple[NodeDefinition, ...], names: Mapping[str, str]) -> tuple[NodeDefinition, ...]:
    """The same nodes, whose ways lead from and to nodes outside by their new names."""
    return tuple(_outside(node, names) if node.type == SUB_WORKFLOW else node for node in nodes)


def renamed_inside(node: NodeDefinition, old: Design, new: Design) -> NodeDefinition:
    """The node whose ways lead to the nodes inside by the ids that they have now: those at the same places of the
    drawing, of the same type, are the same.
    """
    before, after = old.workflow.nodes, new.workflow.nodes
    if len(before) != len(after):
        return node
    pairs = [(a.id, b.id) for a, b in zip(before, after, strict=True) if a.type == b.type and a.id != b.id]
    gone = {one.id for one in before} - {one.id for one in after}
    names = {a: b for a, b in pairs if a in gone}
    entries = {source: names.get(entry, entry) for source, entry in entries_of(node).items()}
    exits = {names.get(output, output): list(to) for output, to in exits_of(node).items()}
    return _with_ways(node, entries, exits) if names else node


def _outside(node: NodeDefinition, names: Mapping[str, str]) -> NodeDefinition:
    entries = {names.get(source, source): entry for source, entry in entries_of(node).items()}
    exits = {output: [names.get(one, one) for one in to] for output, to in exits_of(node).items()}
    return _with_ways(node, entries, exits)


def _with_ways(node: NodeDefinition, entries: dict[str, str], exits: dict[str, list[str]]) -> NodeDefinition:
    ways = {key: value for key, value in ((ENTRIES, entries), (EXITS, exits)) if value}
    return node.model_copy(update={"params": {**node.params, **ways}}) if ways else node
