"""The list that finds by typing: commands, nodes, checkpoints, files; what cannot be done now says why."""

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
LIMIT = 300  # rows: of thousands of nodes nobody reads more
_ENTRY = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class Entry:
    """Something to choose: what it says, a word or its keys on the right, its icon, and what happens; `words` find it
    too. `why` says that it cannot be done now; choosing it says so again.
    """

    text: str
    hint: str
    icon: str
    choose: Callable[[], object]
    words: str = ""
    why: str = ""

    @property
    def told(self) -> str:
        """All of it, for who cannot see the row."""
        return ", ".join(filter(None, (self.text, self.hint, self.why)))

    def rank(self, query: str) -> int | None:
        """How well it fits what was typed, 0 best; None when it does not."""
        fit = rank(query, self.text)
        wanted = query.casefold().strip()
        words = self.words.casefold()
        in_words = None if wanted not in words else 0 if wanted in words.split() else 3
        return min(
            (found for found in (fit, in_words) if found is not None), default=None
        )


def rank(query: str, text: str) -> int | None:
    """How well a text fits what was typed, 0 best; None when its letters are not there in this order."""
    wanted = query.casefold().strip()
    words = text.casefold()
    if words.startswith(wanted):
        return 0
    if any(word.startswith(wanted) for word in words.split()):
        return 1
    if wanted in words:
        return 2
    letters = iter(words)
    if all(letter in letters for letter in wanted if not letter.isspace()):
        return 3
    return None


class CommandPalette(QFrame):
    """A popup under the field that opened it: type, Up and Down, Enter; Esc leaves everything as it was."""

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
        self._rows = ROWS  # as many as the screen has room for
        self._show("")

    def popup(self) -> None:
        """Show it, its right edge under that of the field (or of the window, when the field is not seen)."""
        anchor = self._below if self._below.isVisible() else self._window
        corner = anchor.mapToGlobal(
            QPoint(anchor.width(), anchor.height() if anchor is self._below else 40)
        )
        inset = 0 if anchor is self._below else 12
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
            item.setData(Qt.ItemDataRole.AccessibleTextRole, entry.told)
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
        """The best first; of those that fit alike, what can be done now, then the order in which they were given."""
        ranked = [
            (fit, bool(entry.why), place)
            for place, entry in enumerate(self._entries)
            if (fit := entry.rank(query)) is not None
        ]
        found = [self._entries[place] for _fit, _why, place in sorted(ranked)]
        more = list(self._more(query)) if query.strip() else []
        exact = sum(fit == 0 for fit, _why, _place in ranked)
        return [*found[:exact], *more, *found[exact:]]

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
            chosen = bool(state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.accentSoft if chosen else theme.hover)
            painter.drawRoundedRect(rect, 4, 4)
        paint_icon(
            painter,
            entry.icon,
            QRectF(rect.left() + 8, rect.top() + 6, 16, 16),
            theme.text2,
        )
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(data_font())
        painter.setPen(theme.text3)
        painter.drawText(
            rect.adjusted(0, 0, -10, 0),
            middle | Qt.AlignmentFlag.AlignRight,
            entry.hint,
        )
        room = rect.adjusted(
            34, 0, -24 - QFontMetrics(data_font()).horizontalAdvance(entry.hint), 0
        )
        painter.setFont(ui_font())
        painter.setPen(theme.text3 if entry.why else theme.text)
        told = f"{entry.text}: {entry.why}" if entry.why else entry.text
        if entry.why:
            mode = Qt.TextElideMode.ElideRight
        else:
            mode = Qt.TextElideMode.ElideMiddle
        painter.drawText(
            room, middle, QFontMetrics(ui_font()).elidedText(told, mode, room.width())
        )
        painter.restore()
