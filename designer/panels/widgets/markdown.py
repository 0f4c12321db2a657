"""Markdown in an output of a run: detects it, and formats it in the look of the window.

The text is not trusted: HTML stays text, and no picture or other file is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrame,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)

from designer.look.fonts import DATA_FAMILY, ui_font
from designer.look.theme import Theme

# One of these is enough to detect Markdown ...
_SURE = re.compile(
    r"^(#{1,6} +\S|```|~~~|\|?( *:?-{2,}:? *\|)+ *:?-* *:?$)", re.MULTILINE
)
# ... but two of these are needed, because any text may have one dash or star.
_HINT = re.compile(
    r"^ {0,3}([-*+] +\S|\d+[.)] +\S|> ?\S)|\*\*\S[^*\n]*\*\*|\[[^\]\n]+\]\([^)\s]+\)",
    re.MULTILINE,
)
_Property = QTextFormat.Property
_LOOKED_AT = 20_000
_SIZES = {1: 20, 2: 16, 3: 14}  # px by level of a heading
_FEATURES = (
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub
    | QTextDocument.MarkdownFeature.MarkdownNoHTML
)


def looks_like_markdown(text: str) -> bool:
    """Return whether the beginning of a text looks like Markdown."""
    start = text[:_LOOKED_AT]
    return _SURE.search(start) is not None or len(_HINT.findall(start)) > 1


def set_markdown(document: QTextDocument, text: str, theme: Theme) -> None:
    """Show a text as Markdown in the fonts and colours of the window."""
    document.setDefaultFont(ui_font(13))
    document.setMarkdown(text, _FEATURES)
    for block in _blocks(document):
        _set_block(block, theme)
    for table in _tables(document.rootFrame()):
        _set_table(table, theme)


def _blocks(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _set_block(block: QTextBlock, theme: Theme) -> None:
    level = block.blockFormat().headingLevel()
    kind = _kind(block)
    # A list, because each change lays out the block again, which would end the
    # iteration.
    for start, length, char_format in list(_parts(block)):
        cursor = QTextCursor(block)
        cursor.setPosition(start)
        cursor.setPosition(start + length, QTextCursor.MoveMode.KeepAnchor)
        cursor.setCharFormat(
            _set_part(char_format, level, theme, is_code=kind == "code")
        )
    spaced = QTextBlockFormat()
    if kind == "code":
        spaced.setBackground(theme.field)
    if kind == "cell" and block.blockFormat().alignment() & Qt.AlignmentFlag.AlignRight:
        # Because a number that is broken over two lines reads as two numbers.
        spaced.setNonBreakableLines(True)
    if level:
        spaced.setTopMargin(12 if block.blockNumber() else 0)
        spaced.setBottomMargin(6)
    elif kind == "text" or (kind != "cell" and kind != _kind(block.next())):
        spaced.setBottomMargin(8)
    QTextCursor(block).mergeBlockFormat(spaced)


def _kind(block: QTextBlock) -> str:
    if not block.isValid():
        return ""
    shape = block.blockFormat()
    if shape.hasProperty(_Property.BlockCodeFence) or shape.hasProperty(
        _Property.BlockCodeLanguage
    ):
        return "code"
    if QTextCursor(block).currentTable() is not None:
        return "cell"
    return "text" if block.textList() is None else "list"


def _parts(block: QTextBlock) -> Iterator[tuple[int, int, QTextCharFormat]]:
    iterator = block.begin()
    while not iterator.atEnd():
        fragment = iterator.fragment()
        yield fragment.position(), fragment.length(), fragment.charFormat()
        iterator += 1


def _set_part(
    shape: QTextCharFormat, level: int, theme: Theme, *, is_code: bool
) -> QTextCharFormat:
    if level:
        # Removed because it would scale the pixel size.
        shape.clearProperty(_Property.FontSizeAdjustment)
        shape.setProperty(_Property.FontPixelSize, _SIZES.get(level, 13))
        shape.setFontWeight(QFont.Weight.DemiBold)
    if shape.fontFixedPitch() or is_code:
        # Because Qt names a family that may not be installed.
        shape.setFontFamilies([DATA_FAMILY])
        shape.setProperty(_Property.FontPixelSize, 12)
    if shape.isAnchor():
        shape.setForeground(theme.accent)
    return shape


def _tables(frame: QTextFrame) -> Iterator[QTextTable]:
    for child in frame.childFrames():
        if isinstance(child, QTextTable):
            yield child
        yield from _tables(child)


def _set_table(table: QTextTable, theme: Theme) -> None:
    shape = table.format()
    shape.setBorder(1)
    shape.setBorderBrush(theme.line2)
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setBorderCollapse(True)
    shape.setCellPadding(5)
    shape.setTopMargin(4)
    shape.setBottomMargin(8)
    shape.setCellSpacing(0)
    shape.setWidth(QTextLength())
    table.setFormat(shape)
