"""What differs between two drawings, in words for people: before one is recovered,
reloaded or restored.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import unified_diff

from designer.model.design import Design
from designer.model.diff import diff
from designer.model.files import dumps
from designer.model.names import one_line
from runtime.errors import DefinitionError
from runtime.values.words import counted

# Of both files together. More take seconds to compare, and no person reads them.
MOST_LINES = 12_000
NAMED = 4  # so many are listed by name; the others are counted


def size(design: Design) -> str:
    """Return how much there is, such as `3 nodes, 1 edge group`."""
    workflow = design.workflow
    return f"{counted(len(workflow.nodes), 'node')}, {counted(len(workflow.edges), 'edge group')}"


def summary(before: Design, after: Design) -> tuple[str, ...]:
    """Return what leads from one drawing to another, a line for each kind of change;
    empty if nothing differs.
    """
    changes = diff(before, after)
    titles = {
        node.id: one_line(node.title)
        for node in (*before.workflow.nodes, *after.workflow.nodes)
    }
    lines = [
        *_line("node", "added", changes.nodes_added, titles),
        *_line("node", "removed", changes.nodes_removed, titles),
        *_line("node", "changed", changes.nodes_changed, titles),
        *_line("node", "moved", changes.nodes_moved - changes.nodes_changed, titles),
        *_line("edge group", "added", changes.edges_added, {}),
        *_line("edge group", "removed", changes.edges_removed, {}),
        *_line("edge group", "changed", changes.edges_changed, {}),
        *_line(
            "edge group",
            "led another way",
            changes.edges_moved & _edges(before) & _edges(after),
            {},
        ),
    ]
    if changes.workflow_changed and (
        not lines or _settings(before) != _settings(after)
    ):
        lines.append("the workflow's own settings differ, or the order of its parts")
    return tuple(lines)


def text_diff(before: Design, after: Design, name_before: str, name_after: str) -> str:
    """Return the same, line by line of the files that are written.

    Return "" if one of them cannot be written, or they are too long.
    """
    try:
        lines_before = dumps(before).splitlines()
        lines_after = dumps(after).splitlines()
    except DefinitionError:
        return ""
    if len(lines_before) + len(lines_after) > MOST_LINES:
        return ""
    lines = unified_diff(
        lines_before, lines_after, name_before, name_after, lineterm="", n=2
    )
    return "\n".join(lines)


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
