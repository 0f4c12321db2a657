"""The base of the delegates that paint rows of lists and trees."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from designer.look.theme import Look
from designer.qt.indexes import AnyIndex


class RowDelegate(QStyledItemDelegate):
    """Rows of one height. A subclass paints them."""

    height: int

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, self.height)

    def paint_background(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        rect: QRect,
        *,
        hover: bool = True,
    ) -> None:
        """Paint the background of a row that is selected or under the pointer."""
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._look.theme.accentSoft)
        elif hover and option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._look.theme.hover)
