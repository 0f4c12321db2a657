"""The two sides of a comparison: what A and B are, and the menu that chooses A."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from designer.look.difference_marks import CHIP, Side, paint_chip
from designer.look.theme import Look
from designer.panels.widgets.basic import ElidedLabel, button, icon_button, label
from designer.qt.layouts import put, row, stack
from designer.session.comparison import other_run_name
from designer.session.session import DebugSession
from runtime.debug.protocol import InsideRun, RunInfo
from runtime.values.words import counted

LISTED = 12  # branches and runs in the menu
LIVE = "the live run"
FAILED = (
    "These two cannot be compared",
    "The banner says why. Choose another checkpoint.",
)


class Chip(QWidget):
    """The letter of a side on its colour."""

    def __init__(self, look: Look, side: Side) -> None:
        super().__init__()
        self._look = look
        self._side: Side = side
        self.setFixedSize(CHIP, CHIP)
        self.setAccessibleName(side)
        look.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_chip(painter, self._side, QRectF(self.rect()), self._look.theme)


class Sides(QWidget):
    """Two lines, A and B, with the buttons that choose A and swap both.

    `store_requested` asks for another store, to compare with one of its runs.
    """

    store_requested = Signal()

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self.base = label("", "strong")
        self.base_place = ElidedLabel("", "secondary")
        self.shown = label("", "strong")
        self.shown_place = ElidedLabel("", "secondary")
        self.choose = button("Choose…", self.open_menu, small=True)
        self.choose.setToolTip("Compare with another checkpoint, branch or run")
        self.invocation = QPushButton()
        self.invocation.setProperty("small", True)
        self.invocation.setToolTip("Choose the invocation of A to compare with")
        self.invocation.clicked.connect(self.open_invocations)
        self.swap = icon_button(look, "swap", "Swap A and B", session.swap_base)
        head = row(
            Chip(look, "A"),
            self.base,
            (self.base_place, 1),
            self.invocation,
            self.choose,
        )
        other = row(Chip(look, "B"), self.shown, (self.shown_place, 1), self.swap)
        put(self, stack(head, other, gap=4, margins=(12, 8, 8, 8)))

    def refresh(self) -> None:
        session = self._session
        shown = shown_id(session)
        is_first = session.shows_first
        self.base.setText(base_name(session))
        self.base_place.setText(self._place(session.base, is_first=is_first))
        name = session.timeline.name(shown) or LIVE
        if session.base_name and session.timeline_run:
            name = f"{session.timeline_run}, {name}"
        self.shown.setText(name)
        place = self._place(shown, is_first=is_first)
        kind = "viewed" if session.viewing else "live"
        self.shown_place.setText(place if is_first else f"{place}, {kind}".lstrip(", "))
        self.swap.setEnabled(not session.base_name)
        self._show_invocation()

    def _place(self, checkpoint_id: str, *, is_first: bool) -> str:
        timeline = self._session.timeline
        row_number = timeline.row_of(checkpoint_id)
        if row_number is None:
            return ""
        header = timeline.header_at(row_number)
        if is_first:
            lane = timeline.lanes[timeline.lane_of(row_number)]
            return f"{header.branch}, branch of {counted(lane.count, 'checkpoint')}"
        return f"{header.branch}, superstep {header.superstep}"

    def _show_invocation(self) -> None:
        """Show which invocation of a sub-workflow A has, where there are several."""
        body = self._session.comparison
        runs = body.base_runs if body is not None and self._session.way else ()
        self.invocation.setVisible(bool(runs))
        if body is not None:
            self.invocation.setText(body.base_run or "no invocation")

    # --- menus --------------------------------------------------------------------------------------------------

    def open_menu(self) -> None:
        self._session.list_runs()
        self._pop_up(self.make_menu(), self.choose)

    def open_invocations(self) -> None:
        self._pop_up(self.make_invocations(), self.invocation)

    def _pop_up(self, menu: QMenu, below: QWidget) -> None:
        menu.popup(below.mapToGlobal(below.rect().bottomLeft()))

    def make_menu(self) -> QMenu:
        """Return the menu of what A may be."""
        menu = self._new_menu()
        session = self._session
        timeline = session.timeline
        row_number = timeline.row_of(shown_id(session))
        parent = timeline.parent_row(row_number)
        if parent is not None:
            before = timeline.header_at(parent).id
            menu.addAction(
                f"The checkpoint before, {timeline.name(before)}",
                partial(session.compare_with, before),
            )
        menu.addSection("Ends of branches")
        for text, compare in self._branches():
            menu.addAction(text, compare)
        runs = menu.addMenu("Another run")
        for text, compare in self._runs():
            runs.addAction(text, compare)
        runs.setEnabled(not runs.isEmpty())
        if session.other_runs:
            others = menu.addMenu(f"A run of {session.other_store.rpartition('/')[2]}")
            for text, compare in self._other_runs():
                others.addAction(text, compare)
        menu.addAction("A run of another store…", self.store_requested.emit)
        return menu

    def make_invocations(self) -> QMenu:
        """Return the menu of the invocations of A."""
        menu = self._new_menu()
        menu.addAction("The same as in B", partial(self._session.choose_base_run, ""))
        body = self._session.comparison
        runs: tuple[InsideRun, ...] = body.base_runs if body is not None else ()
        for run in runs[-LISTED:]:
            choose = partial(self._session.choose_base_run, run.key)
            menu.addAction(f"{run.key}, its superstep {run.superstep}", choose)
        return menu

    def _new_menu(self) -> QMenu:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _branches(self) -> Iterator[tuple[str, Callable[[], object]]]:
        timeline = self._session.timeline
        for lane in list(timeline.lanes)[-LISTED:]:
            end = timeline.header_at(lane.last_row).id
            text = f"{lane.branch}, {timeline.name(end)}"
            yield text, partial(self._session.compare_with, end)

    def _runs(self) -> Iterator[tuple[str, Callable[[], object]]]:
        session = self._session
        shown = session.timeline.run_id
        for place, run in enumerate(session.runs[:LISTED]):
            if run.run_id == shown:
                continue
            name = f"run {len(session.runs) - place}"
            compare = partial(session.compare_with, run.latest.id, name)
            yield _run_words(name.capitalize(), run), compare

    def _other_runs(self) -> Iterator[tuple[str, Callable[[], object]]]:
        session = self._session
        runs = session.other_runs
        for run in runs[:LISTED]:
            name = other_run_name(session.other_store, runs, run)
            compare = partial(
                session.compare_with, run.latest.id, name, session.other_store
            )
            yield _run_words(name, run), compare


def _run_words(name: str, run: RunInfo) -> str:
    return f"{name}, superstep {run.latest.superstep} on {run.latest.branch}"


def shown_id(session: DebugSession) -> str:
    """Return the checkpoint that is compared with the base: B."""
    if session.viewing:
        return session.viewing
    return session.head.id if session.head is not None else ""


def base_name(session: DebugSession) -> str:
    """Return what A is called."""
    return session.base_name or session.timeline.name(session.base) or "another run"
