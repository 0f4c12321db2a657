"""The window of help: the chapters of the guide, and the texts that F1 makes of node
types and problems.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QKeySequence,
    QShortcut,
    QStandardItem,
    QStandardItemModel,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QSplitter,
    QTextEdit,
    QTreeView,
    QWidget,
)

from designer.look.theme import Look
from designer.panels.widgets.basic import allow, button, hairline, label
from designer.panels.widgets.dialog import Dialog
from designer.panels.widgets.markdown import set_markdown
from designer.panels.widgets.reader import Page
from designer.qt.layouts import column, put, row
from designer.shell.help.texts import Topic, guide_topic
from resources import guide

MARGIN = 16
SIZE = QSize(900, 660)
CONTENTS_WIDTH = 220
ROW = QSize(0, 24)
ChapterRole = Qt.ItemDataRole.UserRole
HeadingRole = Qt.ItemDataRole.UserRole + 1


class HelpPage(Dialog):
    """Not modal: a person reads it and continues to work. Esc closes it."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        self._look = look
        self.topic = Topic("", "")
        self._history: list[Topic] = []
        self.title = label("", "section", wrap=True)
        self.back = button("Back", self.go_back, small=True)
        self.back.setAutoDefault(False)
        self.contents = Contents()
        self.contents.chosen.connect(self._show_heading)
        self.page = GuidePage()
        self.page.setAccessibleName("Help")
        self.page.followed.connect(self._follow)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Back), self, self.go_back)
        self._build()
        look.changed.connect(self._restyle)

    def _build(self) -> None:
        layout = column(self)
        put(layout, row((self.title, 1), self.back, margins=(MARGIN, 10, MARGIN, 10)))
        layout.addWidget(hairline())
        parts = QSplitter(Qt.Orientation.Horizontal)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.contents)
        parts.addWidget(self.page)
        parts.setStretchFactor(1, 1)
        parts.setSizes([CONTENTS_WIDTH, SIZE.width() - CONTENTS_WIDTH])
        layout.addWidget(parts, 1)
        self.resize(SIZE)

    def show_topic(self, topic: Topic) -> None:
        """Show it, in front. *Back* leads to the topic before."""
        if self.topic.text and topic != self.topic:
            self._history.append(self.topic)
        self._show(topic)
        self.show()
        self.raise_()
        self.activateWindow()
        self.page.setFocus()
        # Before it was shown, its width was another one, and so were the lines.
        self._scroll()

    def go_back(self) -> None:
        if self._history:
            self._show(self._history.pop())

    def _follow(self, chapter: str, heading: str) -> None:
        """Follow a link. One without a chapter leads to a heading of the same chapter."""
        self._show_heading(chapter or self.topic.chapter, heading)

    def _show_heading(self, chapter: str, heading: str) -> None:
        self.show_topic(guide_topic(chapter, heading))

    def _show(self, topic: Topic) -> None:
        self.topic = topic
        self.title.setText(topic.title)
        allow(self.back, "" if self._history else "There is no page before this one.")
        self.contents.mark(topic.chapter, topic.heading)
        self._set_text()
        self._scroll()

    def _scroll(self) -> None:
        if self.topic.heading:
            self.page.scrollToAnchor(self.topic.heading)

    def _restyle(self) -> None:
        scroll_bar = self.page.verticalScrollBar()
        position = scroll_bar.value()
        self._set_text()
        scroll_bar.setValue(position)

    def _set_text(self) -> None:
        theme = self._look.theme
        document = self.page.document()
        set_markdown(document, self.topic.text, theme)
        document.setDocumentMargin(MARGIN)
        self.page.moveCursor(
            QTextCursor.MoveOperation.Start
        )  # setting the text leaves it at the end
        self._mark_headings(document)
        self.page.setStyleSheet(
            f"color: {theme.text.name()}; background: {theme.panel.name()}; border: none; border-radius: 0; padding: 0;"
        )

    def _mark_headings(self, document: QTextDocument) -> None:
        """Give each heading the anchor that GitHub gives to it, because Qt makes none
        from Markdown.

        The heading of the topic is coloured, because one near the end of a chapter
        cannot be scrolled to the top.
        """
        marks = []
        block = document.begin()
        while block.isValid():
            if block.blockFormat().headingLevel():
                slug = guide.slug(block.text())
                anchor = QTextCharFormat()
                anchor.setAnchor(True)
                anchor.setAnchorNames([slug])
                cursor = QTextCursor(block)
                cursor.movePosition(
                    QTextCursor.MoveOperation.EndOfBlock,
                    QTextCursor.MoveMode.KeepAnchor,
                )
                cursor.mergeCharFormat(anchor)
                if slug == self.topic.heading:
                    marks.append(self._mark(cursor))
            block = block.next()
        self.page.setExtraSelections(marks)

    def _mark(self, heading: QTextCursor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        heading.clearSelection()
        mark.cursor = heading
        mark.format.setBackground(self._look.theme.accentSoft)
        mark.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return mark


class Contents(QTreeView):
    """The chapters with their headings; only the chapter on the page is open."""

    chosen = Signal(str, str)  # chapter, heading

    def __init__(self) -> None:
        super().__init__()
        self._items = QStandardItemModel(self)
        for chapter in guide.chapters().values():
            item = _entry(chapter.title, chapter.name, "")
            for heading in chapter.headings:
                if heading.level == 2:
                    item.appendRow(_entry(heading.title, chapter.name, heading.slug))
            self._items.appendRow(item)
        self.setModel(self._items)
        self.setAccessibleName("Chapters")
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setUniformRowHeights(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.clicked.connect(self._choose)
        self.activated.connect(self._choose)

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(index.data(ChapterRole), index.data(HeadingRole))

    def mark(self, chapter: str, heading: str) -> None:
        """Make the entry of a heading the current one; none, if the page is no chapter
        of the guide.
        """
        self.setCurrentIndex(QModelIndex())
        for number in range(self._items.rowCount()):
            item = self._items.item(number)
            is_shown = item.data(ChapterRole) == chapter
            self.setExpanded(item.index(), is_shown)
            if is_shown:
                self.setCurrentIndex(_find(item, heading).index())


def _entry(text: str, chapter: str, heading: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setData(chapter, ChapterRole)
    item.setData(heading, HeadingRole)
    item.setToolTip(text)
    item.setSizeHint(ROW)
    return item


def _find(chapter: QStandardItem, heading: str) -> QStandardItem:
    for number in range(chapter.rowCount()):
        entry = chapter.child(number)
        if entry.data(HeadingRole) == heading:
            return entry
    return chapter


class GuidePage(Page):
    """A page with links into the guide."""

    followed = Signal(str, str)  # chapter, heading

    def __init__(self) -> None:
        super().__init__()
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def _follow(self, address: QUrl) -> None:
        name = address.path().removesuffix(".md")
        if address.isRelative() and (not name or name in guide.chapters()):
            self.followed.emit(name, address.fragment())
        else:
            super()._follow(address)
