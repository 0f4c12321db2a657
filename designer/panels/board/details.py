"""The right pane of the board: the facts of one cell, and where the time of the branch
went.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from designer.look.theme import Look
from designer.panels.board.columns import Column
from designer.panels.board.model import BoardModel, Spot
from designer.panels.board.rows import Row
from designer.panels.board.words import (
    cell_words,
    held_words,
    origin_words,
    rank_words,
    took,
    waiting_words,
)
from designer.panels.widgets.basic import (
    ElidedLabel,
    Glyph,
    button,
    hairline,
    label,
    scrolling,
    set_style,
)
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import BoardCell, BoardTimesBody, Call, Item, NodeBody
from runtime.values.words import counted

FACTS = ("In", "Its superstep", "Took", "Waiting", "Took in", "Sent", "Wrote", "Asked")
NOTHING = "Click a cell to see its handler call."
CRITICAL = "Critical path"
OTHERS = "Other handlers"
WAITING = "Waiting at barriers"
MOST = 3  # messages that are named in a line
SHARE_HEIGHT = 8


class Share(QWidget):
    """A bar: how much of the time of all handlers is on the critical path."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._share = 0.0
        self.setFixedHeight(SHARE_HEIGHT)
        look.changed.connect(self.update)

    def show_share(self, share: float) -> None:
        self._share = share
        self.setAccessibleName(f"{share:.0%} of the time is on the critical path")
        self.setToolTip(self.accessibleName())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._look.theme
        width = self.width()
        critical = round(width * self._share)
        painter.fillRect(QRectF(0, 0, width, SHARE_HEIGHT), theme.line2)
        painter.fillRect(QRectF(0, 0, critical, SHARE_HEIGHT), theme.accentFill)


class Swatch(QWidget):
    """How the board paints a part of the time."""

    def __init__(self, look: Look, name: str) -> None:
        super().__init__()
        self._look = look
        self._name = name
        self.setFixedSize(12, 12)
        look.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._look.theme
        square = QRectF(1, 1, 10, 10)
        if self._name == CRITICAL:
            painter.fillRect(square, theme.accentFill)
        elif self._name == OTHERS:
            painter.fillRect(square, theme.line2)
        elif self._name == WAITING:
            painter.fillRect(QRectF(0, 5.5, 11, 1), theme.edge)
            painter.fillRect(QRectF(10, 2, 1, 8), theme.edge)


class BoardDetails(QWidget):
    """`log_requested` is emitted by the button that leads to the events."""

    log_requested = Signal()

    def __init__(self, model: BoardModel, look: Look) -> None:
        super().__init__()
        self._model = model
        self._look = look
        self._glyph = Glyph(look, "box", "text2", 16)
        self.name = label("", "strong")
        self.place = ElidedLabel("", "secondary")
        self.values = {fact: label("", wrap=True) for fact in FACTS}
        self._captions = {fact: label(fact, "secondary") for fact in FACTS}
        self.events = button("Show its events", self.log_requested.emit, small=True)
        self.events.setToolTip("Show what happened in this superstep in the list")
        self._facts = QWidget()
        self._fill_facts()
        self.share = Share(look)
        self.total = label("", "data")
        self.times = {name: label("", "data") for name in _TIMES}
        self.partial = label("", "caption", wrap=True)
        self._times = QWidget()
        self._fill_times()
        body = QWidget()
        inner = column(body, margins=(0, 0, 0, 8), gap=8)
        self.nothing = label(NOTHING, "secondary", wrap=True)
        self.nothing.setContentsMargins(0, 8, 0, 0)
        for part in (self.nothing, self._facts, self._times):
            inner.addWidget(part)
        inner.addStretch(1)
        layout = column(self, margins=(12, 0, 8, 0), gap=0)
        area = scrolling(body)
        area.setMinimumHeight(1)
        layout.addWidget(area, 1)

    def _fill_facts(self) -> None:
        layout = column(self._facts, margins=(0, 8, 4, 0), gap=4)
        put(layout, row(self._glyph, self.name, (self.place, 1), gap=8))
        grid_place = QWidget()
        grid = QGridLayout(grid_place)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnMinimumWidth(0, 88)
        grid.setColumnStretch(1, 1)
        top = Qt.AlignmentFlag.AlignTop
        for place, fact in enumerate(FACTS):
            grid.addWidget(self._captions[fact], place, 0, top)
            grid.addWidget(self.values[fact], place, 1)
        layout.addWidget(grid_place)
        put(layout, row(self.events, None))

    def _fill_times(self) -> None:
        layout = column(self._times, margins=(0, 0, 4, 0), gap=4)
        layout.addWidget(hairline())
        head = label("Where the time went", "strong")
        put(layout, row(head, None, self.total))
        layout.addWidget(self.share)
        for name, (tip, _value) in _TIMES.items():
            caption = label(name, "secondary")
            caption.setToolTip(tip)
            put(layout, row(Swatch(self._look, name), caption, None, self.times[name]))
        layout.addWidget(self.partial)

    # --- the cell -----------------------------------------------------------------------------------------------

    def show_cell(self, spot: Spot | None, facts: NodeBody | None) -> None:
        """Show a cell. `facts` has its messages, as soon as the host has sent them."""
        place = self._model.place_of(spot) if spot is not None else None
        self._facts.setVisible(place is not None)
        self.nothing.setVisible(place is None)
        if spot is None or place is None:
            return
        shown = self._model.places.rows[place]
        self._glyph.show_glyph(shown.icon, "text2")
        self.name.setText(shown.title)
        self.place.setText(f"superstep {spot.superstep}")
        column = self._model.column(spot.lane, spot.superstep)
        self._show_lines(self._lines(shown, column, facts))
        self.events.setVisible(column is not None)

    def _lines(
        self, shown: Row, column: Column | None, facts: NodeBody | None
    ) -> dict[str, tuple[str, str]]:
        """Return text and tone of each fact that there is."""
        lines: dict[str, tuple[str, str]] = {}
        if column is None:
            lines["Took"] = ("nothing is recorded here", "")
            return lines
        path = shown.name.rpartition("/")[0]
        if path:
            node, _, number = path.rpartition("#")
            lines["In"] = (f"{self._model.title(node)}, invocation {number}", "")
        own = column.own.get(path or shown.name)
        if own is not None:
            lines["Its superstep"] = (f"{own} of this invocation", "")
        cell = column.cells.get(shown.name)
        if column.damaged:
            lines["Took"] = (column.damaged, "bad")
        elif shown.kind == "executor" and cell is not None:
            lines |= self._cell_lines(column, cell, facts)
        else:
            join = column.held.get(shown.name)
            if join is not None:
                held = f"its join: {held_words(join)}"
                lines["Waiting"] = (held, "warn")
            words = cell_words(shown, column, column.superstep)
            lines["Took"] = (words.partition(": ")[2], "")
        return lines

    def _cell_lines(
        self, column: Column, cell: BoardCell, facts: NodeBody | None
    ) -> dict[str, tuple[str, str]]:
        title = self._model.title(column.last)
        lines = {
            "Took": (f"{took(cell.seconds)}, {rank_words(column, cell)}", ""),
            "Waiting": (waiting_words(column, cell, title), ""),
            "Took in": (counted(cell.received, "message"), ""),
            "Sent": (_or_nothing(cell.sent, "message"), ""),
        }
        origin = origin_words(cell)
        if origin:
            lines["Took"] = (f"{lines['Took'][0]}; {origin}", "")
        if cell.error:
            what = "failed" if cell.is_failed else "an attempt failed before"
            lines["Took"] = (f"{lines['Took'][0]}; {what}: {cell.error}", "bad")
        if cell.asked:
            lines["Asked"] = (counted(cell.asked, "question"), "ask")
        if cell.wrote:
            wrote = ", ".join(f'state["{key}"]' for key in cell.wrote)
            lines["Wrote"] = (wrote, "")
        if facts is not None:
            received = self._named(facts.calls, lambda call: call.received, "from")
            sent = self._named(facts.calls, lambda call: call.sent, "to")
            if received:
                lines["Took in"] = (received, "")
            if sent:
                lines["Sent"] = (sent, "")
        return lines

    def _named(
        self,
        calls: Sequence[Call],
        items_of: Callable[[Call], Sequence[Item] | None],
        word: str,
    ) -> str:
        """Return messages in a line: type, executor and fate; "" if none is recorded."""
        items = [item for call in calls for item in items_of(call) or ()]
        texts = []
        for item in items[:MOST]:
            text = item.value.type
            if item.kind != "message":
                text += f", {item.kind}"
            elif item.name:
                text += f" {word} {self._model.title(item.name)}"
            if item.note:
                text += f", {item.note}"
            texts.append(text)
        if len(items) > MOST:
            texts.append(f"{len(items) - MOST:,} more")
        if len(items) > 1:
            texts[0] = f"{len(items):,} messages: {texts[0]}"
        return "; ".join(texts)

    def _show_lines(self, lines: dict[str, tuple[str, str]]) -> None:
        for fact in FACTS:
            text, tone = lines.get(fact, ("", ""))
            value: QLabel = self.values[fact]
            value.setText(text)
            set_style(value, tone=tone)
            value.setVisible(bool(text))
            self._captions[fact].setVisible(bool(text))

    # --- the whole branch ---------------------------------------------------------------------------------------

    def show_times(self, times: BoardTimesBody | None) -> None:
        self._times.setVisible(times is not None and times.supersteps > 0)
        if times is None:
            return
        total = times.critical + times.others
        self.total.setText(took(total))
        self.share.show_share(times.critical / total if total else 0.0)
        for name, (_tip, value) in _TIMES.items():
            self.times[name].setText(value(times))
        notes = []
        if not times.complete:
            notes.append(f"Until superstep {times.supersteps:,}; the rest is read now.")
        if times.unreadable:
            notes.append(f"{counted(times.unreadable, 'superstep')} cannot be read.")
        self.partial.setText(" ".join(notes))
        self.partial.setVisible(bool(notes))


_TIMES: dict[str, tuple[str, Callable[[BoardTimesBody], str]]] = {
    CRITICAL: (
        "The longest handler of each superstep",
        lambda times: took(times.critical),
    ),
    OTHERS: (
        "All other handlers, which ran beside the longest one",
        lambda times: took(times.others),
    ),
    WAITING: (
        "How long handlers that had ended waited for the longest one",
        lambda times: took(times.waiting),
    ),
    "If there were no barrier": (
        "The run, if each handler began as soon as its messages were sent",
        lambda times: f"about {took(times.direct)}",
    ),
}


def _or_nothing(count: int, noun: str) -> str:
    return counted(count, noun) if count else "nothing"
