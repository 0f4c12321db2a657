"""The files of Python code that a document names in its own folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.document.references import is_reference, own_file
from runtime.document.sub_workflows import SUB_WORKFLOW, Chain, child_of
from runtime.errors import DefinitionError


class CodeFile(NamedTuple):
    """A file, and the node or reducer that uses it; `inside` has the ids of the nodes
    that lead to its sub-workflow.
    """

    path: Path
    element: Literal["executor", "reducer"]
    id: str
    inside: tuple[str, ...] = ()


def code_files(workflow: WorkflowDefinition, folder: Path) -> Iterator[CodeFile]:
    """Yield the files of a document and of its sub-workflows, as far as these can be
    read. What the files import is not followed.
    """
    yield from _files(workflow, folder, (), ())


def _files(
    workflow: WorkflowDefinition, folder: Path, inside: tuple[str, ...], chain: Chain
) -> Iterator[CodeFile]:
    for key, text in workflow.reducers.items():
        path = _file_of(text, folder)
        if path is not None:
            yield CodeFile(path, "reducer", key, inside)
    for node in workflow.nodes:
        for path in _of_node(node, folder):
            yield CodeFile(path, "executor", node.id, inside)
        if node.type != SUB_WORKFLOW:
            continue
        try:
            child = child_of(node, folder, chain)
        except DefinitionError:
            continue
        way = (*inside, node.id)
        yield from _files(child.workflow, child.folder, way, child.chain)


def _of_node(node: NodeDefinition, folder: Path) -> Iterator[Path]:
    own = own_file(node.type, folder)
    if own is not None and own.is_file():
        yield own
    for value in node.params.values():
        path = _file_of(value, folder) if isinstance(value, str) else None
        if path is not None:
            yield path


def _file_of(text: str, folder: Path) -> Path | None:
    """Return the file of `module:name` in a folder; None for installed modules, and for
    other texts.
    """
    if not is_reference(text):
        return None
    module = folder.joinpath(*text.partition(":")[0].split("."))
    for path in (module.with_suffix(".py"), module / "__init__.py"):
        if path.is_file():
            return path
    return None
