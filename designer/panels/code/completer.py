"""The list of words that fit at the cursor of a text. It opens while the user types, or
with Ctrl+Space.

It is a child of the window and takes no focus, so that the keys stay in the text:
arrows choose, Enter or Tab inserts, Escape closes the list and does nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QObject,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    SignalInstance,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from designer.look.fonts import data_font, ui_font
from designer.look.theme import Look
from designer.model.completion.cel_words import Word
from designer.panels.fields.plain import GrowingText
from designer.qt.indexes import AnyIndex
from designer.qt.layouts import column

Offers = Callable[[str, int], list[Word]]
ROW = 24
MOST_ROWS = 8
LEAST_WIDTH = 180
MOST_WIDTH = 420
_WORD = Qt.ItemDataRole.UserRole
_TAKE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)
_STEPS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: MOST_ROWS,
    Qt.Key.Key_PageUp: -MOST_ROWS,
}


class _Row(QStyledItemDelegate):
    """A word, and its kind at the right."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: object) -> QSize:
        return QSize(LEAST_WIDTH, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        word: Word = index.data(_WORD)
        theme = self._look.theme
        rect = QRectF(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.accentSoft)
        painter.setFont(data_font())
        painter.setPen(theme.text)
        painter.drawText(
            rect.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter, word.text
        )
        painter.setFont(ui_font(11.5))
        painter.setPen(theme.text2)
        room = rect.adjusted(
            24 + QFontMetricsF(data_font()).horizontalAdvance(word.text), 0, -8, 0
        )
        detail = QFontMetricsF(ui_font(11.5)).elidedText(
            word.detail, Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(
            room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, detail
        )
        painter.restore()


class Editable(Protocol):
    """A widget with a text, as the completer needs it. `edited` and `moved` report
    changes of text and cursor.
    """

    @property
    def widget(self) -> QWidget: ...

    @property
    def edited(self) -> SignalInstance: ...

    @property
    def moved(self) -> SignalInstance: ...

    def text(self) -> str: ...

    def cursor(self) -> int: ...

    def is_read_only(self) -> bool: ...

    def rect(self, position: int) -> QRect:
        """Return the rectangle of a position in the text, in pixels of the widget."""

    def put(self, word: Word) -> None:
        """Replace the text from the word's start to the cursor by the word."""


class LongText:
    """A text of several lines."""

    def __init__(self, editor: GrowingText) -> None:
        self.widget = editor
        self._editor = editor
        self.edited = editor.edited
        self.moved = editor.cursorPositionChanged

    def text(self) -> str:
        return self._editor.text()

    def cursor(self) -> int:
        return self._editor.textCursor().position()

    def is_read_only(self) -> bool:
        return self._editor.isReadOnly()

    def rect(self, position: int) -> QRect:
        cursor = QTextCursor(self._editor.document())
        cursor.setPosition(position)
        rect = self._editor.cursorRect(cursor)
        return rect.translated(self._editor.viewport().pos())

    def put(self, word: Word) -> None:
        cursor = self._editor.textCursor()
        end = cursor.position()
        cursor.setPosition(word.start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(word.insert)
        cursor.setPosition(cursor.position() - word.back)
        self._editor.setTextCursor(cursor)


class Line:
    """A text of one line, where the completion replaces everything up to the cursor."""

    def __init__(self, editor: QLineEdit) -> None:
        self.widget = editor
        self._editor = editor
        self.edited = editor.textEdited
        self.moved = editor.cursorPositionChanged

    def text(self) -> str:
        return self._editor.text()

    def cursor(self) -> int:
        return self._editor.cursorPosition()

    def is_read_only(self) -> bool:
        return self._editor.isReadOnly()

    def rect(self, position: int) -> QRect:  # words start at the left end
        return self._editor.rect().adjusted(10, 0, 0, 0)

    def put(self, word: Word) -> None:
        self._editor.setSelection(
            word.start, self._editor.cursorPosition() - word.start
        )
        self._editor.insert(word.insert)
        self._editor.setCursorPosition(self._editor.cursorPosition() - word.back)


def offer_words(words: Sequence[str]) -> Offers:
    """Return a function that offers the words that begin with the text before the
    cursor.
    """

    def offers(text: str, cursor: int) -> list[Word]:
        typed = text[:cursor].casefold()
        return [
            Word(word, "", word, 0)
            for word in words
            if word.casefold().startswith(typed)
        ]

    return offers


class Completer(QObject):
    """Completes the text of `editor` with the words that `offers` returns for a text
    and a cursor in it.

    It opens by itself after letters, digits, and the characters of `opens_after`.
    """

    def __init__(
        self, editor: Editable, look: Look, offers: Offers, opens_after: str = "_.:"
    ) -> None:
        super().__init__(editor.widget)
        self._opens_after = opens_after
        self._offers = offers
        self._editor = editor
        self._look = look
        self._started = 0
        self._taking = False
        self.popup: QFrame | None = None
        self.list: QListWidget | None = None
        editor.widget.installEventFilter(self)
        editor.edited.connect(lambda *_text: self._on_edited())
        editor.moved.connect(lambda *_places: self._on_moved())

    @property
    def is_open(self) -> bool:
        return self.popup is not None and self.popup.isVisible()

    @property
    def words(self) -> list[str]:
        """The words in the list."""
        rows = self.list.count() if self.list is not None and self.is_open else 0
        return [self._word(row).text for row in range(rows)]

    def open(self) -> None:
        """Offer all words that fit at the cursor."""
        self._show(self._words())

    def _words(self) -> list[Word]:
        return self._offers(self._editor.text(), self._editor.cursor())

    def close(self) -> None:
        if self.popup is not None:
            self.popup.hide()

    # --- what opens and closes it

    def _on_edited(self) -> None:
        if self._taking:
            return
        before = self._editor.text()[: self._editor.cursor()]
        last = before[-1:]
        opens = last.isalnum() or (last and last in self._opens_after)
        if opens and self._editor.widget.hasFocus():
            self.open()
        else:
            self.close()

    def _on_moved(self) -> None:
        """Close the list when the cursor has left the word that it completes."""
        if self.is_open and not self._taking and self._started != self._start():
            self.close()

    def _start(self) -> int:
        words = self._words()
        return words[0].start if words else -1

    def _show(self, words: list[Word]) -> None:
        if not words or self._editor.is_read_only():
            self.close()
            return
        typed = self._editor.text()[words[0].start : self._editor.cursor()]
        if len(words) == 1 and typed == words[0].insert:
            self.close()
            return
        self._started = words[0].start
        popup, word_list = self._make_popup()
        word_list.clear()
        for word in words:
            item = QListWidgetItem(word.text)
            item.setData(_WORD, word)
            item.setData(
                Qt.ItemDataRole.AccessibleTextRole, f"{word.text} {word.detail}".strip()
            )
            word_list.addItem(item)
        word_list.setCurrentRow(0)
        self._place(popup, words)
        popup.show()
        popup.raise_()

    def _make_popup(self) -> tuple[QFrame, QListWidget]:
        editor = self._editor.widget
        # Another popup when the editor has moved to another window.
        if (
            self.popup is None
            or self.list is None
            or self.popup.parent() is not editor.window()
        ):
            if self.popup is not None:
                self.popup.deleteLater()
            self.popup, self.list = _popup(self._look, editor.window())
            self.list.itemClicked.connect(lambda _item: self._take())
            editor.destroyed.connect(self.popup.deleteLater)
        return self.popup, self.list

    def _place(self, popup: QFrame, words: list[Word]) -> None:
        """Move the list below the word, or above it when there is no room below."""
        names = QFontMetricsF(data_font())
        details = QFontMetricsF(ui_font(11.5))
        widest = max(
            names.horizontalAdvance(word.text) + details.horizontalAdvance(word.detail)
            for word in words
        )
        width = round(min(max(widest + 48, LEAST_WIDTH), MOST_WIDTH))
        popup.resize(width, ROW * min(MOST_ROWS, len(words)) + 10)
        window = self._editor.widget.window()
        rect = self._editor.rect(min(self._started, len(self._editor.text())))
        corner = self._editor.widget.mapTo(
            window, QPoint(rect.left() - 9, rect.bottom() + 4)
        )
        if corner.y() + popup.height() > window.height():
            corner.setY(max(0, corner.y() - rect.height() - 8 - popup.height()))
        popup.move(max(0, min(corner.x(), window.width() - popup.width())), corner.y())

    # --- keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut or event.type() == QEvent.Type.Hide:
            self.close()
        elif event.type() == QEvent.Type.ShortcutOverride and isinstance(
            event, QKeyEvent
        ):
            if self.is_open and _is_ours(
                event
            ):  # or a shortcut of the window would get it
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._pressed(event)
        return False

    def _pressed(self, event: QKeyEvent) -> bool:
        if (
            event.key() == Qt.Key.Key_Space
            and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            self.open()
            return True
        if not (self.is_open and _is_ours(event)) or self.list is None:
            return False
        key = Qt.Key(event.key())
        if key in _TAKE and self._is_typed_whole():
            self.close()
            return False
        if key == Qt.Key.Key_Escape:
            self.close()
        elif key in _TAKE:
            self._take()
        else:
            last = self.list.count() - 1
            new_row = self.list.currentRow() + _STEPS[key]
            if abs(_STEPS[key]) == 1:
                new_row %= last + 1
            self.list.setCurrentRow(max(0, min(last, new_row)))
        return True

    def _is_typed_whole(self) -> bool:
        """Return whether the user has typed the chosen word to its end; Enter and Tab
        then have their usual meaning.
        """
        row = self.list.currentRow() if self.list is not None else -1
        if row < 0:
            return False
        typed = self._editor.text()[self._started : self._editor.cursor()]
        return typed == self._word(row).insert

    def _word(self, row: int) -> Word:
        word: Word = self.list.item(row).data(_WORD)  # type: ignore[union-attr]
        return word

    def _take(self) -> None:
        if self.list is None or self.list.currentRow() < 0:
            return
        self._taking = (
            True  # because the list must not open again for the inserted word
        )
        self._editor.put(self._word(self.list.currentRow()))
        self._taking = False
        before = self._editor.text()[: self._editor.cursor()]
        if before.endswith(("/", "(")) and before[-1] in self._opens_after:
            # After a folder, or a function of columns, its content is the next word.
            self.open()
        else:
            self.close()


def _is_ours(event: QKeyEvent) -> bool:
    plain = (
        event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        == Qt.KeyboardModifier.NoModifier
    )
    return plain and (
        event.key() == Qt.Key.Key_Escape
        or event.key() in _TAKE
        or event.key() in _STEPS
    )


def _popup(look: Look, window: QWidget) -> tuple[QFrame, QListWidget]:
    frame = QFrame(window)
    frame.setProperty("role", "popup")
    word_list = QListWidget()
    word_list.setItemDelegate(_Row(look, word_list))
    word_list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    word_list.setFrameShape(QFrame.Shape.NoFrame)
    word_list.setUniformItemSizes(True)
    word_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    word_list.setAccessibleName("Words that fit here")
    column(frame, margins=(1, 4, 1, 4)).addWidget(word_list)
    return frame, word_list
