"""What a picture of a workflow shows, whatever it is drawn with: boxes, lines between them, and boxes within boxes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from runtime.checkpoint import digest_of
from runtime.edges import (
    EdgeGroup,
    FanInEdgeGroup,
    FanOutEdgeGroup,
    MultiSelectionEdgeGroup,
    OnErrorEdgeGroup,
    SingleEdgeGroup,
    SwitchCaseEdgeGroup,
    SwitchCaseEdgeGroupCase,
)
from runtime.edges.base import name_of
from runtime.message import internal_source_id
from runtime.workflow.sub_workflow import WorkflowExecutor

if TYPE_CHECKING:
    from runtime.executors.executor import Executor
    from runtime.workflow.workflow import Workflow

Key = tuple[str, ...]
# What a condition without a name is called.
_NAMELESS = {"<lambda>": "conditional", "": "conditional"}


class Look(StrEnum):
    """What a box or a line stands for."""

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
    """One thing in a picture. `key` is unique in the whole of it: the ids of the sub-workflows around it, and its own.
    What is no executor has an empty text before its own name, for an executor may have any name.
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
    """One workflow: its boxes and lines in a fixed order. `boxes[start]` gets the input."""

    start: Key
    boxes: dict[Key, Box] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)

    def everything(self) -> Iterator[Box]:
        """All boxes, those of sub-workflows after the box that they are in."""
        for box in self.boxes.values():
            yield box
            if box.inner is not None:
                yield from box.inner.everything()


def picture_of(workflow: Workflow, internal: bool = False, way: Key = ()) -> Picture:
    """The picture of a workflow. With `internal` every executor has the source of its inputs and answers beside it."""
    made = Picture((*way, workflow.start_executor_id))
    for executor in workflow.executors.values():
        key = (*way, executor.id)
        made.boxes[key] = _box(
            executor, key, executor.id == workflow.start_executor_id, internal
        )
    if internal:
        for executor_id in workflow.executors:
            source = (*way, "", internal_source_id(executor_id))
            made.boxes[source] = Box(source, source[-1], Look.INTERNAL)
            made.lines.append(Line(source, (*way, executor_id)))
    for group in workflow.edge_groups:
        _add(made, group, way)
    return made


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
    match group:
        case FanInEdgeGroup():
            _add_join(picture, group, way)
        case SwitchCaseEdgeGroup():
            _add_choice(picture, group, way, Look.SWITCH, "switch", _cases(group))
        case MultiSelectionEdgeGroup() | FanOutEdgeGroup() if (
            group.selection_func is not None
        ):
            text = _NAMELESS.get(
                name_of(group.selection_func), name_of(group.selection_func)
            )
            labels: dict[str, str] = getattr(group.selection_func, "labels", {})
            title = "any of" if labels or text == "conditional" else f"any of: {text}"
            _add_choice(
                picture,
                group,
                way,
                Look.SELECTION,
                title,
                [(t, labels.get(t, "")) for t in group.target_ids],
            )
        case OnErrorEdgeGroup():
            if group.condition is None:
                label = ""
            else:
                label = _called(group.edges[0].condition_name)
            source = (*way, group.source_ids[0])
            target = (*way, group.target_ids[0])
            picture.lines.append(
                Line(
                    source,
                    target,
                    Look.ERROR,
                    f"on error: {label}" if label else "on error",
                )
            )
        case SingleEdgeGroup():
            if group.condition is None:
                label = ""
            else:
                label = _called(group.edges[0].condition_name)
            source = (*way, group.source_ids[0])
            target = (*way, group.target_ids[0])
            picture.lines.append(
                Line(source, target, Look.CONDITION if label else Look.PLAIN, label)
            )
        case _:
            picture.lines.extend(
                Line((*way, source), (*way, target)) for source, target in group.pairs
            )


def _called(name: str | None) -> str:
    return _NAMELESS.get(name or "", name or "")


def _key(group: EdgeGroup, at: str, way: Key) -> Key:
    """The key of what stands for a group: the digest tells groups apart that have one end."""
    return (
        *way,
        "",
        f"{group.kind}::{at}::{digest_of(group.structural_id().encode('utf-8', 'surrogatepass'))[:8]}",
    )


def _add_join(picture: Picture, group: FanInEdgeGroup, way: Key) -> None:
    key = _key(group, group.target_id, way)
    sources = len(group.source_ids)
    policy = f"{group.count} of {sources}" if group.policy == "count" else group.policy
    picture.boxes[key] = Box(key, f"fan-in ({policy})", Look.JOIN)
    picture.lines.extend(Line((*way, source), key) for source in group.source_ids)
    picture.lines.append(Line(key, (*way, group.target_id)))


def _add_choice(
    picture: Picture,
    group: EdgeGroup,
    way: Key,
    look: Look,
    title: str,
    targets: list[tuple[str, str]],
) -> None:
    source = group.source_ids[0]
    key = _key(group, source, way)
    while key in picture.boxes:  # two switches with the same targets and other cases
        key = (*key[:-1], f"{key[-1]}'")
    picture.boxes[key] = Box(key, title, look)
    picture.lines.append(Line((*way, source), key))
    for target, label in targets:
        if look is Look.SWITCH and label == "default":
            kind = Look.DEFAULT
        elif label:
            kind = Look.CONDITION
        else:
            kind = Look.PLAIN
        picture.lines.append(Line(key, (*way, target), kind, label))


def _cases(group: SwitchCaseEdgeGroup) -> list[tuple[str, str]]:
    """Targets with the number and the text of their case: the first that is true wins, so the order tells something."""
    numbers = iter(range(1, len(group.cases) + 1))
    return [
        (case.target_id, f"{next(numbers)}. {_called(case.label)}")
        if isinstance(case, SwitchCaseEdgeGroupCase)
        else (case.target_id, "default")
        for case in group.cases
    ]


def name_of_key(key: Key, between: str) -> str:
    """The parts of a key in one text, which need not be unique."""
    return between.join(filter(None, key))


def proper(text: Any) -> str:
    """A text that any format can hold: control characters and lone surrogates become a replacement, lines stay."""
    lines = str(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(
        "".join(char if _is_shown(char) else "\ufffd" for char in line)
        for line in lines
    )


def _is_shown(char: str) -> bool:
    if char == "\t":
        return True
    # Controls, surrogates, other ends of lines; and the code points that are no characters, which XML does not take.
    return (
        unicodedata.category(char) not in ("Cc", "Cs", "Zl", "Zp")
        and ord(char) & 0xFFFE != 0xFFFE
    )
