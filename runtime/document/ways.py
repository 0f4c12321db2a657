"""The ways into a sub-workflow and out of it that its node names, read from the node's parameters as data."""

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
WAYS_IN = "\0ways in"  # no id of a file can be this


def entries_of(node: NodeDefinition) -> dict[str, str]:
    """The ways in beside the start: node that sends to it -> node inside at which its messages enter."""
    found = node.params.get(ENTRIES)
    if isinstance(found, Mapping):
        return {key: to for key, to in found.items() if isinstance(to, str)}
    return {}


def exits_of(node: NodeDefinition) -> dict[str, tuple[str, ...]]:
    """The ways out that do not lead along all edges: output inside -> nodes to which alone it sends."""
    found = node.params.get(EXITS)
    ways = found.items() if isinstance(found, Mapping) else ()
    return {
        key: tuple(one for one in to if isinstance(one, str))
        for key, to in ways
        if isinstance(to, list | tuple)
    }


def with_entries(
    definition: WorkflowDefinition, entries: Collection[str]
) -> WorkflowDefinition:
    """A sub-workflow as checks should see it: each message enters in one of several ways, so a switch stands before it.
    The very definition that was given where there is one way in.
    """
    known = {node.id for node in definition.nodes}
    others = [
        one
        for one in dict.fromkeys(entries)
        if one in known and one != definition.start
    ]
    if not others or definition.start not in known:
        return definition
    cases = tuple(SwitchCase(name=one, when="true", target=one) for one in others)
    before = SwitchEdge(
        id=WAYS_IN, source=WAYS_IN, cases=cases, default=definition.start
    )
    nodes = (
        NodeDefinition(id=WAYS_IN, type="input", name="Ways in"),
        *definition.nodes,
    )
    return definition.model_copy(
        update={"start": WAYS_IN, "nodes": nodes, "edges": (before, *definition.edges)}
    )
