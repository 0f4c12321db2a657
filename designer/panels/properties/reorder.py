"""Cards in a column that are put into another order: by dragging a grip, or with Alt+Up and Alt+Down."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from designer.look.icons import themed_icon
from designer.look.theme import Look

_WAYS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
THRESHOLD = 4  # px before a press is a drag


def way_of(event: QEvent) -> int:
    """-1 or 1 for Alt+Up or Alt+Down, pressed or about to be; 0 for anything else."""
    kinds = (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride)
    if event.type() not in kinds or not isinstance(event, QKeyEvent):
        return 0
    plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    if plain == Qt.KeyboardModifier.AltModifier:
        return _WAYS.get(Qt.Key(event.key()), 0)
    return 0


class Mark(QWidget):
    """A line between two cards: what is dragged would come to stand here."""

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
    """Moves the cards of `holder`: `move` takes the place of a card from 0, and how many places it goes."""

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
        """Alt+Up and Alt+Down in this part of a card move the card, whatever else they mean to the widget."""
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
        """Move the card that a widget is in; past the ends it stays."""
        cards = self._cards()
        index = next(
            (
                k
                for k, card in enumerate(cards)
                if card is inside or card.isAncestorOf(inside)
            ),
            -1,
        )
        if index >= 0 and 0 <= index + way < len(cards):
            self._move(index, way)

    # --- by mouse

    def show(self, index: int, y: int) -> None:
        """Show where the card would come to stand when it is let go at this height of the holder."""
        cards = self._cards()
        place = self.place(index, y)
        if place == index:
            self.mark.hide()
            return
        rect = cards[place].geometry()
        self.mark.setGeometry(
            rect.left(),
            (rect.bottom() + 3) if place > index else (rect.top() - 5),
            rect.width(),
            3,
        )
        self.mark.show()
        self.mark.raise_()

    def place(self, index: int, y: int) -> int:
        """Which place it would have: cards are passed at their middle."""
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
    """The handle of the card at a place."""

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
            self.setFocus(Qt.FocusReason.MouseFocusReason)  # so that Escape comes here

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        pointer = event.globalPosition().toPoint()
        if self._pressed is None:
            return
        self._dragging = (
            self._dragging or (pointer - self._pressed).manhattanLength() >= THRESHOLD
        )
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
