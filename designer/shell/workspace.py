"""One open document with everything around it: palette, canvas, inspector, timeline and lists. A tab holds one."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSplitter, QTabBar, QTabWidget, QVBoxLayout, QWidget

from designer.canvas.view import CanvasView
from designer.checks import Checks
from designer.document import Document
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.files import to_file
from designer.panels import PANELS
from designer.panels.base import Panel
from designer.panels.palette import PalettePanel
from designer.panels.requests import RequestsPanel
from designer.panels.timeline import TimelinePanel
from designer.session.opener import Source
from designer.session.session import DebugSession
from designer.shell.banner import Banner
from designer.shell.settings import Settings

PALETTE_WIDTH, RAIL_WIDTH = 224, 40
EDIT_WIDTH, DEBUG_WIDTH = 376, 336
BOTTOM_HEIGHT = 252
_OUTCOMES = {
    "finished": "Finished",
    "stalled": "Finished, a join is stalled",
    "failed": "Failed in superstep {superstep}",
    "limit": "Stopped by the superstep limit",
    "cancelled": "Stopped in superstep {superstep}",
}


P = TypeVar("P", bound=Panel)


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
        self._edited: bool | None = None
        self.areas = {name: self._area() for name in ("left", "right-edit", "right-debug", "bottom")}
        for make in PANELS:
            self._add_panel(make(document, session, look, checks=self.checks))
        self._palette = self._panel(PalettePanel)
        self._requests = self._panel(RequestsPanel)
        self._timeline = self._panel(TimelinePanel)
        self._build()
        self._connect()
        self._follow_mode()

    # --- building ---

    def _panel(self, kind: type[P]) -> P:
        return next(panel for panel in self.panels.values() if isinstance(panel, kind))

    def _area(self) -> QTabWidget:
        area = QTabWidget(documentMode=True)
        area.tabBar().setExpanding(False)
        area.tabBar().setUsesScrollButtons(False)
        area.tabBar().setDrawBase(False)
        return area

    def _add_panel(self, panel: Panel) -> None:
        self.panels[panel.title] = panel
        area = self.areas[panel.area]
        index = area.addTab(panel, panel.title)
        if panel.area == "bottom":
            area.setTabIcon(index, themed_icon(panel.icon, self._look))
        badge = QLabel()
        area.tabBar().setTabButton(index, QTabBar.ButtonPosition.RightSide, badge)
        panel.badge_changed.connect(lambda text: self._show_badge(panel, badge, text))
        self._look.changed.connect(lambda: self._show_badge(panel, badge, badge.text()))
        self._show_badge(panel, badge, "")

    def _show_badge(self, panel: Panel, badge: QLabel, text: str) -> None:
        """A count in a pill beside the title of a tab, in the colour of what it counts."""
        theme = self._look.theme
        colour, fill = getattr(theme, panel.badge_tone), getattr(theme, f"{panel.badge_tone}Soft", theme.hover)
        badge.setText(text)
        badge.setStyleSheet(
            f"color: {colour.name()}; background: {fill.name()}; border-radius: 8px; padding: 0 5px; font-size: 11px;"
        )
        badge.setFixedSize(max(badge.sizeHint().width(), 16) if text else 0, 16)
        badge.setAlignment(Qt.AlignmentFlag.AlignCenter)
        area = self.areas[panel.area]
        # A tab asks for the size of its button only when its text changes.
        area.setTabText(area.indexOf(panel), panel.title + " ")
        area.setTabText(area.indexOf(panel), panel.title)

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
        for name in ("right-edit", "right-debug"):
            self.areas[name].setMinimumWidth(300)
            self.areas[name].setProperty("role", "inspector")

    def remember_sizes(self) -> None:
        self._settings.values.splitters["down"] = self.down.sizes()
        self._settings.write()

    def _connect(self) -> None:
        document, session = self.document, self.session
        session.source = self._source
        document.title_changed.connect(self.title_changed)
        document.replaced.connect(session.forget)
        document.journal_failed.connect(self.message)
        session.changed.connect(self._follow_mode)
        session.viewed.connect(self._tell)
        session.failed.connect(lambda title, text: self.message.emit(f"{title}: {text}" if text else title))
        self.canvas.message.connect(self.message)
        self.canvas.node_activated.connect(lambda _id: self.areas["right-edit"].setFocus())
        for panel in self.panels.values():
            panel.reveal_requested.connect(self._reveal)
        for asking in (self._requests, self._timeline):
            asking.restore_requested.connect(self.restore)
        self._palette.add_requested.connect(self.canvas.add_node)
        session.load_catalogue()

    def _source(self) -> Source:
        file = to_file(self.document.design).model_dump(mode="json")
        return Source(file, str(self.document.folder), self.document.store_url())

    def _reveal(self, _element: str) -> None:
        self.canvas.fit_selection()

    # --- following the session ---

    def _follow_mode(self) -> None:
        editing = self.session.mode == "edit"
        if editing != self._edited:
            self._edited = editing
            self._arrange_areas(editing)
        self._tell()
        self._remember_outcome()
        self.state_changed.emit()

    def _arrange_areas(self, editing: bool) -> None:
        self.areas["right-edit"].setVisible(editing)
        self.areas["right-debug"].setVisible(not editing)
        self._palette.compact = not editing
        left, right = (PALETTE_WIDTH, EDIT_WIDTH) if editing else (RAIL_WIDTH, DEBUG_WIDTH)
        self.areas["left"].setFixedWidth(left)
        self.across.setSizes([left, max(self.width() - left - right, 300), right, right])

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
        if session.has_live:
            verbs.append(("Back to live", "live", True, session.back_to_live))
        verbs.append(("Back to editing", "pencil", False, session.leave))
        self.banner.offer(verbs)

    def checkpoint_name(self, checkpoint_id: str | None) -> str:
        """What people call a checkpoint: its number in the timeline."""
        return f"checkpoint {self.session.timeline.name(checkpoint_id)}"

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
            errors, warnings = self.checks.count("error"), self.checks.count("warning")
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

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._arrange_areas(self.session.mode == "edit")

    def closeEvent(self, event: QCloseEvent) -> None:
        self.dispose()
        super().closeEvent(event)

    def dispose(self) -> None:
        """End the run's process and the timers before the widgets go."""
        self.session.close()
        self.canvas.dispose()
        self.document.close()
