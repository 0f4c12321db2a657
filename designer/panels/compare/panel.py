"""The task Compare, in the place of the inspector: what differs between A and B, section
by section, and where their branches part.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import ClassVar

from PySide6.QtCore import QModelIndex, QRect, QSize, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from designer.look.difference_marks import SIGNS
from designer.look.fonts import data_font
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.model.differences import target_of
from designer.model.graft import NoGraft, graft_of
from designer.panels.base import Area, Panel, PanelHost, left_out
from designer.panels.compare.first import FirstDifference
from designer.panels.compare.sides import FAILED, Sides, base_name, shown_id
from designer.panels.values import difference_rows as rows
from designer.panels.values.difference_tree import (
    DifferenceTree,
    change_of,
    paint_counts,
)
from designer.panels.values.model import Node
from designer.panels.widgets.basic import (
    ContentOrNotice,
    Glyph,
    SearchField,
    allow,
    button,
    copy_text,
    hairline,
    icon_button,
    label,
)
from designer.qt.layouts import column, put, row
from designer.session.opener import LOOKS_ONLY
from runtime.debug.protocol import DIFFERENCE_TITLES, ChangeItem, DiffBody, Moment
from runtime.values.words import counted

HEAD = 32  # px, that of the strips of tabs
FACTS = "header"


class KindButton(QToolButton):
    """Shows or hides a kind of difference, and says how many there are."""

    def __init__(self, look: Look, kind: str) -> None:
        super().__init__()
        self._look = look
        self._kind = kind
        self.count = 0
        self.setCheckable(True)
        self.setChecked(True)
        self.setProperty("narrow", True)
        look.changed.connect(self.update)

    def show_count(self, count: int) -> None:
        self.count = count
        self.setVisible(count > 0)
        words = SIGNS[self._kind].words
        self.setAccessibleName(f"{count:,} {words}")
        self.setToolTip(f"Show what is {words}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = self.fontMetrics().horizontalAdvance(f"{self.count:,}")
        return QSize(width + 28, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._look.theme
        if self.isChecked():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(theme.accent if self.hasFocus() else theme.line2)
            painter.setBrush(theme.raised)
            frame = self.rect().adjusted(0, 1, -1, -2)
            painter.drawRoundedRect(frame, 6, 6)
        else:
            painter.setOpacity(0.45)
        painter.setFont(data_font(12))
        room = QRect(self.rect()).adjusted(0, 0, -7, 0)
        paint_counts(painter, room, Counter({self._kind: self.count}), self._look)


class ComparePanel(Panel):
    """Shown by the workspace while two moments are compared.

    `run_requested` carries the keys of the invocations that lead to a difference,
    `graft_requested` one that is to be taken over into a copy of A.
    """

    title: ClassVar[str] = "Compare"
    icon: ClassVar[str] = "compare"
    area: ClassVar[Area] = "task"
    is_about_level: ClassVar[bool] = True
    run_requested = Signal(object, str)
    graft_requested = Signal(object)  # ChangeItem

    def connect_to(self, host: PanelHost) -> None:
        self.run_requested.connect(host.enter_run)
        self.graft_requested.connect(host.graft)
        choose = partial(host.choose_store, self.session.compare_with_store)
        self.sides.store_requested.connect(choose)

    def set_up(self) -> None:
        self._listed: list[ChangeItem] = []
        self._moment: Moment | None = None
        self.close_button = icon_button(
            self.look, "x", "Stop comparing (Esc)", self._stop
        )
        self.sides = Sides(self.session, self.look)
        self.search = SearchField(self.look, "Filter the differences")
        self.kinds = {kind: KindButton(self.look, kind) for kind in SIGNS}
        self.tree = DifferenceTree(self.look)
        self.tree.offer = self._offer
        self.more = label("", "caption", wrap=True)
        self.first = FirstDifference(self.session, self.look)
        self.copy_button = button("Copy as text", self._copy, small=True)
        self.graft_button = button("Graft", self._graft, small=True)
        self.graft_button.setToolTip("Take the value of B over into a copy of A")
        self.next_button = button("Next difference", self._next, small=True)
        self._choices = self._make_choices()
        self._build()
        self._connect()

    def _make_choices(self) -> QWidget:
        box = QWidget()
        group = QButtonGroup(self)
        self.as_list = QPushButton("Differences")
        self.as_first = QPushButton("First difference")
        for choice, place in ((self.as_list, "first"), (self.as_first, "last")):
            choice.setCheckable(True)
            choice.setProperty("segment", place)
            group.addButton(choice)
        self.as_list.setChecked(True)
        put(box, row(self.as_list, self.as_first, gap=0))
        return box

    def _build(self) -> None:
        head = QWidget()
        head.setFixedHeight(HEAD)
        title = label("Compare", "strong")
        glyph = Glyph(self.look, self.icon)
        put(head, row(glyph, title, None, self.close_button, margins=(12, 0, 8, 0)))
        listed = QWidget()
        layout = column(listed)
        # Beside the field, which gives way in a narrow window.
        signs = self.kinds.values()
        put(layout, row((self.search, 1), *signs, gap=4, margins=(12, 6, 8, 6)))
        layout.addWidget(hairline())
        self.stack = ContentOrNotice(self.tree, self.look)
        layout.addWidget(self.stack, 1)
        self.more.setContentsMargins(12, 4, 12, 4)
        layout.addWidget(self.more)
        self.views = QStackedWidget()
        self.views.addWidget(listed)
        self.views.addWidget(self.first)
        whole = column(self)
        for part in (head, hairline(), self.sides, hairline()):
            whole.addWidget(part)
        put(
            whole,
            row(self._choices, None, margins=(12, 6, 8, 6)),
        )
        whole.addWidget(hairline())
        whole.addWidget(self.views, 1)
        whole.addWidget(hairline())
        put(
            whole,
            row(
                self.next_button,
                self.graft_button,
                self.copy_button,
                None,
                margins=(12, 6, 12, 6),
            ),
        )

    def _connect(self) -> None:
        self.session.changed.connect(self.invalidate)
        self.session.viewed.connect(self.invalidate)
        self.session.compared.connect(self.invalidate)
        self.search.textChanged.connect(self._on_filter)
        for kind_button in self.kinds.values():
            kind_button.toggled.connect(self._on_filter)
        self.as_first.toggled.connect(self.session.show_first_difference)
        self.first.pair_chosen.connect(self.session.compare_pair)
        self.tree.chosen.connect(self._on_chosen)
        self.tree.selectionModel().currentChanged.connect(self._allow_graft)
        self.tree.doubleClicked.connect(self._on_double_click)

    @property
    def entry(self) -> QWidget:
        return self.first.table if self.session.shows_first else self.tree

    # --- showing ------------------------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.first.refresh()

    def refresh(self) -> None:
        session = self.session
        self.sides.refresh()
        is_first = session.shows_first
        self.as_first.setChecked(is_first)
        self.as_list.setChecked(not is_first)
        self.views.setCurrentIndex(int(is_first))
        why_not = ""
        if session.way and session.base_run:
            why_not = "Choose the same invocation on both sides first."
        allow(self.as_first, why_not)
        self._show_differences()
        if is_first:
            self.first.refresh()
        self._allow_graft()

    def _on_filter(self, _changed: object = None) -> None:
        self._show_differences()

    @property
    def _changes(self) -> tuple[ChangeItem, ...]:
        body = self.session.comparison
        return body.differences if body is not None else ()

    @property
    def shown(self) -> list[ChangeItem]:
        """The differences that the filter leaves."""
        kinds = {kind for kind, choice in self.kinds.items() if choice.isChecked()}
        wanted = rows.Filter(kinds, self.search.text())
        return [
            change
            for change in self._changes
            if wanted.accepts(change, self.node_title)
        ]

    def _show_differences(self) -> None:
        body = self.session.comparison
        counts: Counter[str] = Counter(change.kind for change in self._changes)
        for kind, choice in self.kinds.items():
            choice.show_count(counts[kind])
        self.as_list.setText("Differences" + (f" {body.count:,}" if body else ""))
        shown = self.shown
        has_text = bool(shown) or self.session.shows_first
        allow(self.copy_button, "" if has_text else "There is no difference to copy.")
        notes = _notes(body)
        self.more.setText(notes)
        self.more.setVisible(bool(notes))
        if self.session.comparison_failed:
            self.stack.say("error", *FAILED)
        elif body is None:
            self.stack.say("clock", "Comparing…")
        elif shown_id(self.session) == self.session.base:
            self.stack.say(
                "timeline",
                "A and B are the same checkpoint",
                "Choose another one on the timeline: it becomes B.",
            )
        elif not body.changes or not self._changes:
            self.stack.say("check", "No difference in any section.")
        elif not shown:
            self.stack.say(
                "search", "No difference matches", "Change the filters above."
            )
        else:
            self._show_tree(shown)
            self.stack.show_content()

    def _show_tree(self, shown: list[ChangeItem]) -> None:
        moment = self.session.moment  # which has the titles of the nodes
        if shown == self._listed and moment is self._moment:
            return
        self._listed = shown
        self._moment = moment
        self.tree.show_root(rows.root_of(shown, DIFFERENCE_TITLES, self.node_title))

    # --- verbs --------------------------------------------------------------------------------------------------

    def _stop(self) -> None:
        self.session.compare_with("")

    def _next(self) -> None:
        if self.session.shows_first:
            self.first.next_difference()
        else:
            self.tree.step(1)

    def _copy(self) -> None:
        copy_text(self.text())

    def _why_no_graft(self, change: ChangeItem | None) -> str:
        """Why a difference cannot be taken over into a copy of A; "" if it can."""
        session = self.session
        if change is None:
            return "Choose a difference first."
        if session.looks_only:
            return LOOKS_ONLY
        if session.base_name:
            return "A belongs to another run. Only this run can be forked here."
        moment = session.seen
        graft = graft_of(change, moment or Moment(), session.staged.run)
        return graft.reason if isinstance(graft, NoGraft) else ""

    def _allow_graft(self, *_index: object) -> None:
        change = None if self.session.shows_first else self.tree.current_change
        allow(self.graft_button, self._why_no_graft(change))

    def _graft(self) -> None:
        change = self.tree.current_change
        if change is not None:
            self.graft_requested.emit(change)

    def text(self) -> str:
        """Return what is shown as text: the differences, or the first one."""
        if self.session.shows_first:
            return self.first.text()
        session = self.session
        other = session.timeline.name(shown_id(session)) or "the live run"
        head = f"From A, {base_name(session)}, to B, {other}: "
        head += counted(len(self.shown), "difference")
        body = rows.text_of(self.shown, DIFFERENCE_TITLES, self.node_title)
        return f"{head}\n{body}\n"

    def _offer(self, menu: QMenu, node: Node) -> None:
        change = change_of(node)
        if change is None:
            return
        icon = themed_icon("copy", self.look)
        line = rows.line_of(change, self.node_title)
        menu.addAction(icon, "Copy difference", lambda: copy_text(line))
        why_not = self._why_no_graft(change)
        graft = menu.addAction(
            themed_icon("branch", self.look),
            "Graft into a copy of A",
            lambda: self.graft_requested.emit(change),
        )
        allow(graft, why_not)
        menu.setToolTipsVisible(True)
        if change.way:
            go = themed_icon("sub", self.look)
            keys = change.way
            menu.addAction(go, f"Go into {keys[-1]}", lambda: self._enter(change))

    def _on_chosen(self, node: Node) -> None:
        """Select on the canvas what a difference leads to."""
        change = change_of(node)
        target = target_of(change).element if change is not None else ""
        if target:
            self.reveal(target)

    def _on_double_click(self, index: QModelIndex) -> None:
        change = change_of(self.tree.values.node(index))
        if change is not None and change.way:
            self._enter(change)

    def _enter(self, change: ChangeItem) -> None:
        self.run_requested.emit(change.way, change.executor)


def _notes(body: DiffBody | None) -> str:
    """Return what the list leaves out, in words; "" for nothing."""
    notes = []
    if body is not None and body.more:
        notes.append(left_out(body.more, "difference"))
    if body is not None and not body.outputs_compared:
        notes.append(
            "Outputs are not compared, because there are too many or reading them "
            "takes too long"
        )
    return " ".join(f"{note}." for note in notes)
