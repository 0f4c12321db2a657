"""Edits that lead messages another way: cut single wires, splice a node into one, take
a node out and heal its wires.

What becomes of a group is the business of its kind (`edge_kinds`); here is what
concerns the whole drawing: names of edges, dots, and sub-workflows that name the nodes
around them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from designer.model.design import Design, require_node
from designer.model.edge_kinds import Side, Way, kind_of
from designer.model.edge_kinds.base import plain_edge
from designer.model.edge_kinds.fan_in import FAN_IN
from designer.model.edge_kinds.fan_out import FAN_OUT
from designer.model.edits import ends
from designer.model.edits.dots import key_of, spliced_dots, with_moved_dots
from designer.model.edits.edges import (
    add_edge,
    add_to_join,
    connect_fan_out,
    connect_join,
    replace_edge,
    require_edge,
)
from designer.model.edits.nodes import remove, with_workflow
from designer.model.edits.ways import led_otherwise
from designer.model.errors import EditError
from designer.model.names import Names
from runtime.document import graph
from runtime.document.definition import EdgeDefinition, NodeDefinition

ROOM = 56.0  # between a node that was spliced in and the next one

# --- more wires ---------------------------------------------------------------------------------------------------


def add_way(design: Design, edge_id: str, node: str) -> Design:
    """Give a group one more end: a source of a join, a target of a fan-out or a
    multi-selection, a case of a switch whose condition is still to be written. Beside
    an edge with one target comes another one.
    """
    edge = require_edge(design, edge_id)
    kind = kind_of(edge)
    grown = kind.grown(edge, node)
    if grown is None:
        return add_edge(design, kind.beside(edge, node))[0]
    return replace_edge(design, grown)


def fan_out_to(design: Design, source: str, targets: Sequence[str]) -> Design:
    """Send every message of the source to each of these: by the fan-out that it has,
    else by a new one. Plain edges that lead there become part of it.
    """
    design, targets = _absorbed(design, [source], targets)
    group = _group_at(design, FAN_OUT.kind, source)
    if group is None:
        return connect_fan_out(design, source, targets)[0]
    known = group.target_ids
    added = [target for target in targets if target not in known]
    return replace_edge(design, FAN_OUT.with_targets(group, (*known, *added)))


def join_into(design: Design, sources: Sequence[str], target: str) -> Design:
    """Let the target wait for all of these: by the join that it has, else by a new one.
    Plain edges that lead there become part of it.
    """
    design, sources = _absorbed(design, sources, [target])
    group = _group_at(design, FAN_IN.kind, target)
    if group is None:
        return connect_join(design, sources, target)[0]
    known = group.source_ids
    for source in sources:
        if source not in known:
            design = add_to_join(design, group.id, source)
    return design


def _group_at(design: Design, kind: str, hub: str) -> Any:
    """Return the first group of a kind that a node holds together; None if it has none."""
    for edge in design.workflow.edges:
        if edge.kind == kind and kind_of(edge).hub(edge) == hub:
            return edge
    return None


def _absorbed(
    design: Design, sources: Sequence[str], targets: Sequence[str]
) -> tuple[Design, Sequence[str]]:
    """Return the design without the unconditional plain edges between these, and the
    side that has several nodes.
    """
    # A pair may be in one group only, so the group takes the place of the plain edge.
    plain = {
        edge.id
        for edge in design.workflow.edges
        if kind_of(edge).is_plain(edge)
        and edge.source_ids[0] in sources
        and edge.target_ids[0] in targets
    }
    return remove(design, plain), sources if len(targets) == 1 else targets


# --- fewer wires --------------------------------------------------------------------------------------------------


def cut(design: Design, wires: Mapping[str, Collection[Way]]) -> Design:
    """Remove these wires, by edge. A group shrinks as it does when nodes go; a part
    that all wires share takes the whole group along. Raise `EditError` where a switch
    would keep cases and lose its default.
    """
    names = Names(design)
    edges: list[EdgeDefinition] = []
    for edge in design.workflow.edges:
        remaining = _without_wires(edge, wires[edge.id]) if edge.id in wires else edge
        if remaining is None:
            continue
        # A group that became a plain edge is named by its ends.
        if remaining.id != edge.id:
            free_id = names.take(remaining.id)
            remaining = remaining.model_copy(update={"id": free_id})
        edges.append(remaining)
    return with_workflow(design, edges=tuple(edges))


def disconnect(design: Design, node: str, side: str) -> Design:
    """Remove all wires at the port "in" or "out" of a node."""
    require_node(design, node)
    cut_ways: dict[str, list[Way]] = {}
    for edge in design.workflow.edges:
        for way in kind_of(edge).wires(edge):
            if node == (way.target if side == "in" else way.source):
                cut_ways.setdefault(edge.id, []).append(way)
    if not cut_ways:
        raise EditError(f"Nothing is connected to this side of '{node}'.", node)
    return cut(design, cut_ways)


def _without_wires(
    edge: EdgeDefinition, ways: Collection[Way]
) -> EdgeDefinition | None:
    kind = kind_of(edge)
    shared_part = any(not (way.source and way.target) for way in ways)
    if shared_part or set(ways) >= set(kind.wires(edge)):
        return None
    return kind.cut(edge, ways)


# --- to another node ----------------------------------------------------------------------------------------------


def lead(
    design: Design, edge_ids: Collection[str], side: Side, node: str, other: str
) -> tuple[Design, tuple[str, ...]]:
    """Lead groups to another node where `node` is a target of theirs ("in"), or their
    source ("out"); return their ids too. Conditions, names and order stay. Raise
    `EditError` where two nodes would be connected twice.
    """
    require_node(design, other)
    changed = design
    names = {node: other}
    for edge in design.workflow.edges:
        if edge.id in edge_ids and side == "out":
            moved = kind_of(edge).with_ends(edge, names, {})
            changed = replace_edge(changed, moved)
        elif edge.id in edge_ids:
            moved = kind_of(edge).with_ends(edge, {}, names)
            changed = replace_edge(changed, moved)
    changed, led_ids = _renamed_by_ends(design, changed)
    # Where another wire still connects the two, a way of a sub-workflow is right as it
    # is.
    removed_pairs = _pairs(design) - _pairs(changed)

    def with_ways(receiver: NodeDefinition) -> NodeDefinition:
        """Let the ways of a sub-workflow name the other node, where no wire of the
        first one is left.
        """
        senders = {}
        receivers = {}
        if side == "out" and (node, receiver.id) in removed_pairs:
            senders = {node: (other,)}
        if side == "in" and (receiver.id, node) in removed_pairs:
            receivers = {node: (other,)}
        return led_otherwise(receiver, senders, receivers)

    nodes = tuple(map(with_ways, changed.workflow.nodes))
    return with_workflow(changed, nodes=nodes), led_ids


def _renamed_by_ends(design: Design, changed: Design) -> tuple[Design, tuple[str, ...]]:
    """Give edges that changed the id that says where they lead now; return the ids of
    all that changed.
    """
    taken = {edge.id for edge in design.workflow.edges}
    edges: list[EdgeDefinition] = []
    changed_ids: list[str] = []
    pairs = zip(design.workflow.edges, changed.workflow.edges, strict=True)
    for before, after in pairs:
        if after is before:
            edges.append(after)
        else:
            edges.append(_named(after, before, taken))
            changed_ids.append(edges[-1].id)
    return with_workflow(changed, edges=tuple(edges)), tuple(changed_ids)


# --- a node into a wire -------------------------------------------------------------------------------------------


def splice(design: Design, edge_id: str, way: Way, node: str) -> Design:
    """Put a node into one wire: what ran from source to target now runs through it.
    Conditions and policies stay where they are, and dots on their side of the node. On
    the part that all wires of a group share, all of them run through it.
    """
    edge = require_edge(design, edge_id)
    spliced = _with_ways(design, _spliced(design, edge, way, node), node)
    return spliced_dots(design, spliced, edge, key_of(edge, *way), node)


def _with_ways(design: Design, spliced: Design, node: str) -> Design:
    """Let ways of sub-workflows name the node where it is now between them and others."""
    removed_pairs = _pairs(design) - _pairs(spliced)

    def with_ways(between: NodeDefinition) -> NodeDefinition:
        senders = {
            source: (node,) for source, target in removed_pairs if target == between.id
        }
        receivers = {
            target: (node,) for source, target in removed_pairs if source == between.id
        }
        return led_otherwise(between, senders, receivers)

    nodes = tuple(map(with_ways, spliced.workflow.nodes))
    return with_workflow(spliced, nodes=nodes)


def _pairs(design: Design) -> set[tuple[str, str]]:
    return {pair for edge in design.workflow.edges for pair in edge.pairs}


def _spliced(design: Design, edge: EdgeDefinition, way: Way, node: str) -> Design:
    group, plain = kind_of(edge).spliced(edge, way, node)
    # Without the edge first, because the plain edges would repeat its pairs.
    others = [other for other in design.workflow.edges if other.id != edge.id]
    spliced = with_workflow(design, edges=tuple(others))
    for further in plain:
        spliced = add_edge(spliced, further)[0]
    if group is None:
        return spliced
    place = [other.id for other in design.workflow.edges].index(edge.id)
    edges = list(spliced.workflow.edges)
    edges.insert(place, group)
    return with_workflow(spliced, edges=tuple(edges))


def push_aside(
    design: Design, node: str, way: Way, widths: Mapping[str, float]
) -> Design:
    """Make room before and behind a node that was spliced into a wire from left to
    right.

    The node moves clear of what is before it, and everything after it moves right, each
    as far as needed.
    """
    places = dict(design.positions)
    before = places.get(way.source)
    after = places.get(way.target)
    if before is None or after is None or node not in places or after[0] <= before[0]:
        return design
    clear = before[0] + widths.get(way.source, 0) + ROOM
    places[node] = (max(places[node][0], clear), places[node][1])
    short = places[node][0] + widths.get(node, 0) + ROOM - after[0]
    if short > 0:
        for key in reached(design, way.target) - {node, way.source}:
            if key in places and places[key][0] >= after[0]:
                places[key] = (places[key][0] + short, places[key][1])
    if places == design.positions:
        return design
    return with_moved_dots(design, replace(design, positions=places))


def reached(design: Design, node: str) -> set[str]:
    """Return a node and all that its messages can come to."""
    return graph.reached(graph.graph_of(design.workflow).drawn_targets, node)


# --- a node out of its wires --------------------------------------------------------------------------------------


def remove_healed(design: Design, ids: Collection[str]) -> Design:
    """Remove nodes and edges, and lead what led through a node past it. Raise
    `EditError` where no wires could say the same.
    """
    nodes = [node.id for node in design.workflow.nodes if node.id in ids]
    design = remove(design, set(ids) - set(nodes))
    for node in nodes:
        design = _healed(design, node)
    return design


def _healed(design: Design, node: str) -> Design:
    # Nothing leads past a loop, and a node that is gone does not fail.
    edges = [
        edge
        for edge in design.workflow.edges
        if ends.ends(edge) != {node} and not _fails(edge, node)
    ]
    into = [edge for edge in edges if node in edge.target_ids]
    out = [edge for edge in edges if node in edge.source_ids]
    after = _only_target(out)
    before = _only_source(into)
    if not (into and out):
        healed = edges  # they shrink as when the node is deleted
    elif after:
        healed = _led_past(edges, node, into, after)
    elif before:
        healed = _led_past(edges, node, out, before)
    else:
        healed = _crossed(edges, node, into, out)
    start = design.workflow.start
    if after and start == node:
        start = after
    healed_design = with_workflow(design, edges=tuple(healed), start=start)
    return _past(design, remove(healed_design, {node}), node)


def _fails(edge: EdgeDefinition, node: str) -> bool:
    """Return whether the failures of the node go along an edge."""
    return edge.carries_failures and node in edge.source_ids


def _past(design: Design, healed: Design, node: str) -> Design:
    """Let ways of sub-workflows name the neighbours of a node that was removed from
    between them.
    """
    added = _pairs(healed) - _pairs(design)

    def with_ways(neighbour: NodeDefinition) -> NodeDefinition:
        senders = [source for source, target in added if target == neighbour.id]
        receivers = [target for source, target in added if source == neighbour.id]
        return led_otherwise(
            neighbour,
            {node: senders} if senders else {},
            {node: receivers} if receivers else {},
        )

    nodes = tuple(map(with_ways, healed.workflow.nodes))
    return with_workflow(healed, nodes=nodes)


def _only_target(edges: Sequence[EdgeDefinition]) -> str:
    """Return where everything goes that leaves a node; empty if that is not one node,
    or depends.
    """
    if len(edges) == 1 and kind_of(edges[0]).is_plain(edges[0]):
        return edges[0].target_ids[0]
    return ""


def _only_source(edges: Sequence[EdgeDefinition]) -> str:
    """Return where everything comes from that reaches a node; empty if that is not one
    node, or depends.
    """
    if len(edges) == 1 and kind_of(edges[0]).common_condition(edges[0]) == "":
        return edges[0].source_ids[0]
    return ""


def _led_past(
    edges: Sequence[EdgeDefinition],
    node: str,
    groups: Sequence[EdgeDefinition],
    other: str,
) -> list[EdgeDefinition]:
    """Return the groups at the other node instead, without the ways that are there
    already; the others shrink.
    """
    shrunk = {
        edge.id: ends.without(edge, {node}) for edge in edges if edge not in groups
    }
    taken = {
        pair for edge in shrunk.values() if edge is not None for pair in edge.pairs
    }
    ids = {edge.id for edge in edges}
    healed: list[EdgeDefinition] = []
    for edge in edges:
        if edge in groups:
            remaining = _moved(edge, {node: other}, taken)
        else:
            remaining = shrunk[edge.id]
        if remaining is not None:
            taken.update(remaining.pairs)
            changed = remaining is not edge
            healed.append(_named(remaining, edge, ids) if changed else edge)
    return healed


def _moved(
    edge: EdgeDefinition, names: Mapping[str, str], taken: Collection[tuple[str, str]]
) -> EdgeDefinition | None:
    renamed = ends.renamed(edge, names)
    moved = kind_of(renamed).distinct(renamed)
    doubles = [
        way for way in kind_of(moved).wires(moved) if (way.source, way.target) in taken
    ]
    return _without_wires(moved, doubles) if doubles else moved


def _named(edge: EdgeDefinition, like: EdgeDefinition, ids: set[str]) -> EdgeDefinition:
    """Return an edge under the id that it had, unless that only said where the edge
    led.
    """
    if edge.id == like.id and like.id != ends.usual_id(like):
        return edge
    usual_id = ends.usual_id(edge)
    number = 2
    name = usual_id
    while name in ids and name != like.id:
        name = f"{usual_id}_{number}"
        number += 1
    ids.add(name)
    return edge.model_copy(update={"id": name})


def _crossed(
    edges: Sequence[EdgeDefinition],
    node: str,
    into: Sequence[EdgeDefinition],
    out: Sequence[EdgeDefinition],
) -> list[EdgeDefinition]:
    """Lead each that sent to the node to each that it sent to: only where plain edges
    can say all of that.
    """
    sources = list(_conditional_sources(into, node))
    targets = [target for edge in out for target in _targets_of_all(edge, node)]
    # A fan-out that led to other nodes too keeps them.
    remaining = [
        ends.without(edge, {node}) if edge in into else edge
        for edge in edges
        if edge not in out
    ]
    healed = [edge for edge in remaining if edge is not None]
    taken = {pair for edge in healed for pair in edge.pairs}
    ids = {edge.id for edge in edges}
    for source, condition in sources:
        for target in targets:
            if (source, target) not in taken:
                taken.add((source, target))
                plain = plain_edge(source, target, condition)
                healed.append(_named(plain, plain, ids))
    return healed


def _conditional_sources(
    edges: Iterable[EdgeDefinition], node: str
) -> Iterator[tuple[str, str]]:
    for edge in edges:
        condition = kind_of(edge).common_condition(edge)
        if condition is None:
            raise _no_way_past(edge, node)
        yield edge.source_ids[0], condition


def _targets_of_all(edge: EdgeDefinition, node: str) -> tuple[str, ...]:
    """Return the targets of a group that takes every message to each of them."""
    if kind_of(edge).common_condition(edge) == "":
        return edge.target_ids
    raise _no_way_past(edge, node)


def _no_way_past(edge: EdgeDefinition, node: str) -> EditError:
    text = (
        f"'{node}' cannot be taken out: no wires past it would do what '{edge.id}' "
        "does. Delete it with Del instead."
    )
    return EditError(text, node, edge.id)
