"""Palette: the node types by category, to search, drag onto the canvas, or add with
Enter.
"""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QKeyEvent,
)
from PySide6.QtWidgets import (
    QMenu,
    QScrollArea,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from designer.look.icons import themed_icon
from designer.panels.base import Panel, PanelHost
from designer.panels.widgets.basic import (
    ContentOrNotice,
    SearchField,
    hairline,
    icon_button,
    scrolling,
    set_style,
)
from designer.panels.widgets.palette_tree import TypeRole, TypeTree, by_category, tip_of
from designer.qt.layouts import column, put, row
from designer.session.node_files import NodeFiles
from runtime.document.definition import NodeInfo


class PalettePanel(Panel):
    """`add_requested` carries the node type to add in the middle of the canvas;
    `search_requested` opens the search there.

    With `compact` it is a rail of icons, one per category, whose menus hold the types.
    """

    title = "Palette"
    icon = "box"
    area = "left"
    add_requested = Signal(str)
    search_requested = Signal()

    def connect_to(self, host: PanelHost) -> None:
        self.add_requested.connect(host.add_node)
        self.search_requested.connect(host.search_node)

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        self.compact = is_narrow

    def set_up(self) -> None:
        self._compact = False
        self._failure = ""
        self.search = SearchField(self.look, "Search nodes", key_cap="Tab")
        self.tree = TypeTree(self.look)
        self.rail = _Rail(self)
        self.stack = ContentOrNotice(self.tree, self.look)
        self.reload = icon_button(
            self.look,
            "loop",
            "Look again for node types, after a package or a file has changed",
        )
        self.reload.clicked.connect(lambda _on: self._load())
        self._modes = QStackedWidget()
        self._modes.addWidget(self._full())
        self._modes.addWidget(self._scrolling(self.rail))
        column(self).addWidget(self._modes)
        self.search.textChanged.connect(lambda _text: self._filter())
        self.search.returnPressed.connect(self._add_found)
        self.search.installEventFilter(self)
        self.tree.activated.connect(lambda _index: self._add_current())
        self.session.catalogue_ready.connect(self.invalidate)
        self.session.failed.connect(self._on_failed)
        self.session.changed.connect(self._follow_mode)
        self.files = NodeFiles(lambda: self.document.folder, self.isVisible, self)
        self.files.changed.connect(self._load)

    @property
    def compact(self) -> bool:
        return self._compact

    @compact.setter
    def compact(self, on: bool) -> None:
        self._compact = on
        self._modes.setCurrentIndex(1 if on else 0)

    @property
    def can_add(self) -> bool:
        """Whether nodes can be added: only while editing, because a run keeps the graph
        of its start.
        """
        return self.session.mode == "edit"

    def refresh(self) -> None:
        infos = self.session.infos
        self.tree.fill(infos)
        self.rail.fill(infos)
        self._follow_mode()
        self._filter()

    def add(self, type_name: str) -> None:
        if self.can_add:
            self.add_requested.emit(type_name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let Up and Down in the search field move in the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                self.tree.go(step)
                return True
        return super().eventFilter(watched, event)

    # --- inside

    def _full(self) -> QWidget:
        holder = QWidget()
        layout = column(holder)
        put(layout, row(self.search, self.reload, gap=4, margins=(8, 8, 4, 8)))
        layout.addWidget(hairline())
        layout.addWidget(self.stack, 1)
        return holder

    def _scrolling(self, rail: QWidget) -> QScrollArea:
        """Return the rail in a scroll area without a bar, which would take its room:
        the wheel and Tab reach every category.
        """
        area = scrolling(rail)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setMinimumSize(1, 1)
        return area

    def _filter(self) -> None:
        if not self.session.infos:
            self._say_no_catalogue()
            return
        text = self.search.text().strip()
        if self.tree.filter(text):
            self.stack.show_content()
        else:
            clear = ("Clear the search", self.search.clear)
            self.stack.say(
                "search", "No such node", f"No node type matches “{text}”.", clear
            )

    def _say_no_catalogue(self) -> None:
        if self._failure:
            retry = ("Try again", self._load)
            self.stack.say(
                "failed", "The node types could not be loaded", self._failure, retry
            )
        else:
            self.stack.say("clock", "Loading the node types", "This takes a moment.")

    def _load(self) -> None:
        self._failure = ""
        self.session.load_catalogue(again=True)
        self.invalidate()

    def _on_failed(self, title: str, text: str) -> None:
        if not self.session.infos:
            self._failure = text or title
            self.invalidate()

    def _follow_mode(self) -> None:
        self.tree.setDragEnabled(self.can_add)
        self.tree.setToolTip("" if self.can_add else "Go back to editing to add nodes.")
        self.rail.show_mode(self.can_add)

    def _add_found(self) -> None:
        """Add the type that was found, and clear the search; another Enter adds it once
        more.
        """
        self._add_current()
        if self.can_add:
            self.search.clear()

    def _add_current(self) -> None:
        type_name = self.tree.currentIndex().data(TypeRole)
        if type_name:
            self.add(type_name)


class _Rail(QWidget):
    """The palette when it is 40 px wide: a menu per category."""

    def __init__(self, panel: PalettePanel) -> None:
        super().__init__()
        self._panel = panel
        self.buttons: list[QToolButton] = []
        self._layout = column(self, margins=(5, 4, 5, 4), gap=3)
        self._search = icon_button(
            panel.look, "search", "Search nodes (Tab)", panel.search_requested.emit
        )
        self._leave = icon_button(
            panel.look, "pencil", "Back to editing", panel.session.leave
        )
        for tool in (self._search, self._leave):
            tool.setProperty("small", False)
            tool.setIconSize(QSize(16, 16))
            set_style(tool, rail=True)
        self._layout.addWidget(self._search)
        self._layout.addStretch(1)
        self._layout.addWidget(self._leave)

    def show_mode(self, can_add: bool) -> None:
        self._search.setVisible(can_add)
        self._leave.setVisible(not can_add)

    def fill(self, infos: Mapping[str, NodeInfo]) -> None:
        for tool_before in self.buttons:
            self._layout.removeWidget(tool_before)
            tool_before.hide()
            tool_before.deleteLater()
        self.buttons = []
        for category, members in by_category(infos).items():
            tool = icon_button(self._panel.look, members[0].icon, category)
            tool.setProperty("small", False)
            set_style(tool, rail=True)
            tool.setIconSize(QSize(16, 16))
            tool.clicked.connect(
                lambda _on, tool=tool, members=members: self.menu(members).popup(
                    _beside(tool)
                )
            )
            self._layout.insertWidget(len(self.buttons) + 1, tool)
            self.buttons.append(tool)

    def menu(self, members: list[NodeInfo]) -> QMenu:
        """Return the menu of a category's types; they are enabled while editing."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for info in members:
            icon = themed_icon(info.icon, self._panel.look)
            action = menu.addAction(icon, info.title)
            action.triggered.connect(lambda _on, info=info: self._panel.add(info.type))
            action.setToolTip(tip_of(info))
            action.setEnabled(self._panel.can_add)
        if not self._panel.can_add:
            menu.addSeparator()
            menu.addAction(
                themed_icon("pencil", self._panel.look),
                "Back to editing, to add nodes",
                self._panel.session.leave,
            )
        return menu


def _beside(tool: QToolButton) -> QPoint:
    return tool.mapToGlobal(tool.rect().topRight())
