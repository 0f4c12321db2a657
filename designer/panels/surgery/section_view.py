"""A section of Edit and fork: its head, its rows, what is folded, and what adds to it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.surgery.row_parts import Verbs
from designer.panels.surgery.row_view import RowView
from designer.panels.surgery.rows import SectionRows
from designer.panels.surgery.tag import StagedTag
from designer.panels.widgets.basic import button, hairline, hint, label, set_style
from designer.qt.layouts import column, put, row
from runtime.values.words import counted


class SectionHead(QFrame):
    """The line over a section; a click closes and opens it."""

    toggled = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.setProperty("role", "staged")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chevron = QLabel()
        self.title = label("", "section")
        self.note = hint("")
        self.tag = StagedTag(look)
        parts = (self.chevron, self.title, self.note, None, self.tag)
        put(self, row(*parts, gap=6, margins=(8, 4, 10, 4)))

    def show_section(self, section: SectionRows, *, is_open: bool) -> None:
        self.title.setText(section.title)
        self.note.setText(section.note)
        words = counted(section.changes, "change")
        self.tag.say(words if section.changes else "")
        name = "chev" if is_open else "chevr"
        icon = themed_icon(name, self._look, "text2")
        self.chevron.setPixmap(icon.pixmap(QSize(12, 12)))
        heard = f"{section.title}, {section.note}"
        if section.changes:
            heard += f", {words}"
        self.setAccessibleName(heard)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.toggled.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggled.emit()
        else:
            super().keyPressEvent(event)


class SectionView(QWidget):
    """Signals carry nothing: `section` says which it is."""

    toggled = Signal()
    fold_toggled = Signal()
    add_requested = Signal()

    def __init__(self, look: Look, verbs: Verbs) -> None:
        super().__init__()
        self.section: SectionRows | None = None
        self.views: dict[str, RowView] = {}
        self._look = look
        self._verbs = verbs
        self._drop_y: int | None = None  # where a dragged row would be put
        self.head = SectionHead(look)
        self.head.toggled.connect(self.toggled)
        self.fold = button("", self.fold_toggled.emit)
        self.add = button("", self.add_requested.emit)
        for link in (self.fold, self.add):
            set_style(link, link=True)
        layout = column(self)
        layout.addWidget(self.head)
        self._body = QWidget()
        self._rows = column(self._body, margins=(4, 0, 4, 0))
        layout.addWidget(self._body)
        self._foot = QWidget()
        put(
            self._foot,
            row(self.fold, self.add, None, gap=12, margins=(26, 0, 12, 6)),
        )
        layout.addWidget(self._foot)
        layout.addWidget(hairline())

    def show_section(self, section: SectionRows, *, is_open: bool) -> None:
        self.section = section
        self.head.show_section(section, is_open=is_open)
        self._body.setVisible(is_open)
        if is_open:
            self._show_rows(section)
        words = ""
        if section.folded:
            others = "more, unchanged" if section.changes else "not shown"
            words = f"{section.folded:,} {others}"
        elif section.can_fold:
            words = "Show only what is changed"
        self.fold.setText(words)
        self.fold.setVisible(bool(words))
        adds = section.adds is not None
        is_state = section.key == "state"
        self.add.setText("Add a key" if is_state else "Add a message")
        self.add.setVisible(adds)
        self._foot.setVisible(is_open and (bool(words) or adds))

    def _show_rows(self, section: SectionRows) -> None:
        names = [each.name for each in section.rows]
        for name in self.views.keys() - set(names):
            view = self.views.pop(name)
            self._rows.removeWidget(view)
            view.hide()
            view.deleteLater()
        for place, shown in enumerate(section.rows):
            if shown.name not in self.views:
                self.views[shown.name] = RowView(self._look, self._verbs)
            view = self.views[shown.name]
            if self._rows.indexOf(view) != place:
                # Not taken out first, because a field would lose the focus.
                self._rows.insertWidget(place, view)
            view.show_row(shown)

    def in_order(self) -> Iterator[RowView]:
        """Yield the rows from top to bottom."""
        if self.section is not None and not self._body.isHidden():
            for shown in self.section.rows:
                yield self.views[shown.name]

    # --- dragging ---

    def place_at(self, where: QPoint) -> int:
        """Return before which message a dragged one would be put, of those that are not
        dropped; `where` is on the screen.
        """
        y = self.mapFromGlobal(where).y()
        place = 0
        for view in self._messages():
            middle = view.mapTo(self, view.rect().center()).y()
            if y > middle:
                place += 1
        return place

    def show_drop(self, place: int | None) -> None:
        """Show where a dragged message would be put; None for nowhere."""
        self._drop_y = None
        messages = list(self._messages())
        if place is not None and messages:
            at = messages[min(place, len(messages) - 1)]
            corner = (
                at.rect().topLeft() if place < len(messages) else at.rect().bottomLeft()
            )
            self._drop_y = at.mapTo(self, corner).y()
        self.update()

    def _messages(self) -> Iterator[RowView]:
        for view in self.in_order():
            shown = view.row
            is_message = shown is not None and shown.kind == "message"
            if shown is not None and is_message and not shown.is_gone:
                yield view

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._drop_y is not None:
            painter = QPainter(self)
            line = QRect(12, self._drop_y - 1, self.width() - 24, 2)
            painter.fillRect(line, self._look.theme.accent)
