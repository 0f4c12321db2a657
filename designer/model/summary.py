"""What differs between two drawings, in words for people: before one is recovered, reloaded or restored."""

from __future__ import annotations

from collections.abc import Collection
from difflib import unified_diff

from designer.model.design import Design
from designer.model.diff import diff
from designer.model.files import dumps
from designer.model.names import one_line
from runtime.errors import DefinitionError
from runtime.values.words import counted

# of both files together: more take seconds to compare, and nobody reads them
MOST_LINES = 12_000
NAMED = 4  # as many are called by name; the others are counted


def size(design: Design) -> str:
    """How much there is, such as `3 nodes, 1 edge group`."""
    workflow = design.workflow
    return f"{counted(len(workflow.nodes), 'node')}, {counted(len(workflow.edges), 'edge group')}"


def summary(old: Design, new: Design) -> tuple[str, ...]:
    """What leads from `old` to `new`, one line for each kind of change; empty if nothing differs."""
    found = diff(old, new)
    titles = {
        node.id: one_line(node.title)
        for node in (*old.workflow.nodes, *new.workflow.nodes)
    }
    lines = [
        *_line("node", "added", found.nodes_added, titles),
        *_line("node", "removed", found.nodes_removed, titles),
        *_line("node", "changed", found.nodes_changed, titles),
        *_line("node", "moved", found.nodes_moved - found.nodes_changed, titles),
        *_line("edge group", "added", found.edges_added, {}),
        *_line("edge group", "removed", found.edges_removed, {}),
        *_line("edge group", "changed", found.edges_changed, {}),
        *_line(
            "edge group",
            "led another way",
            found.edges_moved & _edges(old) & _edges(new),
            {},
        ),
    ]
    if found.workflow_changed and (not lines or _settings(old) != _settings(new)):
        lines.append("the workflow's own settings differ, or the order of its parts")
    return tuple(lines)


def text_diff(old: Design, new: Design, old_name: str, new_name: str) -> str:
    """The same, line by line of the files that they are written as; "" if one of them cannot be written, or they are
    too long.
    """
    try:
        before = dumps(old).splitlines()
        after = dumps(new).splitlines()
    except DefinitionError:
        return ""
    if len(before) + len(after) > MOST_LINES:
        return ""
    return "\n".join(unified_diff(before, after, old_name, new_name, lineterm="", n=2))


def _line(
    noun: str, what: str, ids: Collection[str], titles: dict[str, str]
) -> list[str]:
    if not ids:
        return []
    named = [titles.get(key, key) for key in sorted(ids)]
    more = f" and {len(named) - NAMED} more" if len(named) > NAMED else ""
    return [f"{counted(len(ids), noun)} {what}: {', '.join(named[:NAMED])}{more}"]


def _edges(design: Design) -> set[str]:
    return {edge.id for edge in design.workflow.edges}


def _settings(design: Design) -> object:
    return (
        design.workflow.model_dump(exclude={"nodes", "edges"}),
        dict(design.extra),
        dict(design.layout_extra),
    )
