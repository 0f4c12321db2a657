"""What the editors of Properties share: applying edits as undo steps, a header, problems, ordered lists of nodes."""

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
from designer.panels.forms.error_line import ErrorLine
from designer.panels.forms.fields import Draft, Field, TypedField, drafts_in, type_into
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
    """Shows one thing of the document, and turns what the user does into edits.

    A subclass builds itself once for the thing (`key` says which); `show_design` and `show_problems` bring it up to
    date in place, so that the cursor stays where the user types. `settled` tells that he is done with a field.
    """

    settled = Signal()

    def __init__(self, panel: Panel) -> None:
        super().__init__()
        self.panel = panel
        self.document = panel.document
        self.look = panel.look
        self.read_only = False
        self._recalling = False
        # in the middle of an edit that the panel should not follow before it is done
        self.busy = False
        self._round = 0
        self.body = column(self, margins=(12, 12, 12, 16), gap=10)
        self.refused = ErrorLine(self.look)

    def show_design(self) -> None:
        raise NotImplementedError

    def show_problems(self) -> None:
        """Put what `checks` found under the fields."""

    def set_read_only(self, on: bool) -> None:
        self.read_only = on

    @property
    def design(self) -> Design:
        return self.document.design

    def edit(
        self, text: str, change: Callable[[Design], Design], merge: str = ""
    ) -> bool:
        """One undo step, joined with the steps before of the same field. False, with a message, if it is refused."""
        if self.read_only or self._recalling:
            return False
        try:
            changed = change(self.design)
        except EditError as error:
            self.refused.say(str(error))
            return False
        self.refused.say("")
        self.document.apply(
            text, changed, merge=f"{merge}#{self._round}" if merge else ""
        )
        return True

    def field_of(self, part: str) -> QWidget | None:
        """The widget in which a part of the element is edited (`params.path`, `cases[1].when`); None for none."""
        return None

    def drafts(self) -> tuple[Draft, ...]:
        """What was typed and not taken over."""
        return drafts_in(self)

    def type_in(self, drafts: Sequence[Draft]) -> None:
        """Put drafts back where they came from, as far as those fields are there, with what is wrong with them. That is
        no edit, whatever they say: it may be an undo that brings the editor back.
        """
        self._recalling = True
        type_into(self, drafts)
        self._recalling = False

    def settle(self) -> None:
        """The user is done with a field: what he types next is another undo step."""
        self._round += 1
        self.settled.emit()

    def bind(
        self, field: Field, on_edit: Callable[[], object], *, typing: bool = True
    ) -> None:
        """Call `on_edit` while the user types, or only when he is done."""
        if typing:
            field.edited.connect(on_edit)
        else:
            field.committed.connect(on_edit)
        field.committed.connect(self.settle)

    def add_header(self, mark: str | QWidget, title: str, caption: str) -> Header:
        header = Header(
            Glyph(self.look, mark, "accent", 24) if isinstance(mark, str) else mark,
            title,
            caption,
        )
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
    """Icon, title and a caption that says what the thing is."""

    def __init__(self, mark: QWidget, title: str, caption: str) -> None:
        super().__init__()
        self.title = ElidedLabel(title, "section")
        self.caption = ElidedLabel(caption, "secondary")
        self._line = put(self, row(mark, (stack(self.title, self.caption), 1), gap=10))

    def add(self, tool: QWidget) -> None:
        """Put a tool at the right end."""
        self._line.addWidget(tool)

    def say(self, title: str, caption: str) -> None:
        self.title.setText(title)
        self.caption.setText(caption)


class FieldGrid(QWidget):
    """Label and field side by side, with room for a message under each field."""

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
    """The value of a field; with a message, and what was there before, where the text is none or has a fault."""
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
    """Problems that belong to no field, each with its mark and what helps."""

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
        words = [
            label(
                problem_words(problem),
                "secondary",
                wrap=True,
                tone=role if role != "text2" else "",
            )
        ]
        if problem.remedy:
            words.append(label(problem.remedy, "secondary", wrap=True))
        mark = stack(2, Glyph(self._look, name, role, 14), None)
        put(holder, row(mark, (stack(*words), 1), gap=6))
        return holder


class OrderedNodes(QWidget):
    """A list of nodes in order: up, down, remove, and a choice to add one. Tells the new order through `changed`."""

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
        """`chosen` and `others` are (id, title)."""
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
    """Up, down and remove for a row of an ordered list."""
    up = icon_button(look, "chevu", f"Move {title} up", lambda: move(index, -1))
    down = icon_button(look, "chev", f"Move {title} down", lambda: move(index, 1))
    allow(up, "" if index > 0 else "It is the first already.")
    allow(down, "" if index < count - 1 else "It is the last already.")
    return [up, down, icon_button(look, "x", f"Remove {title}", lambda: remove(index))]


def moved(items: tuple[str, ...], index: int, step: int) -> tuple[str, ...]:
    """The items with the one at `at` moved by `step`, within the ends."""
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
