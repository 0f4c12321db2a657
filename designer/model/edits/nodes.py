"""Edits of nodes and of the workflow as a whole. Each takes a design and returns a new
one; see `edits`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from pydantic import ValidationError

from designer.model.bookmarks import renamed as bookmark_renamed
from designer.model.bookmarks import without as without_bookmarks
from designer.model.design import Design, Position, require_node
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
    """Return the design with these fields of its workflow replaced; fields that are not
    known here stay.
    """
    return replace(design, workflow=design.workflow.model_copy(update=changes))


def add_node(
    design: Design,
    type: str,
    position: Position,
    *,
    node_id: str | None = None,
    name: str = "",
    params: Mapping[str, Any] | None = None,
) -> tuple[Design, str]:
    """Add a node and return its id too: made unique from `node_id`, the name, or the
    type. The first is the start.
    """
    wish = node_id or snake_case(name or type, otherwise="node")
    new_id = Names(design).take(wish)
    own_params = copy.deepcopy(dict(params or {}))
    node = NodeDefinition(id=new_id, type=type, name=name, params=own_params)
    workflow = design.workflow
    start = workflow.start if workflow.nodes else new_id
    added = with_workflow(design, nodes=(*workflow.nodes, node), start=start)
    positions = {**design.positions, new_id: _finite(new_id, position)}
    return replace(added, positions=positions), new_id


def remove(design: Design, ids: Collection[str]) -> Design:
    """Remove these nodes, edges and frames. Ids of none are passed over, so that
    removing twice is removing once.

    Groups that lose ends shrink (`ends.without` has the rules). A start that goes
    leaves no start.
    """
    design = without_bookmarks(without_frames(design, ids), ids)
    workflow = design.workflow
    removed = set(ids)
    removed_nodes = {node.id for node in workflow.nodes} & removed
    edges = [edge for edge in workflow.edges if edge.id not in removed]
    if not removed_nodes and len(edges) == len(workflow.edges):
        return design
    smaller = with_workflow(
        design,
        nodes=tuple(node for node in workflow.nodes if node.id not in removed_nodes),
        edges=tuple(_shrunk(design, edges, removed_nodes)),
        start="" if workflow.start in removed_nodes else workflow.start,
    )
    positions = dict(design.positions)
    for node_id in removed_nodes:
        positions.pop(node_id, None)
    return replace(smaller, positions=positions)


def _shrunk(
    design: Design, edges: Iterable[EdgeDefinition], removed_nodes: Collection[str]
) -> Iterable[EdgeDefinition]:
    """Yield what is left of edges without these nodes, each under a free id if it got
    another one.
    """
    names = Names(design)
    for edge in edges:
        remaining = ends.without(edge, removed_nodes)
        if remaining is None:
            continue
        if remaining.id == edge.id:
            yield remaining
        else:
            yield remaining.model_copy(update={"id": names.take(remaining.id)})


def move(design: Design, positions: Mapping[str, Position]) -> Design:
    """Put nodes at these places; dots of wires between nodes that go the same way
    follow.

    Return the same design when nothing moves.
    """
    known = {node.id for node in design.workflow.nodes}
    for node_id in positions:
        if node_id not in known:
            raise EditError(f"There is no node '{node_id}' to move.", node_id)
    moved = {node_id: _finite(node_id, place) for node_id, place in positions.items()}
    if all(design.positions.get(node_id) == place for node_id, place in moved.items()):
        return design
    changed = replace(design, positions={**design.positions, **moved})
    return with_moved_dots(design, changed)


def _finite(node_id: str, position: Position) -> Position:
    x, y = position
    if not (math.isfinite(x) and math.isfinite(y)):
        raise EditError(f"({x}, {y}) is no place for the node '{node_id}'.", node_id)
    return x, y


def _with_node(design: Design, node: NodeDefinition, node_id: str) -> Design:
    """Put a node in the place of the one with this id."""
    nodes = [node if other.id == node_id else other for other in design.workflow.nodes]
    return with_workflow(design, nodes=tuple(nodes))


def rename(design: Design, node_id: str, name: str) -> Design:
    """Set the name that people see. The id stays, because checkpoints know the node by
    it.

    Raise `EditError` for blanks alone.
    """
    node = require_node(design, node_id)
    if is_blank(name):
        raise EditError("A name of blanks alone cannot be seen.", node_id)
    if node.name == name:
        return design
    return _with_node(design, node.model_copy(update={"name": name}), node_id)


def set_icon(design: Design, node_id: str, icon: str) -> Design:
    """Set the icon; an empty one is that of the node's type."""
    node = require_node(design, node_id)
    if node.icon == icon:
        return design
    return _with_node(design, node.model_copy(update={"icon": icon}), node_id)


def set_off(design: Design, ids: Collection[str], off: Off) -> Design:
    """Switch nodes off, or with "" on again. Return the same design when they are so
    already.
    """
    for node_id in ids:
        require_node(design, node_id)
    nodes = []
    changes = False
    for node in design.workflow.nodes:
        if node.id in ids and node.off != off:
            nodes.append(node.model_copy(update={"off": off}))
            changes = True
        else:
            nodes.append(node)
    return with_workflow(design, nodes=tuple(nodes)) if changes else design


def set_outputs(design: Design, node_id: str, outputs: Outputs) -> Design:
    """Say whether what a node yields counts as an output of the workflow (""), as
    progress, or not at all.
    """
    node = require_node(design, node_id)
    return _with_node(design, node.model_copy(update={"outputs": outputs}), node_id)


def set_failure_policy(
    design: Design, node_id: str, retry: RetryDefinition | None, timeout: float | None
) -> Design:
    """Set what a node does when it fails, as a document has it; for an empty id that of
    the workflow.
    """
    changes = {"retry": retry, "timeout": timeout}
    try:
        NodeDefinition.model_validate({"id": "any", "type": "any", **changes})
    except ValidationError as error:
        named = [node_id] if node_id else []
        raise EditError(_first_fault(error), *named) from None
    if not node_id:
        return with_workflow(design, **changes)
    node = require_node(design, node_id)
    return _with_node(design, node.model_copy(update=changes), node_id)


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    place = ".".join(map(str, fault["loc"]))
    return f"{place}: {fault['msg']}."


def toggle_off(design: Design, ids: Collection[str], off: Off) -> Design:
    """Switch nodes off in this way; if all of them are off, on again."""
    are_off = all(require_node(design, node_id).off == off for node_id in ids)
    return set_off(design, ids, "" if are_off else off)


def set_id(design: Design, node_id: str, new_id: str) -> Design:
    """Give a node another id; edges, start and position follow. Raise `EditError` if it
    is empty or taken.
    """
    node = require_node(design, node_id)
    new_id = new_id.strip()
    if new_id == node_id:
        return design
    if not new_id or is_blank(new_id):
        text = f"The node '{node_id}' needs an id; an empty one is none."
        raise EditError(text, node_id)
    workflow = design.workflow
    if new_id in ids_of(workflow):
        text = f"The id '{new_id}' is taken. Choose another one for '{node_id}'."
        raise EditError(text, node_id, new_id)
    names = {node_id: new_id}
    changed = _with_node(design, node.model_copy(update={"id": new_id}), node_id)
    edges = [
        ends.renamed(edge, names) if node_id in ends.ends(edge) else edge
        for edge in workflow.edges
    ]
    changed = with_workflow(
        changed,
        nodes=renamed_outside(changed.workflow.nodes, names),
        edges=tuple(edges),
        start=names.get(workflow.start, workflow.start),
    )
    changed = bookmark_renamed(changed, node_id, new_id)
    positions = {
        names.get(other_id, other_id): place
        for other_id, place in design.positions.items()
    }
    return replace(changed, positions=positions)


def set_type(design: Design, node_id: str, type: str) -> Design:
    """Give a node another type. Id, name, parameters and edges stay; `check` reports
    what does not fit the new type.
    """
    node = require_node(design, node_id)
    if node.type == type:
        return design
    return _with_node(design, node.model_copy(update={"type": type}), node_id)


def set_params(design: Design, node_id: str, params: Mapping[str, Any]) -> Design:
    """Set all parameters. They are copied, because what the caller does to `params`
    later must change no design.
    """
    node = require_node(design, node_id)
    changes = {"params": copy.deepcopy(dict(params))}
    return _with_node(design, node.model_copy(update=changes), node_id)


def set_start(design: Design, node_id: str) -> Design:
    """Set the node that gets the input of a run."""
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
    """Set properties of the workflow; those that are left out stay. `input` may be any
    JSON value, None included.
    """
    fields: dict[str, Any] = {
        "name": name,
        "description": description,
        "max_supersteps": max_supersteps,
        "reducers": None if reducers is None else dict(reducers),
        "state_conflicts": state_conflicts,
    }
    changes = {field: value for field, value in fields.items() if value is not None}
    if input is not UNCHANGED:
        changes["input"] = copy.deepcopy(input)
    try:
        WorkflowDefinition.model_validate(changes)
    except ValidationError as error:
        raise EditError(_first_fault(error)) from None
    return with_workflow(design, **changes)
