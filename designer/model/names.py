"""Names of workflows; ids made from names: readable, in snake case, unique among the nodes and edges of a design."""

from __future__ import annotations

import re
import unicodedata

from designer.model.design import Design
from runtime.document.definition import WorkflowDefinition

# What a workflow is called that nobody has named.
UNNAMED = frozenset({"", WorkflowDefinition().name})
_NOT_WORD = re.compile(r"[\W_]+")
_COUNTED = re.compile(r"(.+)_\d+")


def snake_case(text: str, *, otherwise: str) -> str:
    """`Fetch the page` -> `fetch_the_page`. Letters of any script stay; without any, `otherwise`."""
    return _NOT_WORD.sub("_", text).strip("_").lower() or otherwise


def is_blank(name: str) -> bool:
    """Whether there are characters and none of them can be seen: blanks, controls, marks without width."""
    return bool(name) and all(
        unicodedata.category(character)[0] in "ZC" for character in name
    )


def one_line(text: str) -> str:
    """A text from a file as a name to be shown: in one line, and no longer than anybody reads."""
    return " ".join(text.split())[:200]


def is_made_from(node_id: str, name: str) -> bool:
    """Whether an id is one that `Names` gives out for a name: as it is, or with a number."""
    made = snake_case(name, otherwise="")
    counted = _COUNTED.fullmatch(node_id)
    return bool(made) and (
        node_id == made or (counted is not None and counted[1] == made)
    )


def ids_of(workflow: WorkflowDefinition) -> list[str]:
    """Return the ids of all nodes and edges, which share one space, because a selection holds both."""
    return [
        *(node.id for node in workflow.nodes),
        *(edge.id for edge in workflow.edges),
    ]


class Names:
    """Gives out ids that no node and no edge of a design has yet."""

    def __init__(self, design: Design) -> None:
        self._taken = set(ids_of(design.workflow))
        self._next: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """`wanted` itself when it is free, else with the next number: `fetch`, `fetch_2`, `fetch_3`."""
        name = wanted
        if name in self._taken:
            counted = _COUNTED.fullmatch(wanted)
            stem = counted[1] if counted else wanted
            # Where counting goes on is remembered: thousands of pasted copies of one node stay linear.
            number = self._next.get(stem, 2)
            while (name := f"{stem}_{number}") in self._taken:
                number += 1
            self._next[stem] = number + 1
        self._taken.add(name)
        return name


def other_ids(before: WorkflowDefinition, after: WorkflowDefinition) -> dict[str, str]:
    """The ids that nodes have got, by those they had: of nodes at one place in the order that are else the same, when
    the old id is gone and the new one was not there.
    """
    if before.nodes is after.nodes or len(before.nodes) != len(after.nodes):
        return {}
    pairs = [
        (old, new)
        for old, new in zip(before.nodes, after.nodes, strict=True)
        if old.id != new.id
    ]
    gone = {old.id for old, _ in pairs}
    come = {new.id for _, new in pairs}
    moved = gone & come
    return {
        old.id: new.id
        for old, new in pairs
        if not {old.id, new.id} & moved
        and (old.type, old.params) == (new.type, new.params)
    }
