"""The ways into and out of sub-workflows follow when nodes get other ids, and when others stand for them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from designer.model.design import Design
from designer.model.errors import EditError
from runtime.document.definition import NodeDefinition
from runtime.document.sub_workflows import SUB_WORKFLOW
from runtime.document.ways import ENTRIES, EXITS, entries_of, exits_of


def has_ways(node: NodeDefinition) -> bool:
    """Whether a sub-workflow has other ways in or out than its start and all its edges."""
    return bool(entries_of(node) or exits_of(node))


def renamed_outside(
    nodes: tuple[NodeDefinition, ...], names: Mapping[str, str]
) -> tuple[NodeDefinition, ...]:
    """The same nodes, whose ways lead from and to nodes outside by their new names."""
    return tuple(
        _outside(node, names) if node.type == SUB_WORKFLOW else node for node in nodes
    )


def led_otherwise(
    node: NodeDefinition,
    senders: Mapping[str, Collection[str]],
    receivers: Mapping[str, Collection[str]],
) -> NodeDefinition:
    """The node where others stand for those that send to it, and for those that it sends to; the very node that was
    given where it has no ways. Raises `EditError` where one would stand for several that its ways tell apart.
    """
    if node.type != SUB_WORKFLOW or not has_ways(node):
        return node
    entries = entries_of(node)
    exits = exits_of(node)
    for mixed in _together(senders):
        if len({entries.get(one, "") for one in mixed}) > 1:
            raise _told_apart(node, mixed)
    for mixed in _together(receivers):
        if any(mixed.intersection(to) not in (set(), mixed) for to in exits.values()):
            raise _told_apart(node, mixed)
    into = {
        new: entry
        for source, entry in entries.items()
        for new in senders.get(source, (source,))
    }
    out = {
        output: list(
            dict.fromkeys([new for one in to for new in receivers.get(one, (one,))])
        )
        for output, to in exits.items()
    }
    return _with_ways(node, into, out)


def _together(stands: Mapping[str, Collection[str]]) -> list[set[str]]:
    """Those for which one node stands."""
    by_new: dict[str, set[str]] = {}
    for old, news in stands.items():
        for new in news:
            by_new.setdefault(new, set()).add(old)
    return list(by_new.values())


def _told_apart(node: NodeDefinition, mixed: Collection[str]) -> EditError:
    names = " and ".join(f"'{one}'" for one in sorted(mixed))
    text = (
        f"'{node.title}' tells {names} apart by its ways in and out, so one node cannot stand for all of them. Take it "
        "along, choose only one of them, or change its ways first."
    )
    return EditError(text, node.id, *sorted(mixed))


def renamed_inside(node: NodeDefinition, old: Design, new: Design) -> NodeDefinition:
    """The node whose ways lead to the nodes inside by the ids that they have now: those at the same places of the
    drawing, of the same type, are the same.
    """
    before = old.workflow.nodes
    after = new.workflow.nodes
    if len(before) != len(after):
        return node
    pairs = [
        (a.id, b.id)
        for a, b in zip(before, after, strict=True)
        if a.type == b.type and a.id != b.id
    ]
    gone = {one.id for one in before} - {one.id for one in after}
    names = {a: b for a, b in pairs if a in gone}
    entries = {
        source: names.get(entry, entry) for source, entry in entries_of(node).items()
    }
    exits = {
        names.get(output, output): list(to) for output, to in exits_of(node).items()
    }
    return _with_ways(node, entries, exits) if names else node


def _outside(node: NodeDefinition, names: Mapping[str, str]) -> NodeDefinition:
    entries = {
        names.get(source, source): entry for source, entry in entries_of(node).items()
    }
    exits = {
        output: [names.get(one, one) for one in to]
        for output, to in exits_of(node).items()
    }
    return _with_ways(node, entries, exits)


def _with_ways(
    node: NodeDefinition, entries: dict[str, str], exits: dict[str, list[str]]
) -> NodeDefinition:
    ways = {key: value for key, value in ((ENTRIES, entries), (EXITS, exits)) if value}
    return node.model_copy(update={"params": {**node.params, **ways}}) if ways else node
