"""The tree of the palette: categories with their node types, to search and to drag."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QMimeData, QModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import (
    QDrag,
    QFont,
    QFontMetrics,
    QPainter,
    QPixmap,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QTreeView

from designer.look.fonts import ui_font
from designer.look.icons import paint_icon
from designer.look.theme import Look
from designer.model.completion import type_usage
from designer.model.completion.type_search import answers, search
from designer.panels.widgets.rows import RowDelegate
from designer.qt.indexes import AnyIndex
from runtime.document.definition import NodeInfo

MIME_TYPE = "application/x-stepwell-node"
TypeRole = Qt.ItemDataRole.UserRole
IconRole = Qt.ItemDataRole.UserRole + 1
ROW = 26


def node_mime(type_name: str) -> QMimeData:
    """Return the data of a drag of a node type."""
    mime = QMimeData()
    mime.setData(MIME_TYPE, type_name.encode())
    return mime


class TypeTree(QTreeView):
    """Categories that open and close, with their node types."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._items = _Types()
        self._infos: dict[str, NodeInfo] = {}
        self._item_of: dict[str, QStandardItem] = {}
        self.setModel(self._items)
        self.setItemDelegate(_Row(look, self))
        self.setAccessibleName("Node types")
        self.setHeaderHidden(True)
        self.setIndentation(14)
        self.setMouseTracking(True)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(False)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._on_clicked)
        look.changed.connect(self.viewport().update)

    def fill(self, infos: Mapping[str, NodeInfo]) -> None:
        """Show these types. Closed categories stay closed."""
        closed = {
            head.text() for head in self._heads() if not self.isExpanded(head.index())
        }
        self._items.clear()
        self._infos = dict(infos)
        self._item_of = {}
        for category, members in by_category(infos).items():
            head = QStandardItem(category)
            head.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            for info in members:
                self._item_of[info.type] = _type_item(info)
                head.appendRow(self._item_of[info.type])
            self._items.appendRow(head)
            self.setExpanded(head.index(), category not in closed)

    def _heads(self) -> list[QStandardItem]:
        return [self._items.item(row) for row in range(self._items.rowCount())]

    def filter(self, text: str) -> int:
        """Show the types that match a text, and select the best. Return their number.

        Types that match by name or synonym hide those that match only by their
        description.
        """
        best: list[NodeInfo] = []
        if text.split():
            best = search(text, self._infos.values(), type_usage.often())
        named = {info.type for info in self._infos.values() if answers(text, info)}
        shown = named or {info.type for info in best}
        count = self._show(shown)
        first = next((info.type for info in best if info.type in shown), "")
        if first:
            self.setCurrentIndex(self._item_of[first].index())
        return count

    def _show(self, types: Collection[str]) -> int:
        """Show only these types, under their categories. Return their number."""
        total = 0
        for row in range(self._items.rowCount()):
            head = self._items.item(row)
            shown = 0
            for below in range(head.rowCount()):
                hit = head.child(below).data(TypeRole) in types
                self.setRowHidden(below, head.index(), not hit)
                shown += hit
            self.setRowHidden(row, QModelIndex(), not shown)
            if shown and len(types) < len(self._infos):
                self.expand(head.index())
            total += shown
        return total

    def go(self, step: int) -> None:
        """Select the next or previous type, and skip the heads of categories."""
        index = self.currentIndex()
        while True:
            index = self.indexBelow(index) if step > 0 else self.indexAbove(index)
            if not index.isValid() and step > 0 and not self.currentIndex().isValid():
                index = self.model().index(0, 0)
            if not index.isValid():
                return
            if index.data(TypeRole):
                self.setCurrentIndex(index)
                return

    def startDrag(self, actions: Qt.DropAction) -> None:
        type_name = self.currentIndex().data(TypeRole)
        if not type_name:
            return
        drag = QDrag(self)
        drag.setMimeData(node_mime(type_name))
        picture = self._picture(self.currentIndex())
        drag.setPixmap(picture)
        drag.setHotSpot(QRect(0, 0, 168, 32).center())
        drag.exec(Qt.DropAction.CopyAction)

    def drawBranches(self, painter: QPainter, rect: QRect, index: AnyIndex) -> None:
        if index.data(TypeRole):
            return
        name = "chev" if self.isExpanded(self._items.index(index.row(), 0)) else "chevr"
        square = QRectF(rect.right() - 9, rect.center().y() - 5, 12, 12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_icon(painter, name, square, self._look.theme.text2)

    def _on_clicked(self, index: QModelIndex) -> None:
        if not index.data(TypeRole):
            self.setExpanded(index, not self.isExpanded(index))

    def _picture(self, index: QModelIndex) -> QPixmap:
        """Return the node in its compact form, as it will be on the canvas."""
        ratio = self.devicePixelRatioF()
        theme = self._look.theme
        pixmap = QPixmap(round(169 * ratio), round(33 * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.accent)
        painter.setBrush(theme.node)
        painter.drawRoundedRect(QRectF(0.5, 0.5, 168, 32), 8, 8)
        paint_icon(
            painter, str(index.data(IconRole)), QRectF(10, 8, 16, 16), theme.text2
        )
        painter.setFont(ui_font(13, QFont.Weight.DemiBold))
        painter.setPen(theme.text)
        painter.drawText(
            QRect(36, 0, 126, 32), Qt.AlignmentFlag.AlignVCenter, str(index.data())
        )
        painter.end()
        return pixmap


class _Types(QStandardItemModel):
    def mimeTypes(self) -> list[str]:
        return [MIME_TYPE]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        chosen = [index for index in indexes if index.data(TypeRole)]
        return node_mime(chosen[0].data(TypeRole)) if chosen else QMimeData()


def by_category(infos: Mapping[str, NodeInfo]) -> dict[str, list[NodeInfo]]:
    """Return the types by category, in the order of the catalogue."""
    types: dict[str, list[NodeInfo]] = {}
    for info in infos.values():
        types.setdefault(info.category, []).append(info)
    return types


def _type_item(info: NodeInfo) -> QStandardItem:
    item = QStandardItem(info.title)
    item.setData(info.type, TypeRole)
    item.setData(info.icon, IconRole)
    item.setToolTip(tip_of(info))
    item.setData(info.description, Qt.ItemDataRole.AccessibleDescriptionRole)
    return item


def tip_of(info: NodeInfo) -> str:
    inputs = ", ".join(info.inputs) or "nothing"
    outputs = ", ".join(info.outputs) or "nothing"
    lines = (info.title, info.description, f"{inputs} → {outputs}")
    return "\n".join(filter(None, lines))


class _Row(RowDelegate):
    """The head of a category, or a type with its icon."""

    height = ROW

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        theme = self._look.theme
        is_type = bool(index.data(TypeRole))
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        full_row = QRect(0, rect.y(), rect.right() + 1, rect.height())
        self.paint_background(painter, option, full_row, hover=is_type)
        left = rect.left() + 8
        if is_type:
            left = rect.left()
            paint_icon(
                painter,
                str(index.data(IconRole)),
                QRectF(left, rect.center().y() - 7, 16, 16),
                theme.text2,
            )
            left += 24
        font = ui_font(13) if is_type else ui_font(12, QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(theme.text if is_type else theme.text2)
        room = QRect(left, rect.y(), rect.right() - 12 - left, rect.height())
        text = QFontMetrics(font).elidedText(
            str(index.data()), Qt.TextElideMode.ElideRight, room.width()
        )
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()
