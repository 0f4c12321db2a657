"""The drawings inside sub-workflows, read from their node. A way to one is a tuple of
node ids; `edits.inside` puts another drawing there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from designer.model import files
from designer.model.design import Design, Position, require_node
from designer.model.errors import EditError
from designer.model.layout.tidy import laid_out
from runtime.document.definition import NodeDefinition
from runtime.document.files import from_value
from runtime.document.sub_workflows import INLINE, SUB_WORKFLOW, is_file_child
from runtime.document.ways import entries_of
from runtime.errors import DefinitionError

# In the layout of a drawing that `collapse` made, for `expand`: where its nodes came
# from.
COLLAPSED = "collapsed"
Way = tuple[str, ...]


def is_sub_workflow(design: Design, node_id: str) -> bool:
    """Return whether this node is a sub-workflow, drawn inside or in a file."""
    node = design.workflow.node(node_id)
    return node is not None and node.type == SUB_WORKFLOW


def is_inside(design: Design, node_id: str) -> bool:
    """Return whether one can go into this node: not into one with a file, which is
    opened by itself.
    """
    node = design.workflow.node(node_id)
    return node is not None and node.type == SUB_WORKFLOW and not is_file_child(node)


def child(design: Design, node_id: str, folder: Path | None = None) -> Design:
    """Return the drawing inside a node; an empty drawing for a node without one.

    With the folder of the document, a file is read too. Raise `EditError` if there is
    no drawing that could be shown.
    """
    node = require_node(design, node_id)
    if node.type != SUB_WORKFLOW:
        raise EditError(f"'{node.title}' is no sub-workflow.", node_id)
    if is_file_child(node) and folder is not None:
        return of_file(node, folder)
    if is_file_child(node):
        text = (
            f"'{node.title}' is the file '{node.params['file']}': "
            "open it in a tab of its own."
        )
        raise EditError(text, node_id)
    inline = node.params.get(INLINE)
    try:
        return Design() if inline is None else files.to_design(from_value(inline))
    except DefinitionError as error:
        raise EditError(
            f"The workflow inside '{node.title}' cannot be read: {error}", node_id
        ) from None


def of_file(node: NodeDefinition, folder: Path) -> Design:
    """Return what is drawn in the file that a node names. Raise `EditError` for one
    that cannot be read.
    """
    try:
        return files.load(folder / str(node.params["file"]))
    except (DefinitionError, OSError) as error:
        raise EditError(
            f"The file of '{node.title}' cannot be read: {error}", node.id
        ) from None


def value_of(inner: Design) -> dict[str, Any]:
    """Return a drawing as a node has it inside: the JSON value of its file."""
    value: dict[str, Any] = _listed(files.to_file(inner).model_dump())
    return value


def _listed(value: Any) -> Any:
    """Return lists for tuples, because what is read from a file has to be equal to what
    was written there.
    """
    if isinstance(value, dict):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    return value


def at(root: Design, way: Sequence[str], folder: Path | None = None) -> Design:
    """Return the drawing to which a way leads; the root for an empty way.

    With the folder of the document the way leads into files, too. Raise `EditError`
    where it does not go on.
    """
    return laid_out(_walked(root, way, folder)[-1]) if way else root


def _walked(root: Design, way: Sequence[str], folder: Path | None) -> list[Design]:
    """Return the drawings along a way, the root first."""
    walked = [root]
    for node_id in way:
        node = require_node(walked[-1], node_id)
        walked.append(child(walked[-1], node_id, folder))
        if folder is not None and is_file_child(node):
            folder = (folder / str(node.params["file"])).parent
    return walked


def file_at(root: Design, way: Sequence[str], folder: Path) -> Path | None:
    """Return the innermost file on a way, in which the last drawing is; None for the
    document itself.
    """
    path: Path | None = None
    walked = _walked(root, way[:-1], folder)
    for design, node_id in zip(walked, way, strict=False):
        node = require_node(design, node_id)
        if is_file_child(node):
            start = folder if path is None else path.parent
            path = start / str(node.params["file"])
    return path


def own_way(root: Design, way: Way) -> Way:
    """Return the part of a way that is inside the document itself, before it leads into
    a file.
    """
    for length in range(len(way)):
        if not is_inside(root, way[length]):
            return way[:length]
        root = child(root, way[length])
    return way


def levels(
    root: Design, way: Way = (), names: Way = ()
) -> Iterator[tuple[Way, Way, Design]]:
    """Yield all drawings of a document, itself first: the way to each, the names along
    it, and the drawing.
    """
    yield way, names, root
    for node in root.workflow.nodes:
        if is_inside(root, node.id) and node.params.get(INLINE) is not None:
            try:
                inner = child(root, node.id)
            except EditError:
                # `check` says what is wrong with it.
                continue
            yield from levels(inner, (*way, node.id), (*names, node.title))


def entries_into(root: Design, way: Way, folder: Path | None = None) -> tuple[str, ...]:
    """Return the nodes at which messages enter a drawing beside its start; a way leads
    to the drawing.
    """
    node = at(root, way[:-1], folder).workflow.node(way[-1]) if way else None
    return tuple(entries_of(node).values()) if node is not None else ()


def size_inside(node: NodeDefinition) -> str:
    """Return how many nodes are inside a node, for people; "" for one that names a
    file.
    """
    if is_file_child(node):
        return ""
    match node.params.get(INLINE):
        case {"workflow": {"nodes": [_, *more]}}:
            return f"{len(more) + 1} node{'s' if more else ''} inside"
    return "nothing inside yet"


def reach(root: Design, way: Way) -> Way:
    """Return the part of a way that exists."""
    for length in range(len(way)):
        if not is_inside(root, way[length]):
            return way[:length]
        try:
            root = child(root, way[length])
        except EditError:
            return way[:length]
    return way


def titles(root: Design, way: Sequence[str], folder: Path | None = None) -> list[str]:
    """Return the names of the nodes along a way, for people."""
    walked = _walked(root, way[:-1], folder)
    return [
        require_node(design, node_id).title
        for design, node_id in zip(walked, way, strict=False)
    ]


def centre(design: Design, ids: Collection[str]) -> Position | None:
    """Return the middle of the corners of these nodes, in whole pixels; None if none of
    them has been laid out.
    """
    places = [place for node_id, place in design.positions.items() if node_id in ids]
    if not places:
        return None
    return middle([x for x, _ in places]), middle([y for _, y in places])


def middle(values: Sequence[float]) -> float:
    """Return the middle between the least and the greatest, in whole pixels."""
    return float(round((min(values) + max(values)) / 2))
