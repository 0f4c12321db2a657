"""The hits of the active question as a list beside the lanes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.widgets.basic import ContentOrNotice, ElidedLabel, label
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
from designer.qt.layouts import column, put, row
from designer.session.past_search import PastQuestion
from designer.session.session import DebugSession
from runtime.debug.protocol import PastHit
from runtime.values.words import counted

CHECKPOINT, BRANCH, TEXT = range(3)


class HitRows(Columns):
    heads = ("Checkpoint", "Branch", "What")
    numbers = frozenset({CHECKPOINT})

    def __init__(self, session: DebugSession, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session
        self._look = look
        self._question: PastQuestion | None = None
        self._id = ""
        self._count = 0

    def show(self, question: PastQuestion | None) -> None:
        """Show the hits of a question; new hits of the same are added."""
        id_ = question.id if question is not None else ""
        count = len(question.hits) if question is not None else 0
        if question is self._question and id_ == self._id and count >= self._count:
            if count > self._count:
                self.beginInsertRows(ROOT, self._count, count - 1)
                self._count = count
                self.endInsertRows()
            return
        self.beginResetModel()
        self._question = question
        self._id = id_
        self._count = count
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else self._count

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._question is None:
            return None
        hit = self._question.hits[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(hit, index.column())
            case Qt.ItemDataRole.ToolTipRole:
                return f"{self._text(hit, CHECKPOINT)}, superstep {hit.superstep}, {hit.branch}\n{what(hit)}"
            case Qt.ItemDataRole.FontRole:
                return data_font()
            case Qt.ItemDataRole.ForegroundRole:
                theme = self._look.theme
                return theme.text2 if index.column() == BRANCH else theme.text
            case Qt.ItemDataRole.TextAlignmentRole if index.column() == CHECKPOINT:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _text(self, hit: PastHit, place: int) -> str:
        if place == BRANCH:
            return hit.branch
        if place == TEXT:
            return what(hit)
        name = self._session.timeline.name(hit.checkpoint_id)
        return name or self._run_name(hit.run_id)

    def _run_name(self, run_id: str) -> str:
        """Return the name of another run than the timeline's."""
        runs = self._session.runs
        for place, run in enumerate(runs):
            if run.run_id == run_id:
                return f"run {len(runs) - place}"
        return run_id[:8]


def what(hit: PastHit) -> str:
    """Return a hit in one line: its log text, else what happened."""
    where = f"{' › '.join(hit.path)}: " if hit.path else ""
    return where + (hit.log or hit.text)


class HitList(QWidget):
    """A click on a row, or Enter, looks at its checkpoint; `chosen` carries the hit."""

    chosen = Signal(object)

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._past = session.past
        self.rows = HitRows(session, look, self)
        self.table = Table(self.rows, "Hits", (96, 84, 0))
        self.table.clicked.connect(self._go)
        self.table.activated.connect(self._go)
        self._head = label("", "strong")
        self._question = ElidedLabel("", "data2")
        self.stack = ContentOrNotice(self.table, look)
        layout = column(self, margins=(12, 4, 0, 0), gap=4)
        put(
            layout,
            row(self._head, (self._question, 1), gap=8, margins=(0, 0, 8, 0)),
        )
        layout.addWidget(self.stack, 1)

    def refresh(self) -> None:
        question = self._past.active
        self.rows.show(question)
        if question is None:
            self._head.setText("Ask the past")
            self._question.setText("")
            self.stack.say("search", "Nothing is asked", ASKED)
            return
        self._head.setText(counted(question.count, "hit"))
        self._question.setText(question.text)
        if question.hits:
            self.stack.show_content()
            self._select()
        elif question.refused:
            self.stack.say("failed", "This cannot be answered", question.refused)
        elif question.is_done:
            read = counted(question.read, "checkpoint")
            self.stack.say("search", f"No hit in {read}", _remark(question))
        else:
            self.stack.say("clock", "Looking…", "Hits appear here as they are found.")

    def _select(self) -> None:
        place = self._past.place
        if place is None:
            self.table.clearSelection()
        elif (
            self.table.currentIndex().row() != place or not self.table.selectedIndexes()
        ):
            self.table.selectRow(place)

    def _go(self, index: QModelIndex) -> None:
        question = self._past.active
        if question is not None:
            self._past.view(index.row())
            self.chosen.emit(question.hits[index.row()])


FAILED_WHOLE = "A superstep that failed as a whole has no checkpoint, so its calls are not recorded."
ASKED = (
    "Write a condition such as state.score > 0.8, or choose what happened, such as "
    "failures."
)


def _remark(question: PastQuestion) -> str:
    """Return what may be the reason that nothing was hit, or ""."""
    if not question.errors:
        is_failure = question.text.split(":")[0].split()[-1:] == ["failure"]
        return FAILED_WHOLE if is_failure else ""
    times = counted(question.errors, "time")
    return f"The condition could not be evaluated {times}: {question.error}"
