"""The task Restore proof, in the place of the inspector: the checkpoints that were
checked, and the three checks of the one that is shown.
"""

from __future__ import annotations

from collections import Counter
from typing import ClassVar

from PySide6.QtCore import QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from designer.look.proof_marks import MARKS
from designer.look.theme import Look
from designer.panels.base import Area, Panel, PanelHost, title_in
from designer.panels.verify.checks import ChecksView, text_of
from designer.panels.verify.table import ProofTable, Row, outcomes_of
from designer.panels.widgets.basic import (
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
from designer.panels.widgets.tables import ROW
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import ProofItem, ProofOutcome
from runtime.values.words import counted

HEAD = 32  # px, that of the strips of tabs
TABLE_SHARE = 0.4  # of the height, at most
LEAST_ROWS = 3
WHAT_IT_DOES = (
    "Checking runs the handlers again, except those that reach outside. "
    "The store is only read."
)
_SUMMED: tuple[ProofOutcome, ...] = ("proved", "failed", "unchecked")
_NO_CHECKPOINT = "There is no checkpoint yet: run the workflow first."


class CountBar(QWidget):
    """How many checkpoints have which outcome, as a bar."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.counts: Counter[str] = Counter()
        self.setFixedHeight(8)
        look.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(120, 8)

    def show_counts(self, counts: Counter[str]) -> None:
        self.counts = counts
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        whole = sum(self.counts.values())
        left = 0.0
        for outcome in _SUMMED:
            count = self.counts[outcome]
            if not count:
                continue
            # A few of very many are still seen.
            width = max(4.0, (self.width() - 12) * count / whole)
            painter.setBrush(getattr(self._look.theme, MARKS[outcome].role))
            painter.drawRoundedRect(QRectF(left, 1, width, 6), 2, 2)
            left += width + 2


class ProofPanel(Panel):
    """Shown by the workspace while the task is open.

    `bundle_requested` carries the checkpoint from which something comes otherwise.
    """

    title: ClassVar[str] = "Restore proof"
    icon: ClassVar[str] = "proof"
    area: ClassVar[Area] = "task"
    bundle_requested = Signal(str)

    def connect_to(self, host: PanelHost) -> None:
        self.bundle_requested.connect(host.make_bundle)

    def set_up(self) -> None:
        self._proof = self.session.proof
        self._shows_proved = False
        self.close_button = icon_button(
            self.look, "x", "Close the restore proof (Esc)", self._proof.leave
        )
        self.count = ElidedLabel("", "secondary")
        self.check_all_button = button("Check all", self._check_or_stop, small=True)
        self.summary = {
            outcome: label("", "body", tone=MARKS[outcome].role) for outcome in _SUMMED
        }
        self.bar = CountBar(self.look)
        self.progress = label("", "caption", wrap=True)
        self.table = ProofTable(self.look, self)
        self.more_button = button("", self._toggle_proved, small=True)
        self.more_button.setProperty("flat", True)
        self.name = label("", "strong")
        self.place = ElidedLabel("", "secondary")
        self.check_button = button("Check", self._check_shown, small=True)
        self.checks_view = ChecksView(self.look)
        self.nothing = label("Not checked yet.", "secondary")
        self.compare_button = button("Compare the two", self._compare, small=True)
        self.copy_button = icon_button(
            self.look, "copy", "Copy the proof as text", self._copy
        )
        self.bundle_button = button(
            "Make a bug bundle…", self._make_bundle, small=True, primary=True
        )
        self._build()
        self._connect()

    def _build(self) -> None:
        head = QWidget()
        head.setFixedHeight(HEAD)
        parts = (
            Glyph(self.look, self.icon),
            label(self.title, "strong"),
            (self.count, 1),
            self.check_all_button,
            self.close_button,
        )
        put(head, row(*parts, gap=8, margins=(12, 0, 8, 0)))
        content = QWidget()
        layout = column(content)
        put(layout, row(*self.summary.values(), None, gap=14, margins=(12, 8, 12, 4)))
        put(layout, row((self.bar, 1), margins=(12, 2, 12, 8)))
        self.progress.setContentsMargins(12, 0, 12, 6)
        layout.addWidget(self.progress)
        layout.addWidget(self._make_list())
        layout.addWidget(self._make_details(), 1)
        self.stack = ContentOrNotice(content, self.look)
        whole = column(self)
        whole.addWidget(head)
        whole.addWidget(hairline())
        whole.addWidget(self.stack, 1)

    def _make_list(self) -> QWidget:
        listed = QWidget()
        layout = column(listed)
        layout.addWidget(self.table)
        put(layout, row(self.more_button, None, margins=(8, 2, 8, 2)))
        return listed

    def _make_details(self) -> QWidget:
        details = QWidget()
        details.setMinimumHeight(120)
        layout = column(details)
        layout.addWidget(hairline())
        head = row(
            self.name, (self.place, 1), self.check_button, gap=8, margins=(12, 6, 8, 6)
        )
        put(layout, head)
        layout.addWidget(hairline())
        self.nothing.setContentsMargins(12, 10, 12, 10)
        layout.addWidget(self.nothing)
        self.area_of_checks = scrolling(self.checks_view)
        layout.addWidget(self.area_of_checks, 1)
        layout.addWidget(hairline())
        buttons = row(
            self.bundle_button,
            self.compare_button,
            None,
            self.copy_button,
            margins=(12, 6, 8, 6),
        )
        put(layout, buttons)
        return details

    def _connect(self) -> None:
        self._proof.changed.connect(self.invalidate)
        self.session.changed.connect(self.invalidate)
        self.session.viewed.connect(self.invalidate)
        self.session.timeline.grown.connect(self.invalidate)
        self.table.clicked.connect(self._on_row)
        self.table.activated.connect(self._on_row)
        self.checks_view.writer_requested.connect(self._select_writer)

    @property
    def entry(self) -> QWidget:
        return self.table

    # --- showing --------------------------------------------------------------------------------------------------

    @property
    def shown_id(self) -> str:
        """The checkpoint that the user looks at, or where the live run is."""
        session = self.session
        if session.viewing is not None:
            return session.viewing
        return session.head.id if session.head is not None else ""

    def refresh(self) -> None:
        proof = self._proof
        count = self.session.timeline.rowCount()
        self.count.setText(counted(count, "checkpoint"))
        self.check_all_button.setText("Stop" if proof.is_checking else "Check all")
        allow(self.check_all_button, "" if count else _NO_CHECKPOINT)
        if proof.is_empty and not proof.is_checking and not proof.refused:
            action = ("Check all", proof.check_all) if count else None
            text = WHAT_IT_DOES if count else _NO_CHECKPOINT
            self.stack.say(self.icon, "Not checked yet.", text, action)
            return
        self.stack.show_content()
        self._show_counts()
        self._show_rows()
        self._show_details()

    def _show_counts(self) -> None:
        proof = self._proof
        counts = proof.counts()
        for outcome, text in self.summary.items():
            text.setText(f"{counts[outcome]:,} {MARKS[outcome].words}")
            text.setVisible(counts[outcome] > 0)
        self.bar.show_counts(counts)
        self.bar.setVisible(bool(counts))
        words = ""
        if proof.is_checking:
            words = f"Checked {proof.read:,} of {proof.of:,}."
        elif proof.refused:
            words = proof.refused
        self.progress.setText(words)
        self.progress.setVisible(bool(words))
        set_style(self.progress, tone="bad" if proof.refused else "")

    def _show_rows(self) -> None:
        items = self._proof.checked()
        shown = self.shown_id
        listed = [
            item
            for item in items
            if self._shows_proved
            or item.outcome != "proved"
            or item.checkpoint_id == shown
        ]
        self.table.show_rows(list(map(self._row, listed)), shown)
        hidden = len(items) - len(listed)
        is_all = self._shows_proved and any(item.outcome == "proved" for item in items)
        self.more_button.setVisible(hidden > 0 or is_all)
        words = f"{hidden:,} more, all proved"
        self.more_button.setText("Hide what is proved" if is_all else words)
        self._fit_table()

    def _fit_table(self) -> None:
        """Give the table the height of its rows, but leave room for the checks."""
        rows = len(self.table.rows.rows)
        most = max(LEAST_ROWS, int(self.height() * TABLE_SHARE) // ROW)
        self.table.setFixedHeight((min(rows, most) + 1) * ROW + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_table()

    def _row(self, item: ProofItem) -> Row:
        timeline = self.session.timeline
        header = timeline.header(item.checkpoint_id)
        where = "" if header is None else f"{header.branch}, s{header.superstep}"
        name = timeline.name(item.checkpoint_id)
        return Row(item.checkpoint_id, name, where, outcomes_of(item))

    def _show_details(self) -> None:
        shown = self.shown_id
        header = self.session.timeline.header(shown)
        item = self._proof.item(shown)
        self.name.setText(self.session.timeline.name(shown))
        place = ""
        if header is not None:
            place = f"{header.branch}, superstep {header.superstep}"
        self.place.setText(place)
        why_not = "" if header is not None else "Choose a checkpoint on the timeline."
        if self._proof.is_checking:
            why_not = "A check is under way."
        allow(self.check_button, why_not)
        self.check_button.setText("Check again" if item is not None else "Check")
        self.nothing.setVisible(item is None)
        self.area_of_checks.setVisible(item is not None)
        self.checks_view.show_item(item, self.path_title)
        two = self._proof.failed_advance(shown)
        allow(
            self.compare_button,
            "" if two is not None else "There are not two results to compare here.",
        )
        self.bundle_button.setVisible(item is not None and item.outcome == "failed")
        allow(
            self.bundle_button,
            "" if two is not None else "Nothing comes otherwise than recorded here.",
        )
        allow(
            self.copy_button, "" if item is not None else "Nothing is checked here yet."
        )

    def path_title(self, path: str) -> str:
        """Return the titles of the executors on a path, such as `review#1/judge`."""
        outer, *inner = path.split("/")
        name, number, invocation = outer.partition("#")
        moment = self.session.moment
        title = title_in(moment, name) or self.outer_title(name)
        return " › ".join([f"{title}{number}{invocation}", *inner])

    # --- verbs ----------------------------------------------------------------------------------------------------

    def _check_or_stop(self) -> None:
        if self._proof.is_checking:
            self._proof.stop()
        else:
            self._proof.check_all()

    def _check_shown(self) -> None:
        if self.shown_id:
            self._proof.check([self.shown_id])

    def _toggle_proved(self) -> None:
        self._shows_proved = not self._shows_proved
        self.refresh()

    def _on_row(self, index: QModelIndex) -> None:
        self.session.view(self.table.checkpoint_at(index))

    def _select_writer(self, path: str) -> None:
        self.reveal(path.split("/", maxsplit=1)[0].partition("#")[0])

    def _compare(self) -> None:
        self._proof.compare_two(self.shown_id)

    def _make_bundle(self) -> None:
        self.bundle_requested.emit(self.shown_id)

    def _copy(self) -> None:
        item = self._proof.item(self.shown_id)
        if item is not None:
            name = self.session.timeline.name(self.shown_id)
            copy_text(text_of(name, item, self.path_title))
