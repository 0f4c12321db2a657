"""The columns of the board: fetched from the host a few at a time, those in view first,
and the last few hundred kept.

A page is small, because reading one must fit into a frame of the window's thread.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from runtime.debug.protocol import (
    BoardArrow,
    BoardBody,
    BoardCell,
    BoardColumn,
    BoardJoin,
    parted,
)

PAGE = 8  # columns in one question
KEPT = 600
NO_ANSWER = "The process of the run did not answer."


class Questions(Protocol):
    """What the board asks a session."""

    def board(
        self, checkpoints: Sequence[str], done: Callable[[BoardBody | None], None]
    ) -> None: ...


@dataclass(slots=True)
class Group:
    """What all executors of an invocation, or of all invocations of a node, did in one
    superstep.
    """

    started: float
    ended: float
    executors: int = 0
    failed: int = 0
    asked: int = 0


@dataclass(slots=True)
class Column:
    """One superstep, with what is looked up in it while it is painted.

    length   seconds until the last handler ended
    longest  the executor that took longest: it is on the critical path
    last     the executor that ended last, for which the others waited
    groups   by the path of an invocation, and by the name of a node with invocations
    """

    checkpoint_id: str
    superstep: int
    seconds: float
    length: float
    longest: str
    last: str
    cells: dict[str, BoardCell]
    groups: dict[str, Group]
    held: dict[str, BoardJoin]
    arrows: tuple[BoardArrow, ...]
    own: dict[str, int] = field(default_factory=dict)
    damaged: str = ""

    @classmethod
    def of(cls, body: BoardColumn) -> Column:
        longest = max(body.cells, key=span, default=None)
        last = max(body.cells, key=lambda cell: cell.ended, default=None)
        return cls(
            checkpoint_id=body.checkpoint_id,
            superstep=body.superstep,
            seconds=body.seconds,
            length=last.ended if last is not None else 0.0,
            longest=longest.executor if longest is not None else "",
            last=last.executor if last is not None else "",
            cells={cell.executor: cell for cell in body.cells},
            groups=_groups(body.cells),
            held={join.target: join for join in body.held},
            arrows=body.arrows,
            own=body.own,
            damaged=body.damaged,
        )


def span(cell: BoardCell) -> float:
    """Return the seconds from the first call to the end of the last one."""
    return cell.ended - cell.started


def owners_of(name: str) -> Iterator[tuple[str, str]]:
    """Yield the node and the invocation that an executor is inside of, the outermost
    first: ("review", "review#1").
    """
    keys, _ = parted(name)
    prefix = ""
    for key in keys:
        yield prefix + key.rpartition("#")[0], prefix + key
        prefix += f"{key}/"


def _groups(cells: Iterable[BoardCell]) -> dict[str, Group]:
    groups: dict[str, Group] = {}
    for cell in cells:
        if "/" not in cell.executor:
            continue
        for owner in owners_of(cell.executor):
            for name in owner:
                group = groups.get(name)
                if group is None:
                    group = groups[name] = Group(cell.started, cell.ended)
                group.started = min(group.started, cell.started)
                group.ended = max(group.ended, cell.ended)
                group.executors += 1
                group.failed += cell.is_failed
                group.asked += cell.asked
    return groups


class Columns(QObject):
    """Call `want` with the checkpoints in view; `arrived` carries the new columns."""

    arrived = Signal(object)  # list[Column]

    def __init__(self, questions: Questions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._questions = questions
        self._columns: OrderedDict[str, Column] = OrderedDict()
        self._wanted: list[str] = []
        self._asked: tuple[str, ...] = ()

    def get(self, checkpoint_id: str) -> Column | None:
        return self._columns.get(checkpoint_id)

    def want(self, checkpoint_ids: Sequence[str]) -> None:
        """Fetch the missing ones of these, in their order; earlier wishes are dropped."""
        self._wanted = []
        for checkpoint_id in checkpoint_ids[:KEPT]:
            if checkpoint_id in self._columns:
                # Kept longest, because they are in view.
                self._columns.move_to_end(checkpoint_id)
            else:
                self._wanted.append(checkpoint_id)
        self._ask()

    def forget(self) -> None:
        """Drop all, because another store or run is shown."""
        self._columns.clear()
        self._wanted = []
        self._asked = ()

    def _ask(self) -> None:
        if self._asked or not self._wanted:
            return
        page = tuple(self._wanted[:PAGE])
        self._asked = page
        self._questions.board(page, partial(self._on_answer, page))

    def _on_answer(self, page: tuple[str, ...], body: BoardBody | None) -> None:
        if page != self._asked:
            return  # it was forgotten since
        self._asked = ()
        bodies = body.columns if body is not None else ()
        columns = [Column.of(column) for column in bodies]
        answered = {column.checkpoint_id for column in columns}
        # Whatever is missing in an answer is not asked for again and again.
        columns += [
            Column.of(BoardColumn(checkpoint_id=each, damaged=NO_ANSWER))
            for each in page
            if each not in answered
        ]
        for column in columns:
            self._columns[column.checkpoint_id] = column
        while len(self._columns) > KEPT:
            self._columns.popitem(last=False)
        wanted = [each for each in self._wanted if each not in self._columns]
        self._wanted = wanted
        self.arrived.emit(columns)
        self._ask()
