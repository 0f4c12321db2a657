"""Cards in a column that the user puts into another order: by dragging a grip, or with
Alt+Up and Alt+Down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look

_WAYS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
THRESHOLD = 4  # px of movement that turn a press into a drag


def way_of(event: QEvent) -> int:
    """Return -1 or 1 for a press of Alt+Up or Alt+Down, else 0."""
    kinds = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
    if event.type() not in kinds or not isinstance(event, QKeyEvent):
        return 0
    plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if plain == Qt.KeyboardModifier.AltModifier:
        return _WAYS.get(Qt.Key(event.key()), 0)
    return 0


class Mark(QWidget):
    """A line between two cards, where the dragged card would go."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.theme.accent)
        painter.drawRoundedRect(self.rect(), 1, 1)


class Reorder(QObject):
    """Moves the cards of `holder`. `move` takes the index of a card and the number of
    places to move it.
    """

    def __init__(
        self,
        holder: QWidget,
        look: Look,
        cards: Callable[[], Sequence[QWidget]],
        move: Callable[[int, int], None],
    ) -> None:
        super().__init__(holder)
        self.holder = holder
        self._cards = cards
        self._move = move
        self.mark = Mark(look, holder)

    def watch(self, widget: QWidget) -> None:
        """Let Alt+Up and Alt+Down in this part of a card move the card, before the
        widget gets the keys.
        """
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        way = way_of(event)
        if not way:
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress and isinstance(watched, QWidget):
            self.step(watched, way)
        return True

    def step(self, inside: QWidget, way: int) -> None:
        """Move the card that contains a widget; at the ends it stays."""
        cards = self._cards()
        for index, card in enumerate(cards):
            if card is inside or card.isAncestorOf(inside):
                if 0 <= index + way < len(cards):
                    self._move(index, way)
                break

    # --- by mouse

    def show(self, index: int, y: int) -> None:
        """Show the place of the card if it were dropped at this height of the holder."""
        cards = self._cards()
        place = self.place(index, y)
        if place == index:
            self.mark.hide()
            return
        rect = cards[place].geometry()
        top = rect.bottom() + 3 if place > index else rect.top() - 5
        self.mark.setGeometry(rect.left(), top, rect.width(), 3)
        self.mark.show()
        self.mark.raise_()

    def place(self, index: int, y: int) -> int:
        """Return the new index of the card. The pointer passes another card at its
        middle.
        """
        middles = [
            card.geometry().center().y()
            for k, card in enumerate(self._cards())
            if k != index
        ]
        return sum(middle < y for middle in middles)

    def drop(self, index: int, y: int) -> None:
        self.mark.hide()
        place = self.place(index, y)
        if place != index:
            self._move(index, place - index)


class Grip(QToolButton):
    """The handle of a card."""

    def __init__(self, look: Look, reorder: Reorder, index: int, title: str) -> None:
        super().__init__()
        self._reorder = reorder
        self._at = index
        self._pressed: QPoint | None = None
        self._dragging = False
        self.setIcon(themed_icon("grip", look))
        self.setIconSize(QSize(14, 14))
        self.setProperty("narrow", True)
        self.setFixedSize(16, 22)
        self.setAccessibleName(f"Move {title}")
        self.setToolTip("Drag to another place, or press Alt+Up or Alt+Down")
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        reorder.watch(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.globalPosition().toPoint()
            self.setFocus(
                Qt.FocusReason.MouseFocusReason
            )  # because Escape must come here

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pointer = event.globalPosition().toPoint()
        if self._pressed is None:
            return
        if (pointer - self._pressed).manhattanLength() >= THRESHOLD:
            self._dragging = True
        if self._dragging:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._reorder.show(self._at, self._height(pointer))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        dragged = self._dragging
        self._end()
        if dragged:
            self._reorder.drop(self._at, self._height(event.globalPosition().toPoint()))

    def event(self, event: QEvent) -> bool:
        escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        if (
            escape
            and self._dragging
            and event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        ):
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self._end()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._end()

    def _height(self, pointer: QPoint) -> int:
        return self._reorder.holder.mapFromGlobal(pointer).y()

    def _end(self) -> None:
        self._pressed = None
        self._dragging = False
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self._reorder.mark.hide()
