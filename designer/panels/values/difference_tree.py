"""The tree of differences: a sign before each, and what it was and is at the end."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from designer.look.difference_marks import SIGNS, paint_sign
from designer.look.fonts import data_font, ui_font
from designer.look.theme import Look
from designer.panels.values.difference_rows import DifferenceNode
from designer.panels.values.model import Done, Node, NodeRole
from designer.panels.values.tree import ROW, ValueTree
from designer.panels.widgets.rows import RowDelegate
from designer.qt.indexes import AnyIndex
from runtime.debug.protocol import ChangeItem, ExpandBody

SIGN = 11
TAIL_SHARE = 0.55  # largest part of a row for its values
_KINDS = {"new": "added", "removed": "removed", "changed": "changed", "moved": "moved"}


class DifferenceTree(ValueTree):
    """A tree of `DifferenceNode`s."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _nothing_more, "Differences")
        self.setItemDelegate(_Delegate(look, self))

    @property
    def current_change(self) -> ChangeItem | None:
        """The difference of the current row, or that above it."""
        node: Node | None = self.values.node(self.currentIndex())
        return change_of(node)

    def step(self, by: int) -> None:
        """Go to the next difference, or to the one before, from the current row on."""
        nodes = [
            node for node in self.values.root.walk() if change_of(node, above=False)
        ]
        if not nodes:
            return
        current = self.current_change
        places = [
            place
            for place, node in enumerate(nodes)
            if change_of(node) is current and current is not None
        ]
        place = places[0] + by if places else (0 if by > 0 else -1)
        node = nodes[place % len(nodes)]
        for above in _above(node):
            self.setExpanded(self.values.index_of(above), True)
        index = self.values.index_of(node)
        self.setCurrentIndex(index)
        self.scrollTo(index)
        self.chosen.emit(node)


def change_of(node: Node | None, *, above: bool = True) -> ChangeItem | None:
    """Return the difference of a row, or that of the row above it."""
    while node is not None:
        if isinstance(node, DifferenceNode) and node.change is not None:
            return node.change
        node = node.parent if above else None
    return None


def _above(node: Node) -> list[Node]:
    nodes = []
    parent = node.parent
    while parent is not None and parent.parent is not None:
        nodes.append(parent)
        parent = parent.parent
    return nodes


def _nothing_more(
    _section: str, _path: tuple[int, ...], _offset: int, done: Done
) -> None:
    done(ExpandBody(children=(), count=0))


class _Delegate(RowDelegate):
    height = ROW

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        node: Node = index.data(NodeRole)
        rect = QRect(option.rect).adjusted(4, 0, -10, 0)
        painter.save()
        if not isinstance(node, DifferenceNode):
            self._paint_value(painter, rect, node)
        elif node.side:
            self._paint_side(painter, rect, node)
        elif node.change is None:
            self._paint_heading(painter, rect, node)
        else:
            self._paint_difference(painter, rect, node)
        painter.restore()

    def _paint_heading(
        self, painter: QPainter, rect: QRect, node: DifferenceNode
    ) -> None:
        right = paint_counts(painter, rect, node.counts, self._look)
        font = ui_font(13, QFont.Weight.DemiBold)
        room = QRect(rect.left(), rect.top(), right - rect.left(), rect.height())
        self._text(painter, room, node.title, font, self._look.theme.text)

    def _paint_difference(
        self, painter: QPainter, rect: QRect, node: DifferenceNode
    ) -> None:
        theme = self._look.theme
        kind = _KINDS[node.mark]
        middle = rect.center().y()
        colour = getattr(theme, SIGNS[kind].role)
        sign = QRectF(rect.left(), middle - SIGN / 2 + 0.5, SIGN, SIGN)
        paint_sign(painter, kind, sign, colour)
        room = rect.adjusted(SIGN + 8, 0, 0, 0)
        if node.tail:
            most = round(room.width() * TAIL_SHARE)
            metrics = QFontMetrics(data_font())
            tail = metrics.elidedText(node.tail, Qt.TextElideMode.ElideRight, most)
            width = metrics.horizontalAdvance(tail)
            place = QRect(room.right() - width, room.top(), width + 1, room.height())
            painter.setFont(data_font())
            painter.setPen(theme.text2)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, tail)
            room.setRight(room.right() - width - 8)
        self._text(painter, room, node.title, data_font(), theme.text)

    def _paint_side(self, painter: QPainter, rect: QRect, node: DifferenceNode) -> None:
        theme = self._look.theme
        colour = theme.past if node.side == "B" else theme.text2
        font = ui_font(12, QFont.Weight.DemiBold)
        self._text(painter, rect, node.side, font, colour)
        room = rect.adjusted(SIGN + 8, 0, 0, 0)
        self._text(painter, room, node.title, data_font(), theme.text2)

    def _paint_value(self, painter: QPainter, rect: QRect, node: Node) -> None:
        theme = self._look.theme
        key = node.title or node.key
        self._text(painter, rect, key, data_font(), theme.text)
        used = QFontMetrics(data_font()).horizontalAdvance(key) + 10
        if node.value is not None:
            room = rect.adjusted(used, 0, 0, 0)
            self._text(painter, room, node.value.text, data_font(), theme.text2)

    def _text(
        self, painter: QPainter, rect: QRect, text: str, font: QFont, colour: QColor
    ) -> None:
        if rect.width() < 12:
            return
        painter.setFont(font)
        painter.setPen(colour)
        shown = QFontMetrics(font).elidedText(
            text, Qt.TextElideMode.ElideRight, rect.width()
        )
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(rect, left, shown)


def paint_counts(
    painter: QPainter, rect: QRect, counts: Counter[str], look: Look
) -> int:
    """Paint how many differences of each kind there are, at the right. Return the x at
    which the rest of the row must end.
    """
    font = data_font(12)
    metrics = QFontMetrics(font)
    right = rect.right()
    middle = rect.center().y()
    painter.setFont(font)
    for kind in reversed(SIGNS):
        if not counts[kind]:
            continue
        text = f"{counts[kind]:,}"
        width = metrics.horizontalAdvance(text)
        colour = getattr(look.theme, SIGNS[kind].role)
        painter.setPen(colour)
        place = QRect(right - width, rect.top(), width + 1, rect.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)
        sign = QRectF(right - width - SIGN - 3, middle - SIGN / 2 + 0.5, SIGN, SIGN)
        paint_sign(painter, kind, sign, colour)
        right = right - width - SIGN - 14
    return right
