"""The list of a run's outputs, two lines each: executor and superstep, and the
beginning of the value.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyleOptionViewItem

from designer.look.fonts import data_font, ui_font
from designer.look.theme import Look
from designer.panels.widgets.rows import RowDelegate
from designer.qt.indexes import AnyIndex

WIDTH = 260
ROW = 44
TAIL = Qt.ItemDataRole.UserRole
PREVIEW = Qt.ItemDataRole.UserRole + 1
STRUCK = Qt.ItemDataRole.UserRole + 2


class OutputList(QListView):
    """The text of a row is the executor's name, `TAIL` its superstep, `PREVIEW` the
    beginning of the value.

    Rows with `STRUCK` are struck through: these outputs were taken back.
    """

    def __init__(self, look: Look, items: QStandardItemModel) -> None:
        super().__init__()
        self.setModel(items)
        self.setItemDelegate(_Row(look, self))
        self.setAccessibleName("Outputs")
        self.setFixedWidth(WIDTH)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        look.changed.connect(self.viewport().update)


class _Row(RowDelegate):
    height = ROW

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        theme = self._look.theme
        rect = QRect(option.rect)
        self.paint_background(painter, option, rect)
        painter.save()
        above = QRect(rect.left() + 12, rect.top() + 4, rect.width() - 24, 18)
        tail = str(index.data(TAIL))
        painter.setFont(data_font())
        painter.setPen(theme.text2)
        painter.drawText(
            above, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, tail
        )
        width = QFontMetrics(data_font()).horizontalAdvance(tail) + 12
        is_struck = bool(index.data(STRUCK))
        painter.setPen(theme.text2 if is_struck else theme.text)
        self._line(painter, above.adjusted(0, 0, -width, 0), str(index.data()), 13)
        painter.setPen(theme.text2)
        self._line(
            painter,
            above.translated(0, 18),
            str(index.data(PREVIEW)),
            12,
            is_struck=is_struck,
        )
        painter.restore()

    def _line(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        size: int,
        *,
        is_struck: bool = False,
    ) -> None:
        font = ui_font(size)
        font.setStrikeOut(is_struck)
        painter.setFont(font)
        shown = QFontMetrics(ui_font(size)).elidedText(
            text, Qt.TextElideMode.ElideRight, rect.width()
        )
        painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, shown)
