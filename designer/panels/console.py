"""Console: the output of the run's code, limited, with errors marked by more than
colour.

The output of a failed run stays until a run has finished. Then its traceback is
removed, because beside a result it would be misleading.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShortcut,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from designer.look.fonts import data_font, ui_font
from designer.look.theme import Look
from designer.panels.base import Panel
from designer.panels.widgets.basic import (
    ContentOrNotice,
    SearchField,
    button,
    icon_button,
    label,
    under_bar,
)
from designer.qt.layouts import column, row

LIMIT = 10_000
# Lines per update, because a flood of lines in one update would freeze the window.
BATCH = 300
PAUSE = 30  # ms between two updates
GUTTER = 38
# States of a text block: a line of stderr, a line of the traceback of a failed run, the
# text of a log point.
ERROR = 1
TRACE = 2
LOGGED = 3
_STATES = {"stderr": ERROR, "traceback": TRACE, "log": LOGGED}
_ERRORS = (ERROR, TRACE)
# What the gutter says beside a line, and in which colour.
_MARKS = {ERROR: ("err", "bad"), TRACE: ("err", "bad"), LOGGED: ("log", "accent")}


class ConsolePanel(Panel):
    title = "Console"
    icon = "term"
    area = "bottom"

    def set_up(self) -> None:
        self._waiting: deque[tuple[str, str]] = deque(maxlen=LIMIT)
        self.output = _Output(self.look)
        self.search = SearchField(self.look, "Search the console")
        self.search.setMaximumWidth(260)
        self.found = label("", "secondary")
        self.cut = label(f"Only the last {LIMIT:,} lines are kept", "secondary")
        self.cut.hide()
        self.wrap = button("Wrap", small=True)
        self.wrap.setCheckable(True)
        self.wrap.setToolTip("Wrap long lines")
        self.wrap.toggled.connect(self._on_wrap)
        previous = icon_button(
            self.look,
            "chev",
            "Next match (Enter)",
            lambda: self.find_text(backward=False),
        )
        bar = row(
            self.search,
            previous,
            self.found,
            None,
            self.cut,
            self.wrap,
            button("Clear", self.clear, small=True),
        )
        self.stack = ContentOrNotice(under_bar(bar, self.output), self.look)
        column(self).addWidget(self.stack)
        self._timer = QTimer(self, interval=PAUSE, singleShot=True)
        self._timer.timeout.connect(self._flush)
        self.search.textChanged.connect(lambda _text: self._on_search())
        self.search.returnPressed.connect(lambda: self.find_text(backward=False))
        QShortcut(
            QKeySequence("Shift+Return"),
            self.search,
            lambda: self.find_text(backward=True),
        )
        self.session.console.connect(self._on_line)
        self.session.stopped_at.connect(self._on_stopped)
        self.session.failed.connect(self._on_failed)

    def clear(self) -> None:
        self._waiting.clear()
        self.output.clear()
        self.cut.hide()
        self.refresh()

    def refresh(self) -> None:
        if self.output.document().isEmpty() and not self._waiting:
            self.stack.say(
                self.icon,
                "Nothing printed yet",
                "The output of a run's code appears here.",
            )
        else:
            self.stack.show_content()

    def find_text(self, *, backward: bool) -> bool:
        """Go to the next match, or around to the first. Return False if
        there is none.
        """
        text = self.search.text()
        if not text:
            return False
        if backward:
            flags = QTextDocument.FindFlag.FindBackward
            edge = QTextCursor.MoveOperation.End
        else:
            flags = QTextDocument.FindFlag(0)
            edge = QTextCursor.MoveOperation.Start
        if self.output.find(text, flags):
            return True
        cursor = self.output.textCursor()
        cursor.movePosition(edge)
        self.output.setTextCursor(cursor)
        return self.output.find(text, flags)

    # --- inside

    def _on_line(self, category: str, text: str) -> None:
        self._waiting.extend((category, line) for line in text.rstrip("\n").split("\n"))
        if not self._timer.isActive():
            self._timer.start()

    def _on_failed(self, title: str, text: str) -> None:
        self._on_line("stderr", f"{title}: {text}" if text else title)

    def _on_stopped(self) -> None:
        stopped = self.session.stopped
        if stopped is not None and stopped.reason == "finished":
            self._waiting = deque(
                (line for line in self._waiting if line[0] != "traceback"), maxlen=LIMIT
            )
            self.output.remove_tracebacks()
            self.refresh()

    def _flush(self) -> None:
        was_empty = self.output.document().isEmpty()
        self.output.append_lines(
            [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
        )
        self.output.follow()
        self.cut.setVisible(self.output.blockCount() >= LIMIT)
        if self._waiting:
            self._timer.start()
        if was_empty:
            self.refresh()

    def _on_wrap(self, on: bool) -> None:
        if on:
            mode = QPlainTextEdit.LineWrapMode.WidgetWidth
        else:
            mode = QPlainTextEdit.LineWrapMode.NoWrap
        self.output.setLineWrapMode(mode)

    def _on_search(self) -> None:
        count = self.output.mark_matches(self.search.text())
        self.found.setText(f"{count:,} found" if self.search.text() else "")


class _Output(QPlainTextEdit):
    """Lines in the data font. A line of stderr has "err" in the gutter and the colour
    of an error; the text of a log point has "log".
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setMaximumBlockCount(LIMIT)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(data_font())
        self.setProperty("plain", True)
        self.setAccessibleName("Console")
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._gutter = _Gutter(self)
        self.setViewportMargins(GUTTER, 0, 0, 0)
        self.updateRequest.connect(lambda _rect, _dy: self._gutter.update())
        self._at_end = True
        self.verticalScrollBar().rangeChanged.connect(lambda _low, _high: self.follow())
        look.changed.connect(self._recolour)

    @property
    def look(self) -> Look:
        return self._look

    def append_lines(self, lines: Sequence[tuple[str, str]]) -> None:
        """Add lines of (category, text) with a single layout."""
        bar = self.verticalScrollBar()
        self._at_end = bar.value() >= bar.maximum() - 1
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        plain = self._format(False)
        error = self._format(True)
        cursor.beginEditBlock()
        for category, text in lines:
            # A state of 0 or more in the first block means that it is an empty line.
            has_line = self.document().firstBlock().userState() >= 0
            if has_line or not self.document().isEmpty():
                cursor.insertBlock()
            state = _STATES.get(category, 0)
            cursor.block().setUserState(state)
            cursor.insertText(text, error if state in _ERRORS else plain)
        cursor.endEditBlock()

    def follow(self) -> None:
        """Scroll to the end, if the user was there."""
        if self._at_end:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())

    def clear(self) -> None:
        super().clear()
        self.document().firstBlock().setUserState(-1)

    def remove_tracebacks(self) -> None:
        """Remove the lines of tracebacks."""
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        number = 0
        while (block := self.document().findBlockByNumber(number)).isValid():
            if block.userState() == TRACE:
                self._remove(cursor, block)
                if self.document().isEmpty():
                    break
            else:
                number += 1
        cursor.endEditBlock()

    def _remove(self, cursor: QTextCursor, block: QTextBlock) -> None:
        cursor.setPosition(block.position())
        keep = QTextCursor.MoveMode.KeepAnchor
        # Removing joins two blocks, and Qt keeps the state of either: so it is set
        # again.
        if block.next().isValid():
            state = block.next().userState()
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock, keep)
            cursor.removeSelectedText()
        else:
            # The state is -1 when no block is left, as in an empty document.
            state = block.previous().userState()
            cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, keep)
            cursor.removeSelectedText()
            cursor.deletePreviousChar()
        cursor.block().setUserState(state)

    def mark_matches(self, text: str) -> int:
        """Highlight every match. Return their number."""
        marks: list[QTextEdit.ExtraSelection] = []
        cursor = QTextCursor(self.document())
        while text and not (cursor := self.document().find(text, cursor)).isNull():
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            mark.format.setBackground(self._look.theme.warnSoft)
            marks.append(mark)
        self.setExtraSelections(marks)
        return len(marks)

    def blocks_in_view(self) -> list[tuple[QTextBlock, QRect]]:
        visible_blocks = []
        block = self.firstVisibleBlock()
        while block.isValid():
            geometry = self.blockBoundingGeometry(block)
            rect = geometry.translated(self.contentOffset()).toRect()
            if rect.top() > self.viewport().height():
                break
            visible_blocks.append((block, rect))
            block = block.next()
        return visible_blocks

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        area = self.contentsRect()
        self._gutter.setGeometry(area.left(), area.top(), GUTTER, area.height())

    def _format(self, is_error: bool) -> QTextCharFormat:
        look = QTextCharFormat()
        look.setForeground(self._colour(is_error))
        return look

    def _colour(self, is_error: bool) -> QColor:
        return self._look.theme.bad if is_error else self._look.theme.text

    def _recolour(self) -> None:
        block = self.document().firstBlock()
        while block.isValid():
            cursor = QTextCursor(block)
            cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
            cursor.setCharFormat(self._format(block.userState() in _ERRORS))
            block = block.next()


class _Gutter(QWidget):
    """The column with "err" beside lines of stderr, and "log" beside log texts."""

    def __init__(self, output: _Output) -> None:
        super().__init__(output)
        self._output = output

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(ui_font(11))
        for block, rect in self._output.blocks_in_view():
            word, role = _MARKS.get(block.userState(), ("", ""))
            if word:
                painter.setPen(getattr(self._output.look.theme, role))
                top = rect.top() + self._output.viewport().y() - self.y()
                line = QRect(
                    0, top, GUTTER - 10, QFontMetrics(self._output.font()).lineSpacing()
                )
                painter.drawText(
                    line,
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    word,
                )
