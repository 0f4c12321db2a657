"""The toolbar: the commands of the table that are marked as tools, and the field of the
command palette.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolBar,
    QToolButton,
    QWidget,
)

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.widgets.basic import Glyph
from designer.qt.layouts import put, row
from designer.shell.actions import ActionSpec

HEIGHT = 44
TOOL = 28
FIND_WIDTH = 320
FIND_LEAST = 160
UNLIMITED = (1 << 24) - 1  # Qt's own bound of sizes
GAP = 2  # px between parts, as in the style sheet
ENDS = 18  # px before the first and after the last part
BESIDE_WORDS = 50  # px of a button for icon and padding
# The second is wider, which makes the gap before the text.
ICON = QSize(16, 16)
ICON_BESIDE_TEXT = QSize(20, 16)
ICON_OF_MENU = QSize(12, 12)


class Toolbar(QToolBar):
    """Buttons follow their actions; `mark` fills the main one. Where there is little
    room, the field shrinks first, then buttons lose their words, the main one last.
    """

    def __init__(
        self,
        look: Look,
        actions: Mapping[str, QAction],
        keys: str,
        specs: Sequence[ActionSpec],
    ) -> None:
        super().__init__("Toolbar")
        self._look = look
        self._actions = actions
        self._specs = specs
        self._primary = ""
        # The room and the texts of the last `fit`.
        self._fitted: tuple[object, ...] = ()
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.fit()
        super().resizeEvent(event)

    def fit(self) -> None:
        """Share the present room."""
        words = [spec.id for spec in self._specs if spec.tool and spec.words]
        room = self.width()
        state = (room, self._primary, *(self.buttons[id].text() for id in words))
        if state == self._fitted:
            return
        self._fitted = state
        full_width = self._width(words)
        self.field.shrink(full_width + FIND_LEAST > room)
        if full_width + TOOL > room:
            words = self._fitting(words, room - TOOL)
        for id, button in self.buttons.items():
            has_words = button.property("words")
            if has_words is not None and has_words != (id in words):
                self._show_words(button, id in words)

    def _fitting(self, ids: list[str], room: int) -> list[str]:
        """Return the buttons that have room for words: the main one, then in their
        order.
        """
        fitting: list[str] = []
        for id in sorted(ids, key=lambda button_id: button_id != self._primary):
            if self._width([*fitting, id]) > room:
                break
            fitting.append(id)
        return fitting

    def _width(self, words: Collection[str]) -> int:
        """Return the width of everything but the field, with words on these buttons."""
        parts = [self.widgetForAction(action) for action in self.actions()]
        with_words = [self.buttons[id] for id in words]
        width = GAP * len(parts) + ENDS
        for part in parts:
            if isinstance(part, QToolButton) and part.property("words") is not None:
                width += self._width_with_words(part) if part in with_words else TOOL
            elif part is not self.field and part is not self._spacer:
                width += part.sizeHint().width()
        return width

    def _width_with_words(self, button: QToolButton) -> int:
        return (
            QFontMetrics(button.font()).horizontalAdvance(button.text()) + BESIDE_WORDS
        )

    def _show_words(self, button: QToolButton, words: bool) -> None:
        button.setProperty("words", words)
        _shape(button, words=words)
        button.style().unpolish(button)
        button.style().polish(button)

    def mark(self, id: str) -> None:
        """Fill one button with the accent colour, or none."""
        if id != self._primary:
            self._fill(id)
        self.fit()

    def _fill(self, id: str) -> None:
        for changed_id in (self._primary, id):
            button = self.buttons.get(changed_id)
            if button is not None:
                is_primary = changed_id == id
                button.setProperty("primary", is_primary)
                icon = next(spec.icon for spec in self._specs if spec.id == changed_id)
                colour = "on" if is_primary else "text"
                button.setIcon(themed_icon(icon, self._look, colour))
                button.style().unpolish(button)
                button.style().polish(button)
        self._primary = id

    def _add(self, spec: ActionSpec) -> None:
        if spec.gap:
            self.addSeparator()
        button = QToolButton()
        button.setDefaultAction(self._actions[spec.id])
        button.setFixedHeight(TOOL)
        _shape(button, words=spec.words)
        if spec.words:
            button.setProperty("words", True)
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
        self._spacer = QWidget()
        self._spacer.setSizePolicy(
            QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred
        )
        self.addWidget(self._spacer)


def _shape(button: QToolButton, *, words: bool) -> None:
    """Make a button as wide as its words, or a square of its icon."""
    style = Qt.ToolButtonStyle
    button.setToolButtonStyle(
        style.ToolButtonTextBesideIcon if words else style.ToolButtonIconOnly
    )
    button.setIconSize(ICON_BESIDE_TEXT if words else ICON)
    button.setMinimumWidth(0 if words else TOOL)
    button.setMaximumWidth(UNLIMITED if words else TOOL)


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
        words = QLabel("Find or run a command")
        self._cap = QLabel()
        words.setProperty("role", "placeholder")
        words.setMinimumWidth(1)
        self._cap.setProperty("role", "cap")
        self._words = words
        self._small = False
        self._row = put(
            self,
            row(
                Glyph(look, "search", "text3"),
                (words, 1),
                self._cap,
                gap=8,
                margins=(10, 0, 5, 0),
            ),
        )
        for part in (words, self._cap):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.show_keys(keys)

    def shrink(self, on: bool) -> None:
        """Only the glyph is left, or all of it is there."""
        if on == self._small:
            return
        self._small = on
        self._words.setVisible(not on)
        self._cap.setVisible(not on and bool(self._cap.text()))
        self._row.setContentsMargins(*((6, 0, 6, 0) if on else (10, 0, 5, 0)))
        self.setMinimumWidth(TOOL if on else FIND_LEAST)
        self.setMaximumWidth(TOOL if on else FIND_WIDTH)

    def show_keys(self, keys: str) -> None:
        """The keys that do the same; "" for none."""
        self.setToolTip(
            f"Find or run a command ({keys})" if keys else "Find or run a command"
        )
        self._cap.setText(keys)
        self._cap.setVisible(bool(keys) and not self._small)

    def sizeHint(self) -> QSize:
        return QSize(FIND_WIDTH, 28)
