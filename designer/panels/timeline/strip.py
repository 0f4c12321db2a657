"""The strip of the timeline: what the mouse and the keys do on it. It paints what the session looks at."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import (
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

from designer.look.fonts import ui_font
from designer.look.theme import Look
from designer.panels.timeline.layout import TimelineLayout
from designer.panels.timeline.paint import GUTTER, HEAD, Standing, StripPainter
from designer.panels.timeline.walk import Walker
from designer.panels.timeline.words import lane_caption
from designer.qt import wheel
from designer.qt.keys import Press, pressed, rebound
from designer.session.session import DebugSession
from designer.session.timeline_model import FAILED, Incident

# ms between two frames of the running arc; seconds for a turn
ARC_INTERVAL = 33
ARC_TURN = 0.9
HIT = 16.0  # px around a mark in which a click means it
PX_PER_ANGLE = 0.8  # a click of an ordinary wheel scrolls by 96 px
TAG_ROOM = 120  # what is kept free behind the head of a branch for its tags
EMPTY_TEXT = "No run yet. Press Run to make the first checkpoint."


class TimelineStrip(QAbstractScrollArea):
    """Lanes of checkpoints. Signals carry a checkpoint's id."""

    restore_requested = Signal(str)
    menu_requested = Signal(str, QPoint)  # and where, on the screen
    tag_requested = Signal(str)
    note_requested = Signal(str)

    def __init__(
        self, session: DebugSession, look: Look, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._look = look
        self.model = session.timeline
        self.places = TimelineLayout(self.model)
        self.walker = Walker(session, self)
        self.keys: Mapping[Press, Key] = KEYS
        self.still = False  # the running arc does not turn
        self._following = True
        self._scrubbing: int | None = None  # the lane that is scrubbed
        self._placing = False
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline of the run")
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        self._arc = QTimer(self, interval=ARC_INTERVAL)
        self._arc.timeout.connect(self._turn_arc)
        self.model.grown.connect(self._on_grown)
        session.changed.connect(self._on_session)
        look.changed.connect(self.viewport().update)

    def standing(self) -> Standing:
        """What is painted beside the rows of the model."""
        session = self._session
        walker = self.walker
        turn = time.monotonic() / ARC_TURN % 1.0
        base = self.model.row_of(self.base)
        ended = session.has_ended
        return Standing(
            walker.current,
            walker.head,
            base,
            session.mode == "past",
            session.running,
            ended,
            turn,
        )

    @property
    def base(self) -> str:
        """The checkpoint that is compared with; "" for none."""
        return self._session.base

    def set_base(self, checkpoint_id: str) -> None:
        """Choose what is compared with; the same one again: nothing."""
        self._session.compare_with("" if checkpoint_id == self.base else checkpoint_id)
        self.viewport().update()

    # --- scrolling and zoom -------------------------------------------------------------------------------------

    def set_zoom(self, column: float, at: float | None = None) -> None:
        """Width of a superstep; the place `at` (viewport x, else the middle) stays where it is."""
        x = at if at is not None else GUTTER + self._time_width() / 2
        superstep = (
            x - GUTTER + self.horizontalScrollBar().value()
        ) / self.places.column
        self.places.zoom(column, self._time_width())
        self._fit_bars()
        self.horizontalScrollBar().setValue(
            round(superstep * self.places.column - (x - GUTTER))
        )
        self.viewport().update()

    def _time_width(self) -> int:
        return max(1, self.viewport().width() - GUTTER)

    def _fit_bars(self) -> None:
        self._placing = True
        view = self.viewport()
        self.places.fit_lanes(view.height() - HEAD)
        across = self.horizontalScrollBar()
        down = self.verticalScrollBar()
        across.setRange(
            0,
            max(
                0,
                round(self.places.width(running=self._session.running))
                - self._time_width(),
            ),
        )
        across.setPageStep(self._time_width())
        across.setSingleStep(round(max(20.0, self.places.column / 2)))
        down.setRange(0, max(0, self.places.height() - (view.height() - HEAD)))
        down.setPageStep(view.height() - HEAD)
        down.setSingleStep(self.places.lane_height // 2)
        self._placing = False

    def _show_row(self, row: int) -> None:
        """Scroll just as far as needed to see a checkpoint."""
        self._placing = True
        across = self.horizontalScrollBar()
        down = self.verticalScrollBar()
        x = self.places.x_of(row)
        margin = min(self.places.column, self._time_width() / 4)
        right = max(margin, TAG_ROOM if self.model.is_last(row) else 0)
        across.setValue(
            round(min(max(across.value(), x + right - self._time_width()), x - margin))
        )
        top = self.model.lane_of(row) * self.places.lane_height
        room = self.viewport().height() - HEAD - self.places.lane_height
        down.setValue(round(min(max(down.value(), top - room), top)))
        self._placing = False

    def _on_scrolled(self) -> None:
        if not self._placing:
            bar = self.horizontalScrollBar()
            self._following = bar.value() >= bar.maximum() - 4

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll over time, and over branches where there are more than fit; Ctrl zooms."""
        moved = wheel.pixels(event)
        angle = wheel.angle(event)
        turned = wheel.turn(event)
        across = self.horizontalScrollBar()
        down = self.verticalScrollBar()
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.set_zoom(
                self.places.column * 1.2 ** (turned / wheel.NOTCH), event.position().x()
            )
        elif (
            event.modifiers() & Qt.KeyboardModifier.ShiftModifier or not down.maximum()
        ):
            step: float
            if moved is not None:
                step = moved.x() or moved.y()
            else:
                step = turned * PX_PER_ANGLE
            across.setValue(across.value() - round(step))
        elif moved is not None:
            across.setValue(across.value() - moved.x())
            down.setValue(down.value() - moved.y())
        else:
            across.setValue(across.value() - round(angle.x() * PX_PER_ANGLE))
            down.setValue(down.value() - round(angle.y() * PX_PER_ANGLE))
        event.accept()

    # --- following the run --------------------------------------------------------------------------------------

    def _on_grown(self) -> None:
        self.places.invalidate()
        if (
            self.base
            and not self._session.base_name
            and self.model.row_of(self.base) is None
        ):
            self.set_base(self.base)
        self._refresh()

    def _on_session(self) -> None:
        spin = self._session.running and self.isVisible() and not self.still
        if spin != self._arc.isActive():
            self._arc.start() if spin else self._arc.stop()
        self._refresh()

    def _refresh(self) -> None:
        self._fit_bars()
        current = self.walker.current
        if current is not None and (self._session.mode == "past" or self._following):
            self._show_row(current)
        self.viewport().update()

    def _turn_arc(self) -> None:
        head = self._session.head
        row = self.model.row_of(head.id) if head is not None else None
        if row is None:
            return
        x = (
            GUTTER
            + self.places.centre(self.model.column_of(row) + 1)
            - self.horizontalScrollBar().value()
        )
        y = (
            HEAD
            + self.places.lane_y(self.model.lane_of(row))
            - self.verticalScrollBar().value()
        )
        self.viewport().update(QRect(round(x) - 10, round(y) - 10, 20, 20))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_session()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._arc.stop()
        self.walker.stop()

    # --- painting -----------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        theme = self._look.theme
        if not self.model.rowCount():
            painter.fillRect(event.rect(), theme.panel)
            painter.setPen(theme.text3)
            painter.setFont(ui_font())
            painter.drawText(
                self.viewport().rect(), Qt.AlignmentFlag.AlignCenter, EMPTY_TEXT
            )
            return
        strip = StripPainter(
            painter,
            self.places,
            self.standing(),
            theme,
            event.rect(),
            self.viewport().rect(),
        )
        strip.scroll_x = self.horizontalScrollBar().value()
        strip.scroll_y = self.verticalScrollBar().value()
        strip.paint()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    # --- mouse --------------------------------------------------------------------------------------------------

    def _content(self, point: QPoint) -> tuple[int, float]:
        """Lane and content x under a point of the viewport; the head of the columns means the current lane."""
        x = point.x() - GUTTER + self.horizontalScrollBar().value()
        if point.y() < HEAD:
            return self.walker.lane, x
        return (
            point.y() - HEAD + self.verticalScrollBar().value()
        ) // self.places.lane_height, x

    def row_at(self, point: QPoint) -> int | None:
        """The checkpoint whose mark is under a point of the viewport."""
        if point.x() < GUTTER or not self.model.rowCount():
            return None
        lane, x = self._content(point)
        if lane >= self.model.branch_count:
            return None
        row = self.places.nearest(lane, x)
        close = row is not None and (
            self.places.is_overview or abs(self.places.x_of(row) - x) <= HIT
        )
        return row if close else None

    def point_of(self, checkpoint_id: str) -> QPoint:
        """Where the mark of a checkpoint is, in the viewport."""
        row = self.model.row_of(checkpoint_id)
        if row is None:
            return QPoint(-1, -1)
        x = GUTTER + self.places.x_of(row) - self.horizontalScrollBar().value()
        return QPoint(
            round(x),
            round(
                HEAD
                + self.places.lane_y(self.model.lane_of(row))
                - self.verticalScrollBar().value()
            ),
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if (
            event.button() != Qt.MouseButton.LeftButton
            or point.x() < GUTTER
            or not self.model.rowCount()
        ):
            return
        self.walker.stop()
        lane, x = self._content(point)
        if lane < self.model.branch_count:
            self._scrubbing = lane
            row = self.row_at(point)
            self.walker.view(row if row is not None else self.places.nearest(lane, x))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._scrubbing is None:
            over = self.row_at(event.position().toPoint()) is not None
            self.viewport().setCursor(
                Qt.CursorShape.PointingHandCursor
                if over
                else Qt.CursorShape.ArrowCursor
            )
        elif self._scrubbing < self.model.branch_count:
            _, x = self._content(event.position().toPoint())
            self.walker.view(self.places.nearest(self._scrubbing, x))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._scrubbing = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        row = self.row_at(event.position().toPoint())
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self.restore_requested.emit(self.walker.id_of(row))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            row = self.row_at(event.pos())
            where = event.globalPos()
        else:
            row = self.walker.current
            where = self.viewport().mapToGlobal(self.point_of(self.walker.id_of(row)))
        if row is not None:
            self.menu_requested.emit(self.walker.id_of(row), where)

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(event.pos()), self)
            return True
        return super().viewportEvent(event)

    def tip_at(self, point: QPoint) -> str:
        """What a mark means, in words."""
        if point.x() < GUTTER and point.y() >= HEAD and self.model.rowCount():
            lane, _ = self._content(point)
            if lane < self.model.branch_count:
                return (
                    f"{self.model.lanes[lane].branch}: {lane_caption(self.model, lane)}"
                )
            return ""
        incident = self._incident_at(point)
        if incident is not None:
            what = "failed" if incident.kind == FAILED else "was not saved"
            return f"Superstep {incident.column} {what}: {incident.text}"
        row = self.row_at(point)
        if row is None:
            return ""
        header = self.model.header_at(row)
        if header.time:
            saved = (
                datetime.fromtimestamp(header.time)
                .astimezone()
                .strftime(", saved at %H:%M:%S")
            )
        else:
            saved = ""
        note = f"\n{header.note}" if header.note else ""
        gap = (
            "\nThe checkpoints before it are removed."
            if self.model.is_after_gap(row)
            else ""
        )
        return f"#{row + 1}, superstep {header.superstep}, {header.cause}{saved}{note}{gap}"

    def _incident_at(self, point: QPoint) -> Incident | None:
        lane, x = self._content(point)
        if (
            point.x() < GUTTER
            or point.y() < HEAD
            or lane >= self.model.branch_count
            or self.places.is_overview
        ):
            return None
        marks = self.places.marks_of(lane, self.places.column_at(x))
        return next(
            (
                mark.incident
                for mark in marks
                if mark.incident and abs(mark.x - x) <= HIT / 2
            ),
            None,
        )

    # --- keys ---------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry = self.keys.get(pressed(event))
        if entry is None:
            super().keyPressEvent(event)
            return
        if not entry.plays:
            self.walker.stop()
        entry.act(self)

    def use_keys(self, present: Mapping[str, Iterable[str]]) -> None:
        """The keys that a person wants, by the words of what they do; what is not named keeps ours."""
        self.keys = rebound(
            KEYS, {press: entry.words for press, entry in KEYS.items()}, present
        )

    def ask(self, signal: SignalInstance) -> None:
        """Emit a signal with the checkpoint that is looked at, if there is one."""
        if self.walker.current_id:
            signal.emit(self.walker.current_id)

    def compare_here(self) -> None:
        """Compare with the checkpoint that is looked at, or no more."""
        if self.walker.current_id:
            self.set_base(self.walker.current_id)

    def back_to_live(self) -> None:
        """One thing at a time: a comparison ends first."""
        if self.base:
            self._session.compare_with("")
        else:
            self._session.back_to_live()


class Key(NamedTuple):
    """What a key does, in words and in deed."""

    words: str
    act: Callable[[TimelineStrip], object]
    plays: bool = False


_K = Qt.Key
_NONE = Qt.KeyboardModifier.NoModifier
KEYS: dict[Press, Key] = {
    (_K.Key_Left, _NONE): Key("Checkpoint before", lambda strip: strip.walker.back()),
    (_K.Key_Right, _NONE): Key("Next checkpoint", lambda strip: strip.walker.on()),
    (_K.Key_Home, _NONE): Key(
        "First checkpoint of the branch", lambda strip: strip.walker.first()
    ),
    (_K.Key_End, _NONE): Key(
        "Last checkpoint of the branch", lambda strip: strip.walker.last()
    ),
    (_K.Key_Up, _NONE): Key("Branch above", lambda strip: strip.walker.up()),
    (_K.Key_Down, _NONE): Key("Branch below", lambda strip: strip.walker.down()),
    (_K.Key_Space, _NONE): Key(
        "Play the branch, or stop playing",
        lambda strip: strip.walker.toggle_play(),
        plays=True,
    ),
    (_K.Key_Escape, _NONE): Key("Back to live", lambda strip: strip.back_to_live()),
    (_K.Key_Return, _NONE): Key(
        "Restore here (fork)", lambda strip: strip.ask(strip.restore_requested)
    ),
    (_K.Key_Enter, _NONE): Key(
        "Restore here (fork)", lambda strip: strip.ask(strip.restore_requested)
    ),
    (_K.Key_T, _NONE): Key(
        "Tags of the checkpoint", lambda strip: strip.ask(strip.tag_requested)
    ),
    (_K.Key_N, _NONE): Key(
        "Note of the checkpoint", lambda strip: strip.ask(strip.note_requested)
    ),
    (_K.Key_B, _NONE): Key(
        "Compare with the checkpoint, or stop comparing",
        lambda strip: strip.compare_here(),
    ),
}
