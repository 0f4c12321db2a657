"""Edits that lead messages another way: cut single wires, splice a node into one, take a node out and heal its wires.

A `Way` names one wire of a group: its source, its target, and for a switch the number of the case (0 for the default).
An empty end is the part that all wires of a group share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from designer.model.design import Design
from designer.model.edits import ends
from designer.model.edits.dots import key_of, spliced_dots, with_moved_dots
from designer.model.edits.edges import (
    add_to_join,
    connect,
    connect_fan_out,
    connect_join,
    connect_on_error,
    new_case,
    replace_edge,
    require_edge,
)
from designer.model.edits.nodes import remove, require_node, with_workflow
from designer.model.edits.ways import led_otherwise
from designer.model.errors import EditError
from designer.model.names import Names
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    OnErrorEdge,
    Selection,
    SwitchEdge,
    edge_pairs,
)

Side = Literal["in", "out"]
ANY = -1
ROOM = 56.0  # what stays free between a node that was spliced in and the next one


class Way(NamedTuple):
    source: str
    target: str
    number: int = ANY


# --- more ways ----------------------------------------------------------------------------------------------------


def add_way(design: Design, edge_id: str, node: str) -> Design:
    """One more end for a group: a source of a join, a target of a fan-out or a multi-selection, a case of a switch
    whose condition is still to be written.
    """
    edge = require_edge(design, edge_id)
    match edge:
        case FanInEdge():
            return add_to_join(design, edge_id, node)
        case FanOutEdge():
            return replace_edge(
                design, edge.model_copy(update={"targets": (*edge.targets, node)})
            )
        case MultiSelectionEdge():
            ways = (*edge.selections, Selection(target=node))
            return replace_edge(design, edge.model_copy(update={"selections": ways}))
        case SwitchEdge():
            return replace_edge(
                design,
                edge.model_copy(update={"cases": (*edge.cases, new_case(edge, node))}),
            )
        case DirectEdge():
            return connect(design, edge.source, node)[0]
        case OnErrorEdge():
            return connect_on_error(design, edge.source, node)[0]


def fan_out_to(design: Design, source: str, targets: Sequence[str]) -> Design:
    """Every message of the source to each of these: into the fan-out that it has, else a new one. Plain edges that
    lead there become part of it.
    """
    design, targets = _absorbed(design, [source], targets)
    leaving = [
        edge
        for edge in design.workflow.edges
        if isinstance(edge, FanOutEdge) and edge.source == source
    ]
    if not leaving:
        return connect_fan_out(design, source, targets)[0]
    edge = leaving[0]
    more = tuple(target for target in targets if target not in edge.targets)
    return replace_edge(
        design, edge.model_copy(update={"targets": (*edge.targets, *more)})
    )


def join_into(design: Design, sources: Sequence[str], target: str) -> Design:
    """The target waits for all of these: in the join that it has, else a new one. Plain edges that lead there become
    part of it.
    """
    design, sources = _absorbed(design, sources, [target])
    joins = [
        edge
        for edge in design.workflow.edges
        if isinstance(edge, FanInEdge) and edge.target == target
    ]
    if not joins:
        return connect_join(design, sources, target)[0]
    for source in sources:
        if source not in joins[0].sources:
            design = add_to_join(design, joins[0].id, source)
    return design


def _absorbed(
    design: Design, sources: Sequence[str], targets: Sequence[str]
) -> tuple[Design, Sequence[str]]:
    """Without the unconditional plain edges between these; and those on the side that there are several of."""
    plain = {
        edge.id
        for edge in design.workflow.edges
        if isinstance(edge, DirectEdge)
        and edge.source in sources
        and edge.target in targets
        and not edge.condition
    }
    return remove(design, plain), sources if len(targets) == 1 else targets


# --- fewer ways ---------------------------------------------------------------------------------------------------


def cut(design: Design, wires: Mapping[str, Collection[Way]]) -> Design:
    """Without these wires, by edge. A group shrinks as it does when nodes go; a part that all wires share takes the
    whole group along. Raises `EditError` where a switch would keep cases and lose its default.
    """
    names = Names(design)
    edges: list[EdgeDefinition] = []
    for edge in design.workflow.edges:
        left = _less(edge, wires[edge.id]) if edge.id in wires else edge
        if left is not None:
            edges.append(
                left
                if left.id == edge.id
                else left.model_copy(update={"id": names.take(left.id)})
            )
    return with_workflow(design, edges=tuple(edges))


def disconnect(design: Design, node: str, side: str) -> Design:
    """Without any wire at the port "in" or "out" of a node."""
    require_node(design, node)
    found: dict[str, list[Way]] = {}
    for edge in design.workflow.edges:
        ways = [
            way
            for way in ways_of(edge)
            if (way.target if side == "in" else way.source) == node
        ]
        if ways:
            found[edge.id] = ways
    if not found:
        raise EditError(f"Nothing is connected to this side of '{node}'.", node)
    return cut(design, found)


def ways_of(edge: EdgeDefinition) -> tuple[Way, ...]:
    """Every wire of a group that has two ends."""
    if isinstance(edge, SwitchEdge):
        cases = (
            Way(edge.source, case.target, at)
            for at, case in enumerate(edge.cases, start=1)
        )
        return (*cases, Way(edge.source, edge.default, 0))
    return tuple(Way(source, target) for source, target in edge_pairs(edge))


def _less(edge: EdgeDefinition, gone: Collection[Way]) -> EdgeDefinition | None:
    if any(not (way.source and way.target) for way in gone) or set(gone) >= set(
        ways_of(edge)
    ):
        return None
    match edge:
        case DirectEdge() | OnErrorEdge():
            return None
        case FanInEdge():
            return ends.fewer_sources(edge, {way.source for way in gone})
        case FanOutEdge() | MultiSelectionEdge():
            return ends.fewer_targets(edge, {way.target for way in gone})
        case SwitchEdge():
            if any(way.number == 0 for way in gone):
                text = f"The switch '{edge.id}' needs a default. Lead it elsewhere, or delete the whole switch."
                raise EditError(text, edge.id)
            numbers = {way.number for way in gone}
            left = tuple(
                case for at, case in enumerate(edge.cases, start=1) if at not in numbers
            )
            return ends.with_cases(edge, left)


# --- to another node ----------------------------------------------------------------------------------------------


def lead(
    design: Design, edge_ids: Collection[str], side: Side, node: str, other: str
) -> tuple[Design, tuple[str, ...]]:
    """These groups with another node where `node` is a target of theirs ("in"), or their source ("out"); and their ids.
    Conditions, names and order stay. Raises `EditError` where two nodes would be connected twice.
    """
    require_node(design, other)
    changed = design
    ids = {one.id for one in design.workflow.edges}
    made = list[str]()
    for edge in [one for one in design.workflow.edges if one.id in edge_ids]:
        changed = replace_edge(changed, _with_end(edge, side, node, other))
    edges: list[EdgeDefinition] = []
    for old, new in zip(design.workflow.edges, changed.workflow.edges, strict=True):
        edges.append(new if new is old else _named(new, old, ids))
        made += [edges[-1].id] if new is not old else []
    changed = with_workflow(changed, edges=tuple(edges))
    stands = {node: (other,)}
    gone = _pairs(design) - _pairs(changed)

    def led(one: NodeDefinition) -> NodeDefinition:
        senders = stands if side == "out" and (node, one.id) in gone else {}
        return led_otherwise(
            one, senders, stands if side == "in" and (one.id, node) in gone else {}
        )

    return with_workflow(changed, nodes=tuple(map(led, changed.workflow.nodes))), tuple(
        made
    )


def _with_end(edge: EdgeDefinition, side: Side, old: str, new: str) -> EdgeDefinition:
    if side == "out":
        if isinstance(edge, FanInEdge):
            return edge.model_copy(update={"sources": _put(edge.sources, old, new)})
        return edge.model_copy(update={"source": new})
    match edge:
        case DirectEdge() | OnErrorEdge() | FanInEdge():
            return edge.model_copy(update={"target": new})
        case FanOutEdge():
            return edge.model_copy(update={"targets": _put(edge.targets, old, new)})
        case MultiSelectionEdge():
            ways = [
                one.model_copy(update={"target": new}) if one.target == old else one
                for one in edge.selections
            ]
            return edge.model_copy(update={"selections": tuple(ways)})
        case SwitchEdge():
            cases = [
                one.model_copy(update={"target": new}) if one.target == old else one
                for one in edge.cases
            ]
            default = new if edge.default == old else edge.default
            return edge.model_copy(update={"cases": tuple(cases), "default": default})


# --- a node into a wire -------------------------------------------------------------------------------------------


def splice(design: Design, edge_id: str, way: Way, node: str) -> Design:
    """A node put into one wire: what ran from source to target now runs through it. Conditions and policies stay
    where they are, and dots on their side of the node. On the part that all wires of a group share, all of them run
    through it.
    """
    edge = require_edge(design, edge_id)
    made = _with_ways(design, _spliced(design, edge, way, node), node)
    return spliced_dots(design, made, edge, key_of(edge, *way), node)


def _with_ways(design: Design, spliced: Design, node: str) -> Design:
    """Ways of sub-workflows speak of the node where it stands between them and others now."""
    gone = _pairs(design) - _pairs(spliced)

    def led(one: NodeDefinition) -> NodeDefinition:
        senders = {source: (node,) for source, target in gone if target == one.id}
        receivers = {target: (node,) for source, target in gone if source == one.id}
        return led_otherwise(one, senders, receivers)

    return with_workflow(spliced, nodes=tuple(map(led, spliced.workflow.nodes)))


def _pairs(design: Design) -> set[tuple[str, str]]:
    return {pair for edge in design.workflow.edges for pair in edge_pairs(edge)}


def _spliced(design: Design, edge: EdgeDefinition, way: Way, node: str) -> Design:
    before, after = _parted(edge, way, node)
    smaller = with_workflow(
        design,
        edges=tuple(other for other in design.workflow.edges if other.id != edge.id),
    )
    for source, target in (before, after):
        if source and target:
            smaller = connect(smaller, source, target)[0]
    if isinstance(edge, DirectEdge):
        return _conditional(smaller, (edge.source, node), edge)
    changed = _rerouted(edge, way, node)
    at = next(
        index
        for index, other in enumerate(design.workflow.edges)
        if other.id == edge.id
    )
    edges = smaller.workflow.edges
    return with_workflow(smaller, edges=(*edges[:at], changed, *edges[at:]))


def _parted(
    edge: EdgeDefinition, way: Way, node: str
) -> tuple[tuple[str, str], tuple[str, str]]:
    """The plain edges that are new: before and after the node. Empty where the group itself leads there."""
    none = ("", "")
    match edge:
        case DirectEdge():
            return (edge.source, node), (node, edge.target)
        case FanInEdge():
            if way.source:
                return ((way.source, node), none)
            return (none, (node, edge.target))
        case _:
            if way.target:
                return (none, (node, way.target))
            return ((edge.source, node), none)


def _rerouted(edge: EdgeDefinition, way: Way, node: str) -> EdgeDefinition:
    """The group with the node in the place of one end."""
    match edge:
        case FanInEdge():
            if not way.source:
                return edge.model_copy(update={"target": node})
            return edge.model_copy(
                update={"sources": _put(edge.sources, way.source, node)}
            )
        case _ if not way.target:
            return edge.model_copy(update={"source": node})
        case FanOutEdge():
            return edge.model_copy(
                update={"targets": _put(edge.targets, way.target, node)}
            )
        case MultiSelectionEdge():
            ways = (
                one.model_copy(update={"target": node})
                if one.target == way.target
                else one
                for one in edge.selections
            )
            return edge.model_copy(update={"selections": tuple(ways)})
        case SwitchEdge() if way.number == 0:
            return edge.model_copy(update={"default": node})
        case SwitchEdge():
            cases = list(edge.cases)
            cases[way.number - 1] = cases[way.number - 1].model_copy(
                update={"target": node}
            )
            return edge.model_copy(update={"cases": tuple(cases)})
        case DirectEdge() | OnErrorEdge():
            return edge.model_copy(update={"target": node})


def _put(items: Sequence[str], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if item == old else item for item in items)


def _conditional(design: Design, pair: tuple[str, str], like: DirectEdge) -> Design:
    """The plain edge of a pair with the condition of the one that it came from, and what else that had."""
    edges = tuple(
        ends.direct(*pair, like.condition, like).model_copy(update={"id": edge.id})
        if isinstance(edge, DirectEdge) and (edge.source, edge.target) == pair
        else edge
        for edge in design.workflow.edges
    )
    return with_workflow(design, edges=edges)


def push_aside(
    design: Design, node: str, way: Way, widths: Mapping[str, float]
) -> Design:
    """Room before and behind a node that was spliced into a wire from left to right: it moves clear of what is before
    it, and what comes after moves right, each as far as needed.
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
    if places != design.positions:
        return with_moved_dots(design, replace(design, positions=places))
    return design


def reached(design: Design, node: str) -> set[str]:
    """A node and all that its messages can come to."""
    following: dict[str, set[str]] = {}
    for edge in design.workflow.edges:
        for source, target in edge_pairs(edge):
            following.setdefault(source, set()).add(target)
    found = {node}
    open_ = [node]
    while open_:
        new = following.get(open_.pop(), set()) - found
        found |= new
        open_ += new
    return found


# --- a node out of its wires --------------------------------------------------------------------------------------


def remove_healed(design: Design, ids: Collection[str]) -> Design:
    """Without these nodes and edges, and what led through a node leads past it. Raises `EditError` where no wires could
    say the same.
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
    into = [edge for edge in edges if node in ends.targets(edge)]
    out = [edge for edge in edges if node in ends.sources(edge)]
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
    start = after if after and design.workflow.start == node else design.workflow.start
    return _past(
        design,
        remove(with_workflow(design, edges=tuple(healed), start=start), {node}),
        node,
    )


def _fails(edge: EdgeDefinition, node: str) -> bool:
    """True for an error edge of the node."""
    return isinstance(edge, OnErrorEdge) and edge.source == node


def _past(design: Design, healed: Design, node: str) -> Design:
    """Ways of sub-workflows speak of those with whom a node that went stood between."""
    new = _pairs(healed) - _pairs(design)

    def led(one: NodeDefinition) -> NodeDefinition:
        senders = [source for source, target in new if target == one.id]
        receivers = [target for source, target in new if source == one.id]
        return led_otherwise(
            one,
            {node: senders} if senders else {},
            {node: receivers} if receivers else {},
        )

    return with_workflow(healed, nodes=tuple(map(led, healed.workflow.nodes)))


def _only_target(edges: Sequence[EdgeDefinition]) -> str:
    """Where everything goes that leaves a node; empty if that is not one node, or depends."""
    match edges:
        case [DirectEdge(condition="") as edge]:
            return edge.target
    return ""


def _only_source(edges: Sequence[EdgeDefinition]) -> str:
    """Where everything comes from that reaches a node; empty if that is not one node, or depends."""
    match edges:
        case [DirectEdge(condition="") | FanOutEdge() as edge]:
            return edge.source
    return ""


def _led_past(
    edges: Sequence[EdgeDefinition],
    node: str,
    groups: Sequence[EdgeDefinition],
    other: str,
) -> list[EdgeDefinition]:
    """The groups at the other node instead, without the ways that are there already; the rest without the node."""
    rest = {edge.id: ends.without(edge, {node}) for edge in edges if edge not in groups}
    taken = {
        pair for edge in rest.values() if edge is not None for pair in edge_pairs(edge)
    }
    ids = {edge.id for edge in edges}
    healed: list[EdgeDefinition] = []
    for edge in edges:
        left = _moved(edge, {node: other}, taken) if edge in groups else rest[edge.id]
        if left is not None:
            taken.update(edge_pairs(left))
            healed.append(_named(left, edge, ids) if left is not edge else edge)
    return healed


def _moved(
    edge: EdgeDefinition, names: Mapping[str, str], taken: Collection[tuple[str, str]]
) -> EdgeDefinition | None:
    moved = _distinct(ends.renamed(edge, names))
    again = [way for way in ways_of(moved) if (way.source, way.target) in taken]
    return _less(moved, again) if again else moved


def _named(edge: EdgeDefinition, like: EdgeDefinition, ids: set[str]) -> EdgeDefinition:
    """Under the id that it had, but for one that only said where the edge led."""
    if edge.id == like.id and like.id != ends.usual_id(like):
        return edge
    wanted = ends.usual_id(edge)
    number = 2
    name = wanted
    while name in ids and name != like.id:
        name = f"{wanted}_{number}"
        number = number + 1
    ids.add(name)
    return edge.model_copy(update={"id": name})


def _distinct(edge: EdgeDefinition) -> EdgeDefinition:
    """The group with each end once."""
    match edge:
        case FanInEdge():
            once = tuple(dict.fromkeys(edge.sources))
            if len(once) > 1:
                return edge.model_copy(update={"sources": once})
            return ends.direct(once[0], edge.target)
        case FanOutEdge():
            once = tuple(dict.fromkeys(edge.targets))
            if len(once) > 1:
                return edge.model_copy(update={"targets": once})
            return ends.direct(edge.source, once[0])
        case MultiSelectionEdge() if len({way.target for way in edge.selections}) < len(
            edge.selections
        ):
            text = f"'{edge.id}' would lead to one node twice. Remove one of its targets first."
            raise EditError(text, edge.id)
    return edge


def _crossed(
    edges: Sequence[EdgeDefinition],
    node: str,
    into: Sequence[EdgeDefinition],
    out: Sequence[EdgeDefinition],
) -> list[EdgeDefinition]:
    """Each that sent to the node now sends to each that it sent to: only where all of that can be said plainly."""
    sources = list(_plain_sources(into, node))
    targets = [target for edge in out for target in _plain_targets(edge, node)]
    # A fan-out that led to other nodes too keeps them.
    left = [
        ends.without(edge, {node}) if edge in into else edge
        for edge in edges
        if edge not in out
    ]
    healed = [edge for edge in left if edge is not None]
    taken = {pair for edge in healed for pair in edge_pairs(edge)}
    ids = {edge.id for edge in edges}
    for source, condition in sources:
        for target in targets:
            if (source, target) not in taken:
                taken.add((source, target))
                plain = ends.direct(source, target, condition)
                healed.append(_named(plain, plain, ids))
    return healed


def _plain_sources(
    edges: Iterable[EdgeDefinition], node: str
) -> Iterable[tuple[str, str]]:
    for edge in edges:
        match edge:
            case DirectEdge():
                yield edge.source, edge.condition
            case FanOutEdge():
                yield edge.source, ""
            case _:
                raise _no_way_past(edge, node)


def _plain_targets(edge: EdgeDefinition, node: str) -> tuple[str, ...]:
    match edge:
        case DirectEdge(condition=""):
            return (edge.target,)
        case FanOutEdge():
            return edge.targets
    raise _no_way_past(edge, node)


def _no_way_past(edge: EdgeDefinition, node: str) -> EditError:
    text = f"'{node}' cannot be taken out: no wires past it would do what '{edge.id}' does. Delete it with Del instead."
    return EditError(text, node, edge.id)
