"""The form of a pinned result: the messages that an executor sends, what it puts out and
writes, or the failure with which it ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Literal

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QVBoxLayout, QWidget

from designer.look.theme import Look
from designer.panels.fields.plain import MISSING, LongTextField
from designer.panels.forms.value_editor import ValueEditor
from designer.panels.widgets.basic import button, label
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import PinnedResult

Part = Literal["sent", "outputs"]
_TITLES: dict[Part, str] = {"sent": "Sends", "outputs": "Puts out"}
_NOUNS: dict[Part, str] = {"sent": "Message", "outputs": "Output"}
WRITES = "Writes to the shared state"
NO_ERROR = "Say how it fails."
NO_OBJECT = "What is written is an object: a value for each key."


class PinForm(QWidget):
    """`edited` is emitted at each change by the user."""

    edited = Signal()

    def __init__(self, look: Look, result: PinnedResult) -> None:
        super().__init__()
        self._look = look
        self.editors: dict[Part, list[ValueEditor]] = {"sent": [], "outputs": []}
        self._places: dict[Part, QVBoxLayout] = {}
        self.as_result, self.as_failure = self._switch()
        self.add_buttons: dict[Part, QPushButton] = {}
        self._given = QWidget()
        self._failed = QWidget()
        self.error = LongTextField(least=2)
        self.error.editor().setAccessibleName("Text of the failure")
        self.writes = ValueEditor(look, WRITES, dict(result.writes), removable=False)
        self._build()
        self.error.show_value(result.error or MISSING)
        for part, values in (("sent", result.sent), ("outputs", result.outputs)):
            self._fill(part, values)  # type: ignore[arg-type]
        self.as_result.setChecked(not result.error)
        self.as_failure.setChecked(bool(result.error))
        self._show_kind()
        self.error.edited.connect(self.edited)
        self.writes.edited.connect(self.edited)

    def value(self) -> PinnedResult:
        """Return the result. Raise ValueError if something typed is no value."""
        if self.as_failure.isChecked():
            text = self.error.value()
            if text is MISSING:
                raise ValueError(NO_ERROR)
            return PinnedResult(error=text)
        writes = self.writes.value()
        if not isinstance(writes, dict):
            raise ValueError(NO_OBJECT)
        return PinnedResult(
            sent=tuple(editor.value() for editor in self.editors["sent"]),
            outputs=tuple(editor.value() for editor in self.editors["outputs"]),
            writes=writes,
        )

    def problem(self) -> str:
        """Return why there is no result yet; "" if there is one."""
        try:
            self.value()
        except ValueError as error:
            return str(error)
        return ""

    # --- inside

    def _switch(self) -> tuple[QPushButton, QPushButton]:
        group = QButtonGroup(self)
        choices = []
        for text, place in (("A result", "first"), ("A failure", "last")):
            choice = QPushButton(text)
            choice.setCheckable(True)
            choice.setAutoDefault(False)
            choice.setProperty("segment", place)
            choice.clicked.connect(self._on_kind)
            group.addButton(choice)
            choices.append(choice)
        return choices[0], choices[1]

    def _build(self) -> None:
        layout = column(self, margins=(0, 0, 8, 0), gap=12)
        put(
            layout,
            row(
                label("It gives", "strong"),
                8,
                self.as_result,
                self.as_failure,
                None,
                gap=0,
            ),
        )
        given = column(self._given, gap=8)
        parts: tuple[Part, ...] = ("sent", "outputs")
        for part in parts:
            add = button(
                f"Add {_NOUNS[part].lower()}", partial(self._add, part), small=True
            )
            add.setAutoDefault(False)
            self.add_buttons[part] = add
            put(given, row(label(_TITLES[part], "strong"), None, add))
            holder = QWidget()
            self._places[part] = column(holder, gap=4)
            given.addWidget(holder)
        given.addWidget(self.writes)
        failed = column(self._failed, gap=4)
        failed.addWidget(label("Text of the failure", "secondary"))
        failed.addWidget(self.error)
        layout.addWidget(self._given)
        layout.addWidget(self._failed)
        layout.addStretch(1)

    def _show_kind(self) -> None:
        self._given.setVisible(self.as_result.isChecked())
        self._failed.setVisible(self.as_failure.isChecked())

    def _on_kind(self) -> None:
        self._show_kind()
        self.edited.emit()

    def _fill(self, part: Part, values: Iterable[Any]) -> None:
        for value in values:
            self._put(part, value)

    def _add(self, part: Part) -> None:
        editor = self._put(part, MISSING)
        editor.json.editor().setFocus()
        self.edited.emit()

    def _put(self, part: Part, value: Any) -> ValueEditor:
        number = len(self.editors[part]) + 1
        editor = ValueEditor(self._look, f"{_NOUNS[part]} {number}", value)
        editor.edited.connect(self.edited)
        editor.remove_requested.connect(partial(self._remove, part, editor))
        self.editors[part].append(editor)
        self._places[part].addWidget(editor)
        return editor

    def _remove(self, part: Part, editor: ValueEditor) -> None:
        self.editors[part].remove(editor)
        self._places[part].removeWidget(editor)
        editor.hide()
        editor.deleteLater()
        self.edited.emit()
