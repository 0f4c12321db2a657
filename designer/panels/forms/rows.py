"""The rows of a form: label, field, note, help and message; and groups of rows that
open and close.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.completion.sources import REFERENCE
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import MISSING, Field
from designer.panels.fields.schema import Schema, hint_of, title_of
from designer.panels.forms.choice_fields import FlagField
from designer.panels.forms.context import FormContext
from designer.panels.widgets.basic import label, set_style
from designer.qt.layouts import column, put, row

LABEL_WIDTH = 88
SHAPES = {REFERENCE: "module:name"}  # the hint for a text of this format
ROOM = 5  # rows of the grid for each field: label, field, note, help, message


class FormRow:
    """Label, field, note, help and message of one property.

    The last three are created when they are first needed, because most rows never need
    them.
    """

    def __init__(
        self,
        look: Look,
        field: Field,
        name: str,
        schema: Schema,
        context: FormContext | None,
        *,
        stacked: bool,
    ) -> None:
        self.field = field
        self.schema = schema
        self._look = look
        self._context = context
        self._above = stacked or field.wide
        title = title_of(name, schema) if name else ""
        hint = str(schema.get("description", ""))
        default = schema.get("default")
        # A check box has its title beside the box.
        text = "" if isinstance(field, FlagField) else title
        self._label = label(text, "body" if stacked else "secondary")
        self._required = label("", "secondary") if stacked else None
        self._label.setBuddy(field.editor())
        has_default = default not in (None, "", [], {})
        default_text = f"Default: {_default_words(default)}" if has_default else ""
        for widget in (self._label, field):
            widget.setToolTip("\n".join(filter(None, (hint, default_text))))
        field.editor().setAccessibleName(title or "Answer")
        field.editor().setAccessibleDescription(hint)
        self._help_text = f"{hint} {default_text}.".strip() if default_text else hint
        self.help: QLabel | None = None
        self.note: QLabel | None = None
        self._message: ErrorLine | None = None
        self._grid: QGridLayout | None = None
        self._at = 0
        self._explained = False
        self._tools: list[QWidget] = []
        if has_default:
            field.set_hint(hint_of(default))
        elif schema.get("format") in SHAPES:
            field.set_hint(SHAPES[str(schema["format"])])
        if default is not None:
            field.set_default(default)

    def place(self, grid: QGridLayout, first_row: int) -> None:
        """Add the widgets to a grid, in `ROOM` rows from `first_row` on."""
        self._grid = grid
        self._at = first_row
        self._tools = tools = list(self.field.tools())
        if self._above:
            if self._label.text() or tools:
                labels = [self._label]
                if self._required is not None:
                    labels.append(self._required)
                put(grid, row(*labels, None, *tools, gap=4), first_row, 0, 1, 2)
            grid.addWidget(self.field, first_row + 1, 0, 1, 2)
        else:
            grid.addWidget(self._label, first_row + 1, 0)
            grid.addWidget(self.field, first_row + 1, 1)

    def _below(self, widget: QWidget, offset: int) -> None:
        """Add a widget under the field, at its place among the widgets that may be
        there.
        """
        if self._grid is not None:
            first_column, span = (0, 2) if self._above else (1, 1)
            self._grid.addWidget(widget, self._at + offset, first_column, 1, span)

    def require(self, on: bool) -> None:
        if self._required is not None:
            self._required.setText("required" if on else "")

    @property
    def message(self) -> str:
        """The message under the field."""
        return self._message.text() if self._message is not None else ""

    def say(self, text: str, *, calm: bool = False) -> None:
        """Show the message about the value. With `calm` the value is only
        missing yet.
        """
        if self._message is None and text:
            self._message = ErrorLine(self._look)
            self._below(self._message, 4)
        if self._message is not None:
            self._message.say(text, calm=calm)
        self.field.say("" if calm else text)
        self.field.set_invalid(bool(text) and not calm)

    def say_note(self) -> None:
        """Show the note about the present value, such as a variable that is not set."""
        if self._context is None:
            return
        try:
            value = self.field.value()
        except ValueError:
            return
        text = self._context.note(self.schema, None if value is MISSING else value)
        if self.note is None and text:
            self.note = label("", "secondary", wrap=True)
            self._below(self.note, 2)
        if self.note is not None:
            self.note.setText(text)
            is_warning = "not set" in text or "outside" in text
            set_style(self.note, tone="warn" if is_warning else "")
            self.note.setVisible(bool(text))

    def apply(self, on: bool) -> None:
        """Show or hide the row, because the other fields make it matter or not."""
        if on is not self.field.isHidden():
            return
        for widget in (self._label, self.field, *self._tools):
            widget.setVisible(on)
        for below in (self.note, self.help, self._message):
            if below is not None:
                below.hide()
        if on:
            self.say_note()
            self.explain(self._explained)

    def explain(self, on: bool) -> None:
        self._explained = on
        if self.field.isHidden():
            return
        if self.help is None and on and self._help_text:
            self.help = label(self._help_text, "secondary", wrap=True)
            self._below(self.help, 3)
        if self.help is not None:
            self.help.setVisible(on)


class FormGroup(QWidget):
    """Settings that few people need, behind a head that opens them and shows how many
    are set.
    """

    opened = Signal(bool)

    def __init__(self, look: Look, title: str) -> None:
        super().__init__()
        self._look = look
        self._title = title
        self.head = QPushButton()
        self.head.setIconSize(QSize(12, 12))
        set_style(self.head, row=True)
        self.head.clicked.connect(lambda _on: self.open(not self.is_open))
        self._holder = QWidget()
        self.grid = form_grid(self._holder, stacked=False)
        self.grid.setContentsMargins(12, 4, 0, 4)
        self.grid.setColumnMinimumWidth(0, LABEL_WIDTH - 12)
        layout = column(self)
        layout.addWidget(self.head)
        layout.addWidget(self._holder)
        self._count = 0
        self._holder.hide()
        self._say()

    @property
    def is_open(self) -> bool:
        return not self._holder.isHidden()

    def open(self, on: bool) -> None:
        if on != self.is_open:
            self._holder.setVisible(on)
            self._say()
            self.opened.emit(on)

    def count(self, number: int) -> None:
        self._count = number
        self._say()

    def _say(self) -> None:
        counted = f" · {self._count} set" if self._count else ""
        self.head.setText(f"{self._title}{counted}")
        self.head.setIcon(themed_icon("chev" if self.is_open else "chevr", self._look))
        self.head.setAccessibleName(
            f"{self._title}{counted}, {'open' if self.is_open else 'closed'}"
        )


def form_grid(parent: QWidget, *, stacked: bool) -> QGridLayout:
    grid = QGridLayout(parent)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(8)
    grid.setColumnMinimumWidth(0, 0 if stacked else LABEL_WIDTH)
    grid.setColumnStretch(1, 1)
    return grid


def is_set(value: Any, schema: Schema) -> bool:
    """Return whether a value differs from its default."""
    return value is not MISSING and value != schema.get("default")


def _default_words(default: Any) -> str:
    """Return a default in words for people."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return f"{default:g}" if isinstance(default, float) else hint_of(default)
