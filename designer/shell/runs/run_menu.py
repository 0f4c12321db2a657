"""The run that is shown, above the canvas on the right, and a menu of the others in the
store.
"""

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
    """Hidden while there is no run. Choosing a run shows its newest checkpoint, and
    runs nothing. The menu lists the newest runs; `all_requested` asks for the dialog of
    all.
    """

    all_requested = Signal()

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self.setIcon(themed_icon("chev", look))
        self.setIconSize(QSize(12, 12))
        # So that the arrow is after the text.
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
        name = ""
        for place, run in enumerate(runs):
            if run.run_id == self._session.timeline.run_id:
                name = self._name(place)
        self.setVisible(bool(name))
        if name != self.text():
            self.setText(name)
            self.setToolTip(
                f"{name} of {len(runs)}: the run on the timeline. Choose another to look at it."
            )
            self.setAccessibleName(f"{name}, choose a run")

    def _name(self, place: int) -> str:
        """Return the name of the run at a place of the list, which has the newest
        first. Numbers count from the first run.
        """
        return f"Run {len(self._session.runs) - place}"

    def _fill(self) -> None:
        self._menu.clear()
        now = time.time()
        for place, run in enumerate(self._session.runs[:LIMIT]):
            text = self._name(place)
            if self._session.looks_only:
                text += f" · {run.workflow}"
            text += f" · {outcome_of(self._session, run)} · {self._size(run)}"
            text += f"\t{day(self._latest(run).time, now)}"
            action = self._menu.addAction(text)
            action.setCheckable(True)
            action.setChecked(run.run_id == self._session.timeline.run_id)
            action.triggered.connect(partial(self._choose, run.run_id))
        self._menu.addSeparator()
        older = len(self._session.runs) - LIMIT
        text = f"All runs, {older} older…" if older > 0 else "All runs…"
        self._menu.addAction(text, self.all_requested.emit)

    def _choose(self, run_id: str, _checked: bool = False) -> None:
        self._session.select_run(run_id)

    def _latest(self, run: RunInfo) -> Header:
        """Return the newest checkpoint. The list has that of the live run from its
        start.
        """
        head = self._session.head
        return head if head is not None and head.run_id == run.run_id else run.latest

    def _size(self, run: RunInfo) -> str:
        timeline = self._session.timeline
        checkpoints = run.checkpoints
        branches = run.branches
        # The timeline is more up to date than the list.
        if timeline.run_id == run.run_id:
            checkpoints = max(checkpoints, timeline.rowCount())
            branches = max(branches, timeline.branch_count)
        text = counted(checkpoints, "checkpoint")
        return f"{text}, {branches} branches" if branches > 1 else text
