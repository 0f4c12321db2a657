"""A short tour: a few words beside each part of the window, one after the other. Esc
leaves it at any moment.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, SignalInstance
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from designer.look.theme import Look
from designer.panels.widgets.basic import allow, button, label
from designer.qt.layouts import column, put, row
from designer.shell.keys.rows import Keys
from designer.shell.toolbar import Toolbar
from designer.shell.workspace import Workspace

WIDTH = 340
GAP = 12
EDGE = 8


class TourHost(Protocol):
    """What the tour needs of the window."""

    @property
    def current(self) -> Workspace | None: ...

    @property
    def workspace(self) -> Workspace: ...

    @property
    def toolbar(self) -> Toolbar: ...

    @property
    def keys(self) -> Keys: ...

    @property
    def current_changed(self) -> SignalInstance: ...


class Stop(NamedTuple):
    """A part of the window, and what is told there."""

    title: str
    text: str
    where: Callable[[TourHost], QWidget]


STOPS = (
    Stop(
        "Palette",
        "Node types, by category. Drag one to the canvas, or press Tab there and type its name.",
        lambda w: w.workspace.areas["left"],
    ),
    Stop(
        "Canvas",
        "Drag from a port to another node to connect them. Double-click a case to edit its condition. "
        "Everything can be undone.",
        lambda w: w.workspace.canvas,
    ),
    Stop(
        "Run",
        "Runs the workflow. Superstep, further right, delivers all pending messages once and pauses again.",
        lambda w: w.toolbar.buttons["run"],
    ),
    Stop(
        "Timeline",
        "Each superstep leaves a checkpoint with the whole state. Click one to look at it; looking changes nothing.",
        lambda w: w.workspace.areas["bottom"],
    ),
    Stop(
        "Inspector",
        "While you edit: the form of the selection. While a run is paused: State, Messages, and Joins, the ledger of "
        "what each join has received and still waits for.",
        lambda w: w.workspace.areas[
            "right-edit" if w.workspace.session.mode == "edit" else "right-debug"
        ],
    ),
    Stop(
        "Restore",
        "Step back, then choose Restore here (fork): the run continues from that checkpoint on a branch of its own. "
        "The old branch stays.",
        lambda w: w.toolbar.buttons["step-back"],
    ),
)


class Tour(QFrame):
    """A card over the window, and a frame round what it tells of. It goes with the
    workflow that it was begun at.
    """

    def __init__(self, look: Look, window: QWidget, host: TourHost) -> None:
        super().__init__(window)
        self._host = host
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "popup")
        self.setFixedWidth(WIDTH)
        self._window = window
        self._ring = _Ring(look, window)
        self._at = 0
        self.title = label("", "strong")
        self.text = label("", wrap=True)
        self.count = label("", "caption")
        self.leave_button = button("Leave", self.leave)
        self.back_button = button("Back", lambda: self.go(-1))
        self.next_button = button("Next", lambda: self.go(1), primary=True)
        layout = column(self, margins=(16, 14, 16, 14), gap=10)
        put(layout, row(self.title, None, self.count))
        layout.addWidget(self.text)
        put(
            layout,
            row(self.leave_button, None, self.back_button, self.next_button, gap=8),
        )
        window.installEventFilter(self)
        host.current_changed.connect(self.leave)
        self._show_stop()
        self.show()
        self.next_button.setFocus()

    @property
    def stop(self) -> Stop:
        return STOPS[self._at]

    def go(self, step: int) -> None:
        """On or back; on from the last one ends the tour."""
        if self._at + step == len(STOPS):
            self.leave()
        elif self._at + step >= 0:
            self._at += step
            self._show_stop()

    def leave(self) -> None:
        """End it, and give the keys back to the canvas."""
        self._window.removeEventFilter(self)
        self._ring.close()
        self.close()
        if self._host.current is not None:
            self._host.current.canvas.setFocus()

    def _show_stop(self) -> None:
        self.title.setText(self.stop.title)
        self.text.setText(self._host.keys.translated(self.stop.text))
        self.count.setText(f"{self._at + 1} of {len(STOPS)}")
        allow(self.back_button, "" if self._at else "This is where the tour begins.")
        last = self._at + 1 == len(STOPS)
        self.next_button.setText("Done" if last else "Next")
        self.setAccessibleName(f"Tour, {self.stop.title}")
        self.setAccessibleDescription(self.stop.text)
        self._place()

    def _place(self) -> None:
        """Beside what it tells of: on the side with most room, never over the edge of
        the window.
        """
        target = self.stop.where(self._host)
        rect = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())
        self._ring.surround(rect)
        self.text.setMinimumHeight(self.text.heightForWidth(WIDTH - 32))
        self.adjustSize()
        right = self._window.width() - rect.right()
        left = rect.left()
        if max(left, right) > WIDTH + 2 * GAP and rect.height() > 60:
            x = rect.right() + GAP if right >= left else rect.left() - WIDTH - GAP
            y = rect.top() + GAP
        else:
            x = rect.left()
            if rect.bottom() < self._window.height() / 2:
                y = rect.bottom() + GAP
            else:
                y = rect.top() - self.height() - GAP
        most_x = self._window.width() - WIDTH - EDGE
        most_y = self._window.height() - self.height() - EDGE
        self.move(max(EDGE, min(x, most_x)), max(EDGE, min(y, most_y)))
        self.raise_()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key == Qt.Key.Key_Escape:
            self.leave()
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self.go(1 if key == Qt.Key.Key_PageDown else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            focused = self.focusWidget()
            (focused if isinstance(focused, QPushButton) else self.next_button).click()
        else:
            super().keyPressEvent(event)


class _Ring(QWidget):
    """A line round a part of the window; the mouse goes through it."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._look = look
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def surround(self, rect: QRect) -> None:
        self.setGeometry(rect.adjusted(-3, -3, 3, 3).intersected(self._window.rect()))
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self._look.theme.accent, 2))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -2, -2), 6, 6)
