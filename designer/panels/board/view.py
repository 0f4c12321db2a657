"""The view of the board: scrolls and zooms, handles mouse and keys, and paints what is
in view.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QContextMenuEvent,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from designer.look.theme import Look
from designer.panels.board.model import BoardModel, Spot
from designer.panels.board.paint import HEAD, Arrows, BoardPainter, BoardState
from designer.panels.board.rows import ROW_HEIGHT, Row
from designer.panels.board.words import cell_words
from designer.panels.widgets.wheel_scroll import scroll_by_wheel
from designer.qt import wheel
from designer.session.session import DebugSession

GUTTER = 192
GUTTER_NARROW = 120
NARROW = 760  # px of the view below which the names get less room
# Columns on each side of the view that are fetched too.
AHEAD = 4


class BoardView(QAbstractScrollArea):
    """`chosen` carries the `Spot` that the user went to, by mouse or keys."""

    chosen = Signal(object)
    menu_requested = Signal(object, QPoint)  # Spot; the point is on the screen

    def __init__(
        self,
        model: BoardModel,
        session: DebugSession,
        look: Look,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.model = model
        self.places = model.places
        self._session = session
        self._look = look
        self.selected: Spot | None = None
        self.arrows: Arrows = "selected"
        self.gutter = GUTTER
        # Whether the view scrolls along with the run; see `TimelineStrip`.
        self._following = True
        self._placing = False
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Superstep board")
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setMouseTracking(True)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        model.changed.connect(self._on_changed)
        look.changed.connect(self.viewport().update)

    # --- what is shown ------------------------------------------------------------------------------------------

    def state(self) -> BoardState:
        session = self._session
        stopped = session.stopped
        failed = ""
        if stopped is not None and stopped.reason == "failed":
            failed = stopped.executor
        return BoardState(
            gutter=self.gutter,
            scroll_x=self.horizontalScrollBar().value(),
            scroll_y=self.verticalScrollBar().value(),
            viewed=self.model.viewed,
            past=session.mode == "past",
            selected=self.selected,
            arrows=self.arrows,
            failed=failed,
            running=self._running(),
            has_focus=self.hasFocus(),
        )

    def _running(self) -> dict[str, tuple[float, bool]]:
        progress = self._session.progress
        if progress is None:
            return {}
        running = {name: (took, True) for name, took in progress.done.items()}
        for name, took in progress.running.items():
            running[name] = (took, False)
        for path, inside in progress.inside.items():
            for name, took in inside.done.items():
                running[f"{path}/{name}"] = (took, True)
            for name, took in inside.running.items():
                running[f"{path}/{name}"] = (took, False)
        return running

    def show_arrows(self, arrows: Arrows) -> None:
        self.arrows = arrows
        self.viewport().update()

    def scale(self, *, to_scale: bool) -> None:
        """Make all columns equally wide, or as wide as they are long. The first
        superstep in view stays where it is.
        """
        first = self._first_superstep()
        self.places.scale(to_scale=to_scale)
        self._keep(first)

    def select(self, spot: Spot | None) -> None:
        """Mark a cell, without going there."""
        if spot != self.selected:
            self.selected = spot
            self._say()
            self.viewport().update()

    # --- scrolling ----------------------------------------------------------------------------------------------

    def _time_width(self) -> int:
        return max(1, self.viewport().width() - self.gutter)

    def _body_height(self) -> int:
        return max(1, self.viewport().height() - HEAD)

    def _fit_bars(self) -> None:
        self._placing = True
        across = self.horizontalScrollBar()
        down = self.verticalScrollBar()
        across.setRange(0, max(0, round(self.places.width()) - self._time_width()))
        across.setPageStep(self._time_width())
        across.setSingleStep(48)
        down.setRange(0, max(0, self.places.height() - self._body_height()))
        down.setPageStep(self._body_height())
        down.setSingleStep(ROW_HEIGHT)
        self._placing = False

    def _on_scrolled(self) -> None:
        if not self._placing:
            bar = self.horizontalScrollBar()
            self._following = bar.value() >= bar.maximum() - 4

    def _first_superstep(self) -> int:
        return self.places.column_at(self.horizontalScrollBar().value())

    def _keep(self, superstep: int) -> None:
        self._fit_bars()
        self.horizontalScrollBar().setValue(round(self.places.left(superstep)))
        self.viewport().update()

    def _on_changed(self) -> None:
        self._fit_bars()
        if self._following and self._session.mode != "past":
            self._placing = True
            bar = self.horizontalScrollBar()
            bar.setValue(bar.maximum())
            self._placing = False
        self.viewport().update()
        self.fetch()

    def show_superstep(self, superstep: int) -> None:
        """Scroll just far enough to show a superstep."""
        self._placing = True
        bar = self.horizontalScrollBar()
        left = self.places.left(superstep) - 20
        right = self.places.barrier(superstep) + 40
        value = min(max(bar.value(), right - self._time_width()), left)
        bar.setValue(round(value))
        self._placing = False

    def _show_place(self, place: int) -> None:
        down = self.verticalScrollBar()
        top = self.places.top(place)
        bottom = self.places.top(place + 1)
        down.setValue(min(max(down.value(), bottom - self._body_height()), top))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll over executors, with Shift over time; Ctrl zooms."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            factor = 1.2 ** (wheel.turn(event) / wheel.NOTCH)
            self._zoom(factor, event.position().x())
        else:
            scroll_by_wheel(self, event)
        event.accept()

    def _zoom(self, factor: float, at: float) -> None:
        """Zoom; the superstep under the mouse keeps its place."""
        bar = self.horizontalScrollBar()
        offset = max(0.0, at - self.gutter)
        superstep = self.places.column_at(offset + bar.value())
        before = self.places.left(superstep) - bar.value()
        self.places.zoom(factor)
        self._fit_bars()
        bar.setValue(round(self.places.left(superstep) - before))
        self.viewport().update()

    # --- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        board = BoardPainter(
            painter,
            self.model,
            self.state(),
            self._look.theme,
            event.rect(),
            self.viewport().rect(),
        )
        board.paint()

    def fetch(self) -> None:
        """Ask for the columns in view that are missing."""
        if not self.isVisible():
            return
        left = self.horizontalScrollBar().value()
        first = self.places.column_at(left) - AHEAD
        last = self.places.column_at(left + self._time_width()) + AHEAD
        top = self.verticalScrollBar().value()
        rows = self.places.rows_between(top, top + self._body_height())
        lanes = {self.places.rows[place].lane for place in rows}
        self.model.want(lanes, first, min(last, self.places.count))

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()
        self.fetch()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_narrow = self.width() < NARROW
        self.gutter = GUTTER_NARROW if is_narrow else GUTTER
        self._on_changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._session.watch_growth("board", is_watching=True)
        self._on_changed()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._session.watch_growth("board", is_watching=False)

    # --- mouse --------------------------------------------------------------------------------------------------

    def spot_at(self, point: QPoint) -> Spot | None:
        """Return the cell at a point of the viewport."""
        row = self.row_at(point)
        if row is None or point.x() < self.gutter:
            return None
        x = point.x() - self.gutter + self.horizontalScrollBar().value()
        superstep = self.places.column_at(x)
        if superstep > self.places.count:
            return None
        return Spot(row.lane, row.name, superstep)

    def row_at(self, point: QPoint) -> Row | None:
        """Return the row at a point of the viewport."""
        if point.y() < HEAD:
            return None
        y = point.y() - HEAD + self.verticalScrollBar().value()
        place = self.places.row_at(y)
        return self.places.rows[place] if place is not None else None

    def rect_of(self, spot: Spot) -> QRect:
        """Return the rectangle of a cell in the viewport."""
        place = self.model.place_of(spot)
        if place is None:
            return QRect()
        shift = self.gutter - self.horizontalScrollBar().value()
        left = round(shift + self.places.left(spot.superstep))
        right = round(shift + self.places.barrier(spot.superstep))
        top = HEAD - self.verticalScrollBar().value() + self.places.top(place)
        height = self.places.rows[place].height
        return QRect(left, top, right - left, height)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        point = event.position().toPoint()
        row = self.row_at(point)
        if point.x() < self.gutter:
            if row is not None and row.is_open is not None:
                self.model.toggle(row)
            return
        spot = self.spot_at(point)
        if spot is not None:
            self.go(spot)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The second click of two at a fold is a click.
        self.mousePressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            spot = self.spot_at(event.pos())
            where = event.globalPos()
        else:
            spot = self.selected
            place = self.rect_of(spot).center() if spot is not None else QPoint()
            where = self.viewport().mapToGlobal(place)
        if spot is not None:
            self.menu_requested.emit(spot, where)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().viewportEvent(event)

    def tip_at(self, point: QPoint) -> str:
        """Return the tool tip at a point: a row or a cell in words."""
        row = self.row_at(point)
        if row is None:
            return ""
        spot = self.spot_at(point)
        if spot is None:
            return row.title
        return self.words_of(spot)

    def words_of(self, spot: Spot) -> str:
        """Return a cell as a sentence."""
        place = self.model.place_of(spot)
        if place is None:
            return ""
        row = self.places.rows[place]
        if spot.superstep < 1:
            return f"{row.title}, before the first superstep"
        if spot.superstep not in self.model.shown_supersteps(spot.lane):
            return f"{row.title}, superstep {spot.superstep}: not on this branch"
        column = self.model.column(spot.lane, spot.superstep)
        return cell_words(row, column, spot.superstep)

    # --- keys ---------------------------------------------------------------------------------------------------

    def go(self, spot: Spot) -> None:
        """Select a cell, scroll to it, and tell that the user went there."""
        place = self.model.place_of(spot)
        if place is not None:
            self._show_place(place)
        self.show_superstep(spot.superstep)
        self.select(spot)
        self.chosen.emit(spot)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        )
        act = _ACTS.get(Qt.Key(event.key())) if plain else None
        if act is None:
            super().keyPressEvent(event)
            return
        act(self)

    def walk(self, rows: int, supersteps: int) -> None:
        """Go to a neighbouring cell; without a selected one, to that of the viewed
        superstep.
        """
        spot = self.selected
        place = self.model.place_of(spot) if spot is not None else None
        if spot is None or place is None:
            self._begin()
            return
        place = min(max(0, place + rows), len(self.places.rows) - 1)
        row = self.places.rows[place]
        last = max(self.places.count, 0)
        superstep = min(max(0, spot.superstep + supersteps), last)
        self.go(Spot(row.lane, row.name, superstep))

    def walk_to_end(self, *, last: bool) -> None:
        spot = self.selected
        if spot is None:
            self._begin()
            return
        supersteps = self.model.shown_supersteps(spot.lane)
        end = supersteps[-1] if last else supersteps[0]
        self.go(Spot(spot.lane, spot.name, end))

    def fold(self) -> None:
        """Open or close the row of the selected cell."""
        place = self.model.place_of(self.selected) if self.selected else None
        if place is not None:
            self.model.toggle(self.places.rows[place])

    def _begin(self) -> None:
        rows = self.places.rows
        if not rows:
            return
        lane = self.model.current_lane
        viewed = self.model.viewed
        superstep = viewed.superstep if viewed is not None else self.places.count
        for row in rows:
            if row.lane == lane and row.kind != "branch":
                self.go(Spot(lane, row.name, superstep))
                return
        self.go(Spot(rows[0].lane, rows[0].name, superstep))

    def _page(self) -> int:
        return max(1, self._body_height() // ROW_HEIGHT - 1)

    def _say(self) -> None:
        """Tell screen readers about the selected cell."""
        words = self.words_of(self.selected) if self.selected is not None else ""
        self.setAccessibleDescription(words)
        changed = QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        QAccessible.updateAccessibility(changed)


_ACTS: dict[Qt.Key, Callable[[BoardView], None]] = {
    Qt.Key.Key_Left: lambda view: view.walk(0, -1),
    Qt.Key.Key_Right: lambda view: view.walk(0, 1),
    Qt.Key.Key_Up: lambda view: view.walk(-1, 0),
    Qt.Key.Key_Down: lambda view: view.walk(1, 0),
    Qt.Key.Key_PageUp: lambda view: view.walk(-view._page(), 0),
    Qt.Key.Key_PageDown: lambda view: view.walk(view._page(), 0),
    Qt.Key.Key_Home: lambda view: view.walk_to_end(last=False),
    Qt.Key.Key_End: lambda view: view.walk_to_end(last=True),
    Qt.Key.Key_Space: lambda view: view.fold(),
    Qt.Key.Key_Return: lambda view: view.fold(),
    Qt.Key.Key_Enter: lambda view: view.fold(),
}
