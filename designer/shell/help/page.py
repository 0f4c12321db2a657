"""The page that F1 shows: one window beside the work, filled anew each time."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.widgets.basic import hairline, label
from designer.panels.widgets.dialog import Dialog
from designer.panels.widgets.markdown import set_markdown
from designer.panels.widgets.reader import Page
from designer.qt.layouts import column, put, row
from designer.shell.help.texts import Topic

MARGIN = 16
SIZE = (460, 520)


class HelpPage(Dialog):
    """Not modal: one reads it and goes on working. Esc closes it."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Help")
        self._look = look
        self._topic = Topic("", "")
        self.title = label("", "section", wrap=True)
        self.page = Page()
        self.page.setAccessibleName("Help")
        self.page.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextBrowserInteraction
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        layout = column(self)
        put(layout, row(self.title, margins=(MARGIN, 14, MARGIN, 10)))
        layout.addWidget(hairline())
        layout.addWidget(self.page, 1)
        self.resize(*SIZE)
        look.changed.connect(self._set)

    def show_topic(self, topic: Topic) -> None:
        """Show it, in front."""
        self._topic = topic
        self._set()
        self.show()
        self.raise_()
        self.activateWindow()
        self.page.setFocus()

    def _set(self) -> None:
        document = self.page.document()
        set_markdown(document, self._topic.text, self._look.theme)
        document.setDocumentMargin(MARGIN)
        # setting the text leaves it at the end
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        self.title.setText(self._topic.title)
        theme = self._look.theme
        self.page.setStyleSheet(
            f"color: {theme.text.name()}; background: {theme.panel.name()}; border: none; border-radius: 0; padding: 0;"
        )
