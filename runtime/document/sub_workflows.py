"""Sub-workflows of documents: a node of the type `sub_workflow` contains a whole
document, or names the file of one.

This module only reads data: where the child is, and which ports the node has because of
it. `runtime.nodes.sub_workflow` runs it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from runtime.document.definition import (
    Infos,
    NodeDefinition,
    NodeInfo,
    WorkflowDefinition,
    WorkflowFile,
)
from runtime.document.disabled import effective, known_infos
from runtime.document.files import from_value, read_file
from runtime.document.ways import entries_of, exits_of
from runtime.edges.definition import EdgeDefinition
from runtime.errors import DefinitionError

SUB_WORKFLOW = "sub_workflow"
INLINE = "inline"  # the parameter that has the workflow inside
# How deep workflows may be nested. The engine allows 64; here it is less, so that the
# error names the document and not an executor.
MOST_LEVELS = 60
# How many workflows may be inside one node, each counted wherever it is used. The limit
# is needed because ten files, each of which uses the next one ten times, make ten
# thousand million workflows.
MOST_INSIDE = 500

Chain = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Child:
    """The document inside a node.

    folder  where its files and modules are looked up
    chain   what leads to it: a resolved path for each file, and `#id` for each node that
            contains the next workflow
    """

    file: WorkflowFile
    folder: Path
    chain: Chain

    @property
    def workflow(self) -> WorkflowDefinition:
        return self.file.workflow


def is_file_child(node: NodeDefinition) -> bool:
    """Return whether the child has a file of its own."""
    return bool(node.params.get("file"))


# The documents of files as a checkpoint kept them, by resolved path: they are taken in
# place of the files as they are now.
Files = Mapping[Path, WorkflowDefinition]
NO_FILES: Files = {}


def saved_files(definition: Mapping[str, Any] | None) -> Files:
    """Return the documents of sub-workflows that the definition part of a checkpoint
    carries. One that cannot be read is left out, and then its file counts.
    """
    saved = (definition or {}).get("files")
    if not isinstance(saved, Mapping):
        return NO_FILES
    folder = Path(str((definition or {}).get("folder") or "."))
    files = {}
    for name, workflow in saved.items():
        try:
            path = (folder / str(name)).resolve()
            files[path] = WorkflowDefinition.model_validate(workflow)
        except (ValidationError, OSError, ValueError, RuntimeError):
            continue
    return files


def child_of(
    node: NodeDefinition,
    folder: Path | str,
    chain: Chain = (),
    files: Files = NO_FILES,
) -> Child:
    """Return the child of a node in a document of `folder`. Imports and runs nothing.
    A document among `files` is taken in place of the file.

    Raise `DefinitionError` at the node's id where there is no child, or its file is
    missing, broken, of a newer format, or contains itself.
    """
    if len(chain) >= MOST_LEVELS:
        text = (
            f"{len(chain) + 1} workflows are nested, and at most {MOST_LEVELS} can be. "
            "Join the inner ones."
        )
        raise DefinitionError(text, node.id)
    name = node.params.get("file") or ""
    inline = node.params.get(INLINE)
    if name and inline is not None:
        raise DefinitionError(
            "It has a workflow inside and names a file as well. Remove one of them.",
            node.id,
        )
    if inline is not None:
        child = Child(_inline(node, inline), Path(folder), (*chain, f"#{node.id}"))
    elif not name:
        raise DefinitionError(
            "It has no workflow yet. Open it (Enter) and draw one, or choose a file.",
            node.id,
        )
    else:
        child = _from_file(node, name, Path(folder), chain, files)
    # Counting at the outermost nodes is enough, because every way inside begins there.
    if len(chain) <= 1:
        inside = _children_in(child.workflow)
        if _count_inside(inside, child.folder, {}, len(chain)) > MOST_INSIDE:
            text = (
                f"It contains more than {MOST_INSIDE} workflows, each counted wherever "
                "it is used. Use fewer of them."
            )
            raise DefinitionError(text, node.id)
    return child


def _children_in(workflow: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the parameters of the sub-workflows in a workflow, which may be raw JSON."""
    if isinstance(workflow, WorkflowDefinition):
        yield from (node.params for node in workflow.nodes if node.type == SUB_WORKFLOW)
        return
    nodes = workflow.get("nodes") if isinstance(workflow, dict) else None
    for node in nodes if isinstance(nodes, list) else ():
        if (
            isinstance(node, dict)
            and node.get("type") == SUB_WORKFLOW
            and isinstance(node.get("params"), dict)
        ):
            yield node["params"]


def _count_inside(
    children: Iterable[Mapping[str, Any]],
    folder: Path,
    counts: dict[Path, int],
    levels: int,
) -> int:
    """Return how many workflows these are with those inside them.

    `counts` has the numbers of files, so that each is read once. Counting ends soon
    after `MOST_INSIDE`. A child that cannot be read counts as one.
    """
    number = 0
    for params in children:
        number += 1
        if number > MOST_INSIDE or levels >= MOST_LEVELS:
            break
        inline = params.get(INLINE)
        name = params.get("file")
        if isinstance(inline, dict):
            number += _count_inside(
                _children_in(inline.get("workflow")), folder, counts, levels + 1
            )
        elif isinstance(name, str) and name:
            number += _count_in_file(folder, name, counts, levels + 1)
    return number


def _count_in_file(
    folder: Path, name: str, counts: dict[Path, int], levels: int
) -> int:
    try:
        path = (folder / name).resolve()
        if path not in counts:
            counts[path] = 0  # in a circle of files; `child_of` refuses that
            status = path.stat()
            file = _read(path, status.st_mtime_ns, status.st_size)
            counts[path] = _count_inside(
                _children_in(file.workflow), path.parent, counts, levels
            )
        return counts[path]
    except (OSError, ValueError, RuntimeError, DefinitionError):
        return 0


def _inline(node: NodeDefinition, inline: Any) -> WorkflowFile:
    try:
        return from_value(inline)
    except DefinitionError as error:
        raise DefinitionError(
            f"The workflow inside cannot be read: {error}", node.id
        ) from error


def _from_file(
    node: NodeDefinition, name: Any, folder: Path, chain: Chain, files: Files
) -> Child:
    if not isinstance(name, str):
        raise DefinitionError(f"The file is a text, not {name!r}.", node.id)
    try:
        path = (folder / name).resolve()
    except (
        OSError,
        ValueError,  # a null character
        RuntimeError,  # a circle of links
    ) as error:
        raise DefinitionError(
            f"The file {name!r} cannot be read: {error}", node.id
        ) from error
    if str(path) in chain:
        names = [
            Path(step).name for step in (*chain, str(path)) if not step.startswith("#")
        ]
        raise DefinitionError(
            f"These files contain each other: {' → '.join(names)}. Remove one step.",
            node.id,
        )
    if path in files:
        saved = WorkflowFile(workflow=files[path])
        return Child(saved, path.parent, (*chain, str(path)))
    try:
        status = path.stat()
        file = _read(path, status.st_mtime_ns, status.st_size)
    except FileNotFoundError as error:
        raise DefinitionError(
            f"The file '{name}' is not there. Choose another, or put it back.", node.id
        ) from error
    except OSError as error:
        raise DefinitionError(
            f"The file '{name}' cannot be read: {error}", node.id
        ) from error
    except DefinitionError as error:
        raise DefinitionError(
            f"The file '{name}' cannot be used: {error}", node.id
        ) from error
    return Child(file, path.parent, (*chain, str(path)))


@lru_cache(maxsize=128)
def _read(path: Path, _modified: int, _size: int) -> WorkflowFile:
    # Cached, because the window asks for the same file with every check.
    return read_file(path)


# --- ports --------------------------------------------------------------------------------------------------------


def info_of(
    node: NodeDefinition, infos: Infos, folder: Path | str | None = None
) -> NodeInfo | None:
    """Return the info of a node's type; for a sub-workflow, with the ports of its
    child.

    Without a folder no file is read: a node that names one takes and sends anything.
    """
    info = infos.get(node.type)
    if info is None or node.type != SUB_WORKFLOW:
        return info
    return _info_inside(node, info, infos, folder, ())


def _info_inside(
    node: NodeDefinition,
    info: NodeInfo,
    infos: Infos,
    folder: Path | str | None,
    chain: Chain,
) -> NodeInfo:
    if folder is None and is_file_child(node):
        return info
    try:
        child = child_of(node, folder or ".", chain)
    except DefinitionError:
        return info  # the checks report what is wrong
    direct = node.params.get("direct_output") is True
    sending = set(exits_of(node)) if direct else None
    workflow = effective(child.workflow)
    inside = _infos_of(
        workflow, child, known_infos(infos), known_folder=folder is not None
    )
    return info.model_copy(
        update={
            "inputs": _inputs(workflow, inside, entries_of(node).values()),
            "outputs": _outputs(workflow, inside, sending),
            "sink": direct or _acts(workflow, inside),
        }
    )


def _infos_of(
    workflow: WorkflowDefinition, child: Child, infos: Infos, *, known_folder: bool
) -> dict[str, NodeInfo]:
    """Return the infos of the nodes of a child by id, without those of unknown types."""
    inside: dict[str, NodeInfo] = {}
    for node in workflow.nodes:
        info = infos.get(node.type)
        if info is not None and node.type == SUB_WORKFLOW:
            info = _info_inside(
                node, info, infos, child.folder if known_folder else None, child.chain
            )
        if info is not None:
            inside[node.id] = info
    return inside


def _inputs(
    workflow: WorkflowDefinition, infos: Infos, entries: Iterable[str] = ()
) -> tuple[str, ...]:
    types: list[str] = []
    for entry in dict.fromkeys((workflow.start, *entries)):
        info = infos.get(entry)
        # An input node has no input types; it takes whatever comes from outside.
        types += ("Any",) if info is None else info.inputs or ("Any",)
    return tuple(dict.fromkeys(types))


def _outputs(
    workflow: WorkflowDefinition, infos: Infos, sending: Collection[str] | None = None
) -> tuple[str, ...]:
    """Return the types of what arrives at outputs, or at those that are `sending`. A
    node whose code may yield an output as well may yield any type.
    """
    types = {node.id: node.type for node in workflow.nodes}
    if sending is not None:
        types = {
            key: type_ if type_ != "output" or key in sending else "result"
            for key, type_ in types.items()
        }
    elif any(
        type_ != "output" and (node not in infos or infos[node].sink)
        for node, type_ in types.items()
    ):
        return ("Any",)
    arriving = [
        type_ for edge in workflow.edges for type_ in _arriving(edge, types, infos)
    ]
    if not arriving and "output" in types.values():
        return ("Any",)
    return tuple(dict.fromkeys(arriving))


def _arriving(
    edge: EdgeDefinition, types: Mapping[str, str], infos: Infos
) -> Iterator[str]:
    for source, target in edge.pairs:
        if types.get(target) == "output" and source in infos:
            yield from edge.types_along(infos[source].outputs)


def _acts(workflow: WorkflowDefinition, infos: Infos) -> bool:
    nodes = [node for node in workflow.nodes if node.type != "output"]
    return any(node.id not in infos or infos[node.id].sink for node in nodes)
