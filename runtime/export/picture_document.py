"""The picture of a workflow file. Nothing that it names is imported, so half-finished ones have a picture too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    OnErrorEdge,
    SwitchEdge,
    WorkflowDefinition,
    edge_pairs,
)
from runtime.document.files import from_value
from runtime.document.sub_workflows import INLINE, SUB_WORKFLOW
from runtime.errors import DefinitionError
from runtime.export.picture_graph import Box, Key, Line, Look, Picture

# Deeper ones than a run allows are drawn as a box without its inside.
_MOST_LEVELS = 64


def picture_of_document(definition: WorkflowDefinition, way: Key = ()) -> Picture:
    """Boxes with the names of the nodes, lines with the conditions as they are written. An end of an edge that is no
    node is shown as one that is missing; a workflow inside of a node is drawn in it.
    """
    made = Picture((*way, definition.start))
    for node in definition.nodes:
        key = (*way, node.id)
        made.boxes.setdefault(key, _box(node, key, node.id == definition.start))
    for edge in definition.edges:
        for end in dict.fromkeys(end for pair in edge_pairs(edge) for end in pair):
            key = (*way, end)
            made.boxes.setdefault(key, Box(key, f"{end} (missing)", Look.INTERNAL))
    for edge in definition.edges:
        _add(made, edge, way)
    if made.start not in made.boxes:
        made.start = next(iter(made.boxes), made.start)
    return made


def _box(node: NodeDefinition, key: Key, starts: bool) -> Box:
    child = _child(node) if len(key) < _MOST_LEVELS else None
    title = f"{node.title} ({node.off})" if node.off else node.title
    if child is not None:
        return Box(
            key, title, Look.WORKFLOW, "", starts, picture_of_document(child, key)
        )
    return Box(key, title, Look.START if starts else Look.EXECUTOR, node.type, starts)


def _child(node: NodeDefinition) -> WorkflowDefinition | None:
    """The workflow that a node has inside of it, if there is one and it can be read. Files are not looked at."""
    inline = node.params.get(INLINE) if node.type == SUB_WORKFLOW else None
    if inline is None:
        return None
    try:
        child = from_value(inline).workflow
    except DefinitionError:
        return None  # the check says what is wrong
    return child if child.nodes else None


def _add(picture: Picture, edge: EdgeDefinition, way: Key) -> None:
    match edge:
        case DirectEdge():
            look = Look.CONDITION if edge.condition else Look.PLAIN
            picture.lines.append(
                Line((*way, edge.source), (*way, edge.target), look, edge.condition)
            )
        case OnErrorEdge():
            label = f"on error: {edge.condition}" if edge.condition else "on error"
            picture.lines.append(
                Line((*way, edge.source), (*way, edge.target), Look.ERROR, label)
            )
        case FanOutEdge():
            picture.lines.extend(
                Line((*way, edge.source), (*way, target)) for target in edge.targets
            )
        case FanInEdge():
            _add_join(picture, edge, way)
        case SwitchEdge():
            cases = [
                (one.target, f"{at}. {_case(one.name, one.when)}", Look.CONDITION)
                for at, one in enumerate(edge.cases, start=1)
            ]
            _add_choice(
                picture,
                edge,
                way,
                Look.SWITCH,
                "switch",
                [*cases, (edge.default, "default", Look.DEFAULT)],
            )
        case MultiSelectionEdge():
            ways = [
                (one.target, one.when, Look.CONDITION if one.when else Look.PLAIN)
                for one in edge.selections
            ]
            _add_choice(picture, edge, way, Look.SELECTION, "any of", ways)


def _case(name: str, when: str) -> str:
    return f"{name}: {when}" if name and name != when else when


def _key(picture: Picture, edge: EdgeDefinition, way: Key) -> Key:
    """The key of what stands for an edge group, after an empty text: no node has that before its id."""
    key = (*way, "", f"{edge.kind}::{edge.id}")
    while key in picture.boxes:  # half-finished: two edges with one id
        key = (*key[:-1], f"{key[-1]}'")
    return key


def _add_join(picture: Picture, edge: FanInEdge, way: Key) -> None:
    key = _key(picture, edge, way)
    if edge.policy == "count":
        policy = f"{edge.count} of {len(edge.sources)}"
    else:
        policy = edge.policy
    picture.boxes[key] = Box(key, f"fan-in ({policy})", Look.JOIN)
    picture.lines.extend(Line((*way, source), key) for source in edge.sources)
    picture.lines.append(Line(key, (*way, edge.target)))


def _add_choice(
    picture: Picture,
    edge: SwitchEdge | MultiSelectionEdge,
    way: Key,
    look: Look,
    title: str,
    ways: Sequence[tuple[str, str, Any]],
) -> None:
    key = _key(picture, edge, way)
    picture.boxes[key] = Box(key, title, look)
    picture.lines.append(Line((*way, edge.source), key))
    picture.lines.extend(
        Line(key, (*way, target), line, label) for target, label, line in ways
    )
