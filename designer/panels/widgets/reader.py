"""A text to read, formatted as Markdown or plain."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextCursor, QTextDocument, QTextOption
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QStackedWidget, QTextBrowser

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.widgets.markdown import looks_like_markdown, set_markdown

# Longer texts (in characters) are shown plain, because formatting them would freeze the
# window.
SET_LIMIT = 100_000
MARGIN = 12
_Wrap = QTextOption.WrapMode
# Such a word wraps anywhere, because Qt needs 23 s to find a break in a million
# characters.
_ENDLESS = re.compile(r"\S{2000}")


class Reader(QStackedWidget):
    """`can_format` says whether the present text has a formatted view, `formatted`
    whether the user wants it.
    """

    def __init__(self, look: Look, name: str = "Output") -> None:
        super().__init__()
        self._look = look
        self._text = ""
        self._made: QTextDocument | None = None
        self._grows = False
        # Whether the formatted page has the present text in the present colours.
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
        """Show a text. With `follow` it still grows: it is plain, and its end stays in
        view unless the user scrolled up.
        """
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
        self.plain.clear()  # or the old text would be wrapped again in the other mode
        self.plain.setWordWrapMode(
            _Wrap.WrapAnywhere if endless else _Wrap.WrapAtWordBoundaryOrAnywhere
        )
        self.plain.setPlainText(text)
        self._show()

    def _grow(self, text: str) -> None:
        bar = self.plain.verticalScrollBar()
        position = bar.value()
        is_other_text = not text.startswith(self._text[:20])
        was_at_end = is_other_text or bar.value() >= bar.maximum()
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
        # A new document, because the view would lay out the shown document after each
        # change.
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
        # Set on the widgets, because the window's style for read-only fields must not
        # apply here.
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
    """A page that loads nothing and follows no link; web addresses open
    in the browser.
    """

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
