"""Fields for one JSON value that the user chooses: yes or no, one of several, and a
list of texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QRadioButton, QWidget

from designer.look.theme import Look
from designer.panels.code.completer import Completer, Line, Offers
from designer.panels.fields.plain import MISSING, Field, same_json
from designer.panels.widgets.basic import (
    CheckBox,
    Choice,
    button,
    icon_button,
    label,
    set_style,
)
from designer.qt.layouts import column, put, row, stack

NO_WORDS: Mapping[str, str] = {}


class FlagField(Field):
    """Yes or no, as a check box."""

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
        if value is MISSING or value is None:
            value = self._default
        self._box.setChecked(bool(value))

    def set_default(self, value: Any) -> None:
        untouched = self._box.isChecked() == self._default
        self._default = bool(value)
        if untouched:
            self._box.setChecked(self._default)

    def _on_clicked(self) -> None:
        self.edited.emit()
        self.committed.emit()


class ChoiceField(Field):
    """One of several values, in a combo box.

    A value that is not among the choices is shown and kept. Delete and Backspace clear
    the choice, so that the default applies.
    """

    def __init__(
        self, look: Look, choices: Sequence[Any], words: Mapping[str, str] = NO_WORDS
    ) -> None:
        super().__init__()
        self._choices = list(choices)
        self._words = words
        self._box = Choice(look)
        self._hint = ""
        self._box.activated.connect(self._on_activated)
        self._box.installEventFilter(self)
        column(self).addWidget(self._box)
        self.show_value(MISSING)

    def editor(self) -> Choice:
        return self._box

    def value(self) -> Any:
        index = self._box.currentIndex()
        return self._box.itemData(index) if index >= 0 else MISSING

    def show_value(self, value: Any) -> None:
        entries = [
            (self._words.get(str(choice), choice_text(choice)), choice)
            for choice in self._choices
        ]
        known = any(same_json(value, choice) for choice in self._choices)
        if not known and value is not MISSING:
            entries.append((f"{choice_text(value)} (not among the choices)", value))
        self._box.fill(entries, value)

    def set_hint(self, text: str) -> None:
        self._box.setPlaceholderText(text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        takes_back = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in takes_back
        ):
            if self._box.currentIndex() >= 0:
                self.show_value(MISSING)
                self._on_activated(-1)
            return True
        return super().eventFilter(watched, event)

    def _on_activated(self, _index: int) -> None:
        self.edited.emit()
        self.committed.emit()


class RadioField(Field):
    """One of a few values, all visible."""

    wide = True

    def __init__(
        self, choices: Sequence[Any], words: Mapping[str, str] = NO_WORDS
    ) -> None:
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
        # Not exclusive for a moment, because an exclusive group cannot be cleared.
        self._group.setExclusive(False)
        is_found = False
        for radio, choice in zip(self._group.buttons(), self._choices, strict=True):
            is_value = not is_found and same_json(choice, value)
            radio.setChecked(is_value)
            is_found = is_found or is_value
        self._group.setExclusive(True)

    def set_invalid(self, on: bool) -> None:
        """Do nothing: the message under the field is enough, and a ring around every
        choice would be unclear.
        """

    def _on_clicked(self, _index: int) -> None:
        self.edited.emit()
        self.committed.emit()


def choice_text(value: Any) -> str:
    if value is None:
        return "none"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class ListField(Field):
    """A list of texts, a line each, with buttons to add and to remove.

    Enter goes to the next line, from the last line to a new one; Backspace in an empty
    line removes it; Alt+Up and Alt+Down move a line. `offers` completes the text. The
    user can replace the list by the default, and bring it back.
    """

    wide = True

    def __init__(self, look: Look, offers: Offers | None = None) -> None:
        super().__init__()
        self._look = look
        self._offers = offers
        self._present = False
        self._shown = 0  # number of lines that came from a value
        self._default: list[str] = []
        self._written: list[str] = []  # the texts that the default has replaced
        self._lines: list[QLineEdit] = []
        self._holders: dict[QLineEdit, QWidget] = {}
        self._add = button("Add", self._on_add, small=True)
        self._default_label = label("", "secondary")
        self._reset = button("Use the default", self._on_reset, small=True)
        self._again = button("Use this text", self._on_again, small=True)
        layout = column(self, gap=4)
        self._rows = put(layout, stack(gap=4))
        put(layout, row(self._add, self._reset, self._again, self._default_label, None))
        self._say_default()

    def editor(self) -> QWidget:
        return self._lines[0] if self._lines else self._add

    @property
    def lines(self) -> tuple[QLineEdit, ...]:
        return tuple(self._lines)

    def set_default(self, value: Any) -> None:
        self._default = [str(item) for item in value] if isinstance(value, list) else []
        self._say_default()

    def value(self) -> Any:
        """Return the texts. Empty lines at the end are left out, because Enter creates
        them, unless the value had them.
        """
        texts = [line.text() for line in self._lines]
        while len(texts) > self._shown and not texts[-1]:
            texts.pop()
        return texts if texts or self._present else MISSING

    def show_value(self, value: Any) -> None:
        has_value = value is not MISSING and value is not None
        texts = [str(item) for item in value] if has_value else []
        if has_value and texts == self.value():
            return  # because the user may be about to type in an empty line
        self._shown = len(texts)
        self._present = has_value
        while len(self._lines) > len(texts):
            self._drop(self._lines[-1])
        while len(self._lines) < len(texts):
            self._append()
        for line, text in zip(self._lines, texts, strict=True):
            if line.text() != text:
                line.setText(text)
        self._say_default()

    def set_invalid(self, on: bool) -> None:
        for line in self._lines:
            set_style(line, invalid=on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and self._takes(watched, event)
        ):
            return True
        return super().eventFilter(watched, event)

    def _takes(self, watched: QObject, event: QKeyEvent) -> bool:
        lines = [line for line in self._lines if line is watched]
        if not lines:
            return False
        line = lines[0]
        index = self._lines.index(line)
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Backspace and not line.text():
            self._on_remove(line)
            before = self._lines[max(0, index - 1)] if self._lines else self._add
            before.setFocus()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.committed.emit()
            if index < len(self._lines) - 1:
                self._lines[index + 1].setFocus()
            elif line.text():
                self._on_add()
        elif (
            key in (Qt.Key.Key_Up, Qt.Key.Key_Down)
            and event.modifiers() & Qt.KeyboardModifier.AltModifier
        ):
            self._move(index, index + (1 if key == Qt.Key.Key_Down else -1))
        else:
            return False
        return True

    def _move(self, index: int, to: int) -> None:
        if not 0 <= to < len(self._lines):
            return
        line = self._lines[index]
        other = self._lines[to]
        text = line.text()
        line.setText(other.text())
        other.setText(text)
        other.setFocus()
        self._tell()

    def _append(self) -> QLineEdit:
        line = QLineEdit()
        line.setAccessibleName(f"Item {len(self._lines) + 1}")
        line.setToolTip(self.toolTip())
        holder = QWidget()
        remove = icon_button(
            self._look, "x", "Remove this item", lambda: self._on_remove(line)
        )
        put(holder, row(line, remove, gap=4))
        line.textEdited.connect(lambda _text: self.edited.emit())
        line.editingFinished.connect(self.committed)
        line.installEventFilter(self)
        if self._offers is not None:
            Completer(Line(line), self._look, self._offers, opens_after="_-. ")
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

    def _on_reset(self) -> None:
        self._written = [line.text() for line in self._lines]
        self.show_value(MISSING)
        self.edited.emit()
        self.committed.emit()

    def _on_again(self) -> None:
        self.show_value(self._written)
        self._written = []
        self._tell()

    def _tell(self) -> None:
        self._present = True
        self._say_default()
        self.edited.emit()
        self.committed.emit()

    def _say_default(self) -> None:
        """Show the default while there is no list, else the button that goes back to
        it.
        """
        self._default_label.setText(f"Default: {', '.join(self._default)}")
        self._default_label.setVisible(bool(self._default) and not self._present)
        self._reset.setVisible(bool(self._default) and self._present)
        self._again.setVisible(bool(self._written) and not self._present)
