"""Input widgets for one JSON value each: text, number, flag, choice, list of texts, and JSON for everything else."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetricsF
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QPlainTextEdit, QRadioButton, QSizePolicy, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.widgets import CheckBox, Choice, button, column, icon_button, row, set_style


class Missing(Enum):
    """The value of a field that was left empty: the key is left out, and the default holds."""

    MISSING = "missing"


MISSING = Missing.MISSING
NO_WORDS: Mapping[str, str] = {}
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

    def show_value(self, value: Any) -> None:
        raise NotImplementedError

    def set_read_only(self, on: bool) -> None:
        self.setEnabled(not on)

    def set_invalid(self, on: bool) -> None:
        set_style(self.editor(), invalid=on)

    def set_hint(self, text: str) -> None:
        """What holds when the field is empty."""

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
        self._least, self._most = least, most
        self._told = ""
        self.textChanged.connect(self._tell)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(_NO_BAR)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())

    def sizeHint(self) -> QSize:
        lines = max(self._least, min(self._most, self._lines()))
        margins = _CHROME + 2 * round(self.document().documentMargin())
        return QSize(160, math.ceil(lines * QFontMetricsF(self.font()).lineSpacing()) + margins)

    def _lines(self) -> int:
        return int(self.document().size().height())  # a plain text counts its height in lines

    def _fit(self) -> None:
        # With a bar before it is needed the text would wrap at another width, and grow and shrink in turn.
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if self._lines() > self._most else _NO_BAR
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
        self.committed.emit()


class TextField(Field):
    """One line of text."""

    def __init__(self, data: bool = False) -> None:
        super().__init__()
        self._edit = QLineEdit()
        if data:
            self._edit.setFont(data_font())
        self._edit.textEdited.connect(lambda _text: self.edited.emit())
        self._edit.editingFinished.connect(self.committed)
        column(self).addWidget(self._edit)

    def editor(self) -> QLineEdit:
        return self._edit

    def value(self) -> Any:
        return self._edit.text() or MISSING

    def show_value(self, value: Any) -> None:
        if not self._holds(value):
            self._edit.setText("" if value is MISSING or value is None else str(value))

    def set_read_only(self, on: bool) -> None:
        self._edit.setReadOnly(on)

    def set_hint(self, text: str) -> None:
        self._edit.setPlaceholderText(text)


class NumberField(TextField):
    """A number as text, so that it can be empty; Up and Down step whole numbers."""

    def __init__(self, whole: bool) -> None:
        super().__init__(data=True)
        self._whole = whole
        self._edit.installEventFilter(self)

    def value(self) -> Any:
        text = self._edit.text().strip()
        if not text:
            return MISSING
        try:
            number = int(text) if self._whole else float(text)
        except ValueError:
            raise ValueError("A whole number is needed." if self._whole else "A number is needed.") from None
        if isinstance(number, float) and number.is_integer() and "." not in text and "e" not in text.lower():
            return int(number)
        if not math.isfinite(number):
            raise ValueError("A finite number is needed.")
        return number

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and not self._edit.isReadOnly():
            step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(event.key())  # type: ignore[attr-defined]
            if step is not None:
                self._step(step)
                return True
        return super().eventFilter(watched, event)

    def _step(self, step: int) -> None:
        try:
            number = self.value()
        except ValueError:
            return
        self._edit.setText(str((0 if number is MISSING else number) + step))
        self.edited.emit()


class LongTextField(Field):
    """Text of several lines."""

    wide = True

    def __init__(self, data: bool = False, least: int = 3) -> None:
        super().__init__()
        self._edit = GrowingText(least)
        if data:
            self._edit.setFont(data_font())
        self._edit.edited.connect(self.edited)
        self._edit.committed.connect(self.committed)
        column(self).addWidget(self._edit)

    def editor(self) -> GrowingText:
        return self._edit

    def value(self) -> Any:
        return self._edit.text() or MISSING

    def show_value(self, value: Any) -> None:
        if not self._holds(value):
            self._edit.set_text("" if value is MISSING or value is None else str(value))

    def set_read_only(self, on: bool) -> None:
        self._edit.setReadOnly(on)

    def set_hint(self, text: str) -> None:
        self._edit.setPlaceholderText(text)


class JsonField(LongTextField):
    """Any value as JSON text, with the place of a mistake in the message."""

    def __init__(self, least: int = 3) -> None:
        super().__init__(data=True, least=least)

    def value(self) -> Any:
        text = self._edit.text()
        return parse_json(text) if text.strip() else MISSING

    def show_value(self, value: Any) -> None:
        if not self._holds(value):
            self._edit.set_text("" if value is MISSING else write_json(value))


def write_json(value: Any) -> str:
    """A value as JSON for people. What an editor takes for the end of a line is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def parse_json(text: str) -> Any:
    """The value of a JSON text. Raises ValueError with line, column and reason."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise ValueError(f"Line {error.lineno}, column {error.colno}: {reason}.") from None


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; write a number or null.")


class FlagField(Field):
    """Yes or no."""

    def __init__(self, look: Look, text: str) -> None:
        super().__init__()
        self._box = CheckBox(look, text)
        self._default = False
        self._box.clicked.connect(self._on_clicked)
        column(self).addWidget(self._box)

    def editor(self) -> CheckBox:
        return self._box

    def value(self) -> Any:
        return self._box.isChecked()

    def show_value(self, value: Any) -> None:
        self._box.setChecked(self._default if value is MISSING or value is None else bool(value))

    def set_default(self, on: bool) -> None:
        self._default = on

    def _on_clicked(self) -> None:
        self.edited.emit()
        self.committed.emit()


class ChoiceField(Field):
    """One of several values, in a combo box. A value that is not among them is shown and kept."""

    def __init__(self, look: Look, choices: Sequence[Any], words: Mapping[str, str] = NO_WORDS) -> None:
        super().__init__()
        self._choices, self._words = list(choices), words
        self._box = Choice(look)
        self._hint = ""
        self._box.activated.connect(self._on_activated)
        column(self).addWidget(self._box)
        self.show_value(MISSING)

    def editor(self) -> Choice:
        return self._box

    def value(self) -> Any:
        index = self._box.currentIndex()
        return self._box.itemData(index) if index >= 0 else MISSING

    def show_value(self, value: Any) -> None:
        known = any(same_json(value, choice) for choice in self._choices)
        extra = [] if known or value is MISSING else [(f"{choice_text(value)} (not among the choices)", value)]
        entries = [(self._words.get(str(choice), choice_text(choice)), choice) for choice in self._choices]
        self._box.fill([*entries, *extra], value)

    def set_hint(self, text: str) -> None:
        self._box.setPlaceholderText(text)

    def _on_activated(self, _index: int) -> None:
        self.edited.emit()
        self.committed.emit()


class RadioField(Field):
    """One of a few values, all in sight."""

    wide = True

    def __init__(self, choices: Sequence[Any], words: Mapping[str, str] = NO_WORDS) -> None:
        super().__init__()
        self._choices = list(choices)
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(self._on_clicked)
        layout = column(self, gap=4)
        for index, choice in enumerate(choices):
            radio = QRadioButton(words.get(str(choice), choice_text(choice)))
            self._group.addButton(radio, index)
            layout.addWidget(radio)

    def editor(self) -> QWidget:
        return self._group.checkedButton() or self._group.buttons()[0]

    def value(self) -> Any:
        index = self._group.checkedId()
        return self._choices[index] if index >= 0 else MISSING

    def show_value(self, value: Any) -> None:
        index = next((i for i, choice in enumerate(self._choices) if same_json(choice, value)), -1)
        self._group.setExclusive(False)
        for i, radio in enumerate(self._group.buttons()):
            radio.setChecked(i == index)
        self._group.setExclusive(True)

    def set_invalid(self, on: bool) -> None:
        """The message under the field says it; a ring around every choice would say less."""

    def _on_clicked(self, _index: int) -> None:
        self.edited.emit()
        self.committed.emit()


def choice_text(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class ListField(Field):
    """A list of texts, a line each, with a button to add and one to remove."""

    wide = True

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._present = False
        self._lines: list[QLineEdit] = []
        self._holders: dict[QLineEdit, QWidget] = {}
        self._rows = column(gap=4)
        self._add = button("Add", self._on_add, small=True)
        layout = column(self, gap=4)
        layout.addLayout(self._rows)
        layout.addLayout(row(self._add, None))

    def editor(self) -> QWidget:
        return self._lines[0] if self._lines else self._add

    def value(self) -> Any:
        return [line.text() for line in self._lines] if self._lines or self._present else MISSING

    def show_value(self, value: Any) -> None:
        texts = [] if value is MISSING or value is None else [str(item) for item in value]
        self._present = value is not MISSING and value is not None
        while len(self._lines) > len(texts):
            self._drop(self._lines[-1])
        while len(self._lines) < len(texts):
            self._append()
        for line, text in zip(self._lines, texts, strict=True):
            if line.text() != text:
                line.setText(text)

    def set_invalid(self, on: bool) -> None:
        for line in self._lines:
            set_style(line, invalid=on)

    def _append(self) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(f"Item {len(self._lines) + 1}")
        holder = QWidget()
        remove = icon_button(self._look, "x", "Remove this item", lambda: self._on_remove(line))
        column(holder).addLayout(row(line, remove, gap=4))
        line.textEdited.connect(lambda _text: self.edited.emit())
        line.editingFinished.connect(self.committed)
        self._lines.append(line)
        self._holders[line] = holder
        self._rows.addWidget(holder)
        return line

    def _drop(self, line: QLineEdit) -> None:
        self._lines.remove(line)
        holder = self._holders.pop(line)
        self._rows.removeWidget(holder)
        holder.hide()
        holder.deleteLater()

    def _on_add(self) -> None:
        self._append().setFocus()
        self._tell()

    def _on_remove(self, line: QLineEdit) -> None:
        self._drop(line)
        self._tell()

    def _tell(self) -> None:
        self._present = True
        self.edited.emit()
        self.committed.emit()
