"""One open document with everything around it: palette, canvas, inspector, timeline and lists. A tab holds one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QTabWidget, QVBoxLayout, QWidget

from designer.canvas.view import CanvasView
from designer.checks import Checks
from designer.document import Document
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels import PANELS
from designer.panels.base import Panel
from designer.session.session import DebugSession
from designer.shell.banner import Banner
from designer.shell.settings import Settings

INSPECTOR_WIDTH = {"edit": 376, "debug": 336}
PALETTE_WIDTH, RAIL_WIDTH = 224, 40
BOTTOM_HEIGHT = 252
_OUTCOMES = {
    "finished": "Finished",
    "stalled": "Finished, a join is stalled",
    "failed": "Failed in superstep {superstep}",
    "limit": "Stopped by the superstep limit",
    "cancelled": "Stopped in superstep {superstep}",
}


class Workspace(QWidget):
    """Builds the panels from `PANELS` and follows the mode of the session. Knows nothing of menus and tabs."""

    title_changed = Signal()
    state_changed = Signal()
    message = Signal(str)

    def __init__(self, document: Document, session: DebugSession, settings: Settings, look: Look) -> None:
        super().__init__()
        self.document, self.session, self._settings, self._look = document, session, settings, look
        self.checks = Checks(document, session, self)
        self.canvas = CanvasView(document, session, look, checks=self.checks)
        self.banner = Banner(look)
        self.header = QHBoxLayout()
        self.header.setContentsMargins(8, 0, 8, 0)
        self.panels: dict[str, Panel] = {}
        self.areas = {name: self._area() for name in ("left", "right-edit", "right-debug", "bottom")}
        for make in PANELS:
            self._add_panel(make(document, session, look, checks=self.checks))
        self._build()
        self._connect()
        self._follow_mode()

    # --- building ---

    def _area(self) -> QTabWidget:
        area = QTabWidget(documentMode=True)
        area.tabBar().setExpanding(False)
        area.tabBar().setUsesScrollButtons(False)
        area.tabBar().setDrawBase(False)
        return area

    def _add_panel(self, panel: Panel) -> None:
        self.panels[panel.title] = panel
        area = self.areas[panel.area]
        icon = themed_icon(panel.icon, self._look) if panel.area == "bottom" else themed_icon("", self._look)
        index = area.addTab(panel, icon, panel.title) if panel.area == "bottom" else area.addTab(panel, panel.title)
        panel.badge_changed.connect(
            lambda text: area.setTabText(index, f"{panel.title}  {text}" if text else panel.title)
        )

    def _build(self) -> None:
        centre = QWidget()
        column = QVBoxLayout(centre)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        head = QWidget()
        head.setFixedHeight(32)
        head.setProperty("role", "panel")
        head.setLayout(self.header)
        for widget in (head, self.banner, self.canvas):
            column.addWidget(widget)
        self.areas["left"].tabBar().hide()
        self.across = QSplitter(Qt.Orientation.Horizontal)
        for part in (self.areas["left"], centre, self.areas["right-edit"], self.areas["right-debug"]):
            self.across.addWidget(part)
        self.across.setStretchFactor(1, 1)
        self.down = QSplitter(Qt.Orientation.Vertical)
        self.down.addWidget(self.across)
        self.down.addWidget(self.areas["bottom"])
        self.down.setStretchFactor(0, 1)
        for splitter in (self.across, self.down):
            splitter.setHandleWidth(1)
            splitter.setChildrenCollapsible(False)
        self.areas["bottom"].setMinimumHeight(120)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.down)
        self.restore_sizes()

    def restore_sizes(self) -> None:
        saved = self._settings.values.splitters
        self.down.setSizes(saved.get("down", [640, BOTTOM_HEIGHT]))
        self.areas["left"].setFixedWidth(PALETTE_WIDTH)
        self.areas["right-edit"].setMinimumWidth(300)
        self.areas["right-debug"].setMinimumWidth(300)

    def remember_sizes(self) -> None:
        self._settings.values.splitters["down"] = self.down.sizes()
        self._settings.write()

    def _connect(self) -> None:
        document, session = self.document, self.session
        document.title_changed.connect(self.title_changed)
        session.changed.connect(self._follow_mode)
        session.viewed.connect(self._tell)
        session.failed.connect(lambda title, text: self.message.emit(f"{title}: {text}" if text else title))
        self.canvas.message.connect(self.message)
        self.canvas.node_activated.connect(lambda _id: self.areas["right-edit"].setFocus())
        for panel in self.panels.values():
            for name in ("restore_requested",):
                signal = getattr(panel, name, None)
                if signal is not None:
                    signal.connect(self.restore)
        palette = self.panels["Palette"]
        palette.add_requested.connect(self.canvas.add_node)  # type: ignore[attr-defined]

    # --- following the session ---

    def _follow_mode(self) -> None:
        editing = self.session.mode == "edit"
        self.areas["right-edit"].setVisible(editing)
        self.areas["right-debug"].setVisible(not editing)
        self.areas["left"].setFixedWidth(PALETTE_WIDTH if editing else RAIL_WIDTH)
        self.panels["Palette"].compact = not editing  # type: ignore[attr-defined]
        self._tell()
        self._remember_outcome()
        self.state_changed.emit()

    def _tell(self) -> None:
        session = self.session
        if session.mode == "past":
            self._tell_past()
        elif session.mode == "live" and not session.running:
            self.banner.say("live", "live", "Live run at rest", self.standing())
            self.banner.offer([("Back to editing", "pencil", False, session.leave)])
        else:
            self.banner.hide()
        self.state_changed.emit()

    def _tell_past(self) -> None:
        session = self.session
        moment = session.moment
        at = f"{self.checkpoint_name(session.viewing)}, superstep {moment.superstep} · " if moment else ""
        self.banner.say("past", "restore", "Viewing the past", f"{at}looking changes nothing")
        verbs: list[tuple[str, str, bool, Callable[[], None]]] = [
            ("Restore here", "restore", False, lambda: self.restore(session.viewing or ""))
        ]
        if session.run_id and session.head is not None:
            verbs.append(("Back to live", "live", True, session.back_to_live))
        verbs.append(("Back to editing", "pencil", False, session.leave))
        self.banner.offer(verbs)

    def checkpoint_name(self, checkpoint_id: str | None) -> str:
        """What people call a checkpoint: its number in the timeline."""
        row = self.session.timeline.row_of(checkpoint_id) if checkpoint_id else None
        return f"checkpoint #{row + 1}" if row is not None else "checkpoint"

    def standing(self) -> str:
        """One sentence on how the run stands."""
        stopped = self.session.stopped
        if stopped is None:
            return "not started"
        words = {
            "entry": "stands before superstep 1",
            "step": f"stands after superstep {stopped.superstep}",
            "pause": f"paused after superstep {stopped.superstep}",
            "restored": f"restored at superstep {stopped.superstep}, on branch {stopped.branch}",
            "finished": f"finished after superstep {stopped.superstep}",
            "waiting": "waits for an answer: see Requests",
            "stalled": "at rest, but a join waits for ever: see Joins",
            "failed": f"failed in superstep {stopped.superstep + 1}: {stopped.error_type}: {stopped.text}",
            "limit": f"superstep limit reached: {stopped.text}",
            "cancelled": f"stopped; stands after superstep {stopped.superstep}",
        }
        return words.get(stopped.reason, stopped.reason)

    def status_words(self) -> tuple[str, str, str]:
        """What the status bar says: the mode, where one is, and what there is."""
        session, document = self.session, self.document
        store = f"{session.timeline.rowCount()} checkpoints · SQLite" if session.timeline.rowCount() else "no run yet"
        if session.mode == "edit":
            workflow = document.design.workflow
            errors = sum(problem.severity == "error" for problem in self.checks.problems)
            warnings = sum(problem.severity == "warning" for problem in self.checks.problems)
            found = f"{errors} errors, {warnings} warnings" if errors or warnings else "no problems"
            picked = f"{len(document.selection)} selected · " if document.selection else ""
            return (
                "Editing",
                f"{len(workflow.nodes)} nodes, {len(workflow.edges)} edge groups · {found}",
                picked + store,
            )
        branch = f"branch {session.head.branch}" if session.head else ""
        if session.mode == "past":
            superstep = session.moment.superstep if session.moment else 0
            return f"Viewing the past, {self.checkpoint_name(session.viewing)}", f"superstep {superstep}", store
        if session.running:
            progress = session.progress
            at = f"superstep {progress.superstep}, {len(progress.running)} running" if progress else "running"
            rate = f" · {progress.rate:,.0f} supersteps/s" if progress and progress.rate >= 1 else ""
            return "Live", f"{at}{rate} · {branch}", store
        return "Live, at rest", f"{self.standing()} · {branch}", store

    def _remember_outcome(self) -> None:
        stopped, path = self.session.stopped, self.document.path
        if stopped is None or path is None or self.session.running:
            return
        lanes = self.session.timeline
        words = _OUTCOMES.get(stopped.reason, "")
        if stopped.reason == "waiting":
            count = self.session.head.requests if self.session.head else 1
            words = f"{count} question{'s' * (count != 1)} open"
        self._settings.ran(
            path,
            checkpoints=lanes.rowCount(),
            branches=lanes.branch_count,
            outcome=words.format(superstep=stopped.superstep + (stopped.reason == "failed")),
            status=stopped.status,
        )

    # --- verbs ---

    def show_panel(self, title: str) -> None:
        """Bring a panel to the front of its area."""
        panel = self.panels[title]
        self.areas[panel.area].setCurrentWidget(panel)

    def run(self, *, stop_on_entry: bool = False) -> None:
        """Run from the start, or go on with a run that stands and can."""
        if self._can_go_on() and self.session.mode == "live":
            self.session.continue_()
        else:
            self.session.run(stop_on_entry=stop_on_entry)

    def superstep(self) -> None:
        """One superstep: of the run that stands, or the first of a fresh one."""
        if self._can_go_on() and self.session.mode == "live":
            self.session.step()
        else:
            self.session.run(stop_on_entry=True)

    def _can_go_on(self) -> bool:
        stopped = self.session.stopped
        return stopped is not None and stopped.reason in {"entry", "step", "pause", "restored", "failed", "cancelled"}

    def restore(self, checkpoint_id: str) -> None:
        if checkpoint_id:
            self.session.restore(checkpoint_id)

    def restore_viewed(self) -> None:
        self.restore(self.session.viewing or "")

    def open(self, path: Path) -> None:
        """Open a file into this workspace, with the history of its runs. Raises what the file raises."""
        self.document.open(path)
        self._settings.opened(path, time.time())
        self.session.load_history(self.document.store_url())
        self.canvas.zoom_to_fit()

    def closeEvent(self, event: QCloseEvent) -> None:
        self.dispose()
        super().closeEvent(event)

    def dispose(self) -> None:
        """End the run's process and the timers before the widgets go."""
        self.session.close()
        self.canvas.dispose()
        self.document.close()
