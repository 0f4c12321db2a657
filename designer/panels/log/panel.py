"""Log: what happened in the run. Recorded lines are read from the store, so they are
there after reopening and inside sub-workflows too; a live run sends its events.
"""

from __future__ import annotations

from collections import deque
from itertools import islice

from PySide6.QtCore import QTimer

from designer.panels.base import Panel
from designer.panels.log.recorded import RecordedLog, Scope
from designer.panels.log.rows import EVERYTHING, KINDS, LogRows
from designer.panels.widgets.basic import (
    ContentOrNotice,
    SearchField,
    button,
    label,
    under_bar,
)
from designer.panels.widgets.menu_choice import MenuChoice
from designer.panels.widgets.tables import Table
from designer.qt.layouts import column, row
from runtime.debug.protocol import EventItem, EventsBody

LIMIT = 5000  # live events that are kept
WARNING = "warning"
PAUSE = 50  # ms between two updates of the table, however many events come
AS_IT_RUNS = "as it runs"
SCOPES: dict[str, Scope] = {
    AS_IT_RUNS: "way",
    "to here": "way",
    "this checkpoint": "checkpoint",
    "whole run": "run",
}


class LogPanel(Panel):
    """Shows the events of a live run as they come. In the past, for a run that was
    opened again, and on request, it shows the recorded lines of checkpoints.
    """

    title = "Log"
    icon = "list"
    area = "bottom"
    badge_tone = "warn"

    def set_up(self) -> None:
        self.left_out = 0
        self._all: deque[EventItem] = deque(maxlen=LIMIT)
        self._scope = AS_IT_RUNS
        self._kinds = EVERYTHING
        self._listed_of = ""  # the `_place` that the table shows
        self._scrolled_to = ""
        self.recorded = RecordedLog(self.session, self)
        session = self.session
        self.rows = LogRows(
            self.look, session.timeline.name, lambda: session.viewing, self
        )
        self.table = Table(self.rows, self.title, (96, 88, 130, 0))
        self.table.activated.connect(lambda index: self._go(self.rows.at(index.row())))
        self._make_bar()
        self._show_viewed = QTimer(self, interval=0, singleShot=True)
        self._show_viewed.timeout.connect(self._scroll_to_viewed)
        self._timer = QTimer(self, interval=PAUSE, singleShot=True)
        self._timer.timeout.connect(self._on_news)
        self.search.textChanged.connect(lambda _text: self.invalidate())
        self.recorded.changed.connect(self.invalidate)
        session.events.connect(self._on_events)
        session.viewed.connect(self._on_session)
        session.changed.connect(self._on_session)
        session.timeline.grown.connect(self._on_session)

    def _make_bar(self) -> None:
        self.search = SearchField(self.look, "Search the log")
        self.search.setMaximumWidth(220)
        self.scopes = MenuChoice(
            self.look, "Show", list(SCOPES), "Which part of the run is listed"
        )
        self.kinds = MenuChoice(
            self.look, "Of", list(KINDS), "Which kinds of lines are listed"
        )
        self.scopes.chosen.connect(self._choose_scope)
        self.kinds.chosen.connect(self._choose_kinds)
        self._left_out = label("", "secondary")
        self.earlier = button("Earlier", self.recorded.read_earlier, small=True)
        self.earlier.setToolTip("Read the checkpoints before those that are listed")
        self._clear = button("Clear", self.clear, small=True)
        parts = (self.search, self.scopes, self.kinds, self._left_out, None)
        bar = row(*parts, self.earlier, self._clear)
        self.stack = ContentOrNotice(under_bar(bar, self.table), self.look)
        column(self).addWidget(self.stack)

    def _choose_scope(self, scope: str) -> None:
        self._scope = scope
        self.invalidate()

    def _choose_kinds(self, kinds: str) -> None:
        self._kinds = kinds
        self.invalidate()

    # --- what is listed ---

    @property
    def items(self) -> list[EventItem]:
        """All listed lines, the oldest first, whatever the choices leave out."""
        return self.recorded.items if self._place else list(self._all)

    @property
    def _place(self) -> str:
        """The checkpoint whose recorded lines are listed; "" for the events of the live
        run.
        """
        session = self.session
        moment = session.moment
        if session.mode == "edit" or moment is None or moment.header is None:
            return ""
        if session.mode == "past":
            return moment.header.id
        # A live run without events was opened again: only its record is left.
        is_reopened = not self._all and not session.running
        is_live = self._scope == AS_IT_RUNS and not is_reopened
        return "" if is_live else moment.header.id

    def clear(self) -> None:
        self._all.clear()
        self.left_out = 0
        self._on_news()

    def _on_session(self) -> None:
        # Not for each checkpoint of a live run, because checkpoints may come much
        # faster than the table is updated, and events arrive by their own signal.
        if self._place or self._listed_of:
            self.invalidate()

    def refresh(self) -> None:
        self._listed_of = place = self._place
        if place:
            self.recorded.show(SCOPES[self._scope], place)
        bar = self.table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        items = self.items
        self.rows.show([item for item in items if self._is_wanted(item)])
        self._scroll(place, at_end=at_end)
        self._say_where(place)
        if items or self.recorded.is_reading or (self.left_out and not place):
            self.stack.show_content()
        else:
            self.stack.say(
                self.icon,
                "Nothing happened yet",
                "What happens in a run appears here, superstep by superstep.",
            )

    def _is_wanted(self, item: EventItem) -> bool:
        kinds = KINDS[self._kinds]
        if kinds and item.kind not in kinds:
            return False
        keys = self._keys_inside
        if keys and item.path[: len(keys)] != keys:
            return False
        query = self.search.text().strip().lower()
        return not query or query in f"{item.kind} {item.text}".lower()

    @property
    def _keys_inside(self) -> tuple[str, ...]:
        """The keys of the runs on the way into the sub-workflow that is shown."""
        inside = self.session.inside if self.session.way else None
        return inside.keys if inside is not None else ()

    def _scroll(self, place: str, *, at_end: bool) -> None:
        """Follow the end of a live run, and show the viewed checkpoint of a record."""
        if not place:
            if at_end:
                self.table.scrollToBottom()
            return
        last = self.rows.last_of(place)
        if last is None or self._scrolled_to == place:
            return
        if not self.recorded.is_reading:
            self._scrolled_to = place
        # When the table has its height, which it gets after the panel came to front.
        self._show_viewed.start()

    def _scroll_to_viewed(self) -> None:
        last = self.rows.last_of(self._place)
        if last is not None:
            self.table.scrollTo(self.rows.index(last, 0))

    def _say_where(self, place: str) -> None:
        """Show the origin of the lines, and the number of missing ones."""
        has_choice = self.session.mode != "edit"
        self.scopes.setVisible(has_choice)
        self._clear.setVisible(not place)
        self.earlier.setVisible(bool(place) and self.recorded.has_earlier)
        parts = []
        if self._keys_inside:
            parts.append(f"In {' › '.join(self._keys_inside)}")
        if place:
            name = self.session.timeline.name(place)
            is_run = SCOPES[self._scope] == "run"
            until = f", until {name}" if name and not is_run else ""
            parts.append(f"As recorded{until}")
            if self.recorded.is_reading:
                parts.append("reading…")
            tip = "The store has these lines. Progress is not recorded."
        else:
            if self.left_out:
                parts.append(f"{self.left_out:,} left out")
            tip = (
                "The run sent more events than the window can show; the oldest "
                "were dropped."
            )
        self._left_out.setText(" · ".join(parts))
        self._left_out.setToolTip(tip if parts else "")

    # --- going to what a line is about ---

    def _go(self, item: EventItem) -> None:
        """View the checkpoint of a line, and show its node."""
        if item.checkpoint_id:
            self.session.view(item.checkpoint_id)
        else:
            self._view_superstep(item)
        node = item.path[0].rpartition("#")[0] if item.path else item.executor
        if node:
            self.reveal(node)

    def _view_superstep(self, item: EventItem) -> None:
        """View the last checkpoint up to an event's superstep, on the current branch if
        it has one.
        """
        timeline = self.session.timeline
        current = timeline.header(self.session.viewing) or self.session.head
        headers = [timeline.header_at(row) for row in range(timeline.rowCount())]
        before = [header for header in headers if header.superstep <= item.superstep]
        on_branch = before
        if current is not None:
            branch = current.branch
            on_branch = [header for header in before if header.branch == branch]
        candidates = on_branch or before
        if candidates:
            self.session.view(candidates[-1].id)

    # --- events of the live run ---

    def _on_news(self) -> None:
        # The badge is updated even while the panel is hidden.
        self.badge_changed.emit(str(self._warnings() or ""))
        self.invalidate()

    def _warnings(self) -> int:
        """Return the number of warnings of the newest run, which begins with superstep
        0.
        """
        count = 0
        for item in self._all:
            count = 0 if item.superstep == 0 else count + (item.kind == WARNING)
        return count

    def _on_events(self, body: EventsBody) -> None:
        overflow = max(0, len(self._all) + len(body.events) - LIMIT)
        self.left_out += body.left_out + overflow
        self._all.extend(islice(body.events, max(0, len(body.events) - LIMIT), None))
        if not self._timer.isActive():
            self._timer.start()
