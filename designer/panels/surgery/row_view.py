"""One row of Edit and fork: what it is, the field in which it is changed, its tags, its
undo, and what is wrong with it.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPixmap,
)
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import MISSING, TypedField
from designer.panels.surgery.answer_editor import AnswerEditor
from designer.panels.surgery.row_parts import Grip, StruckLabel, Verbs
from designer.panels.surgery.rows import NOTHING, Row, known_value
from designer.panels.surgery.tag import StagedTag
from designer.panels.surgery.value_field import (
    AnyField,
    LineField,
    TaskKeys,
    field_for,
    fits,
    typed_text,
)
from designer.panels.values.model import shown_text
from designer.panels.widgets.basic import (
    icon_button,
    label,
    set_style,
)
from designer.panels.widgets.focus import stops
from designer.qt.layouts import clear, put, row, stack

INDENT = 14
HEIGHT = 28
FIELD = 24
WIDEST = 16_777_215
NARROW = 104  # px of a field for a number or a word
RIGHT = Qt.TextElideMode.ElideRight
_NO_KEYS = Qt.KeyboardModifier.NoModifier
_ALT = Qt.KeyboardModifier.AltModifier
_CTRL = Qt.KeyboardModifier.ControlModifier


class RowView(QFrame):
    """A row. It is filled again instead of made again, so that the field in which the
    user types stays.
    """

    def __init__(self, look: Look, verbs: Verbs) -> None:
        super().__init__()
        self.row: Row | None = None
        self.field: TypedField | None = None
        self.answer: AnswerEditor | None = None
        self._look = look
        self._verbs = verbs
        self._is_filling = False
        self.setProperty("role", "staged")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chevron = QLabel()
        self.chevron.setFixedWidth(14)
        self.grip = Grip(look, self, verbs)
        self.position = label("", "data2")
        self.position.setFixedWidth(16)
        self.title = StruckLabel("", "data", RIGHT)
        self.text = StruckLabel("", "secondary", RIGHT)
        self.old = StruckLabel("", "data2", RIGHT)
        self.old.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.old.strike(on=True)
        self.tags = [StagedTag(look) for _ in range(2)]
        self.undo = icon_button(look, "undo", "Undo this change", self._undo)
        self.more = icon_button(look, "more", "What can be done with it", self._more)
        for button in (self.undo, self.more):
            button.setFixedSize(22, 22)
        self._errors = [ErrorLine(look), ErrorLine(look)]
        self._build()

    def _build(self) -> None:
        line = row(
            self.chevron,
            self.grip,
            self.position,
            (self.title, 2),
            (self.text, 3),
            self.old,
            gap=4,
        )
        layout = put(self, stack(gap=2, margins=(6, 1, 6, 1)))
        self._line = put(layout, line)
        self._line.addStrut(HEIGHT - 2)
        # Never lower than what is in it, because the list scrolls.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._field_holder = QWidget()
        self._field_holder.setMinimumHeight(FIELD)
        self._place = put(self._field_holder, row(gap=4))
        self._line.addWidget(self._field_holder, 4)
        for tag in self.tags:
            self._line.addWidget(tag)
        # One place for both, so that fields end in one line.
        end = QWidget()
        end.setFixedWidth(24)
        put(end, row(self.undo, self.more, None, gap=0))
        self._line.addWidget(end)
        self._wide = QWidget()
        self._wide_place = put(self._wide, row(gap=0, margins=(18, 0, 0, 4)))
        layout.addWidget(self._wide)
        for error in self._errors:
            error.setContentsMargins(18, 0, 0, 2)
            layout.addWidget(error)
            error.hide()

    # --- filling ---

    def show_row(self, shown: Row) -> None:
        if shown == self.row:
            return
        self._is_filling = True
        self.row = shown
        self._line.setContentsMargins(shown.depth * INDENT, 0, 0, 0)
        self._show_head(shown)
        self._show_value(shown)
        self._show_tags(shown)
        for line in self._errors:
            line.say("")
        for line, (text, is_wrong) in zip(self._errors, shown.messages, strict=False):
            line.say(text, calm=not is_wrong)
        set_style(self, wrong=shown.is_wrong)
        self.setAccessibleName(self.words())
        self._is_filling = False

    def words(self) -> str:
        """Return the row as people hear it."""
        shown = self.row
        if shown is None:
            return ""
        parts = [shown.position, shown.title, self.text.text() or self.shown_value()]
        if shown.kind == "message":
            origin = f"from {shown.title} {shown.note}".strip()
            parts = [shown.position, self.title.text(), self.text.text(), origin]
        parts += [tag.words for tag in shown.tags]
        parts += [text for text, _is_wrong in shown.messages]
        return ", ".join(filter(None, parts))

    def shown_value(self) -> str:
        return self.field.text() if self.field is not None else ""

    def _show_head(self, shown: Row) -> None:
        is_message = shown.kind == "message"
        pixmap = QPixmap()
        if shown.can_open and not is_message:
            name = "chev" if shown.is_open else "chevr"
            pixmap = themed_icon(name, self._look, "text2").pixmap(QSize(12, 12))
        self.chevron.setPixmap(pixmap)
        self.chevron.setVisible(not is_message and shown.kind != "notice")
        self.grip.setVisible(is_message and not shown.is_gone)
        self.position.setVisible(is_message)
        self.position.setText(shown.position)
        kind = _kind_of(shown)
        self.title.setText(kind if is_message else shown.title)
        # Directly before the message, so that those of all rows begin in one line.
        policy = (
            QSizePolicy.Policy.Maximum if is_message else QSizePolicy.Policy.Ignored
        )
        self.title.setSizePolicy(policy, QSizePolicy.Policy.Fixed)
        role = "chip" if is_message else "data"
        if shown.subject.section == "executors" and not shown.subject.path:
            role = "body"
        if shown.kind in ("request", "notice"):
            role = "body" if shown.kind == "request" else "secondary"
        set_style(self.title, role=role)
        self.title.strike(on=shown.is_gone)
        text = ""
        if is_message:
            text = self._message_text(shown)
        elif shown.kind == "value" and not self._has_field(shown):
            text = shown_text(shown.old) if shown.old is not None else ""
        self.text.setText(text)
        self.text.setVisible(bool(text))
        self.text.strike(on=shown.is_gone)
        tip = f"{shown.title} {shown.note}".strip() if is_message else ""
        self.setToolTip(f"From {tip}" if tip else "")

    def _message_text(self, shown: Row) -> str:
        if shown.new is not NOTHING:
            text = typed_text(shown.new, "")
            return " ".join(text.split())[:80]
        if shown.old is None:
            return ""
        return shown_text(shown.old)

    def _has_field(self, shown: Row) -> bool:
        if shown.kind != "value" or shown.is_gone:
            return False
        return shown.new is not NOTHING or known_value(shown.old) is not NOTHING

    def _show_value(self, shown: Row) -> None:
        self.old.setVisible(False)
        if shown.kind == "request":
            self._show_answer(shown)
            return
        if not self._has_field(shown):
            self._drop_field()
            return
        value = shown.new if shown.new is not NOTHING else known_value(shown.old)
        is_changed = bool(shown.ids)
        kind = shown.old.type if shown.old is not None else ""
        field = self.field
        if field is None or not fits(field, value):
            field = self._make_field(value, kind)
        field.show_value(value)
        field.set_invalid(shown.is_wrong)
        if isinstance(field, LineField):
            field.be_quiet(on=shown.new is NOTHING)
            field.editor().setFixedHeight(FIELD)
            is_text = isinstance(value, str) and kind in ("str", "")
            self._field_holder.setMaximumWidth(WIDEST if is_text else NARROW)
        field.editor().setAccessibleName(shown.title)
        if is_changed and shown.old is not None and isinstance(field, LineField):
            before = known_value(shown.old)
            words = shown_text(shown.old)
            if before is not NOTHING:
                words = typed_text(before, kind)
            self.old.setText(words if len(words) <= 12 else words[:11] + "…")
            self.old.setVisible(bool(words))

    def _show_answer(self, shown: Row) -> None:
        self._field_holder.setVisible(False)
        if not shown.is_open or shown.request is None or shown.is_gone:
            self.answer = None
            clear(self._wide_place)
            self._wide.setVisible(False)
            return
        if self.answer is None:
            self.answer = AnswerEditor(shown.request, self._look)
            self.answer.typed.connect(self._on_answered)
            self.answer.withdrawn.connect(lambda: self._on_key("drop"))
            self._wide_place.addWidget(self.answer)
            self._wide.setVisible(True)
        self.answer.show_answer(shown.new)

    def _on_answered(self, answer: Any) -> None:
        if not self._is_filling and self.row is not None:
            self._verbs.type_value(self.row, answer)

    def _make_field(self, value: Any, kind: str) -> TypedField:
        had_focus = self.field is not None and self.field.editor().hasFocus()
        self._drop_field()
        field = field_for(value, kind, is_quiet=True)
        field.edited.connect(self._on_typed)
        field.committed.connect(self._verbs.settle)
        TaskKeys(field.editor(), self._on_key)
        self.field = field
        is_line = isinstance(field, LineField)
        (self._place if is_line else self._wide_place).addWidget(field)
        self._field_holder.setVisible(is_line)
        self._wide.setVisible(not is_line)
        if had_focus:
            field.editor().setFocus()
        return field

    def _drop_field(self) -> None:
        self._field_holder.setVisible(False)
        self._wide.setVisible(False)
        if self.field is not None:
            self.field = None
            clear(self._place)
            clear(self._wide_place)

    def _show_tags(self, shown: Row) -> None:
        for tag in self.tags:
            tag.say("")
        for tag, words in zip(self.tags, shown.tags, strict=False):
            tag.say(words.words, words.role)
        self.undo.setVisible(bool(shown.ids))
        is_thing = shown.kind in ("message", "request")
        self.more.setVisible(is_thing and not shown.ids)

    # --- what the user does ---

    def enter_field(self) -> None:
        """Go to the field of the row, with its text selected."""
        if self.answer is not None:
            first = next(stops(self.answer.form.form), self)
            first.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if self.field is None:
            self.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        editor = self.field.editor()
        editor.setFocus(Qt.FocusReason.OtherFocusReason)
        if isinstance(self.field, AnyField | LineField):
            self.field.editor().selectAll()
        elif isinstance(self.field, AnyField) and self.field.value() == "":
            # The two quotes of a new value, so that typing takes their place.
            self.field.editor().selectAll()

    def _on_typed(self) -> None:
        if self._is_filling or self.row is None or self.field is None:
            return
        value = self.field.value()
        if value is not MISSING:
            self._verbs.type_value(self.row, value)

    def _on_key(self, verb: str) -> None:
        if self.row is not None:
            self._verbs.act(self.row, verb)

    def _undo(self) -> None:
        if self.row is not None:
            self._verbs.undo(self.row)

    def _more(self) -> None:
        if self.row is not None:
            below = QPoint(0, self.more.height())
            self._verbs.open_menu(self.row, self.more.mapToGlobal(below))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.row is not None:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            if self.row.can_open:
                self._verbs.toggle(self.row)
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second click of two does not close again what the first has opened."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if self.row is not None and self.row.kind != "notice":
            self._verbs.open_menu(self.row, event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    @property
    def _is_whole(self) -> bool:
        """Whether it is a value with others inside, or a message."""
        shown = self.row
        is_there = shown is not None and not shown.is_gone
        is_value = shown is not None and shown.kind in ("value", "message")
        return is_there and is_value and self.field is None

    def event(self, event: QEvent) -> bool:
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (Qt.Key(event.key()), event.modifiers()) in _VERBS
        ):
            # Because the window has some of these keys for what is selected on the canvas.
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        verb = _VERBS.get((Qt.Key(event.key()), event.modifiers()))
        if self.row is None or verb is None:
            super().keyPressEvent(event)
        elif verb in ("next", "before"):
            self._verbs.walk(self, 1 if verb == "next" else -1)
        elif verb == "edit" and self.field is not None:
            self.enter_field()
        elif event.key() == Qt.Key.Key_F2 and self._is_whole:
            self._verbs.act(self.row, "json")
        elif verb == "edit" and self.row.can_open:
            self._verbs.toggle(self.row)
        else:
            self._verbs.act(self.row, verb)


_VERBS = {
    (Qt.Key.Key_Up, _ALT): "up",
    (Qt.Key.Key_Down, _ALT): "down",
    (Qt.Key.Key_Delete, _NO_KEYS): "drop",
    (Qt.Key.Key_D, _CTRL): "duplicate",
    (Qt.Key.Key_Return, _NO_KEYS): "edit",
    (Qt.Key.Key_Enter, _NO_KEYS): "edit",
    (Qt.Key.Key_F2, _NO_KEYS): "edit",
    (Qt.Key.Key_Space, _NO_KEYS): "edit",
    (Qt.Key.Key_Down, _NO_KEYS): "next",
    (Qt.Key.Key_Up, _NO_KEYS): "before",
}


def _kind_of(shown: Row) -> str:
    """Return the type of a message."""
    if shown.new is not NOTHING and shown.old is None:
        return type(shown.new).__name__
    return shown.old.type if shown.old is not None else "message"
