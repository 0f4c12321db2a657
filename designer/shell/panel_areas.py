"""The panels around the canvas: in which area each stands, and which of them are
shown.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLayout, QWidget

from designer.canvas.view import CanvasView
from designer.look.theme import Look
from designer.panels.base import Panel
from designer.panels.compare.panel import ComparePanel
from designer.panels.explore.panel import OrdersPanel
from designer.panels.surgery.panel import SurgeryPanel
from designer.panels.verify.panel import ProofPanel
from designer.session.session import DebugSession
from designer.shell.docks import Docks, Inspector
from designer.shell.focus import focus_in, focus_next_area, is_writing
from designer.shell.framing import Framing
from designer.shell.news import News
from designer.shell.settings.settings import Settings
from designer.shell.tabs import TabArea

P = TypeVar("P", bound=Panel)
AREAS = ("left", "right-edit", "right-debug", "task", "bottom")


class Panels(dict[str, Panel]):
    """The panels of a workspace that are made, by their titles. That of a task is made
    when it is first asked for, because most documents never see it.

    make_late  makes and adds the panel of a title
    """

    def __init__(self) -> None:
        super().__init__()
        self.make_late: dict[str, Callable[[], Panel]] = {}

    def __missing__(self, title: str) -> Panel:
        return self.make_late[title]()


class PanelAreas(QObject):
    """A part of the workspace, which is `around` it.

    panels  by their titles
    areas   the tabs at each side of the canvas, by the name of the area
    docks   the sizes of the areas; there from `arrange` on
    """

    docks: Docks

    def __init__(
        self,
        session: DebugSession,
        settings: Settings,
        look: Look,
        canvas: CanvasView,
        news: News,
        around: QWidget,
    ) -> None:
        super().__init__(around)
        self._session = session
        self._settings = settings
        self._look = look
        self._canvas = canvas
        self._news = news
        self._around = around
        self._framing = Framing(canvas, around)
        self.panels = Panels()
        # The title of the panel of the task, if there is one, and whether it has the place of the inspector.
        self._task = ""
        self._is_task_shown = False
        self._is_sized = False
        # Whether the window is narrow, and the width of the inspector, once they are known.
        self._room: tuple[bool, int] | None = None
        self.areas = {name: self._area() for name in AREAS}

    def arrange(self, centre: QWidget, layout: QLayout) -> None:
        """Put the areas around the centre, in whose layout the canvas is."""
        self._layout = layout
        for name in ("left", "task"):
            self.areas[name].tabBar().hide()
        for area in self.areas.values():
            area.currentChanged.connect(partial(self._show_corner, area))
            self._show_corner(area)
        right: dict[Inspector, QWidget] = {
            "edit": self.areas["right-edit"],
            "debug": self.areas["right-debug"],
            "task": self.areas["task"],
        }
        self.docks = Docks(
            self._around, self.areas["left"], centre, right, self.areas["bottom"]
        )
        self.docks.arranged.connect(self._on_arranged)
        bottom = self.areas["bottom"]
        bottom.currentChanged.connect(self._wish_bottom)
        bottom.strip.activated.connect(self.toggle_whole)
        bottom.strip.setToolTip(
            "Double click on a tab gives it the whole window, and back"
        )

    def on_shown(self) -> None:
        """Take the sizes and the inspector of the present mode."""
        if not self._is_sized:
            self._is_sized = True
            self.restore_sizes()
        self.docks.show_inspector(self._inspector())
        self.watch_comparison()

    def fit(self) -> None:
        """Share the room anew, because the window has another size."""
        if self._is_sized:
            self.docks.fit()

    def keep_in_place(self, change: Callable[[], object]) -> None:
        """Make a change to what is around the canvas without moving the drawing."""
        self._framing.keep(change, self._layout)

    def get(self, kind: type[P]) -> P:
        """Return the panel of a class."""
        return next(panel for panel in self.panels.values() if isinstance(panel, kind))

    def _area(self) -> TabArea:
        area = TabArea(self._look)
        area.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        return area

    def add(self, panel: Panel) -> None:
        self.panels[panel.title] = panel
        area = self.areas[panel.area]
        strip = area.strip
        index = area.addTab(panel, panel.title)
        strip.set_face(
            index, icon=panel.icon if panel.area == "bottom" else "", short=panel.icon
        )
        panel.badge_changed.connect(
            lambda text: strip.set_face(
                area.indexOf(panel), badge=text, tone=panel.badge_tone
            )
        )
        if self._room is not None:
            is_narrow, inspector_width = self._room
            panel.follow_room(is_narrow=is_narrow, inspector_width=inspector_width)

    def _wish_bottom(self, _index: int = 0) -> None:
        """Give the bottom area the height that its panel in front wishes."""
        panel = self.areas["bottom"].currentWidget()
        if isinstance(panel, Panel):
            wish = partial(self.docks.wish_bottom, panel.height_wanted)
            self._framing.keep(wish, self._layout)

    def toggle_whole(self) -> None:
        """Give the panel at the bottom the whole window, or take it back."""
        is_whole = not self.docks.is_whole
        show = partial(self.docks.show_whole, is_whole=is_whole)
        self._framing.keep(show, self._layout)
        self.watch_comparison()
        if is_whole:
            panel = self.areas["bottom"].currentWidget()
            if isinstance(panel, Panel):
                focus_in(panel.entry)

    def restore_sizes(self) -> None:
        self.docks.want_bottom(self._settings.values.splitters.get("down"))

    def remember_sizes(self) -> None:
        sizes = self.docks.sizes()
        if sizes is not None:
            self._settings.values.splitters["down"] = sizes
            self._settings.write()

    def reset_sizes(self) -> None:
        self.docks.reset()

    def _on_arranged(self, is_narrow: bool, inspector_width: int) -> None:
        self._room = (is_narrow, inspector_width)
        for panel in self.panels.values():
            panel.follow_room(is_narrow=is_narrow, inspector_width=inspector_width)

    def _show_corner(self, area: TabArea, _index: int = 0) -> None:
        """Show beside the tabs what the panel in front has for their corner."""
        for panel in self.panels.values():
            if panel.corner is not None and self.areas[panel.area] is area:
                is_in_front = area.currentWidget() is panel
                if is_in_front or area.cornerWidget() is None:
                    panel.corner.setContentsMargins(0, 0, 8, 0)
                    area.setCornerWidget(panel.corner, Qt.Corner.TopRightCorner)
                panel.corner.setVisible(is_in_front)
        area.fit_tabs()

    def fit_bottom(self) -> None:
        """Give the bottom area the height that its panel in front wants now."""
        self._wish_bottom()

    def show(self, title: str) -> None:
        """Bring a panel to the front of its area."""
        panel = self.panels[title]
        if self.docks.is_whole and panel.area != "bottom":
            self.toggle_whole()
        if panel.area in ("task", "right-debug"):
            self._is_task_shown = panel.title == self._task
            if not self._is_task_shown:
                # What it found stays, and the menu opens it again.
                self._session.proof.leave()
                self._session.delivery_orders.leave()
            self.show_inspector()
            self._news.tell()  # which leads back to the task
        self.areas[panel.area].setCurrentWidget(panel)

    def enter(self, title: str) -> None:
        """Show a panel, and give the focus to its first part that takes keys."""
        self.show(title)
        focus_in(self.panels[title].entry)

    def bring_to_front(self, panel: Panel) -> None:
        """Show a panel, unless the user is writing, or chose what is in front there."""
        focused = self._around.focusWidget()
        area = self.areas[panel.area]
        if is_writing(focused) or area.is_chosen:
            return
        present = area.currentWidget()
        had_focus = focused is not None and present.isAncestorOf(focused)
        self.show(panel.title)
        if had_focus:
            focus_in(panel)

    def show_inspector(self, *, refit: bool = False) -> None:
        """Show the inspector of the mode, or a task in its place. The task comes to the
        front when it begins; a panel of the inspector that the user asks for meanwhile
        takes its place back.
        """
        task = _task_of(self._session)
        if task != self._task:
            self._task = task
            self._is_task_shown = bool(task)
            if task:
                self.areas["task"].setCurrentWidget(self.panels[task])
        inspector = self._inspector()
        self._news.is_task_shown = inspector == "task"
        if inspector != self.docks.shown or refit:
            show = partial(self.docks.show_inspector, inspector)
            self._framing.keep(show, self._layout, refit=refit)
        self.watch_comparison()

    def _inspector(self) -> Inspector:
        if self._session.mode == "edit":
            return "edit"
        return "task" if self._is_task_shown else "debug"

    @property
    def task(self) -> str:
        """The title of the panel of the present task; "" without one."""
        return self._task

    def watch_comparison(self) -> None:
        """Compare only while it is on screen: beside or on the canvas."""
        self._session.watch_comparison(
            self._around.isVisible() and not self.docks.is_whole
        )

    def go_area(self, step: int) -> None:
        """Move the focus to the next area: canvas, inspector, bottom, palette."""
        inspector = self.docks.shown
        area = inspector if inspector == "task" else f"right-{inspector}"
        areas: list[QWidget] = [
            self._canvas,
            self.areas[area],
            self.areas["bottom"],
            self.areas["left"],
        ]
        focus_next_area(areas, self._around.focusWidget(), step)


def _task_of(session: DebugSession) -> str:
    """Return the title of the panel of the task that the user is at; "" for none."""
    if session.mode == "edit":
        return ""
    if session.proof.is_on:
        return ProofPanel.title
    if session.delivery_orders.is_on:
        return OrdersPanel.title
    if session.staged.is_on:
        return SurgeryPanel.title
    return ComparePanel.title if session.base else ""
