"""All runs of a store: filtered by workflow, outcome and time; opened, compared, and deleted several at once."""

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
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
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
_VALUE = Qt.ItemDataRole.UserRole  # what a column is sorted by
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
        """What the filter of outcomes knows it by."""
        status = self.run.latest.status
        return status if status in _WITH_END else _UNFINISHED


_WITH_END = {status for _, status in _KINDS if status}


class RunRows(Columns):
    heads = ("Run", "Workflow", "Outcome", "Checkpoints", "Branches", "Last saved")
    numbers = frozenset({CHECKPOINTS, BRANCHES})

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.rows: list[Row] = []

    def show(self, rows: list[Row]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.rows[index.row()]
        at = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._texts(entry)[at]
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
            return values[at]
        if role == Qt.ItemDataRole.DecorationRole and at == OUTCOME:
            icon, tone = OUTCOMES.get(entry.run.latest.status, ("minus", "text3"))
            return themed_icon(icon, self._look, tone)
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{entry.run.workflow}, run {entry.run.run_id}"
        if role == Qt.ItemDataRole.TextAlignmentRole and at in self.numbers:
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
    """The rows that fit all three filters, in the order that a person chose."""

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
        is_named = (
            self.text
            in f"{run.workflow} {run.run_id} run {entry.number} {entry.outcome}".casefold()
        )
        is_kind = self.kind is None or entry.kind == self.kind
        is_recent = not self.within or run.latest.time >= time.time() - self.within
        return is_named and is_kind and is_recent

    def entry(self, index: AnyIndex) -> Row:
        return self._rows.rows[self.mapToSource(index).row()]


class RunsTable(Table):
    """Enter opens, Delete deletes."""

    def __init__(
        self, model: Columns, on_keys: Mapping[Qt.Key, Callable[[], object]]
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
    """Follows the session: what is saved or deleted meanwhile comes and goes."""

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
        """The selected runs, as they stand in the list."""
        return [
            self.filter.entry(index).run
            for index in self.table.selectionModel().selectedRows()
        ]

    def _follow(self) -> None:
        """The list is made anew only when the runs differ: the session also tells of much else."""
        if self._session.runs == self._shown:
            return
        chosen = {run.run_id for run in self.chosen} or {self._session.timeline.run_id}
        self._shown = runs = self._session.runs
        entries = [
            Row(run, len(runs) - place, outcome_of(self._session, run))
            for place, run in enumerate(runs)
        ]
        self.rows.show(entries)
        self._select(chosen)
        self._say()

    def _select(self, run_ids: set[str]) -> None:
        flags = (
            QItemSelectionModel.SelectionFlag.Select
            | QItemSelectionModel.SelectionFlag.Rows
        )
        for at in range(self.filter.rowCount()):
            index = self.filter.index(at, 0)
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
        """How much of the list is shown, and what can be done with what is selected, or why not."""
        listed = self.filter.rowCount()
        there = len(self.rows.rows)
        chosen = len(self.chosen)
        if listed == there:
            shown = counted(there, "run")
        else:
            shown = f"{listed:,} of {counted(there, 'run')}"
        self.says.setText(f"{shown} · {chosen:,} selected" if chosen else shown)
        allow(self.open_button, "" if chosen == 1 else "Select one run to open it.")
        allow(
            self.compare_button,
            "" if chosen == 2 else "Select two runs to compare them.",
        )
        if self._session.read_only:
            allow(self.delete_button, "This store is opened for reading only.")
        else:
            allow(self.delete_button, "" if chosen else "Select what to delete.")
        if listed:
            self.content.show_content()
        elif there:
            self.content.say("search", "No run fits", "Change the filters above.")
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
        """The newest checkpoint of the newer run with that of the older one."""
        chosen = self.table.selectionModel().selectedRows()
        if len(chosen) == 2:
            older, newer = sorted(
                map(self.filter.entry, chosen),
                key=lambda entry: entry.run.latest.sequence,
            )
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
