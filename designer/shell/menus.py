"""The menus of the window, and the title in the middle of their bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel, QMainWindow, QMenu

from designer.panels.widgets.basic import allow
from designer.shell.actions import MENUS, ActionSpec
from designer.shell.settings.settings import Settings


class Menus(QObject):
    """A part of the window. `open_path` returns the file in front; "" without one."""

    path_requested = Signal(object)  # Path, of a file that was opened before

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        specs: Sequence[ActionSpec],
        actions: Mapping[str, QAction],
        open_path: Callable[[], str],
    ) -> None:
        super().__init__(window)
        self._window = window
        self._bar = window.menuBar()
        self._settings = settings
        self._open_path = open_path
        self._title = QLabel(self._bar)
        self._title.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._menus_under: dict[tuple[QMenu, str], QMenu] = {}
        self._fill(specs, actions)

    def _fill(
        self, specs: Sequence[ActionSpec], actions: Mapping[str, QAction]
    ) -> None:
        for name in MENUS:
            menu = self._bar.addMenu(name)
            menu.setToolTipsVisible(True)
            for spec in specs:
                if spec.menu == name:
                    place = self._menu_under(menu, spec.under) if spec.under else menu
                    if spec.gap and place.actions():
                        place.addSeparator()
                    place.addAction(actions[spec.id])
                if spec.id == "open" and spec.menu == name:
                    self._recent_menu = menu.addMenu("Open recent")
                    self._recent_menu.aboutToShow.connect(self._fill_recent)

    def _menu_under(self, menu: QMenu, title: str) -> QMenu:
        """Return the submenu of this title, which is added when it is first needed."""
        if (menu, title) not in self._menus_under:
            menu.addSeparator()
            self._menus_under[menu, title] = menu.addMenu(title)
        return self._menus_under[menu, title]

    def _fill_recent(self) -> None:
        self._recent_menu.clear()
        for entry in self._settings.values.recent[:10]:
            action = self._recent_menu.addAction(entry.path)
            action.setCheckable(True)
            action.setChecked(self._open_path() == entry.path)
            action.triggered.connect(
                lambda _checked=False, path=entry.path: self.path_requested.emit(
                    Path(path)
                )
            )
        if not self._settings.values.recent:
            placeholder = self._recent_menu.addAction("Nothing opened yet")
            allow(placeholder, "Workflows that you open or save are listed here.")

    def show_name(self, name: str, mode: str) -> None:
        """Show the document and the mode in the title and in the middle of the menu
        bar.
        """
        title = name
        text = f"<b>{escape(name)}</b>"
        if mode:
            title += f" — {mode} — Stepwell"
            text += f" — {escape(mode)}"
        if title != self._window.windowTitle():
            self._window.setWindowTitle(title)
            self._title.setText(text)
            self.place_title()

    def place_title(self) -> None:
        """Put the title into the middle, or beside the menus where there is no room."""
        bar = self._bar
        self._title.adjustSize()
        centred = (bar.width() - self._title.width()) // 2
        beside_menus = bar.sizeHint().width() + 24
        top = (bar.height() - self._title.height()) // 2
        self._title.move(max(beside_menus, centred), top)
