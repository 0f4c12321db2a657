"""The commands for all breakpoints, beside the tabs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.breakpoints import NO_NOTES, DebugNotes
from designer.panels.widgets.basic import allow, icon_button
from designer.qt.layouts import put, row
from runtime.debug.protocol import BreakpointKind

Fill = Callable[[QMenu], None]
NONE = "There is no breakpoint."
# What can be stopped at without a place on the canvas.
ANYWHERE: dict[str, BreakpointKind] = {
    "Any failure": "failure",
    "Any question": "question",
    "Any output": "output",
    "Any join that fires": "fires",
    "Any join that starves": "starves",
    "A key that is written": "write",
}


class BreakpointControls(QWidget):
    """Buttons with menus.

    added            the kind of a breakpoint without a place
    watch_added      the user wants to type a watch
    muted            whether the run passes all breakpoints
    all_turned       whether all are to be on
    all_deleted      all are to be deleted
    back_requested   what was deleted is to be set again
    """

    added = Signal(str)
    watch_added = Signal()
    muted = Signal(bool)
    all_turned = Signal(bool)
    all_deleted = Signal()
    back_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._notes: DebugNotes = NO_NOTES
        self._words_of_back = ""
        self.add_button = self._tool("Add", "plus", "Add a breakpoint or a watch")
        self._give_menu(self.add_button, self._fill_add_menu)
        self.mute_button = self._tool(
            "Mute all", "mute", "Let the run pass all breakpoints"
        )
        self.mute_button.setCheckable(True)
        self.mute_button.clicked.connect(self.muted)
        self.more_button = icon_button(look, "more", "More commands")
        self._give_menu(self.more_button, self._fill_more_menu)
        put(self, row(self.add_button, self.mute_button, self.more_button, gap=4))

    def show_notes(self, notes: DebugNotes, words_of_back: str) -> None:
        """Fit the breakpoints. `words_of_back` is the command that brings back deleted
        ones, "" without any.
        """
        self._notes = notes
        self._words_of_back = words_of_back
        self.mute_button.setChecked(notes.muted)
        allow(self.mute_button, "" if notes.breakpoints else NONE)

    def _tool(self, text: str, icon: str, tip: str) -> QToolButton:
        tool = QToolButton()
        tool.setText(text)
        tool.setIcon(themed_icon(icon, self._look))
        tool.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        tool.setToolTip(tip)
        tool.setAccessibleName(tip)
        return tool

    def _give_menu(self, tool: QToolButton, fill: Fill) -> None:
        menu = QMenu(tool)
        menu.aboutToShow.connect(partial(fill, menu))
        tool.setMenu(menu)
        tool.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _fill_add_menu(self, menu: QMenu) -> None:
        menu.clear()
        for text, kind in ANYWHERE.items():
            menu.addAction(text, partial(self.added.emit, kind))
        menu.addSeparator()
        menu.addAction("A watch", self.watch_added.emit)

    def _fill_more_menu(self, menu: QMenu) -> None:
        menu.clear()
        points = self._notes.breakpoints
        nothing = "" if points else NONE
        is_all_on = all(point.enabled for point in points)
        is_all_off = not any(point.enabled for point in points)
        why_not_on = nothing or ("All breakpoints are on." if is_all_on else "")
        why_not_off = nothing or ("All breakpoints are off." if is_all_off else "")
        menu.setToolTipsVisible(True)
        on = menu.addAction("Turn all on", partial(self.all_turned.emit, True))
        allow(on, why_not_on)
        off = menu.addAction("Turn all off", partial(self.all_turned.emit, False))
        allow(off, why_not_off)
        menu.addSeparator()
        allow(menu.addAction("Delete all", self.all_deleted.emit), nothing)
        if self._words_of_back:
            menu.addAction(self._words_of_back, self.back_requested.emit)
