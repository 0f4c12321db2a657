"""Fields for one JSON value that the user types: a line, a number, several lines, and
JSON for everything else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QTextOption,
)
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from designer.look.fonts import data_font
from designer.model.names import is_blank
from designer.panels.fields.typed_numbers import read_number
from designer.panels.widgets.basic import set_style
from designer.qt.layouts import column, put, row
from runtime.document.files import STRICT, json_hint
from runtime.errors import DefinitionError
from runtime.system.bounded_files import TooDeepError, from_json


class Missing(Enum):
    """The value of an empty field: the key is left out of the document, and the default
    applies.
    """

    MISSING = "missing"


MISSING = Missing.MISSING
LONG_WORD = 5_000  # characters
_CHROME = 12  # px, border and padding of a text field in the style sheet
_NO_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff


class Field(QWidget):
    """A widget for one JSON value.

    `edited` is emitted at each change by the user, `committed` when the user has
    finished (Enter, or the focus left). `show_value` emits nothing, and keeps the text
    when it already means the value.
    """

    edited = Signal()
    committed = Signal()
    wide = False

    def value(self) -> Any:
        """Return the JSON value, or MISSING. Raise ValueError with a sentence if the
        text is not a value.
        """
        raise NotImplementedError

    def stored(self) -> Any:
        """Return the value to store while the user types: the value, or the previous
        one when the text is no value.
        """
        return self.value()

    def show_value(self, value: Any) -> None:
        raise NotImplementedError

    def set_read_only(self, on: bool) -> None:
        self.setEnabled(not on)

    def set_invalid(self, on: bool) -> None:
        set_style(self.editor(), invalid=on)

    def set_hint(self, text: str) -> None:
        """Show a text in the empty field."""

    def set_default(self, value: Any) -> None:
        """Set the value that applies when there is none, for fields that show more of
        it than a hint.
        """

    def say(self, error: str) -> None:
        """Take the message that the form shows, for fields that show it elsewhere too;
        "" for none.
        """

    def mark_place(self, line: int, column: int) -> None:
        """Mark the place of the mistake in the text, line and column from 1; line 0
        removes the mark.
        """

    def tools(self) -> Sequence[QWidget]:
        """Return small tools for the right end of the field's label."""
        return ()

    def editor(self) -> QWidget:
        """Return the widget that takes the focus."""
        raise NotImplementedError

    def _holds(self, value: Any) -> bool:
        try:
            return bool(same_json(self.value(), value))
        except ValueError:
            return False


def same_json(a: Any, b: Any) -> bool:
    """Return whether two JSON values are equal: 1 and true differ, 1 and 1.0 do not."""
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same_json, a, b))
    return bool(a == b)


class GrowingText(QPlainTextEdit):
    """A text of several lines that is as high as its text, within limits. Tab leaves
    it.

    `edited` is emitted when the text changes; `textChanged` is emitted also when a
    highlighter changes colours.
    """

    edited = Signal()
    committed = Signal()

    def __init__(self, least: int = 2, most: int = 10) -> None:
        super().__init__()
        self._least = least
        self._most = most
        self._emitted_text = ""
        self.textChanged.connect(self._tell)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(_NO_BAR)
        self.document().documentLayout().documentSizeChanged.connect(
            lambda _size: self._fit()
        )

    def sizeHint(self) -> QSize:
        lines = max(self._least, min(self._most, self._lines()))
        margins = _CHROME + 2 * round(self.document().documentMargin())
        height = math.ceil(lines * QFontMetricsF(self.font()).lineSpacing())
        return QSize(160, height + margins)

    def _lines(self) -> int:
        # Because the document of a QPlainTextEdit measures its height in lines.
        return int(self.document().size().height())

    def _fit(self) -> None:
        # No bar before it is needed: a bar narrows the text, which would wrap, grow and
        # shrink in turn.
        if self._lines() > self._most:
            policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        else:
            policy = _NO_BAR
        self.setVerticalScrollBarPolicy(policy)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def text(self) -> str:
        """Return the exact text: `toPlainText` would turn no-break spaces
        into spaces.
        """
        return self.document().toRawText().replace("\u2029", "\n")

    def set_text(self, text: str) -> None:
        """Show a text without a signal, and keep the position of the cursor."""
        if text == self.text():
            return
        self._wrap_for(text)
        cursor_at = self.textCursor().position()
        self.blockSignals(True)
        self.setPlainText(text)
        self.blockSignals(False)
        self._emitted_text = self.text()
        cursor = self.textCursor()
        cursor.setPosition(min(cursor_at, len(text)))
        self.setTextCursor(cursor)
        self.updateGeometry()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Shift+Enter is a new line like any other: Qt would insert the character
        U+2028, which no language takes for the end of a line.
        """
        is_new_line = event.matches(QKeySequence.StandardKey.InsertLineSeparator)
        if is_new_line and not self.isReadOnly():
            self.textCursor().insertBlock()
            self.ensureCursorVisible()
            return
        super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self._wrap_for(source.text())
        super().insertFromMimeData(source)

    def _wrap_for(self, text: str) -> None:
        """Before a very long word comes in, wrap anywhere: Qt takes minutes to look for
        an end of a word in a megabyte without any.
        """
        if any(len(word) > LONG_WORD for word in text.split()):
            self.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)

    def _tell(self) -> None:
        text = self.text()
        if text != self._emitted_text:
            self._emitted_text = text
            self.edited.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # Not when its own menu or the list of words has taken the focus.
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.committed.emit()


class TypedField(Field):
    """A value that the user types.

    A text that is no value yet, or was refused, stays visible until there is another
    value to show: an edit elsewhere does not remove it. Meanwhile the value `before`
    the typing is stored, and not the meaning of a half-typed text.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: Any = MISSING
        self.before: Any = MISSING
        self._typing = False
        self.edited.connect(self._begin)  # first, before a slot stores the value
        self.committed.connect(self._end)

    def _begin(self) -> None:
        if not self._typing:
            self._typing = True
            self.before = self._shown

    def _end(self) -> None:
        self._typing = False

    def stored(self) -> Any:
        try:
            return self.value()
        except ValueError:
            return self.take_back()

    def take_back(self) -> Any:
        """Return the value from before the typing, to store it again; the text stays."""
        if self._typing:
            self._shown = self.before
        return self._shown

    def show_value(self, value: Any) -> None:
        if not same_json(value, self._shown):
            self._shown = value
            if not self._holds(value):
                self._typing = False  # because the value was changed elsewhere
                self.put(value)

    def put(self, value: Any) -> None:
        """Show the text of a value, without a signal."""
        raise NotImplementedError

    def draft(self) -> str | None:
        """Return the text if it is not the stored value, else None."""
        return None if self._holds(self._shown) else self.text()

    def as_draft(self) -> Draft | None:
        text = self.draft()
        if text is None:
            return None
        reason = ""
        try:
            self.value()
        except ValueError as error:
            reason = str(error)
        return Draft(self.editor().accessibleName(), text, reason, self._shown)

    def text(self) -> str:
        raise NotImplementedError

    def type_in(self, draft: str) -> None:
        """Put a draft back, as if it were typed."""
        raise NotImplementedError

    def give_up(self) -> bool:
        """Discard the draft and show the value again. Return False if there is no
        draft.
        """
        had_draft = self.draft() is not None
        if had_draft:
            self.put(self._shown)
            self.edited.emit()
        return had_draft


class TextField(TypedField):
    """One line of text."""

    def __init__(self, data: bool = False) -> None:
        super().__init__()
        self._edit = QLineEdit()
        if data:
            self._edit.setFont(data_font())
        self._edit.textEdited.connect(lambda _text: self.edited.emit())
        self._edit.editingFinished.connect(self.committed)
        self._edit.installEventFilter(self)
        # A subclass adds its buttons to the right.
        self.line = put(self, row(self._edit, gap=4))

    def editor(self) -> QLineEdit:
        return self._edit

    def value(self) -> Any:
        return self._edit.text() or MISSING

    def put(self, value: Any) -> None:
        self._edit.setText("" if value is MISSING or value is None else str(value))
        self._edit.setCursorPosition(0)  # so that a long text shows its beginning

    def text(self) -> str:
        return self._edit.text()

    def type_in(self, draft: str) -> None:
        self._edit.setText(draft)
        self.edited.emit()

    def set_read_only(self, on: bool) -> None:
        self._edit.setReadOnly(on)

    def set_hint(self, text: str) -> None:
        self._edit.setPlaceholderText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Discard the draft on Escape. Without a draft the key goes on to the widgets
        around the field.
        """
        if (
            event.type() == QEvent.Type.KeyPress
            and isinstance(event, QKeyEvent)
            and self._takes(Qt.Key(event.key()))
        ):
            return True
        return super().eventFilter(watched, event)

    def _takes(self, key: Qt.Key) -> bool:
        return key == Qt.Key.Key_Escape and self.give_up()


class NameField(TextField):
    """A visible name, or none."""

    def value(self) -> Any:
        if is_blank(self._edit.text()):
            raise ValueError("A name of blanks alone cannot be seen.")
        return super().value()


class NumberField(TextField):
    """A number as text, so that it can be empty; Up and Down step by one."""

    def __init__(self, whole: bool) -> None:
        super().__init__(data=True)
        self._whole = whole

    def value(self) -> Any:
        text = self.number_text()
        return read_number(text, whole=self._whole) if text else MISSING

    def number_text(self) -> str:
        """Return the typed number without its unit. Raise ValueError for an unknown
        unit.
        """
        return self._edit.text().strip()

    def _takes(self, key: Qt.Key) -> bool:
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(key)
        if step is None or self._edit.isReadOnly():
            return super()._takes(key)
        self._step(step)
        return True

    def _step(self, step: int) -> None:
        try:
            number = self.value()
        except ValueError:
            return
        self._edit.setText(str((0 if number is MISSING else number) + step))
        self.edited.emit()


class LongTextField(TypedField):
    """Text of several lines."""

    wide = True

    def __init__(
        self, data: bool = False, least: int = 3, edit: GrowingText | None = None
    ) -> None:
        super().__init__()
        self._edit = edit if edit is not None else GrowingText(least)
        if data:
            self._edit.setFont(data_font())
        self._edit.edited.connect(self.edited)
        self._edit.committed.connect(self.committed)
        column(self).addWidget(self._edit)

    def editor(self) -> GrowingText:
        return self._edit

    def value(self) -> Any:
        return self._edit.text() or MISSING

    def put(self, value: Any) -> None:
        self._edit.set_text("" if value is MISSING or value is None else str(value))

    def text(self) -> str:
        return self._edit.text()

    def type_in(self, draft: str) -> None:
        self._edit.set_text(draft)
        self.edited.emit()

    def set_read_only(self, on: bool) -> None:
        self._edit.setReadOnly(on)

    def set_hint(self, text: str) -> None:
        self._edit.setPlaceholderText(text)


class JsonField(LongTextField):
    """Any value as JSON text, with the place of a mistake in the message."""

    def __init__(self, least: int = 3, edit: GrowingText | None = None) -> None:
        super().__init__(data=True, least=least, edit=edit)

    def value(self) -> Any:
        text = self._edit.text()
        return parse_json(text) if text.strip() else MISSING

    def put(self, value: Any) -> None:
        self._edit.set_text("" if value is MISSING else write_json(value))


class Draft(NamedTuple):
    """A text in a field that is not its value: the field's name, the text, the reason,
    and the value that is stored instead.
    """

    field: str
    text: str
    reason: str
    before: Any


def drafts_in(holder: QWidget) -> tuple[Draft, ...]:
    """Return the texts in the fields of a form that are not their values."""
    drafts = (field.as_draft() for field in holder.findChildren(TypedField))
    return tuple(draft for draft in drafts if draft is not None)


def type_into(holder: QWidget, drafts: Sequence[Draft]) -> None:
    """Put drafts back into the fields that they came from, as if they were typed."""
    texts = {draft.field: draft.text for draft in drafts}
    if not texts:
        return
    for field in holder.findChildren(TypedField):
        text = texts.get(field.editor().accessibleName())
        if text is not None:
            field.type_in(text)


class JsonError(ValueError):
    """A text that is no JSON, with the place of the mistake: line and column from 1, or
    0 when unknown.
    """

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.line = line
        self.column = column


def write_json(value: Any) -> str:
    """Return a value as JSON for people. Characters that a text editor takes for line
    ends are escaped.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def parse_json(text: str) -> Any:
    """Return the value of a JSON text. Raise `JsonError` with line,
    column and reason.
    """
    try:
        return from_json(text, STRICT)
    except DefinitionError as error:
        raise JsonError(str(error)) from None
    except TooDeepError as error:
        reason = str(error)
        raise JsonError(f"{reason[0].upper()}{reason[1:]}.") from None
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        sentence = f"Line {error.lineno}, column {error.colno}: {reason}."
        hint = json_hint(text)
        if hint:
            sentence += f" {hint}"
        raise JsonError(sentence, error.lineno, error.colno) from None
