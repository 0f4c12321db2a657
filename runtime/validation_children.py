"""Checks of sub-workflows: is there one, can it be read, and what is wrong inside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.children import SUB_WORKFLOW, Chain, child_of, is_file_child
from runtime.debug.protocol import Problem
from runtime.definition import NodeDefinition, NodeInfo, WorkflowDefinition
from runtime.errors import DefinitionError
from runtime.modules import own_file

if TYPE_CHECKING:
    from runtime.children import Child

Infos = Mapping[str, NodeInfo]
RULE = "sub-workflow"


def check_children(
    definition: WorkflowDefinition, infos: Infos | None, folder: Path | str | None, chain: Chain
) -> Iterator[Problem]:
    """The problems of all children, at the nodes that have them. Without a folder no file is looked at."""
    for node in definition.nodes:
        if node.type == SUB_WORKFLOW and (folder is not None or not is_file_child(node)):
            yield from _child(node, infos, folder, chain)


def _child(node: NodeDefinition, infos: Infos | None, folder: Path | str | None, chain: Chain) -> Iterator[Problem]:
    part = "params.file" if is_file_child(node) else "params.inline"
    try:
        child = child_of(node, folder or ".", chain)
    except DefinitionError as error:
        text = f"{node.title}: {str(error).removeprefix(f'{node.id}: ').rstrip('.')}"
        yield Problem(severity="error", rule=RULE, message=text, location=node.id, part=part)
        return
    for found in _inside(child, infos, folder):
        if found.severity != "info":
            yield _told_at(node, part, child.workflow, found)


def _inside(child: Child, infos: Infos | None, folder: Path | str | None) -> list[Problem]:
    from runtime.validation import check

    if folder is None:
        return check(child.workflow, infos, None, child.chain)
    if infos is not None and child.folder.resolve() != Path(folder).resolve():
        infos = {name: info for name, info in infos.items() if own_file(name, child.folder) is None}
    found = check(child.workflow, infos, child.folder, child.chain)
    # Node types of another folder are not listed here. The build says what is wrong with one whose file is there.
    return [one for one in found if one.rule != "node-type-known" or not _has_file(child, one.location)]


def _has_file(child: Child, node_id: str) -> bool:
    node = child.workflow.node(node_id)
    file = None if node is None else own_file(node.type, child.folder)
    return file is not None and file.is_file()


def _told_at(node: NodeDefinition, part: str, inner: WorkflowDefinition, found: Problem) -> Problem:
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
        }
    )
