"""A field for a condition in CEL: coloured, completed, as high as its text, with the
mistake underlined.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import (
    QColor,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.model.completion.cel_words import MESSAGE, complete
from designer.model.completion.message_examples import UNKNOWN
from designer.panels.code.completer import Completer, LongText
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import GrowingText
from designer.panels.widgets.basic import set_style
from designer.qt.layouts import column
from runtime.document.problem import Problem

_TOKENS = re.compile(
    r"""(?P<ok>[rRbB]{0,2}(?:"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?))"""
    r"""|(?P<past>\b(?:in|true|false|null)\b|\b[a-zA-Z_]\w*(?=\())"""
    r"""|(?P<accent>\b\d[\w.]*)|(?P<text3>//.*)"""
)
_PLACE = re.compile(r"^Line \d+, column \d+: | \(line \d+, column \d+\)$")
_TOKEN = re.compile(r"\w+|\S")


class CelField(QWidget):
    """`edited` is emitted while the user types, `committed` when the focus leaves.
    `show_problems` shows the first problem.
    """

    edited = Signal()
    committed = Signal()

    def __init__(
        self,
        look: Look,
        name: str,
        placeholder: str = "",
        variables: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._look = look
        names = MESSAGE if variables is None else variables
        self.editor = GrowingText(least=1, most=8)
        self.editor.setFont(data_font())
        self.editor.setPlaceholderText(placeholder)
        self.editor.setAccessibleName(name)
        self._colours = _Colours(look, self.editor.document())
        self._example: Callable[[], object] = lambda: UNKNOWN
        self.completer = Completer(
            LongText(self.editor),
            look,
            lambda text, cursor: complete(text, cursor, self._example(), names),
        )
        self.error = ErrorLine(look)
        self._problem: Problem | None = None
        self.editor.edited.connect(self.edited)
        self.editor.committed.connect(self.committed)
        look.changed.connect(self._on_look)
        layout = column(self, gap=4)
        layout.addWidget(self.editor)
        layout.addWidget(self.error)

    def text(self) -> str:
        return self.editor.text()

    def show_text(self, text: str) -> None:
        self.editor.set_text(text)

    def set_example(self, example: Callable[[], object]) -> None:
        """Set the function that returns an example message, whose fields are completed.
        It is called while the user types.
        """
        self._example = example

    @property
    def is_offering(self) -> bool:
        """Whether the list of words is open, so that keys choose in it."""
        return self.completer.is_open

    def set_read_only(self, on: bool) -> None:
        self.editor.setReadOnly(on)

    def show_problems(self, problems: Sequence[Problem], *, calm: bool = False) -> None:
        """Show the first problem. With `calm` the condition is only missing yet, so it
        is not marked as wrong.
        """
        problem = problems[0] if problems else None
        self._problem = problem
        text = condition_words(problem) if problem is not None else ""
        self.error.say(text, calm=calm)
        set_style(self.editor, invalid=self._problem is not None and not calm)
        self._underline()

    def _underline(self) -> None:
        marks: list[QTextEdit.ExtraSelection] = []
        if self._problem is not None and self._problem.line:
            mark = QTextEdit.ExtraSelection()
            mark.cursor = self._span(self._problem.line, self._problem.column)
            mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            mark.format.setUnderlineColor(self._look.theme.bad)
            marks.append(mark)
        self.editor.setExtraSelections(marks)

    def _span(self, line: int, column: int) -> QTextCursor:
        """Return the token at a line and column, both from 1, or the last character
        when the text ends too early.
        """
        last_line = self.editor.blockCount()
        block = self.editor.document().findBlockByNumber(min(line, last_line) - 1)
        start = max(0, min(column - 1, block.length() - 2))
        token = _TOKEN.match(block.text(), start)
        end = token.end() if token else start
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + start)
        cursor.setPosition(block.position() + end, QTextCursor.MoveMode.KeepAnchor)
        return cursor

    def _on_look(self) -> None:
        self._colours.rehighlight()
        self._underline()


def condition_words(problem: Problem) -> str:
    """Return the mistake with its place: "Line 2, column 14: ...".

    The name of the condition is left out, because it is above the field.
    """
    message = problem.message.partition(" does not compile: ")[2] or problem.message
    reason = _PLACE.sub("", message).rstrip(".")
    if problem.line:
        return f"Line {problem.line}, column {problem.column}: {reason}."
    return f"{reason}."


def problem_words(problem: Problem) -> str:
    """Return the message with its place in front: "Line 2, column 14: ..."."""
    if problem.line and not re.search(r"\bline \d", problem.message, re.IGNORECASE):
        return f"Line {problem.line}, column {problem.column}: {problem.message}"
    return problem.message


class _Colours(QSyntaxHighlighter):
    def __init__(self, look: Look, document: QTextDocument) -> None:
        super().__init__(document)
        self._look = look

    def highlightBlock(self, text: str) -> None:
        for token in _TOKENS.finditer(text):
            colour: QColor = getattr(self._look.theme, token.lastgroup or "text")
            self.setFormat(token.start(), token.end() - token.start(), colour)
