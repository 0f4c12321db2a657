"""The run that is shown, above the canvas on the right, and a menu of the others in the store."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.session.session import DebugSession
from designer.shell.runs.words import day, outcome_of
from runtime.debug.protocol import Header, RunInfo
from runtime.values.words import counted

LIMIT = 20


class RunMenu(QPushButton):
    """Hidden while there is no run. Choosing one looks at its newest checkpoint, and runs nothing. The menu has the
    newest runs; `all_requested` asks for the list of all.
    """

    all_requested = Signal()

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self.setIcon(themed_icon("chev", look))
        self.setIconSize(QSize(12, 12))
        # the arrow after the text
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.setFlat(True)
        self._menu = QMenu(self)
        self._menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        session.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        runs = self._session.runs
        shown = self._session.timeline.run_id
        name = next(
            (
                self._name(place)
                for place, run in enumerate(runs)
                if run.run_id == shown
            ),
            "",
        )
        self.setVisible(bool(name))
        if name != self.text():
            self.setText(name)
            self.setToolTip(
                f"{name} of {len(runs)}: the run on the timeline. Choose another to look at it."
            )
            self.setAccessibleName(f"{name}, choose a run")

    def _name(self, place: int) -> str:
        """Runs are numbered from the first; the list has the newest first."""
        return f"Run {len(self._session.runs) - place}"

    def _fill(self) -> None:
        self._menu.clear()
        now = time.time()
        for place, run in enumerate(self._session.runs[:LIMIT]):
            if self._session.looks_only:
                named = f"{self._name(place)} · {run.workflow}"
            else:
                named = self._name(place)
            facts = f"{named} · {outcome_of(self._session, run)} · {self._size(run)}"
            action = self._menu.addAction(
                f"{facts}\t{day(self._latest(run).time, now)}"
            )
            action.setCheckable(True)
            action.setChecked(run.run_id == self._session.timeline.run_id)
            action.triggered.connect(partial(self._choose, run.run_id))
        self._menu.addSeparator()
        older = len(self._session.runs) - LIMIT
        self._menu.addAction(
            f"All runs, {older} older…" if older > 0 else "All runs…",
            self.all_requested.emit,
        )

    def _choose(self, run_id: str, _checked: bool = False) -> None:
        self._session.select_run(run_id)

    def _latest(self, run: RunInfo) -> Header:
        """The list is as old as the beginning of the live run."""
        head = self._session.head
        return head if head is not None and head.run_id == run.run_id else run.latest

    def _size(self, run: RunInfo) -> str:
        timeline = self._session.timeline
        shown = timeline.run_id == run.run_id
        if shown:
            checkpoints = max(run.checkpoints, timeline.rowCount())
        else:
            checkpoints = run.checkpoints
        branches = max(run.branches, timeline.branch_count) if shown else run.branches
        return counted(checkpoints, "checkpoint") + (
            f", {branches} branches" if branches > 1 else ""
        )
