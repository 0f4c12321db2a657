"""The checkpoints of a restore proof: number, place, and the marks of the three checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from PySide6.QtCore import QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QHeaderView, QStyleOptionViewItem, QWidget

from designer.look.fonts import data_font
from designer.look.proof_marks import MARKS, paint_dash
from designer.look.theme import Look
from designer.panels.widgets.basic import paint_mark
from designer.panels.widgets.rows import RowDelegate
from designer.panels.widgets.tables import ROW, RowColumns, Table
from designer.qt.indexes import AnyIndex
from runtime.debug.protocol import PROOF_TITLES, ProofItem, ProofOutcome

NUMBER, WHERE, COMPLETE, ROUND_TRIP, ADVANCE = range(5)
_MARK = 14
_MARK_COLUMNS = (COMPLETE, ROUND_TRIP, ADVANCE)


class Row(NamedTuple):
    """A checkpoint. `outcomes` are those of its checks; empty if it was not checked."""

    checkpoint_id: str
    name: str
    where: str
    outcomes: tuple[ProofOutcome, ...] = ()

    def words(self, column: int) -> str:
        """Return what a column says, also to a screen reader."""
        if column == NUMBER:
            return self.name
        if column == WHERE:
            return self.where
        if not self.outcomes:
            return "not checked yet"
        return MARKS[self.outcomes[column - COMPLETE]].words


def outcomes_of(item: ProofItem | None) -> tuple[ProofOutcome, ...]:
    return () if item is None else tuple(check.outcome for check in item.checks)


class ProofColumns(RowColumns[Row]):
    heads = ("No.", "Where", "Complete", "Round trip", "Advance")

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        is_mark = index.column() in _MARK_COLUMNS
        if role == Qt.ItemDataRole.DisplayRole:
            return row.words(index.column())
        if role == Qt.ItemDataRole.FontRole and index.column() == NUMBER:
            return data_font()
        if role == Qt.ItemDataRole.ToolTipRole and is_mark:
            title = list(PROOF_TITLES.values())[index.column() - COMPLETE]
            return f"{title}: {row.words(index.column())}"
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        is_mark = section in _MARK_COLUMNS
        if role == Qt.ItemDataRole.TextAlignmentRole and is_mark:
            return Qt.AlignmentFlag.AlignCenter
        return super().headerData(section, orientation, role)


class _MarkDelegate(RowDelegate):
    """Paints the mark of a check in the middle of its cell."""

    height = ROW

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect = option.rect
        self.paint_background(painter, option, rect)
        model: Any = index.model()
        outcomes = model.rows[index.row()].outcomes
        centre = rect.center()
        place = QRectF(
            centre.x() - _MARK / 2 + 1, centre.y() - _MARK / 2 + 1, _MARK, _MARK
        )
        if outcomes:
            mark = MARKS[outcomes[index.column() - COMPLETE]]
            if mark.glyph == "none":
                paint_dash(painter, place, self._look.theme)
            else:
                paint_mark(painter, mark.glyph, place, self._look.theme, mark.role)
        painter.restore()


class ProofTable(Table):
    """Lists checkpoints. The place takes the room that is left."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        self.rows = ProofColumns(parent)
        super().__init__(self.rows, "Checked checkpoints", (48, 0, 66, 76, 64), parent)
        marks = _MarkDelegate(look, self)
        for column in _MARK_COLUMNS:
            self.setItemDelegateForColumn(column, marks)
        head = self.horizontalHeader()
        head.setMinimumSectionSize(40)
        head.setSectionResizeMode(NUMBER, QHeaderView.ResizeMode.Fixed)

    def show_rows(self, rows: Sequence[Row], selected: str) -> None:
        """List these rows, with the one of a checkpoint selected."""
        if list(rows) != self.rows.rows:
            self.rows.show(list(rows))
        for place, row in enumerate(self.rows.rows):
            if row.checkpoint_id == selected:
                if self.currentIndex().row() != place:
                    self.selectRow(place)
                return
        self.clearSelection()
        self.setCurrentIndex(self.rows.index(-1, -1))

    def checkpoint_at(self, index: AnyIndex | QPersistentModelIndex) -> str:
        return self.rows.rows[index.row()].checkpoint_id
