"""The menu of a sub-workflow's runs. Each message that arrives there starts a run of
its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QMenu, QPushButton

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.session.session import DebugSession
from runtime.debug.protocol import InsideRun
from runtime.values.words import counted

LIMIT = 100  # runs in the menu, and in each of the menus for older ones


class InsideMenu(QPushButton):
    """Hidden unless there are several runs. `chosen` carries the key of one, or "" for
    always the newest.
    """

    chosen = Signal(str)

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self.setObjectName("inside-runs")
        self.setProperty("flat", True)
        self.setProperty("small", True)
        self.setIcon(themed_icon("chev", look))
        self.setIconSize(QSize(12, 12))
        # So that the arrow is after the text.
        self.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self._menu = QMenu(self)
        self._menu.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._menu.aboutToShow.connect(self._fill)
        self.setMenu(self._menu)
        self.hide()

    def follow(self) -> None:
        """Show the name of the run that is shown."""
        inside = self._session.inside if self._session.mode != "edit" else None
        runs = inside.runs if inside is not None else ()
        self.setVisible(len(runs) > 1)
        if inside is None or len(runs) < 2:
            return
        name = run_name(inside.keys[-1])
        self.setText(f"{name}, one of {len(runs)}")
        self.setToolTip(
            f"{len(runs)} runs are active in here, one for each message that arrived. Choose which to see."
        )
        self.setAccessibleName(f"{name} of the sub-workflow, choose another")

    def _fill(self) -> None:
        self._menu.clear()
        inside = self._session.inside
        if inside is None:
            return
        newest = self._menu.addAction("Always the newest")
        newest.setCheckable(True)
        newest.setChecked(not self._session.chosen_run)
        newest.triggered.connect(partial(self._choose, ""))
        self._menu.addSeparator()
        newest_first = inside.runs[::-1]
        self._list(self._menu, newest_first[:LIMIT])
        for start in range(LIMIT, len(newest_first), LIMIT):
            older = newest_first[start : start + LIMIT]
            menu = self._menu.addMenu(
                f"{run_name(older[0].key)} to {run_name(older[-1].key)}"
            )
            menu.aboutToShow.connect(partial(self._fill_older, menu, older))

    def _fill_older(self, menu: QMenu, runs: Sequence[InsideRun]) -> None:
        if menu.isEmpty():
            self._list(menu, runs)

    def _list(self, menu: QMenu, runs: Sequence[InsideRun]) -> None:
        for run in runs:
            action = menu.addAction(run_words(run))
            action.setCheckable(True)
            action.setChecked(run.key == self._session.chosen_run)
            action.triggered.connect(partial(self._choose, run.key))

    def _choose(self, key: str, _checked: bool = False) -> None:
        self.chosen.emit(key)


def run_name(key: str) -> str:
    """Return the name of a run, whose number is that of its first message."""
    return f"Run {key.rpartition('#')[2]}"


def run_words(run: InsideRun) -> str:
    """Return a line about a run: its name, its state and its supersteps."""
    if run.questions:
        state = "waits for an answer"
    elif run.queued:
        state = f"{counted(run.queued, 'message')} queued"
    else:
        state = "waits for others"
    supersteps = counted(run.superstep, "superstep")
    return f"{run_name(run.key)} · {state} · {supersteps} inside"
