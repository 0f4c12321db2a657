"""Nodes become one sub-workflow, and a sub-workflow becomes nodes again, without loss:
`expand` undoes `collapse`.

`border` says which form the edges take that lead in and out. The layout inside keeps
where the node stood and the order of what was taken.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from designer.model.design import Design, Points, Position
from designer.model.diff import diff
from designer.model.edge_kinds import kind_of
from designer.model.edge_kinds.base import plain_edge
from designer.model.edits import ends
from designer.model.edits.border import Border
from designer.model.edits.expand import expand
from designer.model.edits.nodes import with_workflow
from designer.model.edits.ways import led_otherwise
from designer.model.errors import EditError
from designer.model.inside import COLLAPSED, centre, middle, value_of
from designer.model.layout.arrange import NODE_SIZE, Size, boxes_of, sizes_of
from designer.model.names import Names, snake_case
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.sub_workflows import INLINE, SUB_WORKFLOW
from runtime.document.ways import ENTRIES, EXITS

STEP = 232.0  # from a node to the input before it and the output behind it
# The same to an input that decides, because its diamond and the tags of its cases are
# between.
SWITCH_STEP = 400.0
ROW = 88.0  # from one node to the next below it
CLEAR: Size = (8, 8)  # around a node that stays where the sub-workflow would be


def collapse(
    design: Design,
    ids: Collection[str],
    *,
    name: str = "Sub-workflow",
    sizes: Mapping[str, Size] | None = None,
) -> tuple[Design, str]:
    """Make one sub-workflow of the nodes among `ids`, and return its id too.

    `sizes` are widths and heights by node id, for nodes that are not 168 x 60. Raise
    `EditError` for what has no form without loss.
    """
    chosen = {node.id for node in design.workflow.nodes} & set(ids)
    if not chosen:
        raise EditError(
            "Nothing to collapse: select the nodes first that become a sub-workflow."
        )
    border = Border(design, chosen)
    node_id = Names(design).take(snake_case(name, otherwise="sub"))
    place = _place(design, border, sizes or {})
    node = NodeDefinition(
        id=node_id,
        type=SUB_WORKFLOW,
        name=name,
        params=_params(design, border, name, place),
    )
    collapsed = _outer(design, border, node, place)
    # The surest proof that nothing gets lost is to expand it again and to compare.
    if not _comes_back(design, collapsed, node_id):
        raise EditError(
            "These nodes cannot become a sub-workflow and come back as they are. "
            "Select others."
        )
    return collapsed, node_id


def forgotten_between_messages(design: Design, ids: Collection[str]) -> str:
    """Return a sentence on what these nodes remember over messages and would not as a
    sub-workflow; "" for nothing.

    As a sub-workflow each message begins a run of its own with a state of its own.
    """
    nodes = design.workflow.nodes
    chosen = set(ids)
    is_entered = any(
        set(edge.source_ids) - chosen and set(edge.target_ids) & chosen
        for edge in design.workflow.edges
    )
    counting = [node.title for node in nodes if node.id in chosen and _counts(node)]
    if is_entered and counting:
        names = ", ".join(counting)
        return (
            "Each message begins a run of its own inside: "
            f"{names} starts again with each."
        )
    with_state = [node for node in nodes if node.type in _STATE]
    inside = [node.title for node in with_state if node.id in chosen]
    if inside and len(inside) < len(with_state):
        names = ", ".join(inside)
        return (
            f"A sub-workflow has a shared state of its own: what {names} sets or gets "
            "is apart from what is outside."
        )
    return ""


_STATE = ("set_state", "get_state")


def _counts(node: NodeDefinition) -> bool:
    if node.type in ("counter", "loop_guard"):
        return True
    return node.type in ("batch", "reduce") and node.params.get("source") == "messages"


def _comes_back(design: Design, collapsed: Design, node_id: str) -> bool:
    try:
        return not diff(design, expand(collapsed, node_id)[0])
    except EditError:
        return False


def _params(
    design: Design, border: Border, name: str, place: Position | None
) -> dict[str, Any]:
    inner = _inner(design, border, name)
    inner = replace(inner, layout_extra=_memory(design, border, place))
    params = {
        "direct_output": border.yields,
        ENTRIES: border.entry.ways,
        EXITS: border.leave.ways,
    }
    set_params = {key: value for key, value in params.items() if value}
    return {INLINE: value_of(inner), **set_params}


def _inner(design: Design, border: Border, name: str) -> Design:
    """Return the drawing inside, with inputs and outputs of its own where edges moved
    in or end.
    """
    workflow = design.workflow
    entry = border.entry
    leave = border.leave
    nodes = [
        led_otherwise(node, entry.stand_ins, leave.stand_ins)
        for node in workflow.nodes
        if node.id in border.inside
    ]
    inner_edges = {edge.id: edge for edge in border.inner}
    inner_edges |= entry.moved | leave.moved
    edges = [inner_edges[edge.id] for edge in workflow.edges if edge.id in inner_edges]
    positions = {
        node_id: place
        for node_id, place in design.positions.items()
        if node_id in border.inside
    }
    places = list(positions.values())
    has_switch = _starts_switch(entry.added, (*edges, *entry.parts))
    step = SWITCH_STEP if has_switch else STEP
    _put_beside(positions, places, entry.added, -step)
    _put_beside(positions, places, leave.added, STEP)
    inner = WorkflowDefinition(
        name=name,
        max_supersteps=workflow.max_supersteps,
        retry=workflow.retry,
        timeout=workflow.timeout,
        start=entry.start or _first(nodes, border.inner),
        nodes=(*entry.added, *nodes, *leave.added),
        edges=(*edges, *entry.parts, *leave.wires),
    )
    return Design(inner, positions, dots=_dots(design, border.inner))


def _first(nodes: Sequence[NodeDefinition], edges: Iterable[EdgeDefinition]) -> str:
    """Return the first node to which nothing leads: the start where nothing leads in."""
    targets = {target for edge in edges for target in edge.target_ids}
    for node in nodes:
        if node.id not in targets:
            return node.id
    return nodes[0].id


def _starts_switch(
    nodes: Sequence[NodeDefinition], edges: Iterable[EdgeDefinition]
) -> bool:
    """Return whether a switch starts at one of these nodes: its cases need more room."""
    sources = {kind_of(edge).hub(edge) for edge in edges if kind_of(edge).is_diamond}
    return any(node.id in sources for node in nodes)


def _put_beside(
    positions: dict[str, Position],
    places: Sequence[Position],
    added: Sequence[NodeDefinition],
    step: float,
) -> None:
    """Put nodes in a column left of everything or right of it, about the middle;
    nowhere if nothing has a place.
    """
    if not places:
        return
    side = min if step < 0 else max
    column = side(x for x, _ in places) + step
    top = middle([y for _, y in places]) - ROW * (len(added) - 1) / 2
    for number, node in enumerate(added):
        positions[node.id] = (column, top + ROW * number)


def _memory(design: Design, border: Border, place: Position | None) -> dict[str, Any]:
    """Return what the drawing inside cannot say of where it came from: the order, and
    where the sub-workflow was.
    """
    workflow = design.workflow
    taken = _taken_edges(border)
    divided = {part.id for part in border.entry.parts}
    memory: dict[str, Any] = {}
    if place is not None:
        memory["at"] = list(place)
    memory["nodes"] = {
        node.id: number
        for number, node in enumerate(workflow.nodes)
        if node.id in border.inside
    }
    memory["edges"] = {
        edge.id: number
        for number, edge in enumerate(workflow.edges)
        if edge.id in taken
    }
    dots = _dots(design, (*border.coming, *border.going))
    if dots:
        memory["dots"] = {
            edge_id: {wire: list(map(list, points)) for wire, points in lines.items()}
            for edge_id, lines in dots.items()
        }
    if divided:
        memory["targets"] = {
            edge.id: list(edge.target_ids)
            for edge in workflow.edges
            if edge.id in divided
        }
    return {COLLAPSED: memory}


def _taken_edges(border: Border) -> set[str]:
    """Return the edges that are inside and no longer outside."""
    return {
        *(edge.id for edge in border.inner),
        *border.entry.moved,
        *border.leave.moved,
    }


def _outer(
    design: Design, border: Border, node: NodeDefinition, place: Position | None
) -> Design:
    """Return the design with the sub-workflow in the place of its first node."""
    workflow = design.workflow
    nodes: list[NodeDefinition] = []
    is_placed = False
    for other in workflow.nodes:
        if other.id not in border.inside:
            nodes.append(border.stand_for_chosen(other, node.id))
        elif not is_placed:
            nodes.append(node)
            is_placed = True
    taken = _taken_edges(border)
    new_ends = dict.fromkeys(border.inside, node.id)
    edges = [_led(edge, new_ends) for edge in workflow.edges if edge.id not in taken]
    names = Names(design)
    # Its id is used now, so no link may get it.
    names.take(node.id)
    for source, target in (*border.entry.links, *border.leave.links):
        link = plain_edge(source or node.id, target or node.id)
        edges.append(link.model_copy(update={"id": names.take(link.id)}))
    outer = with_workflow(
        design,
        nodes=tuple(nodes),
        edges=tuple(edges),
        start=node.id if workflow.start in border.inside else workflow.start,
    )
    positions = {
        node_id: other_place
        for node_id, other_place in design.positions.items()
        if node_id not in border.inside
    }
    if place is not None:
        positions[node.id] = place
    touched = {edge.id for edge in (*border.inner, *border.coming, *border.going)}
    dots = {
        edge_id: lines
        for edge_id, lines in design.dots.items()
        if edge_id not in touched
    }
    return replace(outer, positions=positions, dots=dots)


def _dots(
    design: Design, edges: Iterable[EdgeDefinition]
) -> dict[str, Mapping[str, Points]]:
    return {edge.id: design.dots[edge.id] for edge in edges if edge.id in design.dots}


def _place(
    design: Design, border: Border, sizes: Mapping[str, Size]
) -> Position | None:
    """Return the middle of what was taken, or the nearest place to it where no other
    node is.
    """
    middle_place = centre(design, border.inside)
    others = boxes_of(design.positions, sizes_of(design, sizes), but=border.inside)
    if middle_place is None or others.is_free(middle_place, NODE_SIZE, CLEAR):
        return middle_place
    return others.nearest(middle_place, NODE_SIZE)


def _led(edge: EdgeDefinition, new_ends: dict[str, str]) -> EdgeDefinition:
    """Return an edge that stays outside; of a fan-out to several nodes inside one way
    is left.
    """
    led = ends.renamed(edge, new_ends)
    if kind_of(led).common_condition(led) == "":
        return kind_of(led).distinct(led)
    return led
