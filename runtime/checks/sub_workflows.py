"""Checks of sub-workflows: is there one, can it be read, and what is wrong inside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from runtime.document.definition import (
    Infos,
    NodeDefinition,
    WorkflowDefinition,
)
from runtime.document.problem import Problem
from runtime.document.references import own_file
from runtime.document.sub_workflows import SUB_WORKFLOW, Chain, child_of, is_file_child
from runtime.document.ways import entries_of, exits_of
from runtime.errors import DefinitionError

if TYPE_CHECKING:
    from runtime.document.sub_workflows import Child

RULE = "sub-workflow"


def check_children(
    definition: WorkflowDefinition,
    infos: Infos | None,
    folder: Path | str | None,
    chain: Chain,
) -> Iterator[Problem]:
    """The problems of all children, at the nodes that have them. Without a folder no file is looked at."""
    for node in definition.nodes:
        if node.type == SUB_WORKFLOW and (
            folder is not None or not is_file_child(node)
        ):
            yield from _child(node, infos, folder, chain)
            yield from _ways(definition, node, folder, chain)


def _child(
    node: NodeDefinition, infos: Infos | None, folder: Path | str | None, chain: Chain
) -> Iterator[Problem]:
    part = "params.file" if is_file_child(node) else "params.inline"
    try:
        child = child_of(node, folder or ".", chain)
    except DefinitionError as error:
        text = f"{node.title}: {str(error).removeprefix(f'{node.id}: ').rstrip('.')}"
        yield Problem(
            severity="error", rule=RULE, message=text, location=node.id, part=part
        )
        return
    for found in _inside(child, infos, folder, entries_of(node).values()):
        if found.severity != "info":
            yield _told_at(node, part, child.workflow, found)


def _ways(
    definition: WorkflowDefinition,
    node: NodeDefinition,
    folder: Path | str | None,
    chain: Chain,
) -> Iterator[Problem]:
    """Ways in and out that lead nowhere any more: what they were for may have been deleted, inside or beside."""
    entries = entries_of(node)
    exits = exits_of(node)
    if not entries and not exits:
        return
    try:
        inner = child_of(node, folder or ".", chain).workflow
    except DefinitionError:
        return  # said already
    pairs = [pair for edge in definition.edges for pair in edge.pairs]
    before = {s for s, t in pairs if t == node.id}
    after = {t for s, t in pairs if s == node.id}
    for source, entry in entries.items():
        name = _title(definition, source)
        if inner.node(entry) is None:
            text = f"{node.title}: messages of {name} should enter at '{entry}', which is not inside any more"
            yield _way(
                node,
                f"entries.{source}",
                text,
                "error",
                "Draw it again inside, or remove the way in.",
            )
        elif source not in before:
            text = f"{node.title}: there is a way in for {name}, and no edge from it"
            yield _way(
                node,
                f"entries.{source}",
                text,
                "warning",
                "Connect them, or remove the way in.",
            )
    for output, targets in exits.items():
        if inner.node(output) is None:
            text = f"{node.title}: '{output}' has a way out, and is not inside any more"
            yield _way(
                node,
                f"exits.{output}",
                text,
                "error",
                "Draw it again inside, or remove the way out.",
            )
        for at, target in (
            (at, one) for at, one in enumerate(targets) if one not in after
        ):
            text = f"{node.title}: what '{output}' inside puts out should go to {_title(definition, target)}, and no "
            said = f"{text}edge leads there"
            yield _way(
                node,
                f"exits.{output}[{at}]",
                said,
                "error",
                "Connect them, or remove the way out.",
            )


def _title(definition: WorkflowDefinition, node_id: str) -> str:
    node = definition.node(node_id)
    return f"'{node_id}'" if node is None else node.title


def _way(
    node: NodeDefinition,
    part: str,
    message: str,
    severity: Literal["error", "warning"],
    remedy: str,
) -> Problem:
    return Problem(
        severity=severity,
        rule=RULE,
        message=message,
        location=node.id,
        part=f"params.{part}",
        remedy=remedy,
    )


def _inside(
    child: Child,
    infos: Infos | None,
    folder: Path | str | None,
    entries: Collection[str],
) -> list[Problem]:
    from runtime.checks.check import as_inside, check

    if folder is None:
        return [
            as_inside(one)
            for one in check(child.workflow, infos, None, child.chain, entries)
        ]
    if infos is not None and child.folder.resolve() != Path(folder).resolve():
        infos = {
            name: info
            for name, info in infos.items()
            if own_file(name, child.folder) is None
        }
    found = check(child.workflow, infos, child.folder, child.chain, entries)
    # Node types of another folder are not listed here. The build says what is wrong with one whose file is there.
    known = [
        one
        for one in found
        if one.rule != "node-type-known" or not _has_file(child, one.location)
    ]
    return [as_inside(one) for one in known]


def _has_file(child: Child, node_id: str) -> bool:
    node = child.workflow.node(node_id)
    file = None if node is None else own_file(node.type, child.folder)
    return file is not None and file.is_file()


def _told_at(
    node: NodeDefinition, part: str, inner: WorkflowDefinition, found: Problem
) -> Problem:
    # One that comes from further inside names its node already.
    at = None if found.rule == RULE else inner.node(found.location)
    where = "" if at is None or found.message.startswith(at.title) else f" › {at.title}"
    message = f"{node.title}{where} › {found.message}"
    return found.model_copy(
        update={
            "rule": RULE,
            "message": message,
            "location": node.id,
            "part": part,
            "inside": (found.location, *found.inside),
            "inside_rule": found.inside_rule or found.rule,
            "inside_part": found.inside_part or found.part,
        }
    )
