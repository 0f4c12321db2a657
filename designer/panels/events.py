"""Events: the events that an observer of the run receives, the newest last, with the
number of dropped ones.
"""

from __future__ import annotations

from collections import deque
from functools import partial
from itertools import islice
from typing import Any

from PySide6.QtCore import Qt, QTimer

from designer.look.fonts import data_font
from designer.panels.base import Panel
from designer.panels.widgets.basic import (
    ContentOrNotice,
    SearchField,
    button,
    label,
    under_bar,
)
from designer.panels.widgets.tables import Columns, Table
from designer.qt.indexes import ROOT, AnyIndex
from designer.qt.layouts import column, row
from runtime.debug.protocol import EventItem, EventsBody

LIMIT = 5000
# The kind of an event about a fault that is no error, such as an undelivered message.
WARNING = "warning"
PAUSE = 50  # ms between two updates of the table, however many events come


class EventsPanel(Panel):
    """Shows the events of a live run as they come.

    In the past, and for a run that was opened again, it shows the recorded events up to
    the viewed checkpoint.
    """

    title = "Events"
    icon = "list"
    area = "bottom"
    badge_tone = "warn"

    def set_up(self) -> None:
        self.left_out = 0
        self._all: deque[EventItem] = deque(maxlen=LIMIT)
        self._recorded: EventsBody | None = None
        self._recorded_of = self._asking = ""
        self._listed_of = ""  # the `_place` that the table shows
        self.rows = _Events(self)
        self.table = Table(self.rows, self.title, (72, 88, 190, 0))
        self.table.activated.connect(
            lambda index: self._view(self.rows.at(index.row()))
        )
        self.search = SearchField(self.look, "Search events")
        self.search.setMaximumWidth(260)
        self._left_out = label("", "secondary")
        self._clear = button("Clear", self.clear, small=True)
        bar = row(self.search, self._left_out, None, self._clear)
        self.stack = ContentOrNotice(under_bar(bar, self.table), self.look)
        column(self).addWidget(self.stack)
        self._timer = QTimer(self, interval=PAUSE, singleShot=True)
        self._timer.timeout.connect(self._on_news)
        self.search.textChanged.connect(lambda _text: self.invalidate())
        self.session.events.connect(self._on_events)
        self.session.viewed.connect(self._on_session)
        self.session.changed.connect(self._on_session)

    @property
    def items(self) -> tuple[EventItem, ...]:
        """All listed events, the oldest first."""
        if self._place:
            if self._recorded is not None and self._recorded_of == self._place:
                return self._recorded.events
            return ()
        return tuple(self._all)

    @property
    def _place(self) -> str:
        """The checkpoint whose recorded events are listed; "" for the events of the
        live run.
        """
        session = self.session
        moment = session.moment
        if moment is None or moment.header is None:
            return ""
        if session.mode == "past":
            return moment.header.id
        # A live run without events was opened again: only recorded events exist.
        if session.mode == "live" and not self._all and not session.running:
            return moment.header.id
        return ""

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
        if place and place != self._recorded_of:
            self._ask(place)
        bar = self.table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() or bool(place)
        query = self.search.text().strip().lower()
        items = self.items
        matches = list(items)
        if query:
            matches = [
                item for item in items if query in f"{item.kind} {item.text}".lower()
            ]
        self.rows.show(matches)
        if at_end:
            self.table.scrollToBottom()
        self._say_where(place)
        if items or (self.left_out and not place):
            self.stack.show_content()
        else:
            self.stack.say(
                self.icon,
                "No events yet",
                "The events of a run appear here, superstep by superstep.",
            )

    def _say_where(self, place: str) -> None:
        """Show the origin of the events, and the number of missing ones."""
        self._clear.setVisible(not place)
        missing = self.left_out
        text = ""
        if place:
            name = self.session.timeline.name(place)
            text = f"As recorded, until {name}" if name else "As recorded"
            recorded = self._recorded
            missing = recorded.left_out if recorded is not None else 0
            if recorded is not None and not recorded.complete:
                text += ", the beginning is not read yet"
        parts = (text, f"{missing:,} left out" if missing else "")
        self._left_out.setText(" · ".join(filter(None, parts)))
        if place:
            tip = (
                "Warnings and progress events are not recorded. They are shown only "
                "while you follow a run."
            )
        else:
            tip = (
                "The run sent more events than the window can show; the oldest "
                "were dropped."
            )
        self._left_out.setToolTip(tip)

    def _ask(self, place: str) -> None:
        if not self._asking:
            self._asking = place
            self.session.log(place, partial(self._on_recorded, place))

    def _on_recorded(self, place: str, body: EventsBody | None) -> None:
        self._asking = ""
        self._recorded = body
        self._recorded_of = place
        self.invalidate()

    def _view(self, item: EventItem) -> None:
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


class _Events(Columns):
    heads = ("Number", "Superstep", "Kind", "Event")
    numbers = frozenset({0, 1})

    def __init__(self, panel: EventsPanel) -> None:
        super().__init__(panel)
        self._panel = panel
        self._items: list[EventItem] = []

    def show(self, items: list[EventItem]) -> None:
        self.beginResetModel()
        self._items = items
        self.endResetModel()

    def at(self, row: int) -> EventItem:
        return self._items[row]

    def rowCount(self, parent: AnyIndex = ROOT) -> int:
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        item = self._items[index.row()]
        column_index = index.column()
        match role:
            case Qt.ItemDataRole.DisplayRole:
                where = f"{' › '.join(item.path)}: " if item.path else ""
                return (
                    # The text of a log point has no number in the run.
                    f"{item.number:,}" if item.number else "",
                    f"s{item.superstep}",
                    item.kind,
                    where + item.text,
                )[column_index]
            case Qt.ItemDataRole.ToolTipRole if column_index == 3:
                return item.text
            case Qt.ItemDataRole.FontRole:
                return data_font()
            case Qt.ItemDataRole.ForegroundRole:
                failed = "fail" in item.kind or "dropped" in item.kind
                theme = self._panel.look.theme
                if column_index == 2 and (failed or item.kind == WARNING):
                    return theme.bad if failed else theme.warn
                return theme.text if column_index == 3 else theme.text2
            case Qt.ItemDataRole.TextAlignmentRole if column_index in self.numbers:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None
