"""The strip of the timeline: scrolls and zooms, handles mouse and keys, and paints the
lanes of checkpoints.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
    SignalInstance,
)
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
)
from PySide6.QtWidgets import QToolTip, QWidget

from designer.look.fonts import ui_font
from designer.look.theme import Look
from designer.panels.timeline.brush import GUTTER, HEAD, StripState
from designer.panels.timeline.compared import HandleMouse
from designer.panels.timeline.counts_in_view import CountsInView
from designer.panels.timeline.draft_lanes import DraftLane, draft_lanes
from designer.panels.timeline.drafts import draft_at
from designer.panels.timeline.gutter import GutterPainter
from designer.panels.timeline.gutter_mouse import GutterMouse
from designer.panels.timeline.hit_marks import HitMarks
from designer.panels.timeline.lane_scroll import LaneScrollArea
from designer.panels.timeline.layout import Mark
from designer.panels.timeline.paint import StripPainter
from designer.panels.timeline.selection import Selection
from designer.panels.timeline.tips import incident_tip, mark_tip
from designer.panels.timeline.walk import Walker
from designer.panels.timeline.words import (
    lane_caption,
)
from designer.qt.keys import Press, pressed, rebound
from designer.session.session import DebugSession
from designer.session.timeline_model import Incident

ARC_INTERVAL = 33  # ms between two frames of the running arc
ARC_TURN = 0.9  # seconds for a turn of it
HIT = 16.0  # px around a mark in which a click hits it
EMPTY_TEXT = "No run yet. Press Run to make the first checkpoint."


class TimelineStrip(LaneScrollArea):
    """Lanes of checkpoints. Signals carry a checkpoint's id."""

    restore_requested = Signal(str)
    menu_requested = Signal(str, QPoint)  # the point is on the screen
    branch_menu_requested = Signal(int, QPoint)  # lane
    tag_requested = Signal(str)
    note_requested = Signal(str)
    bookmark_requested = Signal(str)
    go_to_requested = Signal()

    def __init__(
        self,
        session: DebugSession,
        look: Look,
        keys: Mapping[Press, Key],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(session.timeline, parent)
        self._session = session
        self._look = look
        self.walker = Walker(session, self.branches, self)
        self.selection = Selection(self.model, self)
        self._gutter = GutterMouse(self.places)
        self.compared = HandleMouse(
            session, self.walker, self.point_of, self.viewport().update
        )
        self._was_at: int | None = None  # the row that was current
        self.keys = keys
        self._default_keys = keys
        self.still = False  # the running arc does not turn
        # Whether the strip scrolls along with the run. It stops when the user scrolls
        # away from the end, and goes on when the user scrolls back to the end.
        self._following = True
        self._scrubbing: int | None = None  # the lane that the mouse drags along
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline of the run")
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setMouseTracking(True)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        self._arc = QTimer(self, interval=ARC_INTERVAL)
        self._arc.timeout.connect(self._turn_arc)
        self.hits = HitMarks(self.model)
        self._counts = CountsInView(
            session, self._marks_in_view, self.viewport().update
        )
        self._counts.setParent(self)
        self.model.grown.connect(self._on_grown)
        self.branches.changed.connect(self._refresh)
        self.selection.changed.connect(self.viewport().update)
        session.changed.connect(self._on_session)
        session.compared.connect(self.viewport().update)
        session.proof.changed.connect(self.viewport().update)
        session.delivery_orders.changed.connect(self.viewport().update)
        session.staged.changed.connect(self._on_staged)
        look.changed.connect(self.viewport().update)

    @property
    def is_running(self) -> bool:
        return self._session.running

    def state(self) -> StripState:
        """Return the state of session and walker that is painted beside the rows of the
        model.
        """
        session = self._session
        walker = self.walker
        turn = time.monotonic() / ARC_TURN % 1.0
        ended = session.has_ended
        return StripState(
            walker.current,
            walker.head,
            self.compared.handles,
            session.mode == "past",
            session.running,
            ended,
            turn,
            self.selection.rows,
            self._gutter.drop,
            self.hits,
            session.counts.of,
            session.proof.mark,
            session.proof.failed_rows(),
            session.delivery_orders.outcomes,
            self.drafts,
        )

    @property
    def drafts(self) -> tuple[DraftLane, ...]:
        """What is staged over checkpoints of this timeline."""
        return draft_lanes(self._session.staged, self.model)

    def _on_staged(self) -> None:
        count = len(self.drafts)
        if count != self.places.draft_count:
            self.places.draft_count = count
            self.fit_bars()
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        self.viewport().update()

    def _go_to_draft(self, point: QPoint) -> bool:
        """Go back to the draft at a point of the viewport, if there is one."""
        draft = draft_at(self.places, self.drafts, point, self.scroll_y)
        if draft is None or point.y() < HEAD:
            return False
        self._session.staged.begin(draft.checkpoint_id)
        return True

    def follow_hits(self) -> None:
        """Show the hits that were found since."""
        past = self._session.past
        if past.questions or not self.hits.is_empty:
            self.hits.follow(past.questions, past.active)
            self.viewport().update()

    def _marks_in_view(self) -> list[Mark]:
        if self.places.is_overview or not self.isVisible():
            return []
        left = self.horizontalScrollBar().value()
        first = self.places.column_at(left)
        last = self.places.column_at(left + self.time_width())
        top = self.verticalScrollBar().value()
        height = self.places.lane_height
        bottom = (top + self.viewport().height() - HEAD) // height
        marks: list[Mark] = []
        for lane in self.branches.shown[top // height : bottom + 1]:
            marks += self.places.marks_between(lane, first, last)
        return marks

    @property
    def base(self) -> str:
        """The checkpoint to compare with; "" for none."""
        return self._session.base

    def set_base(self, checkpoint_id: str) -> None:
        """Compare with a checkpoint; stop comparing when it is the base already."""
        self._session.compare_with("" if checkpoint_id == self.base else checkpoint_id)
        self.viewport().update()

    def _on_scrolled(self) -> None:
        self._counts.start()
        if not self.is_placing:
            bar = self.horizontalScrollBar()
            self._following = bar.value() >= bar.maximum() - 4

    # --- following the run --------------------------------------------------------------------------------------

    def _on_grown(self) -> None:
        self.places.invalidate()
        # A base with a name belongs to another run, so it need not be on this timeline.
        own_base = self.base and not self._session.base_name
        if own_base and self.model.row_of(self.base) is None:
            self.set_base("")
        self._refresh()

    def _on_session(self) -> None:
        spin = self._session.running and self.isVisible() and not self.still
        if spin != self._arc.isActive():
            self._arc.start() if spin else self._arc.stop()
        self._refresh()

    def _refresh(self) -> None:
        self._counts.start()
        current = self.walker.current
        if current is not None and current != self._was_at:
            self._was_at = current
            self.branches.reveal(self.model.lane_of(current))
        self.fit_bars()
        if current is not None and (self._session.mode == "past" or self._following):
            self.show_row(current)
        self.viewport().update()

    def _turn_arc(self) -> None:
        head = self._session.head
        row = self.model.row_of(head.id) if head is not None else None
        if row is None:
            return
        # Only the arc is painted again, because a turn has some thirty frames a second.
        content_x = self.places.centre(self.model.column_of(row) + 1)
        centre = self.viewport_point(content_x, self.model.lane_of(row))
        self.viewport().update(QRect(centre - QPoint(10, 10), QSize(20, 20)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._session.watch_growth("timeline", is_watching=True)
        self._on_session()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._counts.stop()
        self._session.watch_growth("timeline", is_watching=False)
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
            self.state(),
            theme,
            event.rect(),
            self.viewport().rect(),
        )
        strip.scroll_x = self.horizontalScrollBar().value()
        strip.scroll_y = self.verticalScrollBar().value()
        strip.paint()
        GutterPainter(strip).paint()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self.viewport().update()

    # --- mouse --------------------------------------------------------------------------------------------------

    def _content(self, point: QPoint) -> tuple[int | None, float]:
        """Return lane and content x at a point of the viewport. Above the lanes it is
        the current lane; below them there is none.
        """
        x = point.x() - GUTTER + self.horizontalScrollBar().value()
        if point.y() < HEAD:
            return self.walker.lane, x
        return self.places.lane_at(point.y() - HEAD + self.scroll_y), x

    def row_at(self, point: QPoint) -> int | None:
        """Return the checkpoint whose mark is at a point of the viewport."""
        if point.x() < GUTTER or not self.model.rowCount():
            return None
        lane, x = self._content(point)
        if lane is None:
            return None
        row = self.places.nearest(lane, x)
        if row is None or self.places.is_overview:
            return row
        return row if abs(self.places.x_of(row) - x) <= HIT else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if event.button() != Qt.MouseButton.LeftButton or not self.model.rowCount():
            return
        if self._go_to_draft(point):
            return
        if point.x() < GUTTER:
            self._gutter.press(point, self.scroll_y)
            return
        self.walker.stop()
        if self.compared.press(point):
            return
        lane, x = self._content(point)
        if lane is not None:
            self._scrubbing = lane
            row = self.row_at(point)
            if row is None:
                row = self.places.nearest(lane, x)
            selects = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._go(row, selects=selects)

    def _go(self, row: int | None, *, selects: bool) -> None:
        """View a checkpoint. With `selects` all on the way to it are selected, else
        none.
        """
        if not selects:
            self.selection.clear()
        elif row is not None:
            self.selection.extend(self.walker.current, row)
        self.walker.view(row)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._gutter.is_pressed:
            self._gutter.move(point, self.scroll_y)
            self.viewport().update()
        elif self.compared.is_pressed:
            self.compared.move(self._nearest(point))
        elif self._scrubbing is None:
            self._show_cursor(point)
        elif self._scrubbing < self.model.branch_count:
            _, x = self._content(point)
            selects = bool(self.selection.rows)
            self._go(self.places.nearest(self._scrubbing, x), selects=selects)

    def _show_cursor(self, point: QPoint) -> None:
        cursor = Qt.CursorShape.ArrowCursor
        is_mark = self.row_at(point) is not None
        if self.compared.side_at(point) is not None:
            cursor = Qt.CursorShape.OpenHandCursor
        elif is_mark or self._gutter.lane_at(point, self.scroll_y) is not None:
            cursor = Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(cursor)

    def _nearest(self, point: QPoint) -> int | None:
        """Return the checkpoint nearest to a point of the viewport, in the lane there."""
        lane, x = self._content(point)
        return self.places.nearest(lane, x) if lane is not None else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._scrubbing = None
        self.compared.release()
        if self._gutter.is_pressed:
            clicked = self._gutter.release()
            self.viewport().update()
            if clicked is not None:
                self.selection.clear()
                self.walker.view(self.model.lanes[clicked].last_row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if self._gutter.lane_at(point, self.scroll_y) is not None:
            # The second press of two quick clicks on a triangle folds again.
            self.mousePressEvent(event)
            return
        row = self.row_at(point)
        if row is not None and event.button() == Qt.MouseButton.LeftButton:
            self.restore_requested.emit(self.walker.id_of(row))

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            lane = self._gutter.lane_at(event.pos(), self.scroll_y)
            if lane is not None and self.model.rowCount():
                self.branch_menu_requested.emit(lane, event.globalPos())
                return
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
        """Return the tool tip at a point: a mark or a branch in words."""
        if point.x() < GUTTER and point.y() >= HEAD and self.model.rowCount():
            return self._branch_tip(point)
        incident = self._incident_at(point)
        if incident is not None:
            return incident_tip(incident)
        row = self.row_at(point)
        if row is None:
            return ""
        return mark_tip(self._session, row, self.walker.head)

    def _branch_tip(self, point: QPoint) -> str:
        lane = self._gutter.lane_at(point, self.scroll_y)
        if lane is None:
            return ""
        name = self.model.lanes[lane].branch
        if self._gutter.is_on_triangle(point, self.scroll_y):
            if self.branches.is_open(lane):
                return f"Fold the branches that leave {name} (-)"
            return f"Show the branches that leave {name} (-)"
        return f"{name}: {lane_caption(self.model, lane)}"

    def _incident_at(self, point: QPoint) -> Incident | None:
        lane, x = self._content(point)
        if (
            point.x() < GUTTER
            or point.y() < HEAD
            or lane is None
            or self.places.is_overview
        ):
            return None
        for mark in self.places.marks_of(lane, self.places.column_at(x)):
            if mark.incident and abs(mark.x - x) <= HIT / 2:
                return mark.incident
        return None

    # --- keys ---------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entry = self.keys.get(pressed(event))
        if entry is None:
            super().keyPressEvent(event)
            return
        if not entry.plays:
            self.walker.stop()
        if not entry.selects:
            self.selection.clear()
        entry.act(self)

    def use_keys(self, present: Mapping[str, Iterable[str]]) -> None:
        """Take the user's keys, by the names of commands; other commands keep their
        default keys.
        """
        words = {press: entry.words for press, entry in self._default_keys.items()}
        self.keys = rebound(self._default_keys, words, present)

    def ask(self, signal: SignalInstance) -> None:
        """Emit a signal with the id of the current checkpoint, if there is one."""
        if self.walker.current_id:
            signal.emit(self.walker.current_id)

    def select_along(self, step: Callable[[], None]) -> None:
        """Take a step, and select the checkpoints on the way."""
        start = self.walker.current
        step()
        row = self.walker.current
        if row is not None:
            self.selection.extend(start, row)

    def toggle_forks(self) -> None:
        """Fold the branches that leave the current branch, or show them."""
        if self.model.rowCount() and self.branches.forks_of(self.walker.lane):
            self.branches.toggle(self.walker.lane)

    def back_to_live(self) -> None:
        """Select nothing, else leave the copy, else stop comparing, else go back to the live run: Escape
        undoes one thing at a time.
        """
        if self.selection.rows:
            self.selection.clear()
        elif self._session.staged.is_on:
            self._session.staged.leave()
        elif self.base:
            self._session.compare_with("")
        elif not self.compared.forget_waiting():
            self._session.back_to_live()


class Key(NamedTuple):
    """A command of the strip: its name for people, and its function.

    plays     playing goes on
    selects   the selection stays
    """

    words: str
    act: Callable[[TimelineStrip], object]
    plays: bool = False
    selects: bool = False
