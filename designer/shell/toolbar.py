"""The toolbar: the commands of the table that are marked as tools, and the field that finds every command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QPushButton, QSizePolicy, QToolBar, QToolButton, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.widgets import Glyph
from designer.shell.actions import ActionSpec

HEIGHT, TOOL, FIND_WIDTH, FIND_LEAST = 44, 28, 320, 160
ICON, ICON_BESIDE_TEXT = QSize(16, 16), QSize(20, 16)  # the wider one leaves the gap before the text
ICON_OF_MENU = QSize(12, 12)


class Toolbar(QToolBar):
    """Buttons follow their actions; `mark` fills the one that is the thing to do now."""

    def __init__(self, look: Look, actions: Mapping[str, QAction], keys: str, specs: Sequence[ActionSpec]) -> None:
        super().__init__("Toolbar")
        self._look, self._actions, self._specs = look, actions, specs
        self._primary = ""
        self.setObjectName("toolbar")
        self.setMovable(False)
        self.setFloatable(False)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.setFixedHeight(HEIGHT)
        self.buttons: dict[str, QToolButton] = {}
        for spec in (spec for spec in specs if spec.tool):
            self._add(spec)
        self._add_spacer()
        self.field = FindField(look, keys)
        self.addWidget(self.field)

    def mark(self, id: str) -> None:
        """Fill one button with the accent colour, or none."""
        if id == self._primary:
            return
        for changed in (self._primary, id):
            button = self.buttons.get(changed)
            if button is not None:
                primary = changed == id
                button.setProperty("primary", primary)
                icon = next(spec.icon for spec in self._specs if spec.id == changed)
                button.setIcon(themed_icon(icon, self._look, "on" if primary else "text"))
                button.style().unpolish(button)
                button.style().polish(button)
        self._primary = id

    def _add(self, spec: ActionSpec) -> None:
        if spec.gap:
            self.addSeparator()
        button = QToolButton()
        button.setDefaultAction(self._actions[spec.id])
        style = Qt.ToolButtonStyle
        button.setToolButtonStyle(style.ToolButtonTextBesideIcon if spec.words else style.ToolButtonIconOnly)
        button.setIconSize(ICON_BESIDE_TEXT if spec.words else ICON)
        button.setProperty("words", spec.words)
        button.setFixedHeight(TOOL)
        if not spec.words:
            button.setFixedWidth(TOOL)
        button.setAccessibleName(spec.text)
        self.addWidget(button)
        self.buttons[spec.id] = button
        if spec.more:
            self._add_menu(spec)

    def _add_menu(self, spec: ActionSpec) -> None:
        button = QToolButton()
        button.setIcon(themed_icon("chev", self._look, "text"))
        button.setIconSize(ICON_OF_MENU)
        button.setFixedSize(20, TOOL)
        button.setProperty("narrow", True)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        button.setToolTip(f"More ways: {spec.short}")
        button.setAccessibleName(f"{spec.short}, more ways")
        menu = QMenu(button)
        for id in spec.more:
            menu.addAction(self._actions[id])
        button.setMenu(menu)
        self.addWidget(button)

    def _add_spacer(self) -> None:
        spacer = QWidget()
        spacer.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.addWidget(spacer)


class FindField(QPushButton):
    """Looks like a search field, and opens the command palette, which has the real one."""

    def __init__(self, look: Look, keys: str) -> None:
        super().__init__()
        self.setProperty("role", "find")
        self.setAccessibleName("Find or run a command")
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(FIND_LEAST)
        self.setMaximumWidth(FIND_WIDTH)
        words, self._cap = QLabel("Find or run a command"), QLabel()
        words.setProperty("role", "placeholder")
        words.setMinimumWidth(1)
        self._cap.setProperty("role", "cap")
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 5, 0)
        row.setSpacing(8)
        row.addWidget(Glyph(look, "search", "text3"))
        row.addWidget(words, 1)
        row.addWidget(self._cap)
        for part in (words, self._cap):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.show_keys(keys)

    def show_keys(self, keys: str) -> None:
        """The keys that do the same; "" for none."""
        self.setToolTip(f"Find or run a command ({keys})" if keys else "Find or run a command")
        self._cap.setText(keys)
        self._cap.setVisible(bool(keys))

    def sizeHint(self) -> QSize:
        return QSize(FIND_WIDTH, 28)
