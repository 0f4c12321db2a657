"""Syntax colours for Python, JSON and SQL, a line at a time.

The highlighter is our own because Pygments, which was tried, keeps no state at the end
of a line. So each keystroke would lex the whole text, which takes 60 ms for 1,500
lines. Here each line has a state at its end, which Qt stores with the block: 0, or the
number of an open text in triple quotes or an open comment. Qt colours the next line
again only when that state has changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from PySide6.QtGui import (
    QColor,
    QFont,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextDocument,
)

from designer.look.theme import Look

Language = Literal["python", "json", "sql"]
Kind = Literal["text", "comment", "word", "number", "name", "mark"]

# Roles of the theme by kind of token; each has enough contrast on a field.
ROLES: dict[str, str] = {
    "text": "ok", "comment": "text3", "word": "past", "number": "accent", "name": "accent", "mark": "warn",
}  # fmt: skip
# A property of texts and comments, because a bracket in them matches no other bracket.
OPAQUE = QTextCharFormat.Property.UserProperty.value
_PYTHON_WORDS = (
    "and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|"
    "is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield|True|False|None"
)
_SQL_WORDS = (
    "add|all|alter|and|as|asc|between|by|case|cast|coalesce|create|delete|desc|distinct|drop|else|end|except|exists|"
    "false|from|full|group|having|in|inner|insert|intersect|into|is|join|left|like|limit|not|null|offset|on|or|order|"
    "outer|over|partition|primary|recursive|returning|right|select|set|table|then|true|union|update|using|values|view|"
    "when|where|with"
)
_NUMBER = r"(?P<number>\b\d[\w.]*)"
_PYTHON = re.compile(
    r"(?P<open>[rRbBuUfFtT]{0,2}(?:\"\"\"|'''))"
    r"|(?P<text>[rRbBuUfFtT]{0,2}(?:\"(?:\\.|[^\"\\])*\"?|'(?:\\.|[^'\\])*'?))"
    r"|(?P<comment>#.*)"
    r"|(?P<mark>^\s*@[\w.]+)"
    r"|(?<=\bdef )(?P<name>\w+)|(?<=\bclass )(?P<name2>\w+)"
    rf"|(?P<word>\b(?:{_PYTHON_WORDS})\b)|{_NUMBER}"
)
_JSON = re.compile(
    r'(?P<name>"(?:\\.|[^"\\])*"(?=\s*:))|(?P<text>"(?:\\.|[^"\\])*"?)'
    r"|(?P<word>\b(?:true|false|null)\b)|(?P<number>-?\b\d[\d.eE+-]*)"
)
_SQL = re.compile(
    r"(?P<text>'(?:''|[^'])*'?)|(?P<comment>--.*)|(?P<comment2>/\*.*?\*/)|(?P<open>/\*)|(?P<mark>(?<!:):[A-Za-z_]\w*)"
    rf"|(?P<word>\b(?:{_SQL_WORDS})\b)|{_NUMBER}",
    re.IGNORECASE,
)
_RULES: dict[str, re.Pattern[str]] = {"python": _PYTHON, "json": _JSON, "sql": _SQL}
# The closing mark of each state, and the kind of its text.
_CLOSES: dict[int, tuple[str, Kind]] = {
    1: ('"""', "text"),
    2: ("'''", "text"),
    3: ("*/", "comment"),
}


class Span(NamedTuple):
    start: int
    end: int
    kind: Kind


def spans(line: str, language: Language, state: int = 0) -> tuple[list[Span], int]:
    """Return the coloured parts of a line that begins in `state`, and the state at its
    end.
    """
    coloured: list[Span] = []
    position = 0
    while position <= len(line):
        if state:
            close, kind = _CLOSES[state]
            end = _end_of(line, position, close)
            coloured.append(Span(position, len(line) if end < 0 else end, kind))
            if end < 0:
                return coloured, state
            position = end
            state = 0
        opened = None
        for token in _tokens(line, language, position):
            if token.lastgroup == "open":
                opened = token
                break
            coloured.append(
                Span(token.start(), token.end(), _kind(token.lastgroup or "text"))
            )
        if opened is None:
            return coloured, 0
        state = {'"': 1, "'": 2}.get(opened[0][-1], 3)
        coloured.append(Span(opened.start(), opened.end(), _CLOSES[state][1]))
        position = opened.end()
    return coloured, state


def _tokens(line: str, language: Language, start: int) -> Iterator[re.Match[str]]:
    return _RULES[language].finditer(line, start)


def _kind(group: str) -> Kind:
    kind: Kind = group.rstrip("2")  # type: ignore[assignment]  # the groups are named after the kinds
    return kind


def _end_of(line: str, start: int, close: str) -> int:
    """Return the position behind the closing mark, or -1. An escaped quote closes
    nothing.
    """
    while True:
        end = line.find(close, start)
        if end < 0:
            return -1
        slashes = len(line[:end]) - len(line[:end].rstrip("\\"))
        if close == "*/" or slashes % 2 == 0:
            return end + len(close)
        start = end + 1


class Colours(QSyntaxHighlighter):
    """Colours a document in the present theme."""

    def __init__(self, look: Look, document: QTextDocument, language: Language) -> None:
        super().__init__(document)
        self._look = look
        self._language = language
        self._formats: dict[str, QTextCharFormat] = {}
        self._read_theme()

    def renew(self) -> None:
        self._read_theme()
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        coloured, state = spans(text, self._language, max(0, self.previousBlockState()))
        for span in coloured:
            self.setFormat(span.start, span.end - span.start, self._formats[span.kind])
        self.setCurrentBlockState(state)

    def _read_theme(self) -> None:
        for kind, role in ROLES.items():
            text_format = QTextCharFormat()
            colour: QColor = getattr(self._look.theme, role)
            text_format.setForeground(colour)
            if kind in ("text", "comment"):
                text_format.setProperty(OPAQUE, True)
            if kind == "name" and self._language == "python":
                text_format.setFontWeight(QFont.Weight.Bold)
            self._formats[kind] = text_format
