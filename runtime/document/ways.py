"""The ways into a sub-workflow and out of it, which its node names in its parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from runtime.document.definition import (
    NodeDefinition,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)

ENTRIES = "entries"
EXITS = "exits"
WAYS_IN = "\0ways in"  # no node of a file can have this id


def entries_of(node: NodeDefinition) -> dict[str, str]:
    """Return the ways in beside the start: node that sends to it -> node inside that
    gets its messages.
    """
    entries = node.params.get(ENTRIES)
    if not isinstance(entries, Mapping):
        return {}
    return {
        source: inner for source, inner in entries.items() if isinstance(inner, str)
    }


def exits_of(node: NodeDefinition) -> dict[str, tuple[str, ...]]:
    """Return the ways out that do not lead along all edges: output inside -> the only
    nodes that get its messages.
    """
    exits = node.params.get(EXITS)
    if not isinstance(exits, Mapping):
        return {}
    return {
        output: tuple(target for target in targets if isinstance(target, str))
        for output, targets in exits.items()
        if isinstance(targets, list | tuple)
    }


def with_entries(
    definition: WorkflowDefinition, entries: Collection[str]
) -> WorkflowDefinition:
    """Return a sub-workflow as checks should see it: with a switch before it, because
    each message enters by one of several ways. With one way in it is the same object.
    """
    node_ids = {node.id for node in definition.nodes}
    others = [
        entry
        for entry in dict.fromkeys(entries)
        if entry in node_ids and entry != definition.start
    ]
    if not others or definition.start not in node_ids:
        return definition
    cases = tuple(SwitchCase(name=entry, when="true", target=entry) for entry in others)
    switch = SwitchEdge(
        id=WAYS_IN, source=WAYS_IN, cases=cases, default=definition.start
    )
    node = NodeDefinition(id=WAYS_IN, type="input", name="Ways in")
    return definition.model_copy(
        update={
            "start": WAYS_IN,
            "nodes": (node, *definition.nodes),
            "edges": (switch, *definition.edges),
        }
    )
