"""The base of the editors of Properties: edits as undo steps, a header, problems,
ordered lists of nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from designer.look.theme import Look
from designer.model.design import Design
from designer.model.errors import EditError
from designer.panels.base import Panel
from designer.panels.code.cel_edit import problem_words
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import Draft, Field, TypedField, drafts_in, type_into
from designer.panels.forms.form import LABEL_WIDTH
from designer.panels.widgets.basic import (
    Choice,
    ElidedLabel,
    Glyph,
    allow,
    icon_button,
    label,
    set_style,
)
from designer.qt.layouts import clear, column, put, row, stack
from runtime.document.problem import Problem

PROBLEM_MARKS = {
    "error": ("failed", "bad"),
    "warning": ("warn", "warn"),
    "info": ("info", "text2"),
}

READ_ONLY = "This is a run, and read-only. Go back to editing first (Ctrl+E)."


class Editor(QWidget):
    """Shows one element of the document, and turns the user's input into edits.

    A subclass builds its widgets once. `show_design` and `show_problems` then update
    them in place, so that the cursor stays where the user types. `settled` is emitted
    when the user has finished a field.
    """

    settled = Signal()

    def __init__(self, panel: Panel) -> None:
        super().__init__()
        self.panel = panel
        self.document = panel.document
        self.look = panel.look
        self.read_only = False
        self._recalling = False
        # True while an edit has several steps, between which the panel must not
        # refresh.
        self.busy = False
        # Counts the finished fields, because edits merge only within one of them.
        self._round = 0
        self.body = column(self, margins=(12, 12, 12, 16), gap=10)
        self.refused = ErrorLine(self.look)

    def show_design(self) -> None:
        raise NotImplementedError

    def show_problems(self) -> None:
        """Show the problems that `checks` found under the fields."""

    def set_read_only(self, on: bool) -> None:
        self.read_only = on

    @property
    def design(self) -> Design:
        return self.document.design

    def edit(
        self, text: str, change: Callable[[Design], Design], merge: str = ""
    ) -> bool:
        """Apply an edit as an undo step. Return False, with a message, if the model
        refuses it.

        Edits with the same `merge` are one undo step, until the user has finished the
        field.
        """
        if self.read_only or self._recalling:
            return False
        try:
            changed = change(self.design)
        except EditError as error:
            self.refused.say(str(error))
            return False
        self.refused.say("")
        key = f"{merge}#{self._round}" if merge else ""
        self.document.apply(text, changed, merge=key)
        return True

    def field_of(self, part: str) -> QWidget | None:
        """Return the field of a part of the element (`params.path`, `cases[1].when`),
        or None.
        """
        return None

    def drafts(self) -> tuple[Draft, ...]:
        """Return the texts that are not stored, because they are no values."""
        return drafts_in(self)

    def type_in(self, drafts: Sequence[Draft]) -> None:
        """Put drafts back into their fields, with their messages.

        It makes no edit, because this editor may be shown again by an undo, which an
        edit would reverse.
        """
        self._recalling = True
        type_into(self, drafts)
        self._recalling = False

    def settle(self) -> None:
        """End the undo step of a field: the next change is another step."""
        self._round += 1
        self.settled.emit()

    def bind(
        self, field: Field, on_edit: Callable[[], object], *, typing: bool = True
    ) -> None:
        """Call `on_edit` while the user types, or only when the user has finished the
        field.
        """
        if typing:
            field.edited.connect(on_edit)
        else:
            field.committed.connect(on_edit)
        field.committed.connect(self.settle)

    def add_header(self, mark: str | QWidget, title: str, caption: str) -> Header:
        if isinstance(mark, str):
            mark = Glyph(self.look, mark, "accent", 24)
        header = Header(mark, title, caption)
        self.body.addWidget(header)
        return header

    def add_rule(self) -> None:
        line = QFrame()
        line.setProperty("role", "hairline")
        line.setFixedHeight(1)
        self.body.addSpacing(2)
        self.body.addWidget(line)
        self.body.addSpacing(2)


class Header(QWidget):
    """Icon, title, and a caption with the kind of the element."""

    def __init__(self, mark: QWidget, title: str, caption: str) -> None:
        super().__init__()
        self.title = ElidedLabel(title, "section")
        self.caption = ElidedLabel(caption, "secondary")
        self._line = put(self, row(mark, (stack(self.title, self.caption), 1), gap=10))

    def add(self, tool: QWidget) -> None:
        """Add a tool at the right end."""
        self._line.addWidget(tool)

    def say(self, title: str, caption: str) -> None:
        self.title.setText(title)
        self.caption.setText(caption)


class FieldGrid(QWidget):
    """Labels and fields side by side, with room for a message under each field."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(8)
        self._grid.setColumnMinimumWidth(0, LABEL_WIDTH)
        self._grid.setColumnStretch(1, 1)

    def add(self, title: str, field: Field, tip: str = "") -> ErrorLine:
        next_row = self._grid.rowCount()
        name = label(title, "secondary")
        name.setBuddy(field.editor())
        field.editor().setAccessibleName(title)
        for widget in (name, field):
            widget.setToolTip(tip)
        message = ErrorLine(self._look)
        if field.wide:
            put(self._grid, row(name, None, *field.tools(), gap=4), next_row, 0, 1, 2)
            self._grid.addWidget(field, next_row + 1, 0, 1, 2)
            self._grid.addWidget(message, next_row + 2, 0, 1, 2)
        else:
            self._grid.addWidget(name, next_row, 0)
            self._grid.addWidget(field, next_row, 1)
            self._grid.addWidget(message, next_row + 1, 1)
        return message


def value_or_before(
    field: TypedField,
    message: ErrorLine,
    fault: Callable[[Any], str] = lambda _value: "",
) -> Any:
    """Return the value of a field. If it has a fault, show that and return the value
    from before the typing.
    """
    try:
        value = field.value()
        wrong = fault(value)
    except ValueError as error:
        value = None
        wrong = str(error)
    message.say(wrong)
    field.set_invalid(bool(wrong))
    return field.take_back() if wrong else value


class ProblemList(QWidget):
    """The problems that belong to no field, each with its mark and its remedy."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shown: tuple[Problem, ...] = ()
        self._lines: list[QWidget] = []
        self._layout = column(self, gap=6)
        self.hide()

    def show_problems(self, problems: Sequence[Problem]) -> None:
        if tuple(problems) == self._shown:
            return
        self._shown = tuple(problems)
        for line in self._lines:
            line.hide()
            line.deleteLater()
        self._lines = [self._line(problem) for problem in problems]
        for line in self._lines:
            self._layout.addWidget(line)
        self.setVisible(bool(problems))

    def _line(self, problem: Problem) -> QWidget:
        name, role = PROBLEM_MARKS[problem.severity]
        holder = QWidget()
        tone = role if role != "text2" else ""
        words = [label(problem_words(problem), "secondary", wrap=True, tone=tone)]
        if problem.remedy:
            words.append(label(problem.remedy, "secondary", wrap=True))
        mark = stack(2, Glyph(self._look, name, role, 14), None)
        put(holder, row(mark, (stack(*words), 1), gap=6))
        return holder


class OrderedNodes(QWidget):
    """An ordered list of nodes: up, down, remove, and a choice to add one. `changed`
    carries the new order.
    """

    changed = Signal(object)

    def __init__(self, look: Look, what: str) -> None:
        super().__init__()
        self._look = look
        self._what = what
        self._ids: tuple[str, ...] = ()
        self._read_only = False
        self.add = Choice(look)
        self.add.setPlaceholderText(f"Add a {what}…")
        self.add.setAccessibleName(f"Add a {what}")
        self.add.activated.connect(self._on_add)
        layout = column(self, gap=6)
        self._rows = put(layout, stack(gap=2))
        layout.addWidget(self.add)

    def show_nodes(
        self,
        chosen: Sequence[tuple[str, str]],
        others: Sequence[tuple[str, str]],
        *,
        read_only: bool,
    ) -> None:
        """Show the nodes of the list and the nodes to add, both as (id, title)."""
        self._ids = tuple(node_id for node_id, _ in chosen)
        self._read_only = read_only
        clear(self._rows)
        for index, (_, title) in enumerate(chosen):
            self._rows.addWidget(self._row(index, title, len(chosen)))
        self.add.fill([(title, node_id) for node_id, title in others], None)
        self.add.setVisible(not read_only and bool(others))

    def _row(self, index: int, title: str, count: int) -> QWidget:
        holder = QWidget()
        number = label(str(index + 1), "data2")
        number.setFixedWidth(16)
        line = put(holder, row(number, (ElidedLabel(title), 1), gap=4))
        if not self._read_only:
            for tool in move_buttons(
                self._look, title, index, count, self._move, self._remove
            ):
                line.addWidget(tool)
        return holder

    def _move(self, index: int, step: int) -> None:
        self.changed.emit(moved(self._ids, index, step))

    def _remove(self, index: int) -> None:
        self.changed.emit(self._ids[:index] + self._ids[index + 1 :])

    def _on_add(self, index: int) -> None:
        self.changed.emit((*self._ids, self.add.itemData(index)))


def move_buttons(
    look: Look,
    title: str,
    index: int,
    count: int,
    move: Callable[[int, int], None],
    remove: Callable[[int], None],
) -> list[QWidget]:
    """Return the buttons up, down and remove for a row of an ordered list."""
    up = icon_button(look, "chevu", f"Move {title} up", lambda: move(index, -1))
    down = icon_button(look, "chev", f"Move {title} down", lambda: move(index, 1))
    allow(up, "" if index > 0 else "It is the first already.")
    allow(down, "" if index < count - 1 else "It is the last already.")
    return [up, down, icon_button(look, "x", f"Remove {title}", lambda: remove(index))]


def moved(items: tuple[str, ...], index: int, step: int) -> tuple[str, ...]:
    """Return the items with the item at `index` moved by `step`, within the ends."""
    reordered = list(items)
    reordered.insert(max(0, min(len(items) - 1, index + step)), reordered.pop(index))
    return tuple(reordered)


class Card(QFrame):
    """A framed part of an editor, such as a case of a switch."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.body = column(self, margins=(8, 6, 8, 8), gap=6)

    def set_invalid(self, on: bool) -> None:
        set_style(self, invalid=on)
