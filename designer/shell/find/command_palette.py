"""The list that finds commands, nodes, checkpoints and files by typing. Commands that
cannot be done say why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from designer.look.fonts import data_font, ui_font
from designer.look.icons import paint_icon
from designer.look.theme import Look
from designer.panels.widgets.basic import SearchField, label
from designer.qt.indexes import AnyIndex
from designer.qt.layouts import column

WIDTH = 560
ROW = 28
ROWS = 14
LEAST_ROWS = 3
LIMIT = 300  # rows, because a user does not read more of thousands of nodes
_ENTRY = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Entry:
    """A row: its text, a word or keys on the right, an icon, and what happens when it
    is chosen.

    `words` find it too. `why` says why it cannot be done; choosing it says so again.
    """

    text: str
    hint: str
    icon: str
    choose: Callable[[], object]
    words: str = ""
    why: str = ""

    @property
    def accessible_text(self) -> str:
        """All texts of the row, for screen readers."""
        return ", ".join(filter(None, (self.text, self.hint, self.why)))

    def rank(self, query: str) -> int | None:
        """Return how well it matches a query, 0 best; None if it does not."""
        ranks = [rank(query, self.text)]
        pattern = query.casefold().strip()
        words = self.words.casefold()
        if pattern in words.split():
            ranks.append(0)
        elif pattern in words:
            ranks.append(3)
        return min((found for found in ranks if found is not None), default=None)


def rank(query: str, text: str) -> int | None:
    """Return how well a text matches a query, 0 best; None if it does not have the
    letters of the query in their order.
    """
    pattern = query.casefold().strip()
    words = text.casefold()
    if words.startswith(pattern):
        return 0
    if any(word.startswith(pattern) for word in words.split()):
        return 1
    if pattern in words:
        return 2
    # One iterator for all letters, so that each is looked for after the one before.
    letters = iter(words)
    if all(letter in letters for letter in pattern if not letter.isspace()):
        return 3
    return None


class CommandPalette(QFrame):
    """A popup under the field that opened it. Keys: letters, Up and Down, Enter; Esc
    closes it.
    """

    def __init__(
        self,
        look: Look,
        entries: Sequence[Entry],
        window: QWidget,
        below: QWidget,
        *,
        asks: str = "Find a command or a node",
        nothing: str = "No command and no node has this name.",
        more: Callable[[str], Sequence[Entry]] = lambda _query: (),
    ) -> None:
        super().__init__(window, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "popup")
        self._entries = list(entries)
        self._more = more
        self._window = window
        self._below = below
        self.search = SearchField(look, asks)
        self.found = QListWidget()
        self.found.setAccessibleName("Results")
        self.found.setItemDelegate(_Row(look, self.found))
        self.found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.found.setMouseTracking(True)
        self.nothing = label(nothing, "secondary")
        self.rest = label("", "secondary")
        layout = column(self, margins=(8, 8, 8, 8), gap=8)
        for part in (self.search, self.found, self.nothing, self.rest):
            layout.addWidget(part)
        self.search.textChanged.connect(self._show)
        self.search.returnPressed.connect(self._choose)
        self.found.itemClicked.connect(self._choose)
        self.search.installEventFilter(self)
        self.setFixedWidth(WIDTH)
        self._rows = ROWS  # fewer on a low screen
        self._show("")

    def popup(self) -> None:
        """Show it under the field, with the same right edge; or in the corner of the
        window if the field is hidden.
        """
        if self._below.isVisible():
            field = self._below
            corner = field.mapToGlobal(QPoint(field.width(), field.height()))
            inset = 0
        else:
            corner = self._window.mapToGlobal(QPoint(self._window.width(), 40))
            inset = 12
        area = self._window.screen().availableGeometry()
        top = corner.y() + 4
        beside = self.height() - self.found.height()
        self._rows = max(LEAST_ROWS, min(ROWS, (area.bottom() - top - beside) // ROW))
        self._fit()
        self.move(max(area.left(), corner.x() - WIDTH - inset), top)
        self.show()
        self.search.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None and self.found.count():
                self.found.setCurrentRow(
                    (self.found.currentRow() + step) % self.found.count()
                )
                return True
            if event.key() == Qt.Key.Key_Escape and not self.search.text():
                self.close()
                return True
        return super().eventFilter(watched, event)

    def _show(self, query: str) -> None:
        entries = self._fitting(query)
        self.found.clear()
        for entry in entries[:LIMIT]:
            item = QListWidgetItem(entry.text)
            item.setData(_ENTRY, entry)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, entry.accessible_text)
            item.setToolTip(entry.why)
            self.found.addItem(item)
        self.found.setCurrentRow(0)
        self.found.setVisible(bool(entries))
        self.nothing.setVisible(not entries)
        self.rest.setText(f"{len(entries) - LIMIT:,} more: type on to find them.")
        self.rest.setVisible(len(entries) > LIMIT)
        self._fit()

    def _fit(self) -> None:
        self.found.setFixedHeight(ROW * min(self._rows, max(1, self.found.count())))
        self.adjustSize()

    def _fitting(self, query: str) -> list[Entry]:
        """Return the matching entries: the best first, then those that can be done,
        then in their order. Entries that `more` finds follow the best ones.
        """
        ranked = []
        for place, entry in enumerate(self._entries):
            entry_rank = entry.rank(query)
            if entry_rank is not None:
                ranked.append((entry_rank, bool(entry.why), place))
        matches = [self._entries[place] for _rank, _why, place in sorted(ranked)]
        more = list(self._more(query)) if query.strip() else []
        best = sum(entry_rank == 0 for entry_rank, _why, _place in ranked)
        return [*matches[:best], *more, *matches[best:]]

    def _choose(self) -> None:
        item = self.found.currentItem()
        if item is not None:
            entry: Entry = item.data(_ENTRY)
            self.close()
            entry.choose()


class _Row(QStyledItemDelegate):
    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(WIDTH - 32, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        theme = self._look.theme
        rect = QRect(option.rect)
        entry = index.data(_ENTRY)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state = option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            is_selected = bool(state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accentSoft if is_selected else theme.hover)
            painter.drawRoundedRect(rect, 4, 4)
        icon_rect = QRectF(rect.left() + 8, rect.top() + 6, 16, 16)
        paint_icon(painter, entry.icon, icon_rect, theme.text2)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(data_font())
        painter.setPen(theme.text3)
        painter.drawText(
            rect.adjusted(0, 0, -10, 0),
            middle | Qt.AlignmentFlag.AlignRight,
            entry.hint,
        )
        hint_width = QFontMetrics(data_font()).horizontalAdvance(entry.hint)
        room = rect.adjusted(34, 0, -24 - hint_width, 0)
        painter.setFont(ui_font())
        text = entry.text
        mode = Qt.TextElideMode.ElideMiddle
        painter.setPen(theme.text)
        if entry.why:
            text += f": {entry.why}"
            mode = Qt.TextElideMode.ElideRight
            painter.setPen(theme.text3)
        elided = QFontMetrics(ui_font()).elidedText(text, mode, room.width())
        painter.drawText(room, middle, elided)
        painter.restore()
