"""The drawing inside a sub-workflow: out of the node that has it, and back into it. A way is a tuple of node ids."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from designer.model import files
from designer.model.design import Design, Position
from designer.model.edits.nodes import require_node, with_workflow
from designer.model.edits.ways import has_ways, renamed_inside
from designer.model.errors import EditError
from designer.model.layout.tidy import laid_out
from runtime.document.definition import NodeDefinition
from runtime.document.files import from_value
from runtime.document.sub_workflows import INLINE, SUB_WORKFLOW, is_file_child
from runtime.document.ways import entries_of
from runtime.errors import DefinitionError

# in the layout of a drawing that `collapse` made, for `expand`: where it came from
COLLAPSED = "collapsed"
Way = tuple[str, ...]


def is_sub_workflow(design: Design, node_id: str) -> bool:
    """Whether this node is a sub-workflow, drawn inside or in a file."""
    node = design.workflow.node(node_id)
    return node is not None and node.type == SUB_WORKFLOW


def is_inside(design: Design, node_id: str) -> bool:
    """Whether there is a drawing inside this node that can be gone into: not of a file, which is opened by itself."""
    node = design.workflow.node(node_id)
    return node is not None and node.type == SUB_WORKFLOW and not is_file_child(node)


def child(design: Design, node_id: str, folder: Path | None = None) -> Design:
    """The drawing inside a node; a node without one gives an empty drawing. With the folder of the document, a file is
    read too. Raise `EditError` if there is none that could be shown.
    """
    node = require_node(design, node_id)
    if node.type != SUB_WORKFLOW:
        raise EditError(f"'{node.title}' is no sub-workflow.", node_id)
    if is_file_child(node) and folder is not None:
        return of_file(node, folder)
    if is_file_child(node):
        raise EditError(
            f"'{node.title}' is the file '{node.params['file']}': open it in a tab of its own.",
            node_id,
        )
    inline = node.params.get(INLINE)
    try:
        return Design() if inline is None else files.to_design(from_value(inline))
    except DefinitionError as error:
        raise EditError(
            f"The workflow inside '{node.title}' cannot be read: {error}", node_id
        ) from None


def of_file(node: NodeDefinition, folder: Path) -> Design:
    """What is drawn in the file that a node names. Raise `EditError` for one that cannot be read."""
    try:
        return files.load(folder / str(node.params["file"]))
    except (DefinitionError, OSError) as error:
        raise EditError(
            f"The file of '{node.title}' cannot be read: {error}", node.id
        ) from None


def with_child(design: Design, node_id: str, inner: Design) -> Design:
    """The same design with `inner` inside the node."""
    node = require_node(design, node_id)
    if node.params.get(INLINE) is not None and has_ways(node):
        node = renamed_inside(node, child(design, node_id), inner)
    changed = node.model_copy(
        update={"params": {**node.params, INLINE: value_of(inner)}}
    )
    nodes = tuple(
        changed if other.id == node_id else other for other in design.workflow.nodes
    )
    return with_workflow(design, nodes=nodes)


def value_of(inner: Design) -> dict[str, Any]:
    """A drawing as it stands inside a node: the JSON value of its file."""
    value: dict[str, Any] = _listed(files.to_file(inner).model_dump())
    return value


def _listed(value: Any) -> Any:
    """Lists for tuples: what is read from a file shall be equal to what was written there."""
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    return value


def at(root: Design, way: Sequence[str], folder: Path | None = None) -> Design:
    """The drawing to which a way leads; the root itself for no way. With the folder of the document the way leads into
    files, too. Raise `EditError` where it does not go on.
    """
    return laid_out(_walked(root, way, folder)[-1]) if way else root


def _walked(root: Design, way: Sequence[str], folder: Path | None) -> list[Design]:
    """The drawings along a way, the root first."""
    walked = [root]
    for node_id in way:
        node = require_node(walked[-1], node_id)
        walked.append(child(walked[-1], node_id, folder))
        if folder is not None and is_file_child(node):
            folder = (folder / str(node.params["file"])).parent
    return walked


def file_at(root: Design, way: Sequence[str], folder: Path) -> Path | None:
    """The innermost file on a way, in which what it leads to is drawn; None for the document itself."""
    found: Path | None = None
    for design, node_id in zip(_walked(root, way[:-1], folder), way, strict=False):
        node = require_node(design, node_id)
        if is_file_child(node):
            found = (found.parent if found is not None else folder) / str(
                node.params["file"]
            )
    return found


def own_way(root: Design, way: Way) -> Way:
    """As far as a way leads inside the document itself, and not yet into a file."""
    for length in range(len(way)):
        if not is_inside(root, way[length]):
            return way[:length]
        root = child(root, way[length])
    return way


def replaced_at(root: Design, way: Sequence[str], inner: Design) -> Design:
    """The root with another drawing where the way leads."""
    if not way:
        return inner
    # What is drawn there now is looked at only where it is not replaced itself: reading it costs as much as writing it.
    return with_child(
        root,
        way[0],
        replaced_at(child(root, way[0]), way[1:], inner) if way[1:] else inner,
    )


def levels(
    root: Design, way: Way = (), names: Way = ()
) -> Iterator[tuple[Way, Way, Design]]:
    """All drawings of a document, itself first: the way to each, the names along it, what is drawn there."""
    yield way, names, root
    for node in root.workflow.nodes:
        if is_inside(root, node.id) and node.params.get(INLINE) is not None:
            try:
                inner = child(root, node.id)
            except EditError:
                continue  # the check says what is wrong
            yield from levels(inner, (*way, node.id), (*names, node.title))


def entries_into(root: Design, way: Way, folder: Path | None = None) -> tuple[str, ...]:
    """The nodes of the drawing to which a way leads at which messages enter beside its start."""
    node = at(root, way[:-1], folder).workflow.node(way[-1]) if way else None
    return tuple(entries_of(node).values()) if node is not None else ()


def size_inside(node: NodeDefinition) -> str:
    """How much there is inside a node, for people; "" for one that names a file."""
    if is_file_child(node):
        return ""
    match node.params.get(INLINE):
        case {"workflow": {"nodes": [_, *more]}}:
            return f"{len(more) + 1} node{'s' if more else ''} inside"
    return "nothing inside yet"


def reach(root: Design, way: Way) -> Way:
    """As far as a way still leads."""
    for length in range(len(way)):
        if not is_inside(root, way[length]):
            return way[:length]
        try:
            root = child(root, way[length])
        except EditError:
            return way[:length]
    return way


def titles(root: Design, way: Sequence[str], folder: Path | None = None) -> list[str]:
    """The names of the nodes along a way, for people."""
    walked = _walked(root, way[:-1], folder)
    return [
        require_node(design, node_id).title
        for design, node_id in zip(walked, way, strict=False)
    ]


def centre(design: Design, ids: Collection[str]) -> Position | None:
    """The middle of the corners of these nodes, in whole pixels; None if none of them has been laid out."""
    there = [at for key, at in design.positions.items() if key in ids]
    if there:
        return (middle([x for x, _ in there]), middle([y for _, y in there]))
    return None


def middle(values: Sequence[float]) -> float:
    """Between the least and the greatest, in whole pixels."""
    return float(round((min(values) + max(values)) / 2))
