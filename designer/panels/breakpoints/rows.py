"""The table of breakpoints: a row for each, with a box that turns it off and on."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from designer.look.breakpoint_marks import breakpoint_icon
from designer.look.fonts import data_font, ui_font
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model import breakpoint_words as words
from designer.model.breakpoint_words import BreakpointMark
from designer.panels.widgets.basic import paint_mark
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
from runtime.debug.protocol import Breakpoint

ON, MARK, WHERE, WHEN, ONLY_IF, THEN, HITS, PAST = range(8)
ALWAYS = "always"
ROOMY = 600  # px from which no word of a column is cut


class Row:
    """A breakpoint as the table shows it.

    icon     of the node or edge
    where    its place in words; `level` are the sub-workflows around it
    fault    why it cannot be hit, or what its condition failed with
    past     what is known of its hits in the past; "" without a past
    is_hit   whether the run stands there
    """

    def __init__(
        self,
        point: Breakpoint,
        *,
        icon: str,
        where: str,
        level: str,
        mark: BreakpointMark,
        hits: int,
        fault: str,
        past: str = "",
    ) -> None:
        self.point = point
        self.icon = icon
        self.where = where
        self.level = level
        self.mark = mark
        self.hits = hits
        self.fault = fault
        self.past = past

    @property
    def is_hit(self) -> bool:
        return self.mark.sign == "triangle"

    def texts(self) -> tuple[str, ...]:
        """Return what the columns say."""
        point = self.point
        place = f"{self.level} › {self.where}" if self.level else self.where
        run = f" in {point.run}" if point.run else ""
        return (
            "on" if point.enabled else "off",
            "",
            place + run,
            words.when(point),
            words.only_if(point) or ALWAYS,
            words.then(point),
            f"{self.hits:,}",
            self.past,
        )


class BreakpointRows(Columns):
    heads = ("On", "", "Where", "When", "Only if", "Then", "Hits", "In the past")
    numbers = frozenset({HITS, PAST})

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._ratio = parent.devicePixelRatioF()
        self.rows: list[Row] = []

    def show(self, rows: list[Row]) -> None:
        """Show these rows. Rows that stay keep the selection."""
        self._ratio = self._owner_ratio()
        if [row.point.id for row in rows] == [row.point.id for row in self.rows]:
            self.rows = rows
            if rows:
                last = self.index(len(rows) - 1, PAST)
                self.dataChanged.emit(self.index(0, 0), last)
            return
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def _owner_ratio(self) -> float:
        owner = self.parent()
        return owner.devicePixelRatioF() if isinstance(owner, QWidget) else self._ratio

    def row_of(self, id: str) -> int:
        """Return the row of a breakpoint; -1 if it has none."""
        ids = [row.point.id for row in self.rows]
        return ids.index(id) if id in ids else -1

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        place = index.column()
        theme = self._look.theme
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.texts()[place] if place != ON else ""
            case Qt.ItemDataRole.CheckStateRole if place == ON:
                on = row.point.enabled
                return Qt.CheckState.Checked if on else Qt.CheckState.Unchecked
            case Qt.ItemDataRole.DecorationRole if place == MARK:
                return breakpoint_icon(row.mark, theme, self._ratio)
            case Qt.ItemDataRole.DecorationRole if place == WHERE:
                return themed_icon(row.icon, self._look)
            case Qt.ItemDataRole.ToolTipRole if place == PAST and row.past:
                return "Find the supersteps at which it would have been hit"
            case Qt.ItemDataRole.ToolTipRole:
                return row.fault or row.texts()[place] or row.mark.words
            case Qt.ItemDataRole.AccessibleTextRole:
                spoken = row.mark.words if place == MARK else row.texts()[place]
                return spoken or None
            case Qt.ItemDataRole.FontRole:
                if place in (ONLY_IF, HITS) or (place == THEN and row.point.log):
                    return data_font()
                is_bold = place == WHERE and row.is_hit
                weight = ui_font().Weight.DemiBold if is_bold else ui_font().weight()
                return ui_font(13, weight)
            case Qt.ItemDataRole.ForegroundRole:
                return self._colour(row, place)
            case Qt.ItemDataRole.TextAlignmentRole if place in self.numbers:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None

    def _colour(self, row: Row, place: int) -> Any:
        theme = self._look.theme
        if place == PAST:
            return theme.accent
        if row.fault and place in (WHERE, ONLY_IF):
            return theme.text3 if not row.mark.verified else theme.bad
        is_faint = not row.point.enabled or (
            place == ONLY_IF and not words.only_if(row.point)
        )
        return theme.text2 if is_faint else theme.text


class BreakpointTable(Table):
    """`turned`, `deleted`, `wanted` (edited) and `searched` (in the past) carry the id of
    a breakpoint. Several rows can be selected, to turn or delete them together.
    """

    turned = Signal(str)
    searched = Signal(str)
    deleted = Signal(str)
    wanted = Signal(str)

    def __init__(self, model: BreakpointRows, look: Look) -> None:
        super().__init__(model, "Breakpoints", (36, 28, 236, 132, 0, 190, 64, 96))
        self._rows = model
        self._is_narrow = False
        self.setItemDelegateForColumn(ON, _Box(look, self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setMouseTracking(True)
        self.activated.connect(lambda index: self.wanted.emit(self.id_at(index.row())))

    def id_at(self, row: int) -> str:
        """Return the id of the breakpoint in a row; "" for none."""
        rows = self._rows.rows
        return rows[row].point.id if 0 <= row < len(rows) else ""

    @property
    def current_id(self) -> str:
        index = self.currentIndex()
        return self.id_at(index.row()) if index.isValid() else ""

    def group_of(self, id: str) -> tuple[str, ...]:
        """Return the ids of the selected rows if one of them is this one, else it alone."""
        rows = self.selectionModel().selectedRows()
        ids = tuple(self.id_at(index.row()) for index in rows)
        return ids if id in ids else (id,)

    def show_narrow(self, *, is_narrow: bool) -> None:
        """In a narrow window there is no room for all columns."""
        for place in (THEN, PAST):
            self.setColumnHidden(place, is_narrow)
        self._is_narrow = is_narrow
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Leave room for the conditions."""
        width = self.viewport().width()
        where = max(150, min(220, width // 3)) if self._is_narrow else 236
        self.setColumnWidth(WHERE, where)
        self.setColumnWidth(WHEN, 132 if width >= ROOMY else 110)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        is_box = index.isValid() and index.column() == ON
        if is_box and self.selectionModel().isRowSelected(index.row()):
            return  # so that the other selected rows stay selected
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        is_left = event.button() == Qt.MouseButton.LeftButton
        if not is_left or not index.isValid():
            return
        if index.column() == ON:
            self.turned.emit(self.id_at(index.row()))
        elif index.column() == PAST and index.data():
            self.searched.emit(self.id_at(index.row()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.column() not in (ON, PAST):
            self.wanted.emit(self.id_at(index.row()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        id = self.current_id
        match event.key():
            case Qt.Key.Key_Space if id:
                self.turned.emit(id)
            case Qt.Key.Key_Delete | Qt.Key.Key_Backspace if id:
                self.deleted.emit(id)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if id:
                self.wanted.emit(id)
            case _:
                super().keyPressEvent(event)


class _Box(QStyledItemDelegate):
    """The box of the first column, as the boxes of forms are."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        theme = self._look.theme
        is_selected = option.state & QStyle.StateFlag.State_Selected
        if is_selected:
            painter.fillRect(option.rect, theme.accentSoft)
        is_on = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        square = QRectF(0, 0, 14, 14)
        square.moveCenter(QRectF(option.rect).center())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.accentFill if is_on else theme.edge)
        painter.setBrush(theme.accentFill if is_on else theme.field)
        painter.drawRoundedRect(square.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        if is_on:
            inner = square.adjusted(2, 2, -2, -2)
            paint_mark(painter, "done", inner, theme, "on")
        painter.restore()
