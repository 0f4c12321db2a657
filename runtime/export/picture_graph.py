"""The content of a workflow's picture, for every drawing: boxes, lines between them,
and boxes within boxes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from runtime.checkpoint import digest_of
from runtime.edges.base import EdgeGroup
from runtime.edges.drawing import Drawing
from runtime.message import internal_source_id
from runtime.workflow.sub_workflow import WorkflowExecutor

if TYPE_CHECKING:
    from runtime.executors.executor import Executor
    from runtime.workflow.workflow import Workflow

Key = tuple[str, ...]


class Look(StrEnum):
    """The meaning of a box or a line, which decides how it looks."""

    EXECUTOR = "executor"
    START = "start"
    WORKFLOW = "workflow"
    JOIN = "fan-in"
    SWITCH = "switch"
    SELECTION = "selection"
    INTERNAL = "internal"
    PLAIN = "plain"
    CONDITION = "condition"
    DEFAULT = "default"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Box:
    """A box of a picture. Its `key` is unique in the whole picture: the ids of the
    sub-workflows around it, and its own.

    A box that is no executor has an empty text before its own name, because an executor
    may have any name.
    """

    key: Key
    label: str
    look: Look
    detail: str = ""
    starts: bool = False
    inner: Picture | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """From one box of a picture to another one, with what is written on it."""

    source: Key
    target: Key
    look: Look = Look.PLAIN
    label: str = ""


@dataclass(slots=True)
class Picture:
    """One workflow: its boxes and lines in a fixed order. `boxes[start]` gets the
    input.
    """

    start: Key
    boxes: dict[Key, Box] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)

    def everything(self) -> Iterator[Box]:
        """Yield all boxes; those of sub-workflows come after the box that they are in."""
        for box in self.boxes.values():
            yield box
            if box.inner is not None:
                yield from box.inner.everything()


def picture_of(workflow: Workflow, internal: bool = False, way: Key = ()) -> Picture:
    """Return the picture of a workflow. With `internal`, every executor has the source
    of its inputs and answers beside it.
    """
    picture = Picture((*way, workflow.start_executor_id))
    for executor in workflow.executors.values():
        key = (*way, executor.id)
        picture.boxes[key] = _box(
            executor, key, executor.id == workflow.start_executor_id, internal
        )
    if internal:
        for executor_id in workflow.executors:
            source = (*way, "", internal_source_id(executor_id))
            picture.boxes[source] = Box(source, source[-1], Look.INTERNAL)
            picture.lines.append(Line(source, (*way, executor_id)))
    for group in workflow.edge_groups:
        _add(picture, group, way)
    return picture


def _box(executor: Executor, key: Key, starts: bool, internal: bool) -> Box:
    if isinstance(executor, WorkflowExecutor):
        return Box(
            key,
            executor.id,
            Look.WORKFLOW,
            "",
            starts,
            picture_of(executor.workflow, internal, key),
        )
    return Box(
        key,
        executor.id,
        Look.START if starts else Look.EXECUTOR,
        str(executor.type),
        starts,
    )


def _add(picture: Picture, group: EdgeGroup, way: Key) -> None:
    near = group.target_ids[0] if group.is_join else group.source_ids[0]
    digest = digest_of(group.structural_id().encode("utf-8", "surrogatepass"))[:8]
    # The digest tells groups at one node apart.
    add_drawing(picture, group.drawing(), f"{group.kind}::{near}::{digest}", way)


def add_drawing(picture: Picture, drawing: Drawing, name: str, way: Key) -> None:
    """Add the lines of an edge, and its box if it has one.

    `name` tells the box from others; an empty text stands before it in the key, because
    no executor has that before its id.
    """
    sources = [(*way, source) for source in drawing.sources]
    if drawing.title:
        box = _free_key(picture, (*way, "", name))
        picture.boxes[box] = Box(box, drawing.title, Look(drawing.look))
        picture.lines.extend(Line(source, box) for source in sources)
        sources = [box]
    for source in sources:
        for drawn in drawing.ways:
            target = (*way, drawn.target)
            picture.lines.append(Line(source, target, Look(drawn.look), drawn.label))


def _free_key(picture: Picture, key: Key) -> Key:
    # Two edges may have one name: two switches that differ only in their cases, or two
    # edges of a half-finished document that have one id.
    while key in picture.boxes:
        key = (*key[:-1], f"{key[-1]}'")
    return key


def name_of_key(key: Key, between: str) -> str:
    """The parts of a key in one text, which need not be unique."""
    return between.join(filter(None, key))


def proper(text: Any) -> str:
    """A text that any format can hold: control characters and lone surrogates become a
    replacement, lines stay.
    """
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(
        "".join(char if _is_shown(char) else "\ufffd" for char in line)
        for line in lines
    )


def _is_shown(char: str) -> bool:
    if char == "\t":
        return True
    # Controls, surrogates, other ends of lines; and the code points that are no
    # characters, which XML does not take.
    return (
        unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        and ord(char) & 0xFFFE != 0xFFFE
    )
