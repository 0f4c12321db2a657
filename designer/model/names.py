"""Names of workflows; ids made from names: readable, in snake case, unique among the
nodes and edges of a design.
"""

from __future__ import annotations

import re
import unicodedata

from designer.model.design import Design
from runtime.document.definition import WorkflowDefinition

# Names of workflows that have not been named.
UNNAMED = frozenset({"", WorkflowDefinition().name})
_NOT_WORD = re.compile(r"[\W_]+")
_COUNTED = re.compile(r"(.+)_\d+")


def snake_case(text: str, *, otherwise: str) -> str:
    """Return `fetch_the_page` for `Fetch the page`. Letters of any script stay; without
    any, return `otherwise`.
    """
    return _NOT_WORD.sub("_", text).strip("_").lower() or otherwise


def is_blank(name: str) -> bool:
    """Return whether a name has characters and none of them can be seen: blanks,
    controls, marks without width.
    """
    return bool(name) and all(
        unicodedata.category(character)[0] in "ZC" for character in name
    )


def one_line(text: str) -> str:
    """Return a text from a file as a name: in one line, and no longer than a person
    reads.
    """
    return " ".join(text.split())[:200]


def is_made_from(node_id: str, name: str) -> bool:
    """Return whether an id is one that `Names` gives for a name: as it is, or with a
    number.
    """
    stem = snake_case(name, otherwise="")
    if not stem:
        return False
    counted = _COUNTED.fullmatch(node_id)
    return node_id == stem or (counted is not None and counted[1] == stem)


def ids_of(workflow: WorkflowDefinition) -> list[str]:
    """Return the ids of all nodes and edges, which share one space, because a selection
    holds both.
    """
    return [
        *(node.id for node in workflow.nodes),
        *(edge.id for edge in workflow.edges),
    ]


class Names:
    """Gives out ids that no node and no edge of a design has yet."""

    def __init__(self, design: Design) -> None:
        self._taken = set(ids_of(design.workflow))
        self._next: dict[str, int] = {}

    def take(self, name: str) -> str:
        """Return `name` itself when it is free, else with the next number: `fetch`,
        `fetch_2`, `fetch_3`.
        """
        if name in self._taken:
            counted = _COUNTED.fullmatch(name)
            stem = counted[1] if counted else name
            # The next number is remembered, so that thousands of pasted copies of one
            # node stay linear.
            number = self._next.get(stem, 2)
            while (name := f"{stem}_{number}") in self._taken:
                number += 1
            self._next[stem] = number + 1
        self._taken.add(name)
        return name


def other_ids(before: WorkflowDefinition, after: WorkflowDefinition) -> dict[str, str]:
    """Return the new ids of renamed nodes, by the ids that they had.

    A node was renamed if one at the same place in the order is else the same, its old
    id is gone, and the new one is new.
    """
    if before.nodes is after.nodes or len(before.nodes) != len(after.nodes):
        return {}
    pairs = [
        (node, same_place)
        for node, same_place in zip(before.nodes, after.nodes, strict=True)
        if node.id != same_place.id
    ]
    old_ids = {node.id for node, _ in pairs}
    new_ids = {node.id for _, node in pairs}
    moved = old_ids & new_ids
    return {
        node.id: renamed.id
        for node, renamed in pairs
        if moved.isdisjoint((node.id, renamed.id))
        and (node.type, node.params) == (renamed.type, renamed.params)
    }
