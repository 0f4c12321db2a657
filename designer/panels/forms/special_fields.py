"""Fields for texts with a meaning: a path, a name of Python code, an expression, a
number with a unit.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QToolTip

from designer.look.theme import Look
from designer.model.completion.cel_words import FOLD, ROW
from designer.model.completion.file_paths import complete_path
from designer.model.completion.references import complete_reference
from designer.model.completion.sources import find_source
from designer.panels.code.cel_edit import CelField
from designer.panels.code.completer import Completer, Line
from designer.panels.code.window import SourceWindow
from designer.panels.fields.plain import (
    MISSING,
    GrowingText,
    NumberField,
    TextField,
    TypedField,
)
from designer.panels.forms.context import FormContext
from designer.panels.forms.units import in_words, without_unit
from designer.panels.widgets.basic import icon_button, label
from designer.qt.layouts import column
from runtime.document.problem import Problem

_VARIABLES = {"cel-fold": FOLD, "cel-row": ROW}


class PathField(TextField):
    """A path relative to the document's folder, typed or chosen. Files and folders are
    completed.
    """

    def __init__(self, look: Look, context: FormContext, kind: str) -> None:
        super().__init__()
        self._context = context
        self._kind = kind
        if kind == "write":
            tip = "Choose where to write (Alt+Down)"
        else:
            tip = "Choose a file (Alt+Down)"
        self.browse = icon_button(look, "open", tip, self._choose)
        self.line.addWidget(self.browse)
        self.completer = Completer(
            Line(self.editor()),
            look,
            lambda text, cursor: complete_path(text, cursor, context.folder()),
            opens_after="_-./ ",
        )

    def set_read_only(self, on: bool) -> None:
        super().set_read_only(on)
        self.browse.setEnabled(not on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and _is_alt_down(event)
        ):
            self._choose()
            return True
        return super().eventFilter(watched, event)

    def _choose(self) -> None:
        title = "Choose a file" if self._kind == "read" else "Choose where to write"
        typed = self.text()
        folder = self._context.folder()
        start = folder / typed if typed and "{" not in typed else folder
        chosen = self._context.choose(self.window(), title, start, self._kind)
        if chosen and not self.editor().isReadOnly():
            self.type_in(self._context.relative(chosen))
            self.committed.emit()


class ReferenceField(TextField):
    """`module:name` of Python code, with a button that shows its source, read-only."""

    def __init__(self, look: Look, context: FormContext) -> None:
        super().__init__(data=True)
        self._look = look
        self._context = context
        self.window_of_source: SourceWindow | None = None
        self.jump = icon_button(look, "eye", "Show its source (F12)", self.show_source)
        self.line.addWidget(self.jump)
        self.completer = Completer(
            Line(self.editor()),
            look,
            lambda text, cursor: complete_reference(text, cursor, context.folder()),
        )

    def set_hint(self, text: str) -> None:
        super().set_hint(f"{text}, or Ctrl+Space")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_F12:
            if event.type() == QEvent.Type.ShortcutOverride:
                # The key of the window opens the code that the node had before.
                event.accept()
                return True
            if event.type() == QEvent.Type.KeyPress:
                self.show_source()
                return True
        return super().eventFilter(watched, event)

    def show_source(self) -> None:
        try:
            source = find_source(self.text(), self._context.folder())
        except LookupError as error:
            self.why_not(str(error.args[0]))
            return
        window = SourceWindow(
            self._look,
            self.window(),
            source.path,
            source.text,
            source.line,
            self._context.edit,
        )
        window.finished.connect(self._closed)
        self.window_of_source = window
        window.open()

    def why_not(self, text: str) -> None:
        """Show beside the button why there is no source."""
        self.jump.setAccessibleDescription(text)
        QToolTip.showText(
            self.jump.mapToGlobal(self.jump.rect().bottomLeft()), text, self.jump
        )

    def _closed(self, _result: int) -> None:
        self.window_of_source = None


class CelInput(TypedField):
    """An expression in CEL over the variables of its format. Known fields of the
    message are completed.
    """

    wide = True

    def __init__(
        self, look: Look, context: FormContext | None = None, kind: str = "cel"
    ) -> None:
        super().__init__()
        self.cel = CelField(look, "", variables=_VARIABLES.get(kind))
        if context is not None and kind != "cel-fold":
            self.cel.set_example(context.row if kind == "cel-row" else context.example)
        self.cel.edited.connect(self.edited)
        self.cel.committed.connect(self.committed)
        column(self).addWidget(self.cel)

    def editor(self) -> GrowingText:
        return self.cel.editor

    def value(self) -> Any:
        return self.cel.text() or MISSING

    def put(self, value: Any) -> None:
        self.cel.show_text("" if value is MISSING or value is None else str(value))

    def text(self) -> str:
        return self.cel.text()

    def type_in(self, draft: str) -> None:
        self.cel.show_text(draft)
        self.edited.emit()

    def set_read_only(self, on: bool) -> None:
        self.cel.set_read_only(on)

    def set_hint(self, text: str) -> None:
        self.cel.editor.setPlaceholderText(text)

    def mark_place(self, line: int, column: int) -> None:
        problem = Problem(
            severity="error", rule="", message="", line=line, column=column
        )
        self.cel.show_problems([problem] if line else [])
        self.cel.error.say("")  # because the form shows the message


class UnitField(NumberField):
    """A number with its unit beside it; the user can type another unit."""

    def __init__(self, whole: bool, unit: str) -> None:
        super().__init__(whole)
        self._unit = unit
        self._default: Any = MISSING
        self.words = label("", "secondary")
        self.line.addWidget(self.words)
        self.edited.connect(self._say)
        self.committed.connect(self._tidy)
        self._say()

    def set_default(self, value: Any) -> None:
        self._default = value
        self._say()

    def put(self, value: Any) -> None:
        super().put(value)
        self._say()

    def number_text(self) -> str:
        return without_unit(super().number_text(), self._unit)

    def _say(self) -> None:
        try:
            value = self.value()
        except ValueError:
            return
        if value is MISSING:
            value = self._default
        if isinstance(value, (int, float)):
            self.words.setText(in_words(value, self._unit))
        else:
            self.words.setText(self._unit)

    def _tidy(self) -> None:
        """Show the number in the field's own unit, when the user typed another."""
        try:
            value = self.value()
        except ValueError:
            return
        if value is not MISSING:
            self.put(value)


def _is_alt_down(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_Down and bool(
        event.modifiers() & Qt.KeyboardModifier.AltModifier
    )
