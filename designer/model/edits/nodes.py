"""Edits of nodes and of the workflow as a whole. Each takes a design and returns a new one; see `edits`."""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from pydantic import ValidationError

from designer.model.bookmarks import renamed as bookmark_renamed
from designer.model.bookmarks import without as without_bookmarks
from designer.model.design import Design, Position
from designer.model.edits import ends
from designer.model.edits.dots import with_moved_dots
from designer.model.edits.ways import renamed_outside
from designer.model.errors import EditError
from designer.model.frames import without as without_frames
from designer.model.names import Names, ids_of, is_blank, snake_case
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    Off,
    Outputs,
    RetryDefinition,
    WorkflowDefinition,
)

UNCHANGED: Final = object()


def with_workflow(design: Design, **changes: Any) -> Design:
    """The design with these fields of its workflow replaced; everything unknown in it stays."""
    return replace(design, workflow=design.workflow.model_copy(update=changes))


def require_node(design: Design, node_id: str) -> NodeDefinition:
    """The node. Raises `EditError` if there is none with this id."""
    node = design.workflow.node(node_id)
    if node is None:
        raise EditError(f"There is no node '{node_id}' any more.", node_id)
    return node


def add_node(
    design: Design,
    type: str,
    position: Position,
    *,
    node_id: str | None = None,
    name: str = "",
    params: Mapping[str, Any] | None = None,
) -> tuple[Design, str]:
    """A new node, and its id: made unique from `node_id`, the name, or the type. The first node is the start."""
    wanted = node_id or snake_case(name or type, otherwise="node")
    unique = Names(design).take(wanted)
    node = NodeDefinition(
        id=unique, type=type, name=name, params=copy.deepcopy(dict(params or {}))
    )
    workflow = design.workflow
    start = workflow.start if workflow.nodes else unique
    added = with_workflow(design, nodes=(*workflow.nodes, node), start=start)
    return replace(
        added, positions={**design.positions, unique: _finite(unique, position)}
    ), unique


def remove(design: Design, ids: Collection[str]) -> Design:
    """Without these nodes, edges and frames; ids of none are passed over, so removing twice is removing once.

    Groups that lose ends shrink (`ends.without` has the rules). A start that goes leaves no start.
    """
    design = without_bookmarks(without_frames(design, ids), ids)
    workflow = design.workflow
    wanted = set(ids)
    gone = {node.id for node in workflow.nodes} & wanted
    kept = [edge for edge in workflow.edges if edge.id not in wanted]
    if not gone and len(kept) == len(workflow.edges):
        return design
    smaller = with_workflow(
        design,
        nodes=tuple(node for node in workflow.nodes if node.id not in gone),
        edges=tuple(_left_over(design, kept, gone)),
        start="" if workflow.start in gone else workflow.start,
    )
    return replace(
        smaller,
        positions={key: at for key, at in design.positions.items() if key not in gone},
    )


def _left_over(
    design: Design, edges: Iterable[EdgeDefinition], gone: Collection[str]
) -> Iterable[EdgeDefinition]:
    names = Names(design)
    for edge in edges:
        left = ends.without(edge, gone)
        if left is not None:
            yield (
                left
                if left.id == edge.id
                else left.model_copy(update={"id": names.take(left.id)})
            )


def move(design: Design, positions: Mapping[str, Position]) -> Design:
    """Nodes put at these places; dots of wires between nodes that go the same way follow. The same design comes back
    when nothing moves.
    """
    known = {node.id for node in design.workflow.nodes}
    for node_id in positions:
        if node_id not in known:
            raise EditError(f"There is no node '{node_id}' to move.", node_id)
    moved = {key: _finite(key, at) for key, at in positions.items()}
    if all(design.positions.get(key) == at for key, at in moved.items()):
        return design
    return with_moved_dots(
        design, replace(design, positions={**design.positions, **moved})
    )


def _finite(node_id: str, position: Position) -> Position:
    x, y = position
    if not (math.isfinite(x) and math.isfinite(y)):
        raise EditError(f"({x}, {y}) is no place for the node '{node_id}'.", node_id)
    return x, y


def _with_node(design: Design, node: NodeDefinition, old_id: str) -> Design:
    nodes = tuple(
        node if other.id == old_id else other for other in design.workflow.nodes
    )
    return with_workflow(design, nodes=nodes)


def rename(design: Design, node_id: str, name: str) -> Design:
    """Another name for people. The id stays: checkpoints know the node by it. Raises `EditError` for blanks alone."""
    node = require_node(design, node_id)
    if is_blank(name):
        raise EditError("A name of blanks alone cannot be seen.", node_id)
    if node.name == name:
        return design
    return _with_node(design, node.model_copy(update={"name": name}), node_id)


def set_icon(design: Design, node_id: str, icon: str) -> Design:
    """Another icon; an empty one is that of the node's type."""
    node = require_node(design, node_id)
    if node.icon == icon:
        return design
    return _with_node(design, node.model_copy(update={"icon": icon}), node_id)


def set_off(design: Design, ids: Collection[str], off: Off) -> Design:
    """Nodes switched off, or with "" on again. The same design comes back when they are so already."""
    for node_id in ids:
        require_node(design, node_id)
    nodes = tuple(
        node.model_copy(update={"off": off})
        if node.id in ids and node.off != off
        else node
        for node in design.workflow.nodes
    )
    same = all(
        node is old for node, old in zip(nodes, design.workflow.nodes, strict=True)
    )
    return design if same else with_workflow(design, nodes=nodes)


def set_outputs(design: Design, node_id: str, outputs: Outputs) -> Design:
    """Say whether what a node puts out counts as an output of the workflow (""), as progress, or not at all."""
    require_node(design, node_id)
    nodes = tuple(
        node.model_copy(update={"outputs": outputs}) if node.id == node_id else node
        for node in design.workflow.nodes
    )
    return with_workflow(design, nodes=nodes)


def set_failure_policy(
    design: Design, node_id: str, retry: RetryDefinition | None, timeout: float | None
) -> Design:
    """What a node does when it fails, both as they stand in the document; of the workflow for an empty id."""
    changes = {"retry": retry, "timeout": timeout}
    try:
        NodeDefinition.model_validate({"id": "any", "type": "any", **changes})
    except ValidationError as error:
        first = error.errors()[0]
        raise EditError(
            f"{'.'.join(map(str, first['loc']))}: {first['msg']}.",
            *filter(None, [node_id]),
        ) from None
    if not node_id:
        return with_workflow(design, **changes)
    return _with_node(
        design, require_node(design, node_id).model_copy(update=changes), node_id
    )


def toggle_off(design: Design, ids: Collection[str], off: Off) -> Design:
    """Nodes switched off in this way; if all of them are, on again."""
    are_off = all(require_node(design, node_id).off == off for node_id in ids)
    return set_off(design, ids, "" if are_off else off)


def set_id(design: Design, node_id: str, new_id: str) -> Design:
    """Another id; edges, start and position follow. Raises `EditError` if it is empty or taken."""
    node = require_node(design, node_id)
    new_id = new_id.strip()
    if new_id == node_id:
        return design
    if not new_id or is_blank(new_id):
        raise EditError(
            f"The node '{node_id}' needs an id; an empty one is none.", node_id
        )
    workflow = design.workflow
    if new_id in ids_of(workflow):
        raise EditError(
            f"The id '{new_id}' is taken. Choose another one for '{node_id}'.",
            node_id,
            new_id,
        )
    names = {node_id: new_id}
    called = _with_node(design, node.model_copy(update={"id": new_id}), node_id)
    changed = with_workflow(
        called,
        nodes=renamed_outside(called.workflow.nodes, names),
        edges=tuple(
            ends.renamed(edge, names) if node_id in ends.ends(edge) else edge
            for edge in workflow.edges
        ),
        start=names.get(workflow.start, workflow.start),
    )
    changed = bookmark_renamed(changed, node_id, new_id)
    return replace(
        changed,
        positions={names.get(key, key): at for key, at in design.positions.items()},
    )


def set_type(design: Design, node_id: str, type: str) -> Design:
    """Another type. Id, name, parameters and edges stay: what does not fit the new type is told as a problem."""
    node = require_node(design, node_id)
    if node.type == type:
        return design
    return _with_node(design, node.model_copy(update={"type": type}), node_id)


def set_params(design: Design, node_id: str, params: Mapping[str, Any]) -> Design:
    """Other parameters, all of them. They are copied: what the caller does to `params` later changes no design."""
    node = require_node(design, node_id)
    return _with_node(
        design, node.model_copy(update={"params": copy.deepcopy(dict(params))}), node_id
    )


def set_start(design: Design, node_id: str) -> Design:
    """The node that gets the input of a run."""
    require_node(design, node_id)
    return with_workflow(design, start=node_id)


def set_workflow(
    design: Design,
    *,
    name: str | None = None,
    description: str | None = None,
    max_supersteps: int | None = None,
    input: Any = UNCHANGED,
    reducers: Mapping[str, str] | None = None,
    state_conflicts: Literal["", "error", "last"] | None = None,
) -> Design:
    """Other properties of the workflow; what is not given stays. `input` may be any JSON value, None included."""
    given: dict[str, Any] = {
        "name": name,
        "description": description,
        "max_supersteps": max_supersteps,
    }
    given |= {
        "reducers": dict(reducers) if reducers is not None else None,
        "state_conflicts": state_conflicts,
    }
    changes = {key: value for key, value in given.items() if value is not None}
    if input is not UNCHANGED:
        changes["input"] = copy.deepcopy(input)
    try:
        WorkflowDefinition.model_validate(changes)
    except ValidationError as error:
        first = error.errors()[0]
        raise EditError(
            f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
        ) from None
    return with_workflow(design, **changes)
