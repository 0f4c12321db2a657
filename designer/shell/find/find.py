"""The entries of Find: nodes by title, id, type and texts of their parameters; edges by
their conditions and ids.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from designer.model.completion.type_search import SYNONYMS
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.inside import Way, levels
from designer.model.names import one_line
from designer.shell.find.command_palette import Entry
from runtime.document.definition import (
    EdgeDefinition,
    NodeDefinition,
    NodeInfo,
    WorkflowDefinition,
)
from runtime.document.sub_workflows import INLINE


def node_entry(
    node: NodeDefinition, go: Callable[[str], object], hint: str = ""
) -> Entry:
    """Return the entry of a node. Its title, its id, its type and all texts of its
    parameters find it.
    """
    # Without the drawing inside of a sub-workflow, whose nodes are entries themselves.
    params = {name: value for name, value in node.params.items() if name != INLINE}
    words = " ".join((node.id, node.type, *_texts(params)))
    title = one_line(node.title)
    return Entry(title, hint or node.type, "target", partial(go, node.id), words)


def findable(workflow: WorkflowDefinition, go: Callable[[str], object]) -> list[Entry]:
    """Return the entries of a drawing; `go` gets the id of the chosen element."""
    titles = {node.id: one_line(node.title) for node in workflow.nodes}
    nodes = [node_entry(node, go) for node in workflow.nodes]
    return nodes + [_edge_entry(edge, titles, go) for edge in workflow.edges]


def elsewhere(root: Design, here: Way, go: Callable[[Way, str], object]) -> list[Entry]:
    """Return the nodes on all other levels of a document; the hint names their level."""
    entries: list[Entry] = []
    for way, names, design in levels(root):
        if way != here:
            place = " › ".join(map(one_line, names)) or "the workflow outside"
            entries += [
                node_entry(node, partial(go, way), f"in {place}")
                for node in design.workflow.nodes
            ]
    return entries


def type_entries(
    infos: Mapping[str, NodeInfo], add: Callable[[str], object]
) -> list[Entry]:
    """Return an entry for each node type to add. Common names find it too."""
    return [
        Entry(
            f"Add {info.title}",
            info.category,
            "plus",
            partial(add, type),
            f"{type} {SYNONYMS.get(type, '')}",
        )
        for type, info in infos.items()
    ]


def _edge_entry(
    edge: EdgeDefinition, titles: dict[str, str], go: Callable[[str], object]
) -> Entry:
    pairs = edge.pairs
    sources = ", ".join(
        dict.fromkeys(titles.get(source, source) for source, _ in pairs)
    )
    targets = ", ".join(
        dict.fromkeys(titles.get(target, target) for _, target in pairs)
    )
    words = " ".join(_texts(edge.model_dump(mode="json", exclude={"kind"})))
    return Entry(
        f"{sources} → {targets}",
        kind_of(edge).word,
        "chevr",
        partial(go, edge.id),
        words,
    )


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts and names in a JSON value."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield str(name)
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
    elif value is not None and value != "":
        yield str(value)
