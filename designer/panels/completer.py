"""The list of words that could stand at the cursor of a condition. It opens while one types, or with Ctrl+Space.

It is a child of the window that takes no focus, so the keys stay in the text: arrows choose, Enter or Tab takes over,
Escape closes the list and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QTextCursor
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
from designer.look.theme import Look
from designer.model.cel_words import UNKNOWN, Word, complete
from designer.panels.fields import GrowingText
from designer.panels.widgets import column

ROW, MOST_ROWS, LEAST_WIDTH, MOST_WIDTH = 24, 8, 180, 420
_WORD = Qt.ItemDataRole.UserRole
_TAKE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: MOST_ROWS, Qt.Key.Key_PageUp: -MOST_ROWS}


class _Row(QStyledItemDelegate):
    """The word, and at the right what it is."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: object) -> QSize:
        return QSize(LEAST_WIDTH, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        word: Word = index.data(_WORD)
        theme, rect = self._look.theme, QRectF(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.accentSoft)
        painter.setFont(data_font())
        painter.setPen(theme.text)
        painter.drawText(rect.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter, word.text)
        painter.setFont(ui_font(11.5))
        painter.setPen(theme.text2)
        painter.drawText(
            rect.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, word.detail
        )
        painter.restore()


class Completer(QObject):
    """Completes what is typed into `editor`. `example` gives an example of the message, as `cel_words` wants it."""

    def __init__(self, editor: GrowingText, look: Look) -> None:
        super().__init__(editor)
        self.example: Callable[[], object] = lambda: UNKNOWN
        self._editor, self._look = editor, look
        self._started, self._taking = 0, False
        self.popup: QFrame | None = None
        self.list: QListWidget | None = None
        editor.installEventFilter(self)
        editor.edited.connect(self._on_edited)
        editor.cursorPositionChanged.connect(self._on_moved)

    @property
    def is_open(self) -> bool:
        return self.popup is not None and self.popup.isVisible()

    @property
    def words(self) -> list[str]:
        """What is offered now."""
        rows = self.list.count() if self.list is not None and self.is_open else 0
        return [self._word(row).text for row in range(rows)]

    def open(self) -> None:
        """Offer everything that fits at the cursor."""
        self._show(complete(self._editor.text(), self._editor.textCursor().position(), self.example()))

    def close(self) -> None:
        if self.popup is not None:
            self.popup.hide()

    # --- what opens and closes it

    def _on_edited(self) -> None:
        cursor = self._editor.textCursor().position()
        before = self._editor.text()[:cursor]
        if self._taking:
            return
        if self._editor.hasFocus() and before and (before[-1].isalnum() or before[-1] in "_."):
            self.open()
        else:
            self.close()

    def _on_moved(self) -> None:
        """The cursor went elsewhere: a word that was begun there is another one."""
        if self.is_open and not self._taking and self._started != self._start():
            self.close()

    def _start(self) -> int:
        cursor = self._editor.textCursor().position()
        words = complete(self._editor.text(), cursor, self.example())
        return words[0].start if words else -1

    def _show(self, words: list[Word]) -> None:
        cursor = self._editor.textCursor().position()
        whole = len(words) == 1 and self._editor.text()[words[0].start : cursor] == words[0].insert
        if not words or whole or self._editor.isReadOnly():
            self.close()
            return
        self._started = words[0].start
        popup, found = self._made()
        found.clear()
        for word in words:
            item = QListWidgetItem(word.text)
            item.setData(_WORD, word)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{word.text} {word.detail}".strip())
            found.addItem(item)
        found.setCurrentRow(0)
        self._place(popup, words)
        popup.show()
        popup.raise_()

    def _made(self) -> tuple[QFrame, QListWidget]:
        if self.popup is None or self.list is None or self.popup.parent() is not self._editor.window():
            if self.popup is not None:
                self.popup.deleteLater()
            self.popup, self.list = _popup(self._look, self._editor.window())
            self.list.itemClicked.connect(lambda _item: self._take())
            self._editor.destroyed.connect(self.popup.deleteLater)
        return self.popup, self.list

    def _place(self, popup: QFrame, words: list[Word]) -> None:
        """Under the word that is typed, or over it where there is no room below."""
        names, details = QFontMetricsF(data_font()), QFontMetricsF(ui_font(11.5))
        need = max(names.horizontalAdvance(word.text) + details.horizontalAdvance(word.detail) for word in words) + 48
        popup.resize(round(min(max(need, LEAST_WIDTH), MOST_WIDTH)), ROW * min(MOST_ROWS, len(words)) + 10)
        window = self._editor.window()
        cursor = QTextCursor(self._editor.document())
        cursor.setPosition(min(self._started, len(self._editor.text())))
        rect = self._editor.cursorRect(cursor)
        at = self._editor.viewport().mapTo(window, QPoint(rect.left() - 9, rect.bottom() + 4))
        if at.y() + popup.height() > window.height():
            at.setY(max(0, at.y() - rect.height() - 8 - popup.height()))
        popup.move(max(0, min(at.x(), window.width() - popup.width())), at.y())

    # --- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut or event.type() == QEvent.Type.Hide:
            self.close()
        elif event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self.is_open and _is_ours(event):  # before the shortcuts of the window
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._pressed(event)
        return False

    def _pressed(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self.open()
            return True
        if not (self.is_open and _is_ours(event)) or self.list is None:
            return False
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            self.close()
        elif key in _TAKE:
            self._take()
        else:
            last, at = self.list.count() - 1, self.list.currentRow() + _STEPS[key]
            if abs(_STEPS[key]) == 1:
                at %= last + 1
            self.list.setCurrentRow(max(0, min(last, at)))
        return True

    def _word(self, row: int) -> Word:
        word: Word = self.list.item(row).data(_WORD)  # type: ignore[union-attr]
        return word

    def _take(self) -> None:
        if self.list is None or self.list.currentRow() < 0:
            return
        word = self._word(self.list.currentRow())
        cursor = self._editor.textCursor()
        end = cursor.position()
        cursor.setPosition(word.start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        self._taking = True  # the word is whole: nothing is offered for it
        cursor.insertText(word.insert)
        cursor.setPosition(cursor.position() - word.back)
        self._editor.setTextCursor(cursor)
        self._taking = False
        self.close()


def _is_ours(event: QKeyEvent) -> bool:
    plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
    return plain and (event.key() == Qt.Key.Key_Escape or event.key() in _TAKE or event.key() in _STEPS)


def _popup(look: Look, window: QWidget) -> tuple[QFrame, QListWidget]:
    frame = QFrame(window)
    frame.setProperty("role", "popup")
    found = QListWidget()
    found.setItemDelegate(_Row(look, found))
    found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    found.setFrameShape(QFrame.Shape.NoFrame)
    found.setUniformItemSizes(True)
    found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    found.setAccessibleName("Words that fit here")
    column(frame, margins=(1, 4, 1, 4)).addWidget(found)
    return frame, found
