"""The quick add: a search over the node types, at the pointer or at the end of a wire.

With a wire it shows only types that fit: Enter adds and connects, Esc drops the wire.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QEvent,
    QObject,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from designer.canvas.drawing.style import Style, fonts, rounded, text_width
from designer.look.fonts import ui_font
from designer.look.icons import paint_icon, themed_icon
from designer.look.theme import Look
from designer.model.completion.type_search import search
from designer.qt.indexes import AnyIndex
from designer.qt.layouts import put, stack
from runtime.document.definition import NodeInfo

WIDTH = 280
ROW = 28
MOST_ROWS = 8
LEAST_ROWS = 2
# begins the line over the list where what is added goes into an edge
INTO = "Goes into"
WAITING = "Node types are being loaded…"
_INFO = Qt.ItemDataRole.UserRole


class _Row(QStyledItemDelegate):
    """Paints icon, title, and the category at the right."""

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._look = look

    def sizeHint(self, option: QStyleOptionViewItem, index: object) -> QSize:
        return QSize(WIDTH - 2, ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex
    ) -> None:
        info: NodeInfo = index.data(_INFO)
        theme = self._look.theme
        rect = QRectF(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            painter.fillRect(rect, theme.accentSoft)
        icon = QRectF(rect.left() + 13, rect.top() + 6, 16, 16)
        paint_icon(painter, info.icon, icon, theme.accent if chosen else theme.text2)
        painter.setFont(ui_font(11.5))
        painter.setPen(theme.text2)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(rect.adjusted(0, 0, -12, 0), flags, info.category)
        if info.category:
            taken = painter.fontMetrics().horizontalAdvance(info.category) + 12
        else:
            taken = 0
        place = rect.adjusted(38, 0, -12 - taken, 0)
        painter.setFont(ui_font(13))
        painter.setPen(theme.text)
        title = painter.fontMetrics().elidedText(
            info.title, Qt.TextElideMode.ElideRight, int(place.width())
        )
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, title)
        painter.restore()


class _Accepts(QWidget):
    """The line "Accepts AgeReport from Age check"; the types in mono."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.parts = ("", "", "")
        self.setFixedHeight(24)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        x = 9.0
        painter.setPen(self._look.theme.text2)
        for text, font in zip(self.parts, ("words", "data", "words"), strict=True):
            painter.setFont(getattr(fonts(), font))
            painter.drawText(QPointF(x, 16), text)
            x += text_width(text, font) + 4
        painter.end()


class _Footer(QWidget):
    """The keys Enter and Esc, and what they do."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.words = ("add", "close")
        self.setFixedHeight(31)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        style = Style(self._look.theme)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(style.pen("line2"))
        painter.drawLine(QPointF(0, 0.5), QPointF(self.width(), 0.5))
        _key(painter, style, 12, "Enter", self.words[0])
        right = text_width("Esc", "data") + 12 + 7 + text_width(self.words[1], "words")
        _key(painter, style, self.width() - 12 - right, "Esc", self.words[1])
        painter.end()


def _key(painter: QPainter, style: Style, x: float, key: str, words: str) -> None:
    width = round(text_width(key, "data")) + 12
    painter.setPen(style.pen("line2"))
    painter.setBrush(style.brush("raised"))
    painter.save()
    painter.translate(round(x), 7)
    painter.drawPath(rounded(width, 18, 4))
    painter.restore()
    painter.setFont(fonts().data)
    painter.setPen(style.colour("text2"))
    painter.drawText(QPointF(round(x) + 6, 20), key)
    painter.setFont(fonts().words)
    painter.drawText(QPointF(round(x) + width + 7, 20), words)


class QuickAdd(QFrame):
    """Emits one of two signals, once: `chosen` carries the type, `dropped` means none."""

    chosen = Signal(str)
    dropped = Signal()

    def __init__(self, look: Look, parent: QWidget, often: Sequence[str] = ()) -> None:
        super().__init__(parent)
        self._look = look
        self._over = False
        self._often = often
        self._infos: Sequence[NodeInfo] = ()
        self._are_known = False  # whether the node types have come
        self._rows = MOST_ROWS  # as many as there is room for
        self.setFixedWidth(WIDTH)
        self.setAccessibleName("Add a node")
        self.field = QLineEdit(placeholderText="Search nodes")
        self.field.setTextMargins(22, 0, 0, 0)
        glass = QLabel(self.field)
        glass.setPixmap(themed_icon("search", look).pixmap(16))
        glass.setStyleSheet("background: transparent; border: none;")
        glass.setGeometry(8, 6, 16, 16)
        self.field.setAccessibleName("Search node types")
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list = QListWidget()
        self.list.setItemDelegate(_Row(look, self.list))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.itemClicked.connect(lambda _item: self.accept())
        self.list.itemEntered.connect(self.list.setCurrentItem)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._line = _Accepts(look, self)
        self._footer = _Footer(look, self)
        field = stack(self.field, margins=(8, 0, 8, 0))
        put(
            self,
            stack(
                field, self._line, self.list, self._footer, gap=4, margins=(1, 9, 1, 1)
            ),
        )
        self._restyle()

    def offer(
        self,
        infos: Sequence[NodeInfo],
        accepts: tuple[str, str, str] | None,
        *,
        are_known: bool,
    ) -> None:
        """Search among these types; what was typed and chosen stays.

        `are_known` says whether the node types have been loaded, in case none fits.
        """
        self._infos = infos
        self._are_known = are_known
        self._line.setVisible(accepts is not None)
        if accepts is not None:
            self._line.parts = accepts
            if accepts[0] == INTO:
                self._footer.words = ("add into the edge", "close")
            else:
                self._footer.words = ("add and connect", "drop wire")
        chosen = self._chosen()
        self._fill(self.field.text())
        rows = [
            self.list.item(row).data(_INFO).type for row in range(self.list.count())
        ]
        self.list.setCurrentRow(rows.index(chosen) if chosen in rows else 0)

    def _restyle(self) -> None:
        theme = self._look.theme
        self.setStyleSheet(
            f"QListWidget {{ background: {theme.raised.name()}; border: none; outline: none; }}"
            f"QLineEdit {{ background: {theme.field.name()}; color: {theme.text.name()}; border-radius: 6px;"
            f" border: 1px solid {theme.accent.name()}; padding: 3px 6px; min-height: 20px; font: 13px Inter; }}"
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        style = Style(self._look.theme)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(style.pen("line2"))
        painter.setBrush(style.brush("raised"))
        painter.drawPath(rounded(self.width(), self.height(), 8))
        painter.end()

    def _fill(self, query: str) -> None:
        self.list.clear()
        for info in search(query, self._infos, self._often):
            item = QListWidgetItem(info.title)
            item.setData(_INFO, info)
            item.setToolTip(info.description)
            self.list.addItem(item)
        if not self.list.count():
            nothing = QListWidgetItem("Nothing fits" if self._are_known else WAITING)
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
            nothing.setData(
                _INFO, NodeInfo(type="", title=nothing.text(), category="", icon="info")
            )
            self.list.addItem(nothing)
        self.list.setCurrentRow(0)
        self._fit()

    def _fit(self) -> None:
        self.list.setFixedHeight(ROW * min(self._rows, self.list.count()) + 2)
        self.adjustSize()

    def place(self, spot: QRect, inside: QRect) -> None:
        """Move next to a place, and wholly inside a rectangle, in pixels of the parent."""
        beside = self.height() - self.list.height()
        self._rows = max(
            LEAST_ROWS, min(MOST_ROWS, (inside.height() - 16 - beside) // ROW)
        )
        self._fit()
        x = min(max(spot.x() - 4, inside.left() + 8), inside.right() - self.width() - 8)
        y = spot.y() + 8
        if y + self.height() > inside.bottom() - 8:
            y = max(inside.top() + 8, inside.bottom() - self.height() - 8)
        self.move(x, y)

    def start(self) -> None:
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.PopupFocusReason)

    def accept(self) -> None:
        type = self._chosen()
        if type:
            self._end()
            self.chosen.emit(type)

    def _chosen(self) -> str:
        """Return the type of the chosen row, or "" when the row says why there is none."""
        item = self.list.currentItem()
        info: NodeInfo | None = item.data(_INFO) if item is not None else None
        return info.type if info is not None else ""

    def drop(self) -> None:
        if not self._over:
            self._end()
            self.dropped.emit()

    def _end(self) -> None:
        self._over = True
        self.field.removeEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            return self._key(event)
        leaves = isinstance(event, QFocusEvent) and event.type() == QEvent.Type.FocusOut
        if leaves and event.reason() != Qt.FocusReason.ActiveWindowFocusReason:  # type: ignore[attr-defined]
            self.drop()
        return False

    def _key(self, event: QKeyEvent) -> bool:
        step = {
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Tab: 1,
            Qt.Key.Key_Backtab: -1,
        }
        key = Qt.Key(event.key())
        if key in step:
            self.list.setCurrentRow(
                (self.list.currentRow() + step[key]) % max(1, self.list.count())
            )
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept()
        elif key == Qt.Key.Key_Escape:
            self.drop()
        else:
            return False
        return True
