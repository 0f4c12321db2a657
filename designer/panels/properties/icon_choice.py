"""The icon of a node, as a button to choose another."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QToolButton

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.icons import NODE_ICONS
from designer.panels.widgets.basic import button, icon_button, set_style

COLUMNS = 8


class IconChoice(QToolButton):
    """`chosen` carries the name of the icon; "" is the icon of the node's type."""

    chosen = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._icon = ""
        self.setIconSize(QSize(24, 24))
        self.setToolTip("Choose another icon")
        self.setAccessibleName("Icon")
        set_style(self, bare=True)
        self.clicked.connect(self.open)

    def show_icon(self, name: str) -> None:
        if name != self._icon:
            self._icon = name
            self.setIcon(themed_icon(name, self._look, "accent"))

    def open(self) -> QFrame:
        """Show the icons in a popup. It closes on a choice, on Escape, and on a click
        beside it.
        """
        popup = QFrame(self, Qt.WindowType.Popup)
        popup.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        popup.setProperty("role", "popup")
        popup.setAccessibleName("Icons")
        grid = QGridLayout(popup)
        grid.setContentsMargins(8, 8, 8, 8)
        grid.setSpacing(2)
        tools = [
            icon_button(self._look, name, name, partial(self._choose, popup, name))
            for name in NODE_ICONS
        ]
        for index, (name, tool) in enumerate(zip(NODE_ICONS, tools, strict=True)):
            tool.setIconSize(QSize(16, 16))
            tool.setProperty("chosen", name == self._icon)
            grid.addWidget(tool, index // COLUMNS, index % COLUMNS)
        usual = button("Icon of its type", partial(self._choose, popup, ""), small=True)
        grid.addWidget(usual, grid.rowCount(), 0, 1, COLUMNS)
        popup.move(self.mapToGlobal(QPoint(0, self.height() + 4)))
        popup.show()
        next((tool for tool in tools if tool.property("chosen")), usual).setFocus()
        return popup

    def _choose(self, popup: QFrame, name: str) -> None:
        popup.close()
        self.chosen.emit(name)
