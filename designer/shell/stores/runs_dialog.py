"""The dialog of all runs of a store: filters by workflow, outcome and time; buttons to
open, compare and delete runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.widgets.basic import (
    Choice,
    ContentOrNotice,
    SearchField,
    allow,
    button,
    label,
)
from designer.panels.widgets.dialog import Dialog
from designer.panels.widgets.tables import RowColumns, Table
from designer.qt.indexes import AnyIndex
from designer.qt.layouts import column, put, row
from designer.session.session import DebugSession
from designer.shell.files.dialogs import Questions
from designer.shell.files.recent_table import OUTCOMES
from designer.shell.runs.words import day, outcome_of
from runtime.debug.protocol import RunInfo
from runtime.values.words import counted

SIZE = (820, 520)
HOUR = 3600.0
NUMBER, WORKFLOW, OUTCOME, CHECKPOINTS, BRANCHES, SAVED = range(6)
_VALUE = Qt.ItemDataRole.UserRole  # the value by which a column is sorted
_TIMES = (
    ("Any time", 0.0),
    ("Last hour", HOUR),
    ("Last day", 24 * HOUR),
    ("Last 7 days", 168 * HOUR),
)
_UNFINISHED = ""
_KINDS: tuple[tuple[str, str | None], ...] = (
    ("All outcomes", None),
    ("Finished", "IDLE"),
    ("Waiting for an answer", "IDLE_WITH_PENDING_REQUESTS"),
    ("A join is stalled", "IDLE_WITH_STALLED_JOINS"),
    ("Not finished", _UNFINISHED),
)


class Row(NamedTuple):
    """A run as the list shows it; runs are numbered from the first of the store."""

    run: RunInfo
    number: int
    outcome: str

    @property
    def kind(self) -> str:
        """The value of the outcome filter that shows it."""
        status = self.run.latest.status
        return status if status in _WITH_END else _UNFINISHED


_WITH_END = {status for _, status in _KINDS if status}


class RunRows(RowColumns[Row]):
    heads = ("Run", "Workflow", "Outcome", "Checkpoints", "Branches", "Last saved")
    numbers = frozenset({CHECKPOINTS, BRANCHES})

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._texts(entry)[column]
        if role == _VALUE:
            run = entry.run
            values = (
                entry.number,
                run.workflow,
                entry.outcome,
                run.checkpoints,
                run.branches,
                run.latest.sequence,
            )
            return values[column]
        if role == Qt.ItemDataRole.DecorationRole and column == OUTCOME:
            icon, tone = OUTCOMES.get(entry.run.latest.status, ("minus", "text3"))
            return themed_icon(icon, self._look, tone)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{entry.run.workflow}, run {entry.run.run_id}"
        if role == Qt.ItemDataRole.TextAlignmentRole and column in self.numbers:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _texts(self, entry: Row) -> tuple[str, ...]:
        run = entry.run
        saved = day(run.latest.time, time.time())
        return (
            f"Run {entry.number}",
            run.workflow,
            entry.outcome,
            f"{run.checkpoints:,}",
            f"{run.branches:,}",
            saved,
        )


class Filter(QSortFilterProxyModel):
    """The rows that match all three filters, in the order that the user chose."""

    def __init__(self, rows: RunRows, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows = rows
        self.text = ""
        self.within = 0.0
        self.kind: str | None = None
        self.setSourceModel(rows)
        self.setSortRole(_VALUE)

    def choose(self, text: str, kind: str | None, within: float) -> None:
        self.beginFilterChange()
        self.text = text.strip().casefold()
        self.kind = kind
        self.within = within
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)

    def filterAcceptsRow(self, source_row: int, source_parent: AnyIndex) -> bool:
        entry = self._rows.rows[source_row]
        run = entry.run
        texts = f"{run.workflow} {run.run_id} run {entry.number} {entry.outcome}"
        is_named = self.text in texts.casefold()
        is_kind = self.kind is None or entry.kind == self.kind
        is_recent = not self.within or run.latest.time >= time.time() - self.within
        return is_named and is_kind and is_recent

    def entry(self, index: AnyIndex) -> Row:
        return self._rows.rows[self.mapToSource(index).row()]


class RunsTable(Table):
    """Enter opens, Delete deletes."""

    def __init__(
        self, model: RunRows, on_keys: Mapping[Qt.Key, Callable[[], object]]
    ) -> None:
        super().__init__(model, "Runs", (70, 150, 0, 96, 80, 132))
        self._on_keys = on_keys
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        act = self._on_keys.get(Qt.Key(event.key()))
        if act is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        else:
            act()


class RunsDialog(Dialog):
    """Follows the session, so that runs appear and disappear while it is open."""

    def __init__(
        self,
        session: DebugSession,
        look: Look,
        parent: QWidget,
        questions: Questions,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Runs")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session = session
        self._questions = questions
        self._shown: tuple[RunInfo, ...] | None = None
        self.search = SearchField(look, "Workflow, run or outcome")
        self.outcomes = Choice(look)
        self.times = Choice(look)
        self.outcomes.fill(list(_KINDS), None)
        self.times.fill(list(_TIMES), 0.0)
        self.outcomes.setMinimumContentsLength(20)
        self.times.setMinimumContentsLength(12)
        self.outcomes.setAccessibleName("Outcome")
        self.times.setAccessibleName("Last saved within")
        self.rows = RunRows(look, self)
        self.filter = Filter(self.rows, self)
        keys = {
            Qt.Key.Key_Return: self._open,
            Qt.Key.Key_Enter: self._open,
            Qt.Key.Key_Delete: self._delete,
        }
        self.table = RunsTable(self.rows, keys)
        self.table.setModel(self.filter)
        self.table.setSortingEnabled(True)
        self.table.sortByColumn(SAVED, Qt.SortOrder.DescendingOrder)
        self.content = ContentOrNotice(self.table, look)
        self.says = label("", "secondary")
        self.open_button = button("Open", self._open, primary=True)
        self.compare_button = button("Compare", self._compare_chosen)
        self.delete_button = button("Delete…", self._delete)
        self._build()
        self._connect()
        self._follow()
        session.list_runs()

    def _build(self) -> None:
        layout = column(self, margins=(16, 16, 16, 16), gap=12)
        put(layout, row((self.search, 1), self.outcomes, self.times))
        layout.addWidget(self.content, 1)
        close = button("Close", self.reject)
        close.setAutoDefault(False)
        put(
            layout,
            row(
                self.says,
                None,
                self.delete_button,
                self.compare_button,
                self.open_button,
                close,
            ),
        )
        self.resize(*SIZE)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._choose)
        self.outcomes.currentIndexChanged.connect(self._choose)
        self.times.currentIndexChanged.connect(self._choose)
        self.table.doubleClicked.connect(self._on_double_click)
        self.table.selectionModel().selectionChanged.connect(self._follow_selection)
        self._session.changed.connect(self._follow)

    @property
    def chosen(self) -> list[RunInfo]:
        """The selected runs, in the order of the list."""
        return [
            self.filter.entry(index).run
            for index in self.table.selectionModel().selectedRows()
        ]

    def _follow(self) -> None:
        """List the runs again if they differ, because the session changes for other
        reasons too.
        """
        runs = self._session.runs
        if runs == self._shown:
            return
        selected = {run.run_id for run in self.chosen}
        self._shown = runs
        rows = []
        for place, run in enumerate(runs):
            outcome = outcome_of(self._session, run)
            rows.append(Row(run, len(runs) - place, outcome))
        self.rows.show(rows)
        self._select(selected or {self._session.timeline.run_id})
        self._say()

    def _select(self, run_ids: set[str]) -> None:
        flags = (
            QItemSelectionModel.SelectionFlag.Select
            | QItemSelectionModel.SelectionFlag.Rows
        )
        for place in range(self.filter.rowCount()):
            index = self.filter.index(place, 0)
            if self.filter.entry(index).run.run_id in run_ids:
                self.table.selectionModel().select(index, flags)
                self.table.selectionModel().setCurrentIndex(
                    index, QItemSelectionModel.SelectionFlag.NoUpdate
                )
                self.table.scrollTo(index)

    def _choose(self, _changed: object = None) -> None:
        self.filter.choose(
            self.search.text(), self.outcomes.currentData(), self.times.currentData()
        )
        self._say()

    def _follow_selection(self, _selected: object, _deselected: object) -> None:
        self._say()

    def _say(self) -> None:
        """Say how many runs are shown, and allow what can be done with the selected
        ones.
        """
        shown = self.filter.rowCount()
        total = len(self.rows.rows)
        selected = len(self.chosen)
        text = counted(total, "run")
        if shown != total:
            text = f"{shown:,} of {text}"
        if selected:
            text += f" · {selected:,} selected"
        self.says.setText(text)
        one = "" if selected == 1 else "Select one run to open it."
        two = "" if selected == 2 else "Select two runs to compare them."
        some = "" if selected else "Select the runs to delete."
        if self._session.read_only:
            some = "This store is opened for reading only."
        allow(self.open_button, one)
        allow(self.compare_button, two)
        allow(self.delete_button, some)
        if shown:
            self.content.show_content()
        elif total:
            self.content.say("search", "No run matches", "Change the filters above.")
        else:
            self.content.say(
                "steps", "No runs", "Run the workflow, and its runs are listed here."
            )

    # --- verbs ----------------------------------------------------------------------------------------------------

    def _on_double_click(self, _index: QModelIndex) -> None:
        self._open()

    def _open(self) -> None:
        if len(self.chosen) == 1:
            self._session.select_run(self.chosen[0].run_id)
            self.accept()

    def _compare_chosen(self) -> None:
        """Compare the newest checkpoints of two runs: look at that of the newer one."""
        indexes = self.table.selectionModel().selectedRows()
        if len(indexes) == 2:
            rows = [self.filter.entry(index) for index in indexes]
            older, newer = sorted(rows, key=lambda row: row.run.latest.sequence)
            self._session.select_run(newer.run.run_id)
            self._session.compare_with(older.run.latest.id, f"run {older.number}")
            self.accept()

    def _delete(self) -> None:
        chosen = self.chosen
        if not chosen or self._session.read_only:
            return
        if any(run.run_id == self._session.run_id for run in chosen):
            self._questions.tell(
                "The live run cannot be deleted",
                "Leave it out, or close its workflow first.",
            )
        elif self._questions.delete_runs(len(chosen), _what_goes(chosen)):
            self._session.delete_runs([run.run_id for run in chosen])


def _what_goes(runs: Sequence[RunInfo]) -> str:
    checkpoints = counted(sum(run.checkpoints for run in runs), "checkpoint")
    names = list(dict.fromkeys(run.workflow for run in runs))
    of = names[0] if len(names) == 1 else f"{len(names)} workflows"
    return f"{checkpoints} of {of} are deleted for ever, pinned ones too."
