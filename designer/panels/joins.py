"""Joins: what each join holds, which sources it waits for, since when, and why. A reason
leads to what decided it, and a message to where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from designer.panels.base import NO_RUN, NOT_INSIDE, Panel, PanelHost, left_out
from designer.panels.values.changes import Changes
from designer.panels.values.model import shown_text
from designer.panels.values.origins import QUESTION
from designer.panels.widgets.basic import (
    ContentOrNotice,
    ElidedLabel,
    Glyph,
    Role,
    button,
    hairline,
    icon_button,
    label,
    set_style,
)
from designer.panels.widgets.join_bars import Fill, Segments, fill_width
from designer.panels.widgets.join_words import policy_words, waiting_words
from designer.qt.layouts import AnyBox, Plan, column, put, row, stack
from runtime.debug.protocol import JoinMoment, JoinSource, Value

AnyLayout = TypeVar("AnyLayout", bound=QLayout)
AnyWidget = TypeVar("AnyWidget", bound=QWidget)
SHOWN = 50  # ledgers at most; joins that hold messages come first
ROOM = 312  # px for the supersteps of a join, until the panel knows its width


class JoinsPanel(Panel):
    """Joins with messages come first; a click on a source selects its node.

    `selected_requested` is emitted when something was selected that the user wants to
    see.
    """

    title = "Joins"
    is_about_level = True
    icon = "join"
    area = "right-debug"
    badge_tone = "warn"
    selected_requested = Signal()
    room: int

    def connect_to(self, host: PanelHost) -> None:
        self.selected_requested.connect(host.show_selected)

    def follow_room(self, *, is_narrow: bool, inspector_width: int) -> None:
        room = inspector_width - 34
        if room != self.room:
            self.room = room
            for ledger in self.ledgers.values():
                ledger.show_filling()

    def set_up(self) -> None:
        self.room = ROOM
        self._scroll = QScrollArea()
        self._scroll.setAccessibleName("Messages in each join")
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        holder = QWidget()
        self._list: QVBoxLayout = column(holder)
        self._rest = label("", "secondary")
        self._rest.setContentsMargins(12, 8, 12, 8)
        self._list.addWidget(self._rest)
        self._list.addStretch(1)
        self._scroll.setWidget(holder)
        self.ledgers: dict[str, Ledger] = {}
        self.stack = ContentOrNotice(self._scroll, self.look)
        self.changes = Changes(self.session, self.look, ("joins",), self.node_title)
        self.stack.addWidget(self.changes)
        column(self).addWidget(self.stack)
        self.session.compared.connect(self.invalidate)
        self.session.viewed.connect(self._on_viewed)
        self.session.changed.connect(self._on_viewed)
        self.document.selection_changed.connect(self._follow_selection)

    def refresh(self) -> None:
        if self.changes.is_on and self.session.seen is not None:
            self.changes.show_changes()
            self.stack.setCurrentWidget(self.changes)
            return
        moment = self.session.seen
        joins = sorted(moment.joins, key=_order)[:SHOWN] if moment is not None else []
        for edge in self.ledgers.keys() - {join.edge for join in joins}:
            ledger = self.ledgers.pop(edge)
            self._list.removeWidget(ledger)
            ledger.hide()
            ledger.deleteLater()
        for index, join in enumerate(joins):
            if join.edge not in self.ledgers:
                self.ledgers[join.edge] = Ledger(self)
            ledger = self.ledgers[join.edge]
            if self._list.indexOf(ledger) != index:
                self._list.insertWidget(index, ledger)
            ledger.show_join(join)
        self._rest.setVisible(moment is not None and len(moment.joins) > SHOWN)
        if moment is not None:
            self._rest.setText(left_out(len(moment.joins) - len(joins), "join"))
        if joins:
            self.stack.show_content()
        elif moment is None:
            self.stack.say(self.icon, *NO_RUN)
        elif self.session.inside is not None and self.session.inside.moment is None:
            self.stack.say(self.icon, *NOT_INSIDE)
        else:
            self.stack.say(
                self.icon, "No joins", "A join waits for messages of several sources."
            )

    def lead_to(self, element: str, superstep: int) -> None:
        """Select what decided, and view the superstep in which it did; 0 stays here."""
        if superstep:
            self.view(superstep)
        self.reveal(element)
        self.selected_requested.emit()

    def view(self, superstep: int) -> None:
        """View a superstep on the way to what is shown, if the timeline has it."""
        checkpoint_id = self.session.checkpoint_in(superstep)
        if checkpoint_id is not None:
            self.session.view(checkpoint_id)

    def _on_viewed(self) -> None:
        moment = self.session.seen
        if moment is not None:
            waiting = sum(1 for join in moment.joins if join.held)
        else:
            waiting = 0
        self.badge_changed.emit(str(waiting) if waiting else "")
        self.invalidate()

    def _follow_selection(self) -> None:
        chosen = self.document.selection
        ledgers = [self.ledgers[edge] for edge in chosen if edge in self.ledgers]
        if ledgers and self.isVisible():
            self._scroll.ensureWidgetVisible(ledgers[0])


def _order(join: JoinMoment) -> tuple[bool, bool]:
    return not join.held, not join.fired


class Ledger(QWidget):
    """One join: its bar, a row per source with its messages, and when it fires."""

    def __init__(self, panel: JoinsPanel) -> None:
        super().__init__()
        self._panel = panel
        self._join: JoinMoment | None = None
        self.head = ElidedLabel("", "section")
        self.words = ElidedLabel("", "secondary", Qt.TextElideMode.ElideRight)
        self._bar = Segments(panel.look)
        show = icon_button(
            panel.look, "target", "Show this join on the canvas", self._reveal
        )
        self._rows: list[SourceRow] = []
        self.fires = label("", "secondary", wrap=True)
        self._fires_head = label("When it fires", "head")
        self._filling_head = label("Filling by superstep", "head")
        self.fills: list[Fill] = []
        table_head = row(
            label("Source", "head"),
            None,
            label("Have / need", "head"),
            _right("Since", "head", 40),
        )
        layout = column(self)
        put(layout, _inset(row(self.head, show), top=10, bottom=4))
        put(layout, _inset(row(self._bar, self.words, gap=8), bottom=12))
        layout.addWidget(hairline())
        head_holder = QWidget()
        set_style(head_holder, role="window")
        head_holder.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        put(head_holder, _inset(table_head, top=4, bottom=4))
        layout.addWidget(head_holder)
        layout.addWidget(hairline())
        self._sources = put(layout, stack())
        put(layout, _inset(stack(self._filling_head), top=10, bottom=2))
        self._filling = put(layout, _inset(row(gap=2), left=8))
        self._filling.setAlignment(Qt.AlignmentFlag.AlignLeft)
        put(
            layout,
            _inset(stack(self._fires_head, self.fires, gap=4), top=10, bottom=10),
        )
        layout.addWidget(hairline())

    def show_join(self, join: JoinMoment) -> None:
        if join == self._join:
            return
        self._join = join
        names = [self._panel.node_title(source) for source in join.missing]
        words, tone = waiting_words(join, names)
        target = self._panel.node_title(join.target)
        self.head.setText(f"Join into {target}")
        self.words.setText(words)
        set_style(self.words, tone=tone)
        self._bar.show_join(join)
        self.setAccessibleName(f"Join into {target}: {words}")
        resize(
            self._rows, self._sources, len(join.sources), lambda: SourceRow(self._panel)
        )
        for line, source in zip(self._rows, join.sources, strict=True):
            line.show_source(join, source)
        self.fires.setText(" ".join(join.preview) or policy_words(join, target))
        self.show_filling()

    def show_filling(self) -> None:
        """Show the last supersteps that have room in the panel."""
        join = self._join
        if join is None:
            return
        room = self._panel.room // (fill_width(len(join.sources)) + 2)
        fills = join.filling[-max(1, room) :]
        self._filling_head.setVisible(bool(fills))
        resize(self.fills, self._filling, len(fills), self._make_fill)
        for shown, fill in zip(self.fills, fills, strict=True):
            shown.show_fill(join, fill)

    def _make_fill(self) -> Fill:
        panel = self._panel
        return Fill(panel.look, panel.view, panel.node_title)

    def _reveal(self) -> None:
        if self._join is not None:
            self._panel.reveal(self._join.edge)


class SourceRow(QWidget):
    """One source of a join: a button that selects the node, the counts, since when,
    messages, and the reason.

    Rows are filled again instead of created again, because dragging along the timeline
    must update them all within a frame.
    """

    def __init__(self, panel: JoinsPanel) -> None:
        super().__init__()
        self._panel = panel
        self._id = ""
        self.name = button("", lambda: panel.reveal(self._id))
        set_style(self.name, row=True)
        self._mark = Glyph(panel.look, "idle", "text3", 14)
        self._count = label("", "data")
        self._since = _right("", "data2", 40)
        self._reason = label("", "secondary", wrap=True)
        self._cause = ("", 0)
        self.why = button("Show why", lambda: panel.lead_to(*self._cause))
        self.why.setProperty("link", True)
        self._messages: list[Held] = []
        layout = column(self, gap=0)
        put(
            layout,
            _inset(
                row(self._mark, self.name, None, self._count, self._since, gap=4),
                top=4,
                bottom=2,
            ),
        )
        self._held = put(layout, _inset(stack(gap=4), left=34, bottom=4))
        put(layout, _inset(row(self._reason), left=34, bottom=2))
        put(layout, _inset(row(self.why, None), left=34, bottom=2))
        layout.addSpacing(4)
        layout.addWidget(hairline())

    def show_source(self, join: JoinMoment, source: JoinSource) -> None:
        self._id = source.id
        title = self._panel.node_title(source.id)
        missing = source.id in join.missing
        if missing and not join.fired:
            self._mark.show_glyph("waiting", "warn")
        elif source.have or source.released:
            self._mark.show_glyph("done", "ok")
        else:
            self._mark.show_glyph("idle", "text3")
        self.name.setText(title)
        self.name.setToolTip(f"Select {title}")
        self._count.setText(
            f"{source.have} / {source.need}" if source.need else f"{source.have}"
        )
        self._count.setAccessibleName(
            f"{title}: has {source.have}, needs {source.need}"
        )
        set_style(self._count, tone="warn" if missing and not join.fired else "")
        self._since.setText(f"s{source.since}" if source.since is not None else "–")
        resize(
            self._messages,
            self._held,
            len(source.messages),
            lambda: Held(self._panel),
        )
        for number, held in enumerate(self._messages):
            held.show_value(
                source.messages[number],
                source.ages[number] if number < len(source.ages) else None,
                source.sections[number] if number < len(source.sections) else "",
            )
        hidden = source.have - len(source.messages)
        notes = []
        if join.fired:
            notes.append(f"{source.released} released in superstep {join.fired}.")
        if hidden > 0:
            notes.append(f"{hidden} more.")
        if source.reason:
            notes.append(_sentence(source.reason))
        self._reason.setText(" ".join(notes))
        self._reason.setVisible(bool(notes))
        self._cause = (source.cause_element, source.cause_superstep)
        waits = missing and not join.fired
        self.why.setVisible(waits and bool(source.cause_element))
        element = self._panel.node_title(source.cause_element)
        place = f" in superstep {source.cause_superstep}"
        self.why.setToolTip(f"Go to {element}{place if source.cause_superstep else ''}")
        self.why.setAccessibleName(f"Show why {title} is missing")


class Held(QWidget):
    """A held message: its type, its text in one line, when it arrived, and a button that
    asks where it comes from.
    """

    def __init__(self, panel: JoinsPanel) -> None:
        super().__init__()
        set_style(self, role="held")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._section = ""
        self._kind = label("", "chip")
        self._text = ElidedLabel("", "data2", Qt.TextElideMode.ElideRight)
        self._age = label("", "data2")
        self.origin = icon_button(panel.look, "branch", QUESTION, self._ask)
        self.origin.setFixedSize(20, 20)
        self._panel = panel
        put(
            self,
            row(
                self._kind,
                (self._text, 1),
                self._age,
                self.origin,
                gap=8,
                margins=(8, 1, 4, 1),
            ),
        )

    def show_value(self, value: Value, age: int | None, section: str) -> None:
        self._section = section
        self._kind.setText(value.type)
        self._text.setText(shown_text(value))
        self._age.setText(f"s{age}" if age is not None else "")
        self._age.setVisible(age is not None)
        self.origin.setVisible(bool(section))

    def _ask(self) -> None:
        self._panel.session.explain(self._section, "this message")


def resize(
    widgets: list[AnyWidget],
    layout: QBoxLayout,
    count: int,
    make: Callable[[], AnyWidget],
) -> None:
    """Add or remove widgets in the list and in the layout, up to `count`."""
    while len(widgets) > count:
        surplus = widgets.pop()
        layout.removeWidget(surplus)
        surplus.hide()
        surplus.deleteLater()
    while len(widgets) < count:
        widgets.append(make())
        layout.addWidget(widgets[-1])


def _sentence(text: str) -> str:
    sentence = text[0].upper() + text[1:]
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


def _right(text: str, role: Role, width: int) -> QLabel:
    result = label(text, role)
    result.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    result.setFixedWidth(width)
    return result


def _inset(
    plan: Plan[AnyBox], *, left: int = 12, top: int = 0, bottom: int = 0
) -> Plan[AnyBox]:
    return replace(plan, margins=(left, top, 12, bottom))
