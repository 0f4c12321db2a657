"""Nodes become one sub-workflow, and a sub-workflow becomes nodes again, without loss: `expand` undoes `collapse`.

`border` says which form the edges take that lead in and out. The layout inside keeps where the node stood and the order
of what was taken.
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
# the same to an input that decides: its diamond and the tags of its cases stand between
SWITCH_STEP = 400.0
ROW = 88.0  # from one node to the next below it
CLEAR: Size = (8, 8)  # around a node that stays where it would stand


def collapse(
    design: Design,
    ids: Collection[str],
    *,
    name: str = "Sub-workflow",
    sizes: Mapping[str, Size] | None = None,
) -> tuple[Design, str]:
    """The nodes among `ids` as one sub-workflow, and its id. `sizes` are widths and heights by node id, for nodes that
    are not 168 x 60. Raises `EditError` for what has no form without loss.
    """
    workflow = design.workflow
    wanted = set(ids)
    taken = [node for node in workflow.nodes if node.id in wanted]
    if not taken:
        raise EditError(
            "Nothing to collapse: select the nodes first that become a sub-workflow."
        )
    border = Border(design, {node.id for node in taken})
    node_id = Names(design).take(snake_case(name, otherwise="sub"))
    at = _spot(design, border, sizes or {})
    node = NodeDefinition(
        id=node_id,
        type=SUB_WORKFLOW,
        name=name,
        params=_params(design, border, name, at),
    )
    made = _outer(design, border, node, at)
    if not _comes_back(design, made, node_id):
        raise EditError(
            "These nodes cannot become a sub-workflow and come back as they are. Select others."
        )
    return made, node_id


def what_begins_anew(design: Design, ids: Collection[str]) -> str:
    """What these nodes remember over messages, and would not as a sub-workflow, where each message begins a run of its
    own with a state of its own. A sentence; "" if there is nothing.
    """
    nodes = design.workflow.nodes
    led = any(
        set(edge.source_ids) - set(ids) and set(edge.target_ids) & set(ids)
        for edge in design.workflow.edges
    )
    anew = [node.title for node in nodes if led and node.id in ids and _counts(node)]
    state = {
        side: [
            node for node in nodes if (node.id in ids) is side and node.type in _STATE
        ]
        for side in (True, False)
    }
    if anew:
        return f"Each message begins a run of its own inside: {', '.join(anew)} begins anew with each."
    if state[True] and state[False]:
        names = ", ".join(node.title for node in state[True])
        return f"A sub-workflow has a shared state of its own: what {names} sets or gets is apart from what is outside."
    return ""


_STATE = ("set_state", "get_state")


def _counts(node: NodeDefinition) -> bool:
    return node.type in ("counter", "loop_guard") or (
        node.type in ("batch", "reduce") and node.params.get("source") == "messages"
    )


def _comes_back(design: Design, made: Design, node_id: str) -> bool:
    try:
        return not diff(design, expand(made, node_id)[0])
    except EditError:
        return False


def _params(
    design: Design, border: Border, name: str, at: Position | None
) -> dict[str, Any]:
    inner = _inner(design, border, name)
    params = {
        "direct_output": border.yields,
        ENTRIES: border.entry.ways,
        EXITS: border.leave.ways,
    }
    inline = value_of(replace(inner, layout_extra=_memory(design, border, at)))
    return {INLINE: inline, **{key: value for key, value in params.items() if value}}


def _inner(design: Design, border: Border, name: str) -> Design:
    """The drawing inside, with inputs and outputs of its own where edges moved in or end."""
    workflow = design.workflow
    entry = border.entry
    leave = border.leave
    taken = [node for node in workflow.nodes if node.id in border.inside]
    nodes = [led_otherwise(node, entry.stands, leave.stands) for node in taken]
    kept = {edge.id: edge for edge in border.inner} | entry.moved | leave.moved
    edges = [kept[edge.id] for edge in workflow.edges if edge.id in kept]
    positions = {
        key: at for key, at in design.positions.items() if key in border.inside
    }
    places = list(positions.values())
    _place(
        positions,
        places,
        entry.added,
        -SWITCH_STEP if _decides(entry.added, (*edges, *entry.parts)) else -STEP,
    )
    _place(positions, places, leave.added, STEP)
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
    """Where nothing leads in, the first node to which nothing leads."""
    led = {target for edge in edges for target in edge.target_ids}
    return next((node.id for node in nodes if node.id not in led), nodes[0].id)


def _decides(added: Sequence[NodeDefinition], edges: Iterable[EdgeDefinition]) -> bool:
    """Return whether a switch starts at one of these nodes: its cases need more room."""
    sources = {kind_of(edge).hub(edge) for edge in edges if kind_of(edge).is_diamond}
    return any(node.id in sources for node in added)


def _place(
    positions: dict[str, Position],
    places: Sequence[Position],
    added: Sequence[NodeDefinition],
    step: float,
) -> None:
    """In a column left of everything or right of it, about the middle; nowhere if nothing has been laid out."""
    if not places:
        return
    edge = min(x for x, _ in places) if step < 0 else max(x for x, _ in places)
    top = middle([y for _, y in places]) - ROW * (len(added) - 1) / 2
    for number, node in enumerate(added):
        positions[node.id] = (edge + step, top + ROW * number)


def _memory(design: Design, border: Border, at: Position | None) -> dict[str, Any]:
    """What the drawing inside cannot say of where it came from: the order, and where the sub-workflow stood."""
    gone = {
        *(edge.id for edge in border.inner),
        *border.entry.moved,
        *border.leave.moved,
    }
    workflow = design.workflow
    cut = {part.id for part in border.entry.parts}
    memory: dict[str, Any] = {
        "nodes": {
            node.id: place
            for place, node in enumerate(workflow.nodes)
            if node.id in border.inside
        },
        "edges": {
            edge.id: place
            for place, edge in enumerate(workflow.edges)
            if edge.id in gone
        },
    }
    if dots := _dots(design, (*border.coming, *border.going)):
        memory["dots"] = {
            key: {wire: list(map(list, at)) for wire, at in wires.items()}
            for key, wires in dots.items()
        }
    if cut:
        memory["targets"] = {
            edge.id: list(edge.target_ids) for edge in workflow.edges if edge.id in cut
        }
    return {COLLAPSED: memory if at is None else {"at": list(at), **memory}}


def _outer(
    design: Design, border: Border, node: NodeDefinition, at: Position | None
) -> Design:
    """The design with the sub-workflow where its first node was."""
    workflow = design.workflow
    new = dict.fromkeys(border.inside, node.id)
    first = next(one for one in workflow.nodes if one.id in border.inside)
    nodes = [
        node if one is first else border.stand_for_chosen(one, node.id)
        for one in workflow.nodes
        if one is first or one.id not in border.inside
    ]
    gone = {
        *(edge.id for edge in border.inner),
        *border.entry.moved,
        *border.leave.moved,
    }
    names = Names(design)
    names.take(node.id)
    edges = [_led(edge, new) for edge in workflow.edges if edge.id not in gone]
    for source, target in (*border.entry.links, *border.leave.links):
        led = plain_edge(source or node.id, target or node.id)
        edges.append(led.model_copy(update={"id": names.take(led.id)}))
    made = with_workflow(
        design,
        nodes=tuple(nodes),
        edges=tuple(edges),
        start=node.id if workflow.start in border.inside else workflow.start,
    )
    positions = {
        key: at for key, at in design.positions.items() if key not in border.inside
    }
    touched = {edge.id for edge in (*border.inner, *border.coming, *border.going)}
    dots = {key: wires for key, wires in design.dots.items() if key not in touched}
    return replace(
        made,
        positions=positions if at is None else {**positions, node.id: at},
        dots=dots,
    )


def _dots(
    design: Design, edges: Iterable[EdgeDefinition]
) -> dict[str, Mapping[str, Points]]:
    return {edge.id: design.dots[edge.id] for edge in edges if edge.id in design.dots}


def _spot(design: Design, border: Border, sizes: Mapping[str, Size]) -> Position | None:
    """In the middle of what was taken, or the nearest place to it where no other node stands."""
    at = centre(design, border.inside)
    others = boxes_of(design.positions, sizes_of(design, sizes), but=border.inside)
    if at is None or others.is_free(at, NODE_SIZE, CLEAR):
        return at
    return others.nearest(at, NODE_SIZE)


def _led(edge: EdgeDefinition, new: dict[str, str]) -> EdgeDefinition:
    """An edge that stays outside; of a fan-out to several nodes inside one way is left."""
    led = ends.renamed(edge, new)
    if kind_of(led).common_condition(led) == "":
        return kind_of(led).distinct(led)
    return led
