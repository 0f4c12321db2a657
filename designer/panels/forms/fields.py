"""Input widgets for one JSON value each that is typed: a line, a number, several lines, JSON for everything else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QSizePolicy, QWidget

from designer.look.fonts import data_font
from designer.model.names import is_blank
from designer.panels.forms.typed_numbers import read_number
from designer.panels.widgets.basic import set_style
from designer.qt.layouts import column, put, row
from runtime.document.files import STRICT, json_hint
from runtime.errors import DefinitionError
from runtime.system.bounded_files import TooDeepError, from_json


class Missing(Enum):
    """The value of a field that was left empty: the key is left out, and the default holds."""

    MISSING = "missing"


MISSING = Missing.MISSING
_CHROME = 12  # border and padding of a text field in the style sheet
_NO_BAR = Qt.ScrollBarPolicy.ScrollBarAlwaysOff


class Field(QWidget):
    """A widget for one JSON value.

    `edited` tells that the user changed the value (while typing too), `committed` that he is done with it (Enter or
    the focus left). `show_value` never tells, and leaves the text alone where it already means the value.
    """

    edited = Signal()
    committed = Signal()
    wide = False

    def value(self) -> Any:
        """The JSON value, or MISSING. Raises ValueError with a sentence if the text is not a value."""
        raise NotImplementedError

    def stored(self) -> Any:
        """What is to be stored while somebody types: the value, or what was there before where the text is none."""
        return self.value()

    def show_value(self, value: Any) -> None:
        raise NotImplementedError

    def set_read_only(self, on: bool) -> None:
        self.setEnabled(not on)

    def set_invalid(self, on: bool) -> None:
        set_style(self.editor(), invalid=on)

    def set_hint(self, text: str) -> None:
        """What holds when the field is empty."""

    def set_default(self, value: Any) -> None:
        """What holds when there is no value, for fields that show more of it than a hint."""

    def say(self, error: str) -> None:
        """What is wrong stands in the form; for fields that show it elsewhere too. "" is for nothing."""

    def mark_place(self, line: int, column: int) -> None:
        """Show where in the text the mistake is, both from 1; line 0 is for none, or for none that has a place."""

    def tools(self) -> Sequence[QWidget]:
        """Small tools that stand at the right of the field's label."""
        return ()

    def editor(self) -> QWidget:
        """The widget that takes the focus."""
        raise NotImplementedError

    def _holds(self, value: Any) -> bool:
        try:
            return bool(same_json(self.value(), value))
        except ValueError:
            return False


def same_json(a: Any, b: Any) -> bool:
    """Equality of JSON values: 1 and true are two values, 1 and 1.0 are one."""
    if isinstance(a, bool) != isinstance(b, bool):
        return False
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same_json(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same_json, a, b))
    return bool(a == b)


class GrowingText(QPlainTextEdit):
    """A text of several lines that is as high as its text, within limits. Tab leaves it.

    `edited` tells of another text only; `textChanged` also of colours that a highlighter gave anew.
    """

    edited = Signal()
    committed = Signal()

    def __init__(self, least: int = 2, most: int = 10) -> None:
        super().__init__()
        self._least = least
        self._most = most
        self._told = ""
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
        return QSize(
            160, math.ceil(lines * QFontMetricsF(self.font()).lineSpacing()) + margins
        )

    def _lines(self) -> int:
        # a plain text counts its height in lines
        return int(self.document().size().height())

    def _fit(self) -> None:
        # With a bar before it is needed the text would wrap at another width, and grow and shrink in turn.
        if self._lines() > self._most:
            policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded
        else:
            policy = _NO_BAR
        self.setVerticalScrollBarPolicy(policy)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def text(self) -> str:
        """The text as it is: `toPlainText` would turn no-break spaces into spaces."""
        return self.document().toRawText().replace("\u2029", "\n")

    def set_text(self, text: str) -> None:
        """Show a text without telling, and with the cursor left where it was."""
        if text == self.text():
            return
        cursor_at = self.textCursor().position()
        self.blockSignals(True)
        self.setPlainText(text)
        self.blockSignals(False)
        self._told = self.text()
        cursor = self.textCursor()
        cursor.setPosition(min(cursor_at, len(text)))
        self.setTextCursor(cursor)
        self.updateGeometry()

    def _tell(self) -> None:
        text = self.text()
        if text != self._told:
            self._told = text
            self.edited.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # its own menu, or what is offered
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.committed.emit()


class TypedField(Field):
    """A value that is typed. What is no value yet, or was refused, stays in sight until there is another value to show:
    an edit of something else takes nothing away. Meanwhile what was there `before` counts, and not what the beginning
    of the text happened to mean.
    """

    def __init__(self) -> None:
        super().__init__()
        self._shown: Any = MISSING
        self.before: Any = MISSING
        self._typing = False
        self.edited.connect(self._begin)  # before anybody who stores what is typed
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
        """The value from before somebody typed, which shall be stored again; the text stays."""
        if self._typing:
            self._shown = self.before
        return self._shown

    def show_value(self, value: Any) -> None:
        if not same_json(value, self._shown):
            self._shown = value
            if not self._holds(value):
                self._typing = False  # it was changed elsewhere
                self.put(value)

    def put(self, value: Any) -> None:
        """Make this the text, without telling."""
        raise NotImplementedError

    def draft(self) -> str | None:
        """What was typed and not taken over; None when there is nothing like that."""
        return None if self._holds(self._shown) else self.text()

    def as_draft(self) -> Draft | None:
        text = self.draft()
        reason = ""
        if text is None:
            return None
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
        """Show the value again; False if it is shown already."""
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
        # what goes with it stands at its right
        self.line = put(self, row(self._edit, gap=4))

    def editor(self) -> QLineEdit:
        return self._edit

    def value(self) -> Any:
        return self._edit.text() or MISSING

    def put(self, value: Any) -> None:
        self._edit.setText("" if value is MISSING or value is None else str(value))
        self._edit.setCursorPosition(0)  # of a long text one sees the beginning

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
        """Escape gives up what was not taken over; else it means what it means around the field."""
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
    """A name that people see, or none."""

    def value(self) -> Any:
        if is_blank(self._edit.text()):
            raise ValueError("A name of blanks alone cannot be seen.")
        return super().value()


class NumberField(TextField):
    """A number as text, so that it can be empty; Up and Down step whole numbers."""

    def __init__(self, whole: bool) -> None:
        super().__init__(data=True)
        self._whole = whole

    def value(self) -> Any:
        text = self.number_text()
        return read_number(text, whole=self._whole) if text else MISSING

    def number_text(self) -> str:
        """The figures that were typed. Raises ValueError for what goes with them and cannot be used."""
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
    """A text that was typed into a field and is no value of it: the field, the text, why, and what counts instead."""

    field: str
    text: str
    reason: str
    before: Any


def drafts_in(holder: QWidget) -> tuple[Draft, ...]:
    """What was typed into the fields of a form and is not taken over."""
    drafts = (field.as_draft() for field in holder.findChildren(TypedField))
    return tuple(draft for draft in drafts if draft is not None)


def type_into(holder: QWidget, drafts: Sequence[Draft]) -> None:
    """Put drafts back where they came from, as far as those fields are there, as if they were typed."""
    texts = {draft.field: draft.text for draft in drafts}
    for field in holder.findChildren(TypedField) if texts else ():
        text = texts.get(field.editor().accessibleName())
        if text is not None:
            field.type_in(text)


class JsonError(ValueError):
    """A text that is no JSON, and where in it the mistake is: both from 1, or 0 where that is not known."""

    def __init__(self, text: str, line: int = 0, column: int = 0) -> None:
        super().__init__(text)
        self.line = line
        self.column = column


def write_json(value: Any) -> str:
    """A value as JSON for people. What an editor takes for the end of a line is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raise `JsonError` with line, column and reason."""
    try:
        return from_json(text, STRICT)
    except DefinitionError as error:
        raise JsonError(str(error)) from None
    except TooDeepError as error:
        reason = str(error)
        raise JsonError(f"{reason[0].upper()}{reason[1:]}.") from None
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        sentence = f"Line {error.lineno}, column {error.colno}: {reason}. {json_hint(text)}".rstrip()
        raise JsonError(sentence, error.lineno, error.colno) from None
