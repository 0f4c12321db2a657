"""The quick fixes in the list of problems: a button in each row that has a fix, and the
menu of all fixes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import (
    QMenu,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from designer.look.theme import Look
from designer.model.fixes import Fix
from designer.qt.indexes import AnyIndex

SEVERAL = Qt.ItemDataRole.UserRole  # whether a row has more than one fix
_PAD = 9
_MARGIN = 3
_CHEVRON = 14


class FixDelegate(QStyledItemDelegate):
    """Paints the text of the best fix as a button, with a chevron when there are more
    fixes.
    """

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        theme = self._look.theme
        ground: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(ground, theme.accentSoft)
        text = index.data() or ""
        if not text:
            return
        several = bool(index.data(SEVERAL))
        button = button_rect(
            ground, option.fontMetrics.horizontalAdvance(text), several=several
        )
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.line2))
        painter.setBrush(theme.hover if hovered else theme.raised)
        painter.drawRoundedRect(QRectF(button).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        words = button.adjusted(_PAD, 0, -_PAD - (_CHEVRON if several else 0), 0)
        painter.setPen(theme.accent)
        short = option.fontMetrics.elidedText(
            text, Qt.TextElideMode.ElideRight, words.width()
        )
        painter.drawText(
            words, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, short
        )
        if several:
            _paint_chevron(painter, button)
        painter.restore()


def button_rect(cell: QRect, text_width: int, *, several: bool) -> QRect:
    """Return the rectangle of the button in its cell: as wide as its text, at most as
    wide as the cell.
    """
    inner = cell.adjusted(2, _MARGIN, -6, -_MARGIN)
    # 4 more, because widths of texts are rounded
    width = text_width + 4 + 2 * _PAD + (_CHEVRON if several else 0)
    return QRect(inner.left(), inner.top(), min(width, inner.width()), inner.height())


def _paint_chevron(painter: QPainter, button: QRect) -> None:
    x = button.right() - _PAD - 4
    y = button.center().y()
    painter.setPen(QPen(painter.pen().color(), 1.4))
    painter.drawLine(x - 3, y - 1, x, y + 2)
    painter.drawLine(x, y + 2, x + 3, y - 1)


class FixMenu(QMenu):
    """The fixes of a problem; Enter applies the first. Without fixes it shows the
    remedy.
    """

    def __init__(
        self,
        parent: QWidget,
        fixes: Sequence[Fix],
        apply: Callable[[Fix], object],
        remedy: str,
        why_not: str,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("Quick fixes")
        for fix in fixes:
            action = self.addAction(fix.text)
            action.triggered.connect(lambda _checked=False, fix=fix: apply(fix))
            action.setEnabled(not why_not)
        if why_not:
            self.addAction(why_not).setEnabled(False)
        elif not fixes:
            self.addAction(remedy or "There is no quick fix.").setEnabled(False)
        elif self.actions():
            self.setActiveAction(self.actions()[0])
        self.aboutToHide.connect(self.deleteLater)
