"""A code editor: colours, line numbers, the current line, matching brackets, and a mark
at a mistake.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.code import line_edits
from designer.panels.code.colours import OPAQUE, Colours, Language
from designer.panels.fields.plain import GrowingText

INDENT = {"python": 4, "json": 2, "sql": 2}
COMMENTS = {"python": "#", "sql": "--"}
_CTRL = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_ALT = Qt.KeyboardModifier.AltModifier
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class CodeText(GrowingText):
    """`finished` is emitted by Ctrl+Enter, `left` by Escape, `enlarge` by Alt+Enter.
    Tab indents.

    With `shows_line` the current line is marked also without the focus, for a source
    that is only read.
    """

    finished = Signal()
    left = Signal()
    enlarge = Signal()

    def __init__(
        self,
        look: Look,
        language: Language,
        *,
        least: int = 3,
        most: int = 16,
        numbers: bool = True,
        shows_line: bool = False,
    ) -> None:
        super().__init__(least, most)
        self._shows_line = shows_line
        self._look = look
        self._language = language
        self._width = INDENT[language]
        self._place: tuple[int, int] | None = None
        self._colours = Colours(look, self.document(), language)
        self.setFont(data_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabChangesFocus(False)
        self.setTabStopDistance(
            QFontMetricsF(self.font()).horizontalAdvance(" ") * self._width
        )
        self._numbers = _Numbers(self, look) if numbers else None
        self.horizontalScrollBar().rangeChanged.connect(
            lambda *_range: self.updateGeometry()
        )
        self.blockCountChanged.connect(lambda _count: self._make_room())
        self.cursorPositionChanged.connect(self._mark)
        self.textChanged.connect(self._mark)
        self.updateRequest.connect(self._on_update)
        look.changed.connect(self._on_look)
        self._make_room()
        self._mark()

    # --- what is wrong ---

    @property
    def place(self) -> tuple[int, int] | None:
        """Line and column of the mistake, both from 1."""
        return self._place

    def mark_place(self, line: int, column: int = 0) -> None:
        """Mark a line as wrong, and underline the word at the column; line 0 removes
        the mark.
        """
        place = (line, column) if line > 0 else None
        if place != self._place:
            self._place = place
            self._mark()

    def go_to(self, line: int, column: int = 1) -> None:
        """Move the cursor to a line and column, and scroll it to the middle."""
        number = max(0, min(line, self.blockCount()) - 1)
        block = self.document().findBlockByNumber(number)
        offset = max(0, min(column - 1, block.length() - 1))
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + offset)
        self.setTextCursor(cursor)
        self.centerCursor()

    def take(self, text: str) -> None:
        """Replace the text as if the user typed it: one undo step, with signals."""
        if text == self.text():
            return
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)

    def go_on(self) -> None:
        """Move the focus to the next widget, because Tab indents here."""
        leaves = self.tabChangesFocus()
        self.setTabChangesFocus(True)
        self.focusNextPrevChild(True)
        self.setTabChangesFocus(leaves)

    # --- sizes ---

    def sizeHint(self) -> QSize:
        bar = self.horizontalScrollBar()
        bar_height = bar.sizeHint().height() if bar.maximum() > 0 else 0
        return super().sizeHint() + QSize(0, bar_height)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._numbers is not None:
            inside = self.contentsRect()
            room = self.viewportMargins().left()
            self._numbers.setGeometry(
                QRect(inside.left(), inside.top(), room, inside.height())
            )

    def _make_room(self) -> None:
        if self._numbers is not None:
            self.setViewportMargins(self._numbers.wanted(), 0, 0, 0)

    def _on_update(self, rect: QRect, dy: int) -> None:
        if self._numbers is None:
            return
        if dy:
            self._numbers.scroll(0, dy)
        else:
            self._numbers.update(0, rect.y(), self._numbers.width(), rect.height())

    def _on_look(self) -> None:
        self._colours.renew()
        self._mark()
        if self._numbers is not None:
            self._numbers.update()

    # --- marks in the text ---

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._mark()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._mark()

    def _mark(self) -> None:
        self.setExtraSelections(
            [*self._line_mark(), *self._bracket_marks(), *self._wrong_mark()]
        )
        if self._numbers is not None:
            self._numbers.update()

    def _line_mark(self) -> list[QTextEdit.ExtraSelection]:
        if not (self.hasFocus() or self._shows_line):
            return []
        return [_selection(self.textCursor(), self._look.theme.hover, whole_line=True)]

    def _bracket_marks(self) -> list[QTextEdit.ExtraSelection]:
        if not self.hasFocus():
            return []
        text = self.text()
        position = self.textCursor().position()
        for place in (position, position - 1):
            other = line_edits.partner(text, place, self._is_opaque)
            if other is not None:
                return [self._bracket(place), self._bracket(other)]
        return []

    def _bracket(self, place: int) -> QTextEdit.ExtraSelection:
        cursor = QTextCursor(self.document())
        cursor.setPosition(place)
        cursor.movePosition(
            QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor
        )
        return _selection(
            cursor, self._look.theme.accentSoft, pen=self._look.theme.accent
        )

    def _wrong_mark(self) -> list[QTextEdit.ExtraSelection]:
        if self._place is None:
            return []
        line, column = self._place
        block = self.document().findBlockByNumber(min(line, self.blockCount()) - 1)
        line_mark = _selection(
            QTextCursor(block), self._look.theme.badSoft, whole_line=True
        )
        # Without a column all of the line is underlined, else the word at the column.
        if column:
            start = max(0, min(column - 1, block.length() - 2))
            to_end = QTextCursor.MoveOperation.EndOfWord
        else:
            start = len(line_edits.leading(block.text()))
            to_end = QTextCursor.MoveOperation.EndOfBlock
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + start)
        cursor.movePosition(to_end, QTextCursor.MoveMode.KeepAnchor)
        if not cursor.hasSelection():
            cursor.movePosition(
                QTextCursor.MoveOperation.NextCharacter, QTextCursor.MoveMode.KeepAnchor
            )
        wave = QTextEdit.ExtraSelection()
        wave.cursor = cursor
        wave.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        wave.format.setUnderlineColor(self._look.theme.bad)
        return [line_mark, wave]

    def _is_opaque(self, position: int) -> bool:
        block = self.document().findBlock(position)
        inside = position - block.position()
        for part in block.layout().formats():
            is_in_part = part.start <= inside < part.start + part.length
            if is_in_part and part.format.hasProperty(OPAQUE):
                return True
        return False

    # --- keys ---

    def event(self, event: QEvent) -> bool:
        # Accepted, or the window's shortcuts would get these keys before the text does.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._command(event)
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = self._command(event)
        if command is None:
            super().keyPressEvent(event)
        else:
            command()
            event.accept()

    def _command(self, event: QKeyEvent) -> Callable[[], object] | None:
        key = Qt.Key(event.key())
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key == Qt.Key.Key_Escape and not held:
            return self.left.emit
        if key in _ENTER and held == _CTRL:
            return self.finished.emit
        if key in _ENTER and held == _ALT:
            return self.enlarge.emit
        return None if self.isReadOnly() else self._edit_command(key, held)

    def _edit_command(
        self, key: Qt.Key, held: Qt.KeyboardModifier
    ) -> Callable[[], object] | None:
        plain = not held
        if self.tabChangesFocus() and key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            return None
        if key == Qt.Key.Key_Tab and plain:
            return self._tab
        if key == Qt.Key.Key_Backtab or (key == Qt.Key.Key_Tab and held == _SHIFT):
            return lambda: self._change_lines(
                lambda lines: [line_edits.dedented(line, self._width) for line in lines]
            )
        if key in _ENTER and plain:
            return self._new_line
        if key == Qt.Key.Key_Backspace and plain and self._stands_in_indent():
            return self._step_back
        mark = COMMENTS.get(self._language)
        if key == Qt.Key.Key_Slash and held == _CTRL and mark:
            return lambda: self._change_lines(
                lambda lines: line_edits.commented(lines, mark)
            )
        return None

    def _tab(self) -> None:
        cursor = self.textCursor()
        if cursor.hasSelection():
            self._change_lines(
                lambda lines: [line_edits.indented(line, self._width) for line in lines]
            )
        else:
            cursor.insertText(
                line_edits.tab_stop(cursor.positionInBlock(), self._width)
            )

    def _new_line(self) -> None:
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        cursor.insertText("\n" + line_edits.next_indent(before, self._width))
        self.setTextCursor(cursor)
        self.ensureCursorVisible()

    def _stands_in_indent(self) -> bool:
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        return (
            not cursor.hasSelection()
            and len(before) > 1
            and before.isspace()
            and "\t" not in before
        )

    def _step_back(self) -> None:
        cursor = self.textCursor()
        column = cursor.positionInBlock()
        count = (column - 1) % self._width + 1
        cursor.movePosition(
            QTextCursor.MoveOperation.Left, QTextCursor.MoveMode.KeepAnchor, count
        )
        cursor.removeSelectedText()

    def _change_lines(self, change: Callable[[list[str]], list[str]]) -> None:
        """Change the selected lines, or the line of the cursor, in one undo step.
        Selected lines stay selected.
        """
        cursor = self.textCursor()
        had_selection = cursor.hasSelection()
        document = self.document()
        first = document.findBlock(cursor.selectionStart())
        last = document.findBlock(cursor.selectionEnd())
        # A line is not selected when the selection ends before its first character.
        ends_before = had_selection and last.position() == cursor.selectionEnd()
        if ends_before and last.blockNumber() > first.blockNumber():
            last = last.previous()
        span = QTextCursor(first)
        span.setPosition(
            last.position() + last.length() - 1, QTextCursor.MoveMode.KeepAnchor
        )
        lines_before = [
            document.findBlockByNumber(n).text()
            for n in range(first.blockNumber(), last.blockNumber() + 1)
        ]
        lines_after = change(lines_before)
        if lines_after == lines_before:
            return
        column = cursor.positionInBlock() + len(lines_after[0]) - len(lines_before[0])
        start = first.position()
        span.insertText("\n".join(lines_after))
        cursor = self.textCursor()
        if had_selection:
            cursor.setPosition(start)
            cursor.setPosition(
                start + len("\n".join(lines_after)), QTextCursor.MoveMode.KeepAnchor
            )
        else:
            cursor.setPosition(start + max(0, min(column, len(lines_after[0]))))
        self.setTextCursor(cursor)


def _selection(
    cursor: QTextCursor,
    ground: QColor,
    *,
    whole_line: bool = False,
    pen: QColor | None = None,
) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    cursor = QTextCursor(cursor)
    if whole_line:
        cursor.clearSelection()
        selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
    selection.cursor = cursor
    selection.format.setBackground(ground)
    if pen is not None:
        selection.format.setForeground(pen)
    return selection


class _Numbers(QWidget):
    """The line numbers, with a mark at the line of the mistake."""

    def __init__(self, edit: CodeText, look: Look) -> None:
        super().__init__(edit)
        self._edit = edit
        self._look = look
        self.setAccessibleName("Line numbers")

    def wanted(self) -> int:
        digits = max(2, len(str(self._edit.blockCount())))
        return round(self._edit.fontMetrics().horizontalAdvance("0") * digits) + 14

    def paintEvent(self, event: QPaintEvent) -> None:
        edit = self._edit
        theme = self._look.theme
        painter = QPainter(self)
        painter.setFont(edit.font())
        wrong = edit.place[0] if edit.place is not None else 0
        current = edit.textCursor().blockNumber() + 1
        block = edit.firstVisibleBlock()
        line = edit.fontMetrics().lineSpacing()
        top = edit.blockBoundingGeometry(block).translated(edit.contentOffset()).top()
        while block.isValid() and top <= event.rect().bottom():
            height = edit.blockBoundingRect(block).height()
            number = block.blockNumber() + 1
            # One line high, because the last block has the margin of the text below it.
            room = QRect(0, round(top), self.width() - 10, line)
            if number == wrong:
                colour = theme.bad
            elif number == current:
                colour = theme.text2
            else:
                colour = theme.text3
            painter.setPen(colour)
            painter.drawText(
                room,
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                str(number),
            )
            if number == wrong:
                painter.fillRect(QRect(0, round(top), 3, line), theme.bad)
            top += height
            block = block.next()
        painter.end()
