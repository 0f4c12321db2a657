"""The first name of a new node: its id is made from it, and so are the ids of edges
that came from the id before.

A node from the palette has the name of its type; code and checkpoints should not speak
of `function_3`.
"""

from __future__ import annotations

from collections.abc import Collection

from designer.model.design import Design, require_node
from designer.model.edits.ends import usual_id
from designer.model.edits.nodes import set_id, with_workflow
from designer.model.names import Names, is_made_from, snake_case
from runtime.document.definition import EdgeDefinition


def is_first_name(design: Design, node_id: str, title: str) -> bool:
    """Return whether the id of a node is still that of its type, which has this title,
    and its name is another.
    """
    node = design.workflow.node(node_id)
    if node is None or not is_made_from(node_id, title):
        return False
    if is_made_from(node_id, node.name):
        return False
    return bool(snake_case(node.name, otherwise=""))


def with_id_of_name(design: Design, node_id: str) -> tuple[Design, str]:
    """Give a node an id that is made from its name, and return the id too.

    Only for a node that no run and no other file knows by its id.
    """
    node = require_node(design, node_id)
    new_id = Names(design).take(snake_case(node.name, otherwise=node_id))
    changed = set_id(design, node_id, new_id)
    names = Names(changed)
    pairs = zip(design.workflow.edges, changed.workflow.edges, strict=True)
    edges = [
        _with_id_of_ends(before, after, names, design.dots) for before, after in pairs
    ]
    return with_workflow(changed, edges=tuple(edges)), new_id


def _with_id_of_ends(
    before: EdgeDefinition,
    after: EdgeDefinition,
    names: Names,
    dotted: Collection[str],
) -> EdgeDefinition:
    """Return the edge under an id that is made from its ends, if it had such a one.

    An edge with dots keeps its id, because dots are kept by the id.
    """
    is_usual = before.id == usual_id(before)
    new_id = usual_id(after)
    if not is_usual or before.id == new_id or before.id in dotted:
        return after
    return after.model_copy(update={"id": names.take(new_id)})
