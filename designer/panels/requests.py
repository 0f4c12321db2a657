"""Requests: the open questions at a moment, each with its subject and a form for the
answer.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QKeySequence,
    QPainter,
    QShortcut,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyleOptionViewItem,
    QWidget,
)

from designer.look.fonts import data_font, ui_font
from designer.look.theme import Look
from designer.model.patch_address import Address
from designer.panels.base import NO_RUN, Panel, PanelHost
from designer.panels.fields.error_line import ErrorLine
from designer.panels.forms.answer import AnswerForm, Draft
from designer.panels.values.changes import Changes
from designer.panels.values.model import Node
from designer.panels.values.origins import QUESTION
from designer.panels.values.tree import ROW, ValueTree
from designer.panels.widgets.basic import (
    ContentOrNotice,
    Glyph,
    button,
    hairline,
    hint,
    icon_button,
    label,
    paint_mark,
    scrolling,
)
from designer.panels.widgets.focus import stops
from designer.panels.widgets.rows import RowDelegate
from designer.qt.indexes import AnyIndex
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import Reply, RequestMoment, Value

INBOX_ROW = 30
INBOX_ROWS = 6
PAYLOAD_ROWS = 10
PAST = (
    "This is the past: an answer here would change it. Restore here, and answer on a "
    "new branch."
)
RUNNING = (
    "The run is moving. Pause it, or wait until it stops: answers enter at a barrier."
)


class RequestsPanel(Panel):
    """`restore_requested` carries the id of the checkpoint from which the user wants to
    answer.

    `answered` is emitted after the last answer, so that the focus can leave the panel.
    """

    title = "Requests"
    icon = "ask"
    area = "right-debug"
    badge_tone = "ask"
    restore_requested = Signal(str)
    copy_requested = Signal(object)  # Address
    answered = Signal()

    def connect_to(self, host: PanelHost) -> None:
        self.restore_requested.connect(host.restore)
        self.copy_requested.connect(host.edit_copy)
        self.answered.connect(host.focus_canvas)

    @property
    def entry(self) -> QWidget:
        return self.question or self

    def set_up(self) -> None:
        self.drafts: dict[str, Draft] = {}
        self.question: Question | None = None
        self._enter_next = False
        self._sent = ""
        self._items = QStandardItemModel(self)
        self.inbox = _Inbox(self.look, self._items)
        self.inbox.selectionModel().currentChanged.connect(
            lambda index, _before: self._show(index.row())
        )
        self._scroll = scrolling()
        content = QWidget()
        layout = column(content)
        layout.addWidget(self.inbox)
        layout.addWidget(hairline())
        layout.addWidget(self._scroll, 1)
        self.stack = ContentOrNotice(content, self.look)
        self.changes = Changes(self.session, self.look, ("requests",), self.outer_title)
        self.stack.addWidget(self.changes)
        column(self).addWidget(self.stack)
        self.session.compared.connect(self.invalidate)
        self.session.viewed.connect(self._on_viewed)
        self.session.changed.connect(self._on_viewed)

    @property
    def requests(self) -> tuple[RequestMoment, ...]:
        return self.session.moment.requests if self.session.moment is not None else ()

    def unfinished(self) -> list[str]:
        """Return the open questions with an answer that was begun and not sent."""
        return [
            f"answer to {self.outer_title(request.executor)}, not sent"
            for request in self.requests
            if self._has_draft(request)
        ]

    def _has_draft(self, request: RequestMoment) -> bool:
        draft = self.drafts.get(request.id)
        return draft is not None and bool(draft.touched)

    def refresh(self) -> None:
        if self.changes.is_on and self.session.moment is not None:
            self.changes.show_changes()
            self.stack.setCurrentWidget(self.changes)
            return
        requests = self.requests
        if not requests:
            self._clear()
            return
        self.stack.show_content()
        current = self.question.request.id if self.question is not None else ""
        self._fill_inbox()
        ids = [request.id for request in requests]
        row_index = ids.index(current) if current in ids else 0
        self.inbox.setCurrentIndex(self._items.index(row_index, 0))
        self._show(row_index)

    # --- inside

    def _on_viewed(self) -> None:
        count = len(self.requests)
        self.badge_changed.emit(str(count) if count else "")
        self.invalidate()

    def _clear(self) -> None:
        self._items.clear()
        self._drop_question()
        if self.session.moment is None:
            self.stack.say(self.icon, *NO_RUN)
        else:
            self.stack.say(
                self.icon,
                "No open questions",
                "Questions of executors are answered here, in a form.",
            )

    def _fill_inbox(self) -> None:
        self.inbox.selectionModel().blockSignals(True)
        self._items.clear()
        for request in self.requests:
            asker = self.outer_title(request.executor)
            item = QStandardItem(_split(request)[0] or asker)
            tail = f"s{request.superstep}"
            if self._has_draft(request):
                tail = f"draft · {tail}"
            item.setData(tail, Qt.ItemDataRole.UserRole)
            item.setToolTip(f"{item.text()}\nFrom {asker}")
            item.setEditable(False)
            self._items.appendRow(item)
        self.inbox.selectionModel().blockSignals(False)
        self.inbox.setFixedHeight(INBOX_ROW * min(INBOX_ROWS, self._items.rowCount()))

    def _show(self, row: int) -> None:
        if not 0 <= row < len(self.requests):
            return
        request = self.requests[row]
        if self.question is None or self.question.request != request:
            self._drop_question()
            self.question = Question(
                self, request, self.drafts.setdefault(request.id, Draft())
            )
            self._scroll.setWidget(self.question)
        self.question.follow(self.session.mode == "past", self.session.running)
        if self._enter_next and request.id != self._sent:
            self._enter_next = False
            self.question.enter()

    def _drop_question(self) -> None:
        if self.question is not None:
            widget = self._scroll.takeWidget()
            self.question = None
            if widget is not None:
                widget.deleteLater()

    def keep_draft(self) -> None:
        """Leave the question for later, and go to the next."""
        row_index = self.inbox.currentIndex().row()
        self._fill_inbox()
        self.inbox.setCurrentIndex(
            self._items.index((row_index + 1) % self._items.rowCount(), 0)
        )
        self.inbox.setFocus()

    def send(self, request: RequestMoment, value: Any) -> None:
        question = self.question

        def on_reply(reply: Reply) -> None:
            if reply.success:
                self.drafts.pop(request.id, None)
                self._go_on_from(request)
            elif question is not None and self.question is question:
                question.refused(reply.message)
                if self.inbox.hasFocus():
                    question.enter()

        if self.isAncestorOf(self.window().focusWidget()):
            # Because the button is about to be disabled, and Qt moves its focus to
            # anywhere.
            self.inbox.setFocus()
        if question is not None:
            question.form.block("The answer is being sent.")
        self.session.answer({request.id: value}, on_reply)

    def _go_on_from(self, request: RequestMoment) -> None:
        """Focus the next question, if the focus is still in this panel."""
        if not self.inbox.hasFocus():
            return
        self._sent = request.id
        self._enter_next = any(other.id != request.id for other in self.requests)
        if not self._enter_next:
            self.answered.emit()


class Question(QWidget):
    """One question: its executor, its subject, and the form."""

    def __init__(
        self, panel: RequestsPanel, request: RequestMoment, draft: Draft
    ) -> None:
        super().__init__()
        self.request = request
        self._panel = panel
        asker = panel.outer_title(request.executor)
        self.form = AnswerForm(request, panel.look, draft)
        self.form.sent.connect(lambda value: panel.send(request, value))
        self.form.kept.connect(panel.keep_draft)
        self._refused = ErrorLine(panel.look)
        self._past = self._past_note()
        who = button(asker, lambda: panel.reveal(request.executor))
        who.setProperty("link", True)
        who.setToolTip(f"Select {asker}")
        self.origin = icon_button(panel.look, "branch", QUESTION, self._ask_origin)
        layout = column(self, margins=(12, 12, 12, 16), gap=8)
        question, details = _split(request)
        layout.addWidget(label(question or asker, "section", wrap=True))
        if details:
            layout.addWidget(label(details, "secondary", wrap=True))
        put(
            layout,
            row(
                label("From", "secondary"),
                who,
                _asked_in(request.superstep),
                None,
                self.origin,
                gap=4,
            ),
        )
        if subject(request.data)[1].text not in ("", "None", repr(request.title)):
            layout.addWidget(self._payload())
        layout.addSpacing(4)
        layout.addWidget(hairline())
        layout.addSpacing(4)
        layout.addWidget(self._past)
        layout.addSpacing(4)
        layout.addWidget(self.form)
        layout.addWidget(self._refused)
        layout.addStretch(1)
        shortcut = QShortcut(QKeySequence("Ctrl+Return"), self)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self.form.send.click)

    def follow(self, past: bool, running: bool) -> None:
        """Make the form read-only in the past, and block sending while the run moves."""
        self._past.setVisible(past)
        self.form.form.set_read_only(past)
        self.form.json.set_read_only(past)
        self.form.send.setVisible(not past)
        self.form.keep.setVisible(not past)
        if past:
            self.form.block(PAST)
        else:
            self.form.block(RUNNING if running else "")

    def enter(self) -> None:
        """Focus the first field of the answer."""
        field = next(stops(self.form), None)
        if field is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)

    def refused(self, reason: str) -> None:
        """Show why the host refused the answer, and let the user correct it."""
        self._refused.say(reason)
        self.form.block("")

    def _ask_origin(self) -> None:
        address = f"request:{self.request.id}"
        self._panel.session.explain(address, "this question", outermost=True)

    def _past_note(self) -> QWidget:
        note = QWidget()
        restore = button("Restore here to answer", self._restore, small=True)
        in_copy = button("Answer in a copy", self._edit_copy, small=True)
        layout = column(note, gap=8)
        mark = Glyph(self._panel.look, "restore", "past", 16)
        line = put(layout, row(mark, (label(PAST, "secondary", wrap=True), 1), gap=8))
        line.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
        put(layout, row(24, restore, 6, in_copy, None, gap=0))
        return note

    def _edit_copy(self) -> None:
        self._panel.copy_requested.emit(Address("requests", self.request.id))

    def _restore(self) -> None:
        self._panel.restore_requested.emit(self._panel.session.viewing or "")

    def _payload(self) -> QWidget:
        # Questions are those of the workflow as a whole, whichever level is shown.
        expand = partial(self._panel.session.questions.expand, outermost=True)
        self.tree = ValueTree(self._panel.look, expand, "Subject of the question")
        section = f"request:{self.request.id}"
        path, data = subject(self.request.data)
        root = Node("", data, section=section, path=path)
        if not data.count:
            root.add([Node("data", data, section=section, path=path, title="About")])
        elif root.loaded == 1:
            root.children[0].open = True
        self.tree.show_root(root)
        well = QFrame()
        well.setProperty("role", "well")
        column(well, margins=(1, 4, 1, 4)).addWidget(self.tree)
        self.tree.expanded.connect(lambda _at: self._fit())
        self.tree.collapsed.connect(lambda _at: self._fit())
        self.tree.values.rowsInserted.connect(
            lambda *_: QTimer.singleShot(0, self, self._fit)
        )
        self._fit()
        return well

    def _fit(self) -> None:
        nodes = self.tree.values.root.walk()
        rows = sum(1 for node in nodes if _is_shown(self.tree, node))
        self.tree.setFixedHeight(ROW * max(1, min(PAYLOAD_ROWS, rows)) + 2)


def _split(request: RequestMoment) -> tuple[str, str]:
    """Return the first line of a question's text, and the other lines."""
    question, _, details = (request.text or request.title).partition("\n")
    return question.strip(), details.strip()


def subject(data: Value) -> tuple[tuple[int, ...], Value]:
    """Return the subject of a question, and its path in the data.

    Of our own class `Question` it is the details, because its text is the title
    already.
    """
    names = [name for name, _ in data.children or ()]
    if data.type == "Question" and data.children and "details" in names:
        index = names.index("details")
        return (index,), data.children[index][1]
    return (), data


def _is_shown(tree: ValueTree, node: Node) -> bool:
    parent = node.parent
    while parent is not None and parent.parent is not None:
        if not tree.isExpanded(tree.values.index_of(parent)):
            return False
        parent = parent.parent
    return True


def _asked_in(superstep: int) -> QWidget:
    return hint(f"· asked in superstep {superstep}")


class _Inbox(QListView):
    """The open questions, a row each."""

    def __init__(self, look: Look, items: QStandardItemModel) -> None:
        super().__init__()
        self.setModel(items)
        self.setItemDelegate(_InboxRow(look, self))
        self.setAccessibleName("Open questions")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        look.changed.connect(self.viewport().update)


class _InboxRow(RowDelegate):
    height = INBOX_ROW

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        theme = self._look.theme
        rect = QRect(option.rect)
        self.paint_background(painter, option, rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_mark(
            painter, "asking", QRectF(12, rect.center().y() - 6, 14, 14), theme, "ask"
        )
        tail = str(index.data(Qt.ItemDataRole.UserRole))
        width = QFontMetrics(data_font()).horizontalAdvance(tail)
        painter.setFont(data_font())
        painter.setPen(theme.text2)
        painter.drawText(
            rect.adjusted(0, 0, -12, 0),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            tail,
        )
        painter.setFont(ui_font())
        painter.setPen(theme.text)
        room = rect.adjusted(34, 0, -width - 24, 0)
        text = QFontMetrics(ui_font()).elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()
