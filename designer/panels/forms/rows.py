"""The rows of a form: a label, a field, what there is to know and what is wrong; and groups that open and close."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.panels.forms.choice_fields import FlagField
from designer.panels.forms.error_line import ErrorLine
from designer.panels.forms.fields import MISSING, Field
from designer.panels.forms.schema import REFERENCE, Schema, hint_of, title_of
from designer.panels.forms.surroundings import Surroundings
from designer.panels.widgets.basic import label, set_style
from designer.qt.layouts import column, put, row

LABEL_WIDTH = 88
SHAPES = {REFERENCE: "module:name"}  # how a text of this format is written
ROOM = 5  # rows of the grid for each field: label, field, note, help, message


class FormRow:
    """Label, field, help and message of one property. What most rows never say is made when they do."""

    def __init__(
        self,
        look: Look,
        field: Field,
        name: str,
        schema: Schema,
        around: Surroundings | None,
        *,
        stacked: bool,
    ) -> None:
        self.field = field
        self.schema = schema
        self._look = look
        self._around = around
        self._above = stacked or field.wide
        title = title_of(name, schema) if name else ""
        hint = str(schema.get("description", ""))
        default = schema.get("default")
        self._label = label(
            "" if isinstance(field, FlagField) else title,
            "body" if stacked else "secondary",
        )
        self._required = label("", "secondary") if stacked else None
        self._label.setBuddy(field.editor())
        has_default = default not in (None, "", [], {})
        default_text = f"Default: {_said(default)}" if has_default else ""
        for widget in (self._label, field):
            widget.setToolTip("\n".join(filter(None, (hint, default_text))))
        field.editor().setAccessibleName(title or "Answer")
        field.editor().setAccessibleDescription(hint)
        self._help_text = " ".join(
            filter(None, (hint, f"{default_text}." if default_text else ""))
        )
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
        """Stand in a grid from the row `at` on; there is room for `ROOM` rows."""
        self._grid = grid
        self._at = first_row
        self._tools = tools = list(self.field.tools())
        if self._above:
            if self._label.text() or tools:
                words = [
                    part for part in (self._label, self._required) if part is not None
                ]
                put(grid, row(*words, None, *tools, gap=4), first_row, 0, 1, 2)
            grid.addWidget(self.field, first_row + 1, 0, 1, 2)
        else:
            grid.addWidget(self._label, first_row + 1, 0)
            grid.addWidget(self.field, first_row + 1, 1)

    def _below(self, widget: QWidget, offset: int) -> None:
        """Put something under the field, at its place among what can stand there."""
        if self._grid is not None:
            first_column, span = (0, 2) if self._above else (1, 1)
            self._grid.addWidget(widget, self._at + offset, first_column, 1, span)

    def require(self, on: bool) -> None:
        if self._required is not None:
            self._required.setText("required" if on else "")

    @property
    def said(self) -> str:
        """The message that stands under the field."""
        return self._message.text() if self._message is not None else ""

    def say(self, text: str, *, calm: bool = False) -> None:
        """What is wrong with the value; `calm` where it is only not there yet."""
        if self._message is None and text:
            self._message = ErrorLine(self._look)
            self._below(self._message, 4)
        if self._message is not None:
            self._message.say(text, calm=calm)
        self.field.say("" if calm else text)
        self.field.set_invalid(bool(text) and not calm)

    def say_note(self) -> None:
        """What there is to know of the value as it stands now."""
        if self._around is None:
            return
        try:
            value = self.field.value()
        except ValueError:
            return
        text = self._around.note(self.schema, None if value is MISSING else value)
        if self.note is None and text:
            self.note = label("", "secondary", wrap=True)
            self._below(self.note, 2)
        if self.note is not None:
            self.note.setText(text)
            set_style(
                self.note, tone="warn" if "not set" in text or "outside" in text else ""
            )
            self.note.setVisible(bool(text))

    def apply(self, on: bool) -> None:
        """Show all of it, or nothing, as the other fields make it matter or not."""
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
    """Settings that few people need, behind a head that opens them and says how many are set."""

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
    """Whether a value says something else than its default."""
    return value is not MISSING and value != schema.get("default")


def _said(default: Any) -> str:
    """A default in words for people."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return f"{default:g}" if isinstance(default, float) else hint_of(default)
