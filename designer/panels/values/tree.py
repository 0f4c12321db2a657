"""The tree of values in Selected, State, Messages and Requests: key, type, value;
search, copy, marks.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from designer.look.breakpoint_marks import paint_breakpoint
from designer.look.fonts import data_font, ui_font
from designer.look.icons import paint_icon, themed_icon
from designer.look.theme import Look
from designer.model.breakpoint_words import GHOST, BreakpointMark
from designer.panels.values.model import (
    Expand,
    Node,
    NodeRole,
    ValueModel,
    row_text,
    shown_text,
)
from designer.panels.values.origins import QUESTION, place_of
from designer.panels.widgets.basic import copy_text
from designer.panels.widgets.rows import RowDelegate
from designer.qt.indexes import AnyIndex

ROW = 26
TAIL_SHARE = 0.62  # largest part of a row for its tail
INDENT = 16
MARK_ROLES = {"new": "ok", "changed": "warn", "removed": "bad", "moved": "past"}
# Python's own types are painted grey, so that the workflow's own types catch the eye.
PLAIN_TYPES = {
    "str",
    "int",
    "float",
    "bool",
    "None",
    "dict",
    "list",
    "tuple",
    "set",
    "bytes",
}
Keys = tuple[str, ...]


class ValueTree(QTreeView):
    """A tree of `Node`s that keeps its open rows and its scroll position when another
    tree is shown.
    """

    chosen = Signal(object)  # Node, when the user moves to a row
    gutter_clicked = Signal(object)  # Node, at a click on the place before its row

    def __init__(
        self, look: Look, expand: Expand, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._open: set[Keys] = set()
        self._closed: set[Keys] = set()
        self._text = ""
        self._filtered = False  # whether rows are hidden
        # True while this class opens and closes rows, which is not the user's choice.
        self._restoring = False
        # Adds entries to the menu of a row.
        self.offer: Callable[[QMenu, Node], object] = lambda _menu, _node: None
        # Asks where the value of a row comes from; None where that cannot be asked.
        self.ask_origin: Callable[[Node], object] | None = None
        # Whether a row has a place for a mark, and the mark that is there.
        self.has_gutter: Callable[[Node], bool] = lambda _node: False
        self.gutter_mark: Callable[[Node], BreakpointMark | None] = lambda _node: None
        self.values = ValueModel(expand, self)
        self.setModel(self.values)
        self.setItemDelegate(_Delegate(look, self))
        self.setAccessibleName(name)
        self.setHeaderHidden(True)
        self.setUniformRowHeights(True)
        self.setIndentation(INDENT)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._on_menu)
        self.expanded.connect(lambda index: self._remember(index, True))
        self.collapsed.connect(lambda index: self._remember(index, False))
        self.clicked.connect(self._on_clicked)
        self.activated.connect(self._on_activated)
        self.values.rowsInserted.connect(self._on_rows)
        look.changed.connect(self.viewport().update)

    def show_root(self, root: Node) -> None:
        """Show another tree. Rows keep their state; a row with `open` is open unless
        the user closed it.
        """
        scroll = self.verticalScrollBar().value()
        current = self.values.node(self.currentIndex()).keys
        self._restoring = True
        self.values.set_root(root)
        self._reopen(root)
        self._restoring = False
        current_node = self.values.find(current) if current else None
        if current_node is not None:
            self.setCurrentIndex(self.values.index_of(current_node))
        self._filter()
        self.verticalScrollBar().setValue(scroll)

    def search(self, text: str) -> int:
        """Show only rows that contain the text, and their parents. Return the number of
        matches.
        """
        self._text = text.strip().lower()
        return self._filter()

    def unloaded(self) -> bool:
        """Return whether there are values that were not sent, which a search cannot
        find.
        """
        return any(node.count > node.loaded for node in self.values.root.walk())

    def open_to(self, keys: Keys) -> None:
        """Open and select the node with these keys, if it was sent."""
        node = self.values.find(keys)
        if node is not None:
            index = self.values.index_of(node)
            self.setExpanded(index, True)
            self.setCurrentIndex(index)
            self.scrollTo(index, QAbstractItemView.ScrollHint.PositionAtTop)

    def go_to(self, keys: Keys) -> None:
        """Select a row, without opening it or moving it to the top."""
        node = self.values.find(keys)
        if node is not None:
            self.setCurrentIndex(self.values.index_of(node))

    # --- opening and closing

    def _reopen(self, parent: Node) -> None:
        above = parent.keys
        for node in parent.children:
            keys = (*above, node.key)
            if not node.count:
                continue
            if keys in self._open or (node.open and keys not in self._closed):
                self.setExpanded(self.values.index_of(node), True)
                self._reopen(node)

    def _remember(self, index: QModelIndex, is_open: bool) -> None:
        node = self.values.node(index)
        keys = node.keys
        if is_open:
            if not node.children:
                # Because the view itself asks only when it is laid out again.
                self.values.load(node)
            self._open.add(keys)
            self._closed.discard(keys)
        elif not self._restoring and not self._text:
            self._open.discard(keys)
            self._closed.add(keys)

    def _on_rows(self, parent: QModelIndex, _first: int, _last: int) -> None:
        self._reopen(self.values.node(parent))
        if self._text:
            self._filter()

    def _on_clicked(self, index: QModelIndex) -> None:
        node = self.values.node(index)
        if node.more and node.parent is not None:
            self.values.load(node.parent)
        else:
            self.chosen.emit(node)

    def _on_activated(self, index: QModelIndex) -> None:
        node = self.values.node(index)
        if node.more and node.parent is not None:
            self.values.load(node.parent)
        elif self.values.hasChildren(index):
            self.setExpanded(index, not self.isExpanded(index))

    # --- search

    def _filter(self) -> int:
        if not self._text and not self._filtered:
            return 0
        self._filtered = bool(self._text)
        count = self._show_matches(self.values.root, False)
        self.viewport().update()
        return count

    def _show_matches(self, parent: Node, inside: bool) -> int:
        count = 0
        parent_index = self.values.index_of(parent)
        for row, node in enumerate(parent.children):
            hit = not self._text or self._text in row_text(node).lower()
            below = self._show_matches(node, inside or hit) if node.children else 0
            self.setRowHidden(row, parent_index, not (hit or inside or below))
            if below and self._text:
                self.setExpanded(self.values.index_of(node), True)
            count += hit + below
        return count

    # --- copying

    def _on_menu(self, point: QPoint) -> None:
        node = self.values.node(self.indexAt(point))
        if node.parent is None or node.more:
            return
        self.menu_for(node).popup(self.viewport().mapToGlobal(point))

    def menu_for(self, node: Node) -> QMenu:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        icon = themed_icon("copy", self._look)
        if node.value is not None:
            menu.addAction(icon, "Copy path", lambda: copy_text(node.python_path()))
        menu.addAction(
            icon,
            "Copy value",
            QKeySequence(QKeySequence.StandardKey.Copy),
            lambda: copy_text(node.python_text()),
        )
        ask = self.ask_origin
        if ask is not None and place_of(node) is not None:
            icon = themed_icon("branch", self._look)
            menu.addAction(icon, QUESTION, lambda: ask(node))
        self.offer(menu, node)
        return menu

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (
            event.matches(QKeySequence.StandardKey.Copy)
            and self.currentIndex().isValid()
        ):
            copy_text(self.values.node(self.currentIndex()).python_text())
            return
        super().keyPressEvent(event)

    # --- the place before a row

    def _in_gutter(self, point: QPoint) -> Node | None:
        """Return the node before whose row a point is, if it has a place there."""
        index = self.indexAt(point)
        if not index.isValid() or not 0 <= point.x() < INDENT:
            return None
        node = self.values.node(index)
        return node if self.has_gutter(node) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        node = self._in_gutter(event.position().toPoint())
        if node is not None and event.button() == Qt.MouseButton.LeftButton:
            self.gutter_clicked.emit(node)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_gutter = self._in_gutter(event.position().toPoint()) is not None
        hand = Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(hand if is_gutter else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)

    def _paint_gutter(self, painter: QPainter, row: QRect, node: Node) -> None:
        mark = self.gutter_mark(node)
        middle = QPointF(INDENT / 2, row.center().y() + 0.5)
        theme = self._look.theme
        pointer = self.viewport().mapFromGlobal(self.cursor().pos())
        if mark is None and row.contains(pointer) and pointer.x() < INDENT:
            mark = GHOST
        if mark is not None:
            paint_breakpoint(painter, mark, middle, theme, theme.panel, 0.85)

    # --- painting

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        theme = self._look.theme
        rect = QRect(0, option.rect.y(), self.viewport().width(), option.rect.height())
        if self.selectionModel().isSelected(_plain(index)):
            painter.fillRect(rect, theme.accentSoft)
        elif rect.contains(self.viewport().mapFromGlobal(self.cursor().pos())):
            painter.fillRect(rect, theme.hover)
        super().drawRow(painter, option, index)
        node = self.values.node(index)
        if self.has_gutter(node):
            self._paint_gutter(painter, rect, node)

    def drawBranches(self, painter: QPainter, rect: QRect, index: AnyIndex) -> None:
        if not self.values.hasChildren(index):
            return
        name = "chev" if self.isExpanded(_plain(index)) else "chevr"
        square = QRectF(rect.right() - 14, rect.center().y() - 6, 12, 12)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_icon(painter, name, square, self._look.theme.text2)


class _Delegate(RowDelegate):
    """Key, type and value in one row, and at its end a mark for new and
    changed values.
    """

    height = ROW

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        node: Node = index.data(NodeRole)
        theme = self._look.theme
        rect = QRect(option.rect).adjusted(4, 0, -10, 0)
        painter.save()
        rect.setRight(self._paint_end(painter, rect, node))
        title_font = ui_font(
            13, QFont.Weight.DemiBold if node.open else QFont.Weight.Normal
        )
        left = self._text(
            painter,
            rect,
            node.title or node.key or "''",
            title_font if node.title else data_font(),
            theme.text,
        )
        if node.value is not None and not node.brief:
            kind = theme.text3 if node.value.type in PLAIN_TYPES else theme.accent
            left = self._text(
                painter, _from(rect, left), node.value.type, data_font(), kind
            )
            colour = theme.text2 if node.value.count else theme.text
            text = shown_text(node.value)
            self._text(painter, _from(rect, left), text, data_font(), colour)
        painter.restore()

    def _paint_end(self, painter: QPainter, rect: QRect, node: Node) -> int:
        """Paint the mark and the tail, from the right. Return the x at which the rest
        of the row must end.
        """
        right = rect.right()
        theme = self._look.theme
        if node.mark:
            role = MARK_ROLES[node.mark]
            colour = getattr(theme, role)
            soft = getattr(theme, f"{role}Soft")
            width = QFontMetrics(ui_font(11)).horizontalAdvance(node.mark) + 10
            tag = QRectF(right - width, rect.center().y() - 8, width, 18)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(soft)
            painter.drawRoundedRect(tag, 4, 4)
            painter.setPen(colour)
            painter.setFont(ui_font(11))
            painter.drawText(tag, Qt.AlignmentFlag.AlignCenter, node.mark)
            right -= width + 8
        if node.tail:
            painter.setFont(data_font(11))
            painter.setPen(theme.text2)
            if node.holds is not None:
                painter.setPen(theme.ok if node.holds else theme.bad)
            metrics = QFontMetrics(data_font(11))
            # Elided, so that the name of the row has room.
            most = round((right - rect.left()) * TAIL_SHARE)
            tail = metrics.elidedText(node.tail, Qt.TextElideMode.ElideRight, most)
            width = metrics.horizontalAdvance(tail)
            painter.drawText(
                QRect(right - width, rect.y(), width + 1, rect.height()),
                Qt.AlignmentFlag.AlignVCenter,
                tail,
            )
            right -= width + 8
        return right

    def _text(
        self, painter: QPainter, rect: QRect, text: str, font: QFont, colour: QColor
    ) -> int:
        if rect.width() < 12 or not text:
            return rect.left()
        painter.setFont(font)
        painter.setPen(colour)
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
        painter.drawText(
            rect, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown
        )
        return rect.left() + metrics.horizontalAdvance(shown) + 8


def _plain(index: AnyIndex) -> QModelIndex:
    if isinstance(index, QPersistentModelIndex):
        return index.model().index(index.row(), 0, index.parent())
    return index


def _from(rect: QRect, left: int) -> QRect:
    return QRect(left, rect.y(), max(0, rect.right() - left), rect.height())
