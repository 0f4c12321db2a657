"""Checks of sub-workflows: do they exist, can they be read, and are they sound inside?"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.checks.rules import problem
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
    """Yield the problems of all children, at the nodes that have them. Without a
    folder no file is read.
    """
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
        reason = str(error).removeprefix(f"{node.id}: ").rstrip(".")
        yield problem(RULE, "unreadable", node.id, part, node=node.title, reason=reason)
        return
    for inner_problem in _inside(child, infos, folder, entries_of(node).values()):
        if inner_problem.severity != "info":
            yield _told_at(node, part, child.workflow, inner_problem)


def _ways(
    definition: WorkflowDefinition,
    node: NodeDefinition,
    folder: Path | str | None,
    chain: Chain,
) -> Iterator[Problem]:
    """Yield ways in and out that lead nowhere any more, because an end was deleted
    inside or beside.
    """
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
        part = f"params.entries.{source}"
        words: dict[str, Any] = {
            "node": node.title,
            "source": _title(definition, source),
        }
        if inner.node(entry) is None:
            yield problem(RULE, "entry_gone", node.id, part, entry=entry, **words)
        elif source not in before:
            yield problem(RULE, "entry_without_edge", node.id, part, **words)
    for output, targets in exits.items():
        part = f"params.exits.{output}"
        words = {"node": node.title, "output": output}
        if inner.node(output) is None:
            yield problem(RULE, "exit_gone", node.id, part, **words)
        for index, target in enumerate(targets):
            if target not in after:
                yield problem(
                    RULE,
                    "exit_without_edge",
                    node.id,
                    f"{part}[{index}]",
                    target=_title(definition, target),
                    **words,
                )


def _title(definition: WorkflowDefinition, node_id: str) -> str:
    node = definition.node(node_id)
    return f"'{node_id}'" if node is None else node.title


def _inside(
    child: Child,
    infos: Infos | None,
    folder: Path | str | None,
    entries: Collection[str],
) -> list[Problem]:
    from runtime.checks.check import as_inside, check

    if folder is None:
        return [
            as_inside(inner_problem)
            for inner_problem in check(
                child.workflow, infos, None, child.chain, entries
            )
        ]
    if infos is not None and child.folder.resolve() != Path(folder).resolve():
        infos = {
            name: info
            for name, info in infos.items()
            if own_file(name, child.folder) is None
        }
    problems = check(child.workflow, infos, child.folder, child.chain, entries)
    # Node types of another folder are not listed here. The build says what is wrong
    # with one whose file is there.
    known = [
        inner_problem
        for inner_problem in problems
        if inner_problem.rule != "node-type-known"
        or not _has_file(child, inner_problem.location)
    ]
    return [as_inside(inner_problem) for inner_problem in known]


def _has_file(child: Child, node_id: str) -> bool:
    node = child.workflow.node(node_id)
    file = None if node is None else own_file(node.type, child.folder)
    return file is not None and file.is_file()


def _told_at(
    node: NodeDefinition, part: str, inner: WorkflowDefinition, inner_problem: Problem
) -> Problem:
    # One that comes from further inside names its node already.
    inner_node = (
        None if inner_problem.rule == RULE else inner.node(inner_problem.location)
    )
    where = (
        ""
        if inner_node is None or inner_problem.message.startswith(inner_node.title)
        else f" › {inner_node.title}"
    )
    message = f"{node.title}{where} › {inner_problem.message}"
    return inner_problem.model_copy(
        update={
            "rule": RULE,
            "message": message,
            "location": node.id,
            "part": part,
            "inside": (inner_problem.location, *inner_problem.inside),
            "inside_rule": inner_problem.inside_rule or inner_problem.rule,
            "inside_part": inner_problem.inside_part or inner_problem.part,
        }
    )
