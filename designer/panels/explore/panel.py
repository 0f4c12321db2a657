"""The task Delivery orders, in the place of the inspector: what the superstep after the
shown checkpoint comes to in other orders, and what failures leave behind.
"""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSplitter, QWidget

from designer.look.theme import Look
from designer.model.differences import target_of
from designer.panels.base import Area, Panel, left_out
from designer.panels.explore import rows
from designer.panels.explore.lanes import OrderLanes
from designer.panels.values.difference_rows import root_of
from designer.panels.values.difference_tree import DifferenceTree, change_of
from designer.panels.values.model import Node
from designer.panels.widgets.basic import (
    RIGHT,
    ContentOrNotice,
    ElidedLabel,
    Glyph,
    allow,
    button,
    copy_text,
    hairline,
    icon_button,
    label,
    scrolling,
    set_style,
)
from designer.panels.widgets.tables import Table
from designer.qt.layouts import column, put, row, stack
from runtime.debug.protocol import DIFFERENCE_TITLES, ExploredBody

HEAD = 32  # px, that of the strips of tabs
WHAT_IT_DOES = (
    "Exploring runs the handlers of superstep {superstep} many times, in other orders "
    "and with failures put in. The store is only read."
)
ANYWAY = "Explore and really do it"


class ProgressBar(QWidget):
    """How far an exploration is."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._share = 0.0
        self.setFixedHeight(4)
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(120, 4)

    def show_share(self, share: float) -> None:
        self._share = share
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.theme.line2)
        painter.drawRoundedRect(QRectF(0, 0, self.width(), 4), 2, 2)
        painter.setBrush(self._look.theme.accent)
        painter.drawRoundedRect(QRectF(0, 0, self.width() * self._share, 4), 2, 2)


class OrdersPanel(Panel):
    """Shown by the workspace while the task is open."""

    title: ClassVar[str] = "Delivery orders"
    icon: ClassVar[str] = "swap"
    area: ClassVar[Area] = "task"

    def set_up(self) -> None:
        self._orders = self.session.delivery_orders
        self._shown_body: ExploredBody | None = None
        self._selected = 0
        self.close_button = icon_button(
            self.look, "x", "Close the delivery orders (Esc)", self._orders.leave
        )
        self.explore_button = button("Explore", self._explore_or_stop, small=True)
        self.sum = label("", "strong")
        self.facts = ElidedLabel("", "secondary", RIGHT)
        self.progress = ProgressBar(self.look)
        self.phase = label("", "caption")
        self.columns = rows.OutcomeColumns(self.look, self)
        self.table = Table(self.columns, "Outcomes and findings", (28, 0, 56))
        self.lanes = OrderLanes(self.look)
        self.text = label("", "body", wrap=True)
        self.notes = label("", "caption", wrap=True)
        self.tree = DifferenceTree(self.look)
        self.more = label("", "caption", wrap=True)
        self.compare_button = button("Compare", self._compare, small=True)
        self.copy_button = button("Copy as text", self._copy, small=True)
        self._build()
        self._connect()

    def _build(self) -> None:
        head = QWidget()
        head.setFixedHeight(HEAD)
        parts = (
            Glyph(self.look, self.icon),
            label(self.title, "strong"),
            None,
            self.explore_button,
            self.close_button,
        )
        put(head, row(*parts, gap=8, margins=(12, 0, 8, 0)))
        content = QWidget()
        layout = column(content)
        words = stack(self.sum, self.facts, gap=2, margins=(12, 8, 12, 6))
        put(layout, words)
        self._progress_box = QWidget()
        box = column(self._progress_box)
        put(box, row((self.progress, 1), margins=(12, 0, 12, 2)))
        put(box, row(self.phase, None, margins=(12, 0, 12, 6)))
        layout.addWidget(self._progress_box)
        parted = QSplitter(Qt.Orientation.Vertical)
        parted.setChildrenCollapsible(False)
        self.table.setMinimumHeight(80)
        parted.addWidget(self.table)
        parted.addWidget(self._make_details())
        parted.setStretchFactor(0, 2)
        parted.setStretchFactor(1, 5)
        layout.addWidget(parted, 1)
        layout.addWidget(hairline())
        buttons = row(
            self.compare_button, self.copy_button, None, margins=(12, 6, 12, 6)
        )
        put(layout, buttons)
        self.stack = ContentOrNotice(content, self.look)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(hairline())
        whole.addWidget(self.stack, 1)

    def _make_details(self) -> QWidget:
        details = QWidget()
        layout = column(details)
        layout.addWidget(self.lanes)
        for words in (self.text, self.notes):
            words.setContentsMargins(12, 4, 12, 6)
            layout.addWidget(words)
        self.tree.setMinimumHeight(78)
        layout.addWidget(self.tree, 1)
        self.more.setContentsMargins(12, 4, 12, 4)
        layout.addWidget(self.more)
        layout.addStretch(0)
        area = scrolling(details)
        area.setMinimumHeight(60)
        return area

    def _connect(self) -> None:
        self._orders.changed.connect(self.invalidate)
        self.session.changed.connect(self.invalidate)
        self.session.viewed.connect(self.invalidate)
        self.session.timeline.grown.connect(self.invalidate)
        self.table.selectionModel().currentRowChanged.connect(self._on_row)
        self.tree.chosen.connect(self._on_chosen)

    @property
    def entry(self) -> QWidget:
        has_content = self.stack.currentWidget() is self.stack.content
        return self.table if has_content else self.explore_button

    @property
    def shown_id(self) -> str:
        """The checkpoint that the user looks at, or where the live run is."""
        session = self.session
        if session.viewing is not None:
            return session.viewing
        return session.head.id if session.head is not None else ""

    # --- showing --------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        orders = self._orders
        shown = self.shown_id
        body = orders.body(shown)
        is_exploring = orders.exploring == shown and bool(shown)
        why_not = orders.why_not(shown)
        superstep = self._superstep(shown)
        again = "Explore" if body is None else "Explore again"
        self.explore_button.setText("Stop" if is_exploring else again)
        allow(self.explore_button, "" if is_exploring else why_not)
        refusal = orders.refusal(shown)
        if refusal and not is_exploring:
            self._show_refusal(refusal, body)
        elif why_not:
            self.stack.say("timeline", "Nothing to explore here", why_not)
        elif body is None and not is_exploring:
            text = WHAT_IT_DOES.format(superstep=superstep)
            self.stack.say("swap", "Not explored yet.", text)
        elif body is None or not body.outcomes:
            self.stack.say("clock", "Exploring…", "The first try is under way.")
        else:
            self._show_body(body, is_exploring=is_exploring)
            self.stack.show_content()

    def _superstep(self, checkpoint_id: str) -> int:
        place = self.session.timeline.row_of(checkpoint_id)
        if place is None:
            return 0
        return self.session.timeline.header_at(place).superstep + 1

    def _show_refusal(self, refusal: str, body: ExploredBody | None) -> None:
        if body is not None and body.refused:
            # It reaches outside: only the user can want that again and again.
            action = (ANYWAY, self._explore_live)
            self.stack.say("globe", "Not explored", refusal, action)
        else:
            self.stack.say("error", "It cannot be explored", refusal)

    def _show_body(self, body: ExploredBody, *, is_exploring: bool) -> None:
        words, tone = rows.sum_of(body)
        self.sum.setText(words)
        set_style(self.sum, tone=tone)
        name = self.session.timeline.name(body.checkpoint_id)
        facts = rows.facts_of(body)
        self.facts.setText(f"Superstep {body.superstep}, after {name}: {facts}")
        self._progress_box.setVisible(is_exploring)
        self.progress.show_share(body.tries / max(1, body.planned))
        phase = rows.PHASES.get(body.phase, body.phase)
        self.phase.setText(f"{body.tries:,} of {body.planned:,}: {phase}")
        if body is self._shown_body:
            return
        is_another = (
            self._shown_body is None
            or self._shown_body.checkpoint_id != body.checkpoint_id
        )
        self._shown_body = body
        listed = rows.rows_of(body)
        if is_another or self._selected >= len(listed):
            # The first other outcome says more than the one that all expect.
            self._selected = min(1, len(listed) - 1)
        selected = self._selected
        if listed != self.columns.rows:
            self.columns.show(listed)
        self._selected = selected
        self.table.selectRow(selected)
        self._show_selected()

    def _show_selected(self) -> None:
        body = self._shown_body
        if body is None or self._selected >= len(self.columns.rows):
            return
        chosen = self.columns.rows[self._selected]
        outcome = chosen.outcome
        self.lanes.setVisible(outcome is not None)
        if outcome is not None:
            both = (0,) if outcome == 0 else (0, outcome)
            self.lanes.show_orders(body, both)
        self.text.setText(chosen.text)
        self.text.setVisible(bool(chosen.text))
        notes = " ".join(body.notes)
        self.notes.setText(notes)
        # Beside differences there is no room for more words.
        self.notes.setVisible(bool(notes) and not chosen.changes)
        self.tree.setVisible(bool(chosen.changes))
        if chosen.changes:
            root = root_of(chosen.changes, DIFFERENCE_TITLES, self.node_title)
            self.tree.show_root(root)
        more = body.outcomes[outcome].more if outcome is not None else 0
        self.more.setText(f"{left_out(more, 'difference')}." if more else "")
        self.more.setVisible(bool(more))
        allow(self.compare_button, self._why_not_compare(outcome))

    def _why_not_compare(self, outcome: int | None) -> str:
        if outcome is None:
            return "Choose an outcome."
        if self._orders.pair(self.shown_id, outcome) is None:
            return "The run has no checkpoint to compare this outcome with."
        return ""

    # --- verbs ----------------------------------------------------------------------------------------------------

    def _explore_or_stop(self) -> None:
        shown = self.shown_id
        if self._orders.exploring == shown:
            self._orders.stop()
        else:
            self._orders.explore(shown)

    def _explore_live(self) -> None:
        self._orders.explore(self.shown_id, live=True)

    def _compare(self) -> None:
        outcome = self.columns.rows[self._selected].outcome
        if outcome is not None:
            self._orders.compare(self.shown_id, outcome)

    def _copy(self) -> None:
        copy_text(self.as_text())

    def as_text(self) -> str:
        """Return what was found as text."""
        body = self._shown_body
        return "" if body is None else rows.text_of_body(body, self.node_title)

    def _on_row(self, index: QModelIndex) -> None:
        if index.isValid():
            self._selected = index.row()
            self._show_selected()

    def _on_chosen(self, node: Node) -> None:
        """Select on the canvas what a difference leads to."""
        change = change_of(node)
        target = target_of(change).element if change is not None else ""
        if target:
            self.reveal(target)
