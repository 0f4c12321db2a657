"""The ways into and out of a sub-workflow name nodes; they follow when these get other
ids or others their place.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from designer.model.design import Design
from designer.model.errors import EditError
from runtime.document.definition import NodeDefinition
from runtime.document.sub_workflows import SUB_WORKFLOW
from runtime.document.ways import ENTRIES, EXITS, entries_of, exits_of


def has_ways(node: NodeDefinition) -> bool:
    """Return whether a sub-workflow has other ways in or out than its start and all its
    edges.
    """
    return bool(entries_of(node) or exits_of(node))


def renamed_outside(
    nodes: tuple[NodeDefinition, ...], names: Mapping[str, str]
) -> tuple[NodeDefinition, ...]:
    """Return the same nodes, whose ways lead from and to nodes outside by their new
    names.
    """
    return tuple(
        _outside(node, names) if node.type == SUB_WORKFLOW else node for node in nodes
    )


def led_otherwise(
    node: NodeDefinition,
    senders: Mapping[str, Collection[str]],
    receivers: Mapping[str, Collection[str]],
) -> NodeDefinition:
    """Return the node where others take the place of nodes that send to it, and of
    nodes that it sends to.

    Where it has no ways, that is the same object. Raise `EditError` where one node
    would take the place of several that its ways tell apart.
    """
    if node.type != SUB_WORKFLOW or not has_ways(node):
        return node
    entries = entries_of(node)
    exits = exits_of(node)
    for mixed in _mixed(senders):
        if len({entries.get(sender, "") for sender in mixed}) > 1:
            raise _tells_apart(node, mixed)
    for mixed in _mixed(receivers):
        for exit_receivers in exits.values():
            if mixed.intersection(exit_receivers) not in (set(), mixed):
                raise _tells_apart(node, mixed)
    new_entries: dict[str, str] = {}
    for source, entry in entries.items():
        for sender in senders.get(source, (source,)):
            new_entries[sender] = entry
    new_exits: dict[str, list[str]] = {}
    for output, exit_receivers in exits.items():
        others = [
            other
            for receiver in exit_receivers
            for other in receivers.get(receiver, (receiver,))
        ]
        new_exits[output] = list(dict.fromkeys(others))
    return _with_ways(node, new_entries, new_exits)


def _mixed(others: Mapping[str, Collection[str]]) -> list[set[str]]:
    """Return the sets of nodes of which one other node takes the place."""
    by_other: dict[str, set[str]] = {}
    for node_id, substitutes in others.items():
        for substitute in substitutes:
            by_other.setdefault(substitute, set()).add(node_id)
    return list(by_other.values())


def _tells_apart(node: NodeDefinition, mixed: Collection[str]) -> EditError:
    names = " and ".join(f"'{node_id}'" for node_id in sorted(mixed))
    text = (
        f"'{node.title}' tells {names} apart by its ways in and out, so one node "
        "cannot take the place of all of them. Take it along, choose only one of "
        "them, or change its ways first."
    )
    return EditError(text, node.id, *sorted(mixed))


def renamed_inside(
    node: NodeDefinition, before: Design, after: Design
) -> NodeDefinition:
    """Return the node whose ways lead to the nodes inside by the ids that these have
    after an edit.

    Nodes at the same places of the drawing, of the same type, are the same.
    """
    nodes_before = before.workflow.nodes
    nodes_after = after.workflow.nodes
    if len(nodes_before) != len(nodes_after):
        return node
    ids_after = {inner.id for inner in nodes_after}
    names: dict[str, str] = {}
    for inner, same in zip(nodes_before, nodes_after, strict=True):
        if inner.type == same.type and inner.id not in ids_after:
            names[inner.id] = same.id
    if not names:
        return node
    entries = {
        source: names.get(entry, entry) for source, entry in entries_of(node).items()
    }
    exits = {
        names.get(output, output): list(receivers)
        for output, receivers in exits_of(node).items()
    }
    return _with_ways(node, entries, exits)


def _outside(node: NodeDefinition, names: Mapping[str, str]) -> NodeDefinition:
    entries = {
        names.get(source, source): entry for source, entry in entries_of(node).items()
    }
    exits = {
        output: [names.get(receiver, receiver) for receiver in receivers]
        for output, receivers in exits_of(node).items()
    }
    return _with_ways(node, entries, exits)


def _with_ways(
    node: NodeDefinition, entries: dict[str, str], exits: dict[str, list[str]]
) -> NodeDefinition:
    params = dict(node.params)
    if entries:
        params[ENTRIES] = entries
    if exits:
        params[EXITS] = exits
    if not entries and not exits:
        return node
    return node.model_copy(update={"params": params})
