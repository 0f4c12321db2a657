"""Where two branches part: the equal part in one row, the first difference with its
cause, and how many differences follow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QWidget

from designer.look.fonts import ui_font
from designer.look.theme import Look
from designer.panels.compare.sides import FAILED, Chip
from designer.panels.values.difference_rows import shortened, value_text
from designer.panels.widgets.basic import (
    ContentOrNotice,
    label,
    scrolling,
)
from designer.panels.widgets.tables import RowColumns, Table
from designer.qt.indexes import AnyIndex
from designer.qt.layouts import column, put, row, stack
from designer.session.session import DebugSession
from runtime.debug.protocol import DivergedSide, DivergenceBody, DivergenceRow
from runtime.values.words import counted

SUPERSTEP, BASE, OTHER, OUTCOME = range(4)
LONGEST_CAUSE = 160  # characters
CAUSE_MOST = 260  # px of the cause, before it scrolls
CAUSE_LEAST = 60
CAUSE_SHARE = 0.5  # of the height, so that the table has room too
Name = Callable[[str | None], str]


class Row(NamedTuple):
    """A row of the table, and the two checkpoints to which it leads; "" for none."""

    superstep: str
    base: str
    other: str
    outcome: str
    pair: tuple[str, str] = ("", "")
    is_first: bool = False
    differs: bool = False


def rows_of(body: DivergenceBody, name: Name) -> list[Row]:
    """Return the aligned supersteps: the equal ones in one row."""
    rows = []
    if body.equal:
        rows.append(
            Row(
                f"0–{body.superstep}" if body.superstep else "0",
                f"…{_called(name, body.equal_base, body.superstep)}",
                f"…{_called(name, body.equal_other, body.superstep)}",
                f"the same, {counted(body.equal, 'checkpoint')}",
                (body.equal_base or "", body.equal_other or ""),
            )
        )
    if body.reason is None:
        return rows
    rows.append(
        Row(
            str(body.first_superstep),
            _called(name, body.first_base, body.first_superstep),
            _called(name, body.first_other, body.first_superstep),
            "first difference",
            (body.first_base or "", body.first_other or ""),
            is_first=True,
            differs=True,
        )
    )
    rows += [_following(row, name) for row in body.following]
    return rows


def _called(name: Name, checkpoint_id: str | None, superstep: int) -> str:
    """Return what a checkpoint is called; one of another run by its superstep."""
    if checkpoint_id is None:
        return "–"
    return name(checkpoint_id) or f"s{superstep}"


def _following(following: DivergenceRow, name: Name) -> Row:
    if following.base is None:
        outcome = "only in B"
    elif following.other is None:
        outcome = "only in A"
    elif following.differences is None:
        outcome = "not counted"
    elif following.differences:
        outcome = counted(following.differences, "difference")
    else:
        outcome = "equal again"
    return Row(
        str(following.superstep),
        _called(name, following.base, following.superstep),
        _called(name, following.other, following.superstep),
        outcome,
        (following.base or "", following.other or ""),
        differs=bool(following.differences),
    )


class Aligned(RowColumns[Row]):
    heads = ("Superstep", "A", "B", "Outcome")

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        entry = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry[index.column()]
        if role == Qt.ItemDataRole.FontRole and entry.is_first:
            return ui_font(13, QFont.Weight.DemiBold)
        if role == Qt.ItemDataRole.ForegroundRole and entry.is_first:
            return self._look.theme.accent
        return None


class Cause(QFrame):
    """Why two runs part, and what each did."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.text = label("", "strong", wrap=True)
        self.base = label("", "data", wrap=True)
        self.other = label("", "data", wrap=True)
        self.note = label("", "secondary", wrap=True)
        top = Qt.AlignmentFlag.AlignTop
        self._chips = (Chip(look, "A"), Chip(look, "B"))
        self.content = put(
            self,
            stack(
                self.text,
                row(self._chips[0], (self.base, 1)),
                row(self._chips[1], (self.other, 1)),
                self.note,
                gap=6,
                margins=(12, 10, 12, 10),
            ),
        )
        for chip in self._chips:
            self.content.setAlignment(chip, top)

    def show_body(self, body: DivergenceBody) -> None:
        reason = body.reason
        has_sides = reason is not None
        for chip, side in zip(self._chips, (self.base, self.other), strict=True):
            chip.setVisible(has_sides)
            side.setVisible(has_sides)
        if reason is None:
            self.text.setText("The two do not differ.")
        else:
            self.text.setText(shortened(reason.text, LONGEST_CAUSE))
            self.text.setToolTip(reason.text)
            self.base.setText(_side_text(reason.base))
            self.other.setText(_side_text(reason.other))
        notes = _notes(body)
        self.note.setText(" ".join(notes))
        self.note.setVisible(bool(notes))


def _side_text(side: DivergedSide) -> str:
    value = value_text(side.value) if side.value is not None else ""
    return ": ".join(part for part in (side.words, value) if part) or "nothing"


def _notes(body: DivergenceBody) -> list[str]:
    notes = []
    if body.reason is not None and body.reason.note:
        notes.append(body.reason.note)
    if body.graph:
        notes.append(
            f"The graphs differ too: {counted(len(body.graph), 'difference')}."
        )
    if not body.is_proved:
        notes.append("The search took too long, so an earlier difference is possible.")
    if body.unread:
        unread = counted(body.unread, "damaged checkpoint")
        notes.append(f"{unread} before it could not be compared.")
    if not body.is_whole:
        notes.append("The beginning of a run was removed from the store.")
    return notes


class FirstDifference(QWidget):
    """`pair_chosen` carries the two checkpoints of a row, the base first."""

    pair_chosen = Signal(str, str)

    def __init__(self, session: DebugSession, look: Look) -> None:
        super().__init__()
        self._session = session
        self.cause = Cause(look)
        self._area = scrolling(self.cause)
        self._area.setMaximumHeight(CAUSE_MOST)
        self.rows = Aligned(look, self)
        self.table = Table(self.rows, "Aligned supersteps", (76, 56, 56, 0))
        self.table.clicked.connect(self._on_clicked)
        self.table.activated.connect(self._on_clicked)
        content = QWidget()
        layout = column(content)
        layout.addWidget(self._area)
        layout.addWidget(self.table, 1)
        self.stack = ContentOrNotice(content, look)
        column(self).addWidget(self.stack)

    def refresh(self) -> None:
        body = self._session.divergence
        if self._session.comparison_failed:
            self.stack.say("error", *FAILED)
            return
        if body is None:
            self.stack.say("clock", "Comparing…", "The first difference is searched.")
            return
        self.stack.show_content()
        self.cause.show_body(body)
        most = min(CAUSE_MOST, round(self.height() * CAUSE_SHARE))
        self._area.setFixedHeight(max(CAUSE_LEAST, min(most, self._wanted_height())))
        rows = rows_of(body, self._session.timeline.name)
        if rows != self.rows.rows:
            self.rows.show(rows)
        self._select_shown()

    def text(self) -> str:
        """Return the cause and the aligned supersteps as text."""
        body = self._session.divergence
        if body is None:
            return ""
        lines = []
        if body.reason is None:
            lines.append("The two do not differ.")
        else:
            lines.append(body.reason.text)
            lines.append(f"  A: {_side_text(body.reason.base)}")
            lines.append(f"  B: {_side_text(body.reason.other)}")
        lines += _notes(body)
        for entry in self.rows.rows:
            cells = (entry.superstep, entry.base, entry.other, entry.outcome)
            lines.append("  ".join(cells))
        return "\n".join(lines) + "\n"

    def _wanted_height(self) -> int:
        width = max(200, self.width() - 4)
        return self.cause.content.heightForWidth(width)

    def _select_shown(self) -> None:
        """Select the row whose checkpoints are compared now."""
        shown = self._session.viewing
        if shown is None and self._session.head is not None:
            shown = self._session.head.id
        for place, entry in enumerate(self.rows.rows):
            if entry.pair == (self._session.base, shown):
                self.table.selectRow(place)
                return
        self.table.clearSelection()

    def next_difference(self) -> None:
        """Go to the next row that differs, or from the last one to the first."""
        selected = self.table.selectionModel().selectedRows()
        current = selected[0].row() if selected else -1
        places = [place for place, entry in enumerate(self.rows.rows) if entry.differs]
        if places:
            later = [place for place in places if place > current]
            self._go_to((later or places)[0])

    def _on_clicked(self, index: QModelIndex) -> None:
        self._go_to(index.row())

    def _go_to(self, place: int) -> None:
        base, other = self.rows.rows[place].pair
        if base and other:
            self.pair_chosen.emit(base, other)
        elif base or other:
            # One line has ended, so its last checkpoint is on the other side.
            ends = self.rows.rows[0].pair
            self.pair_chosen.emit(base or ends[0], other or ends[1])
