"""Palette: the node types by category, to search, drag onto the canvas, or add with Enter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QMimeData, QModelIndex, QObject, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QDrag,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPixmap,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
    QTreeView,
    QWidget,
)

from designer.checks import Checks
from designer.document import Document
from designer.look.fonts import ui_font
from designer.look.icons import paint_icon, themed_icon
from designer.look.theme import Look
from designer.panels.base import Panel
from designer.panels.tables import AnyIndex
from designer.panels.widgets import ContentOrNotice, SearchField, column, hairline, icon_button, row, set_style
from designer.session.session import DebugSession
from runtime.definition import NodeInfo

MIME_TYPE = "application/x-stepwell-node"
TypeRole = Qt.ItemDataRole.UserRole
IconRole = Qt.ItemDataRole.UserRole + 1
NamesRole = Qt.ItemDataRole.UserRole + 2
ROW = 26


class PalettePanel(Panel):
    """`add_requested` carries the node type that should be added in the middle of the canvas.

    With `compact` it is a rail of icons, one per category, whose menus hold the types.
    """

    title = "Palette"
    icon = "box"
    area = "left"
    add_requested = Signal(str)

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        look: Look,
        parent: QWidget | None = None,
        *,
        checks: Checks | None = None,
    ) -> None:
        super().__init__(document, session, look, parent, checks=checks)
        self._compact = False
        self._failure = ""
        self.search = SearchField(look, "Search nodes", key_cap="Tab")
        self.tree = _Tree(look)
        self.rail = _Rail(self)
        self.stack = ContentOrNotice(self.tree, look)
        self._modes = QStackedWidget()
        self._modes.addWidget(self._full())
        self._modes.addWidget(self.rail)
        column(self).addWidget(self._modes)
        self.search.textChanged.connect(lambda _text: self._filter())
        self.search.returnPressed.connect(self._add_current)
        self.search.installEventFilter(self)
        self.tree.activated.connect(lambda _index: self._add_current())
        session.catalogue_ready.connect(self.invalidate)
        session.failed.connect(self._on_failed)
        session.changed.connect(self._follow_mode)

    @property
    def compact(self) -> bool:
        return self._compact

    @compact.setter
    def compact(self, on: bool) -> None:
        self._compact = on
        self._modes.setCurrentIndex(1 if on else 0)

    @property
    def can_add(self) -> bool:
        """Nodes are added while editing; a run has the graph that it was started with."""
        return self.session.mode == "edit"

    def refresh(self) -> None:
        infos = self.session.infos
        self.tree.fill(infos)
        self.rail.fill(infos)
        self._follow_mode()
        self._filter()

    def add(self, type_name: str) -> None:
        if self.can_add:
            self.add_requested.emit(type_name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down in the search field move in the list."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step is not None:
                self.tree.go(step)
                return True
        return super().eventFilter(watched, event)

    # --- inside

    def _full(self) -> QWidget:
        holder = QWidget()
        layout = column(holder)
        layout.addLayout(row(self.search, margins=(8, 8, 8, 8)))
        layout.addWidget(hairline())
        layout.addWidget(self.stack, 1)
        return holder

    def _filter(self) -> None:
        if not self.session.infos:
            self._say_no_catalogue()
            return
        text = self.search.text().strip()
        if self.tree.filter(text):
            self.stack.show_content()
        else:
            clear = ("Clear the search", self.search.clear)
            self.stack.say("search", "No such node", f"No node type matches “{text}”.", clear)

    def _say_no_catalogue(self) -> None:
        if self._failure:
            retry = ("Try again", self._load)
            self.stack.say("failed", "The node types could not be loaded", self._failure, retry)
        else:
            self.stack.say("clock", "Loading the node types", "This takes a moment.")

    def _load(self) -> None:
        self._failure = ""
        self.session.load_catalogue()
        self.invalidate()

    def _on_failed(self, title: str, text: str) -> None:
        if not self.session.infos:
            self._failure = text or title
            self.invalidate()

    def _follow_mode(self) -> None:
        self.tree.setDragEnabled(self.can_add)
        self.tree.setToolTip("" if self.can_add else "Go back to editing to add nodes.")

    def _add_current(self) -> None:
        type_name = self.tree.currentIndex().data(TypeRole)
        if type_name:
            self.add(type_name)


def node_mime(type_name: str) -> QMimeData:
    """What a drag of a node type carries."""
    mime = QMimeData()
    mime.setData(MIME_TYPE, type_name.encode())
    return mime


class _Tree(QTreeView):
    """Categories that open and close, with the types below them."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._items = _Types()
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
        self._items.clear()
        for category, members in by_category(infos).items():
            head = QStandardItem(category)
            head.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            head.appendRows([_type_item(info) for info in members])
            self._items.appendRow(head)
        self.expandAll()

    def filter(self, text: str) -> int:
        """Show the types that match by name, or if none does by description; the best is current. Returns how many."""
        words = text.lower().split()
        found = self._show(words, NamesRole)
        return found or self._show(words, Qt.ItemDataRole.WhatsThisRole)

    def _show(self, words: list[str], role: int) -> int:
        found = 0
        first, best = QModelIndex(), -1
        for at in range(self._items.rowCount()):
            head = self._items.item(at)
            shown = 0
            for below in range(head.rowCount()):
                item = head.child(below)
                hit = all(word in str(item.data(role)) for word in words)
                self.setRowHidden(below, head.index(), not hit)
                shown += hit
                rank = sum(f" {word}" in f" {item.text().lower()}" for word in words)
                if hit and rank > best:
                    first, best = item.index(), rank
            self.setRowHidden(at, QModelIndex(), not shown)
            if words and shown:
                self.expand(head.index())
            found += shown
        if words and first.isValid():
            self.setCurrentIndex(first)
        return found

    def go(self, step: int) -> None:
        """To the next or previous type, over the heads of categories."""
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
        """The node in its compact form, as it will stand on the canvas."""
        ratio, theme = self.devicePixelRatioF(), self._look.theme
        pixmap = QPixmap(round(169 * ratio), round(33 * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.accent)
        painter.setBrush(theme.node)
        painter.drawRoundedRect(QRectF(0.5, 0.5, 168, 32), 8, 8)
        paint_icon(painter, str(index.data(IconRole)), QRectF(10, 8, 16, 16), theme.text2)
        painter.setFont(ui_font(13, QFont.Weight.DemiBold))
        painter.setPen(theme.text)
        painter.drawText(QRect(36, 0, 126, 32), Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        painter.end()
        return pixmap


class _Types(QStandardItemModel):
    def mimeTypes(self) -> list[str]:
        return [MIME_TYPE]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        chosen = [index for index in indexes if index.data(TypeRole)]
        return node_mime(chosen[0].data(TypeRole)) if chosen else QMimeData()


def by_category(infos: Mapping[str, NodeInfo]) -> dict[str, list[NodeInfo]]:
    """The types by category, in the order of the catalogue."""
    found: dict[str, list[NodeInfo]] = {}
    for info in infos.values():
        found.setdefault(info.category, []).append(info)
    return found


def _type_item(info: NodeInfo) -> QStandardItem:
    item = QStandardItem(info.title)
    item.setData(info.type, TypeRole)
    item.setData(info.icon, IconRole)
    item.setData(f"{info.title} {info.type} {info.category}".lower(), NamesRole)
    item.setData(info.description.lower(), Qt.ItemDataRole.WhatsThisRole)
    item.setToolTip(_tip(info))
    item.setData(info.description, Qt.ItemDataRole.AccessibleDescriptionRole)
    return item


def _tip(info: NodeInfo) -> str:
    ways = f"{', '.join(info.inputs) or 'nothing'} → {', '.join(info.outputs) or 'nothing'}"
    return f"{info.title}\n{info.description}\n{ways}" if info.description else f"{info.title}\n{ways}"


class _Row(QStyledItemDelegate):
    """A category's head, or a type with its icon."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        theme, is_type = self._look.theme, bool(index.data(TypeRole))
        rect = QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        whole = QRect(0, rect.y(), rect.right() + 1, rect.height())
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(whole, theme.accentSoft)
        elif option.state & QStyle.StateFlag.State_MouseOver and is_type:
            painter.fillRect(whole, theme.hover)
        left = rect.left() + 8
        if is_type:
            left = rect.left()
            paint_icon(painter, str(index.data(IconRole)), QRectF(left, rect.center().y() - 7, 16, 16), theme.text2)
            left += 24
        font = ui_font(13) if is_type else ui_font(12, QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(theme.text if is_type else theme.text2)
        room = QRect(left, rect.y(), rect.right() - 12 - left, rect.height())
        text = QFontMetrics(font).elidedText(str(index.data()), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class _Rail(QWidget):
    """The palette when it is 40 px wide: a menu per category."""

    def __init__(self, panel: PalettePanel) -> None:
        super().__init__()
        self._panel = panel
        self.buttons: list[QToolButton] = []
        self._layout = column(self, margins=(6, 8, 6, 8), gap=4)
        self._layout.addStretch(1)
        leave = icon_button(panel.look, "pencil", "Back to editing", panel.session.leave)
        leave.setProperty("small", False)
        set_style(leave, rail=True)
        self._layout.addWidget(leave)

    def fill(self, infos: Mapping[str, NodeInfo]) -> None:
        for old in self.buttons:
            self._layout.removeWidget(old)
            old.hide()
            old.deleteLater()
        self.buttons = []
        for category, members in by_category(infos).items():
            tool = icon_button(self._panel.look, members[0].icon, category)
            tool.setProperty("small", False)
            set_style(tool, rail=True)
            tool.setIconSize(QSize(16, 16))
            tool.clicked.connect(lambda _on, tool=tool, members=members: self.menu(members).popup(_beside(tool)))
            self._layout.insertWidget(len(self.buttons), tool)
            self.buttons.append(tool)

    def menu(self, members: list[NodeInfo]) -> QMenu:
        """The types of a category; they can be added while editing."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        for info in members:
            icon = themed_icon(info.icon, self._panel.look)
            action = menu.addAction(icon, info.title)
            action.triggered.connect(lambda _on, info=info: self._panel.add(info.type))
            action.setToolTip(_tip(info))
            action.setEnabled(self._panel.can_add)
        if not self._panel.can_add:
            menu.addSeparator()
            menu.addAction(
                themed_icon("pencil", self._panel.look), "Back to editing, to add nodes", self._panel.session.leave
            )
        return menu


def _beside(tool: QToolButton) -> QPoint:
    return tool.mapToGlobal(tool.rect().topRight())
