"""The table of Problems and Log: rows of 26 px, no grid, the keyboard
as in a list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from designer.panels.widgets.basic import copy_text
from designer.qt.indexes import ROOT, AnyIndex

ROW = 26

AnyRow = TypeVar("AnyRow")


class Columns(QAbstractTableModel):
    """A table model with fixed heads; a subclass has the rows."""

    heads: tuple[str, ...] = ()
    numbers: frozenset[int] = frozenset()  # columns of numbers, aligned right

    def columnCount(self, parent: AnyIndex = ROOT) -> int:
        return len(self.heads)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return self.heads[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                if section in self.numbers:
                    side = Qt.AlignmentFlag.AlignRight
                else:
                    side = Qt.AlignmentFlag.AlignLeft
                return side | Qt.AlignmentFlag.AlignVCenter
        return None


class RowColumns(Columns, Generic[AnyRow]):
    """Columns whose rows are shown all at once; a subclass has their data."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[AnyRow] = []

    def show(self, rows: list[AnyRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)


class Table(QTableView):
    """`widths` are the initial widths of the columns; the column with width 0 takes the
    remaining room.
    """

    def __init__(
        self,
        model: Columns,
        name: str,
        widths: Sequence[int],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(ROW)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setFixedHeight(26)
        for column_index, width in enumerate(widths):
            if width:
                self.setColumnWidth(column_index, width)
            else:
                head.setSectionResizeMode(column_index, QHeaderView.ResizeMode.Stretch)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            event.matches(QKeySequence.StandardKey.Copy)
            and self.currentIndex().isValid()
        ):
            row = self.currentIndex().row()
            model = self.model()
            columns = range(model.columnCount())
            cells = [str(model.index(row, place).data() or "") for place in columns]
            copy_text("\t".join(cells))
            return
        super().keyPressEvent(event)
