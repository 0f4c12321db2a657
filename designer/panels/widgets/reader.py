"""A text to read, as Markdown or as it is."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QStackedWidget, QTextBrowser

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.widgets.markdown import looks_like_markdown, set_markdown

# Characters above which a text is shown as it is: setting more would stop the window for longer than a moment.
SET_LIMIT = 100_000
MARGIN = 12
_Wrap = QTextOption.WrapMode
# A word that Qt would look for a place to break in for seconds (23 of them for a million characters).
_ENDLESS = re.compile(r"\S{2000}")


class Reader(QStackedWidget):
    """`can_format` says whether there is a formatted view of the present text; `formatted` whether it is wanted."""

    def __init__(self, look: Look, name: str = "Output") -> None:
        super().__init__()
        self._look = look
        self._text = ""
        self._made: QTextDocument | None = None
        self._grows = False
        # the formatted page has the present text in the present colours
        self._set = False
        self.can_format = False
        self.formatted = True
        self.page = Page()
        self.plain = QPlainTextEdit()
        self.plain.setReadOnly(True)
        self.plain.setFrameShape(QFrame.Shape.NoFrame)
        self.plain.setFont(data_font())
        self.plain.document().setDocumentMargin(MARGIN)
        for part, called in (
            (self.page, f"{name}, formatted"),
            (self.plain, f"{name}, plain text"),
        ):
            part.setAccessibleName(called)
            self.addWidget(part)
        look.changed.connect(self._restyle)
        self._restyle()

    @property
    def text(self) -> str:
        return self._text

    def show_text(self, text: str, *, follow: bool = False) -> None:
        """With `follow` the text grows: it is plain until it is whole, and its end is in sight unless one looks up."""
        if text == self._text and follow is self._grows:
            return
        self._grows = follow
        if follow:
            self._grow(text)
            return
        self._text = text
        self._set = False
        endless = _ENDLESS.search(text) is not None
        self.can_format = (
            len(text) <= SET_LIMIT and not endless and looks_like_markdown(text)
        )
        self.plain.clear()  # it is not to be wrapped anew
        self.plain.setWordWrapMode(
            _Wrap.WrapAnywhere if endless else _Wrap.WrapAtWordBoundaryOrAnywhere
        )
        self.plain.setPlainText(text)
        self._show()

    def _grow(self, text: str) -> None:
        bar = self.plain.verticalScrollBar()
        position = bar.value()
        was_at_end = bar.value() >= bar.maximum() or not text.startswith(
            self._text[:20]
        )
        if self._text and text.startswith(self._text) and not self.can_format:
            cursor = QTextCursor(self.plain.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(text[len(self._text) :])
        else:
            self.plain.setWordWrapMode(_Wrap.WrapAnywhere)
            self.plain.setPlainText(text)
        self._text = text
        self.can_format = False
        self._show()
        bar.setValue(bar.maximum() if was_at_end else position)

    def show_formatted(self, formatted: bool) -> None:
        self.formatted = formatted
        self._show()

    def _show(self) -> None:
        if not (self.formatted and self.can_format):
            self.setCurrentWidget(self.plain)
            return
        if not self._set:
            self._set = True
            self._set_page()
        self.setCurrentWidget(self.page)

    def _set_page(self) -> None:
        # Not in the document that is shown: the view would follow every change, and lay out after each.
        page_document = QTextDocument(self.page)
        page_document.setDocumentMargin(MARGIN)
        set_markdown(page_document, self._text, self._look.theme)
        before = self._made
        self._made = page_document
        self.page.setDocument(page_document)
        if before is not None:
            before.deleteLater()

    def _restyle(self) -> None:
        theme = self._look.theme
        # Of the widgets themselves: what panels say of fields that cannot be edited is not meant for texts to read.
        for part in (self.page, self.plain):
            part.setStyleSheet(
                f"color: {theme.text.name()}; background: {theme.panel.name()}; border: none; border-radius: 0;"
                " padding: 0;"
            )
        position = self.page.verticalScrollBar().value()
        self._set = False
        self._show()
        self.page.verticalScrollBar().setValue(position)


class Page(QTextBrowser):
    """A page that loads nothing and goes nowhere by itself: an address on the web is given to the browser."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)
        self.highlighted.connect(
            lambda address: self.setToolTip(address.toDisplayString())
        )

    def loadResource(self, type: int, name: QUrl | str) -> Any:
        return None

    def _follow(self, address: QUrl) -> None:
        if address.scheme() in ("http", "https"):
            QDesktopServices.openUrl(address)
