"""The dialog of a changed graph: what changed, what of the run is kept and dropped, who
runs next, and what became of executors and joins.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from designer.look.theme import Look
from designer.panels.base import title_in
from designer.panels.widgets.basic import (
    Choice,
    ContentOrNotice,
    allow,
    button,
    label,
    scrolling,
)
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row
from designer.session.session import DebugSession
from designer.shell.runs.change_words import sections, summary
from designer.shell.runs.mapping_form import MappingForm
from runtime.debug.protocol import ChangePlanBody, Reply
from runtime.values.words import counted

SIZE = (680, 560)
BRANCH_WIDTH = 160
MAPPING_FILE = "mapping.json"
MOST_LINES = 200  # of one part
WAITS = "The plan is being made."


class GoOn(NamedTuple):
    """What the user has decided: from where, by which mapping, on which branch."""

    checkpoint_id: str
    mapping: dict[str, object] | None
    branch: str


class ChangeDialog(Dialog):
    """Nothing moves while it is open. It emits `chosen` with a `GoOn` and closes, and
    `save_requested` with a name for a file and the mapping as a text.

    places  the checkpoints to choose from, as (text, id); the first is chosen
    """

    chosen = Signal(object)
    save_requested = Signal(str, str)

    def __init__(
        self,
        session: DebugSession,
        look: Look,
        places: list[tuple[str, str]],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Go on with the changed graph")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._session = session
        self._plan: ChangePlanBody | None = None
        self._is_open_in_host = False
        self._asked = 0
        self.place = Choice(look)
        self.place.fill(places, places[0][1])
        self.place.setMinimumContentsLength(34)
        self.place.setAccessibleName("From the checkpoint")
        self.branch = QLineEdit()
        self.branch.setPlaceholderText("Name of the branch")
        self.branch.setAccessibleName("Name of the branch")
        self.branch.setMinimumWidth(BRANCH_WIDTH)
        self.form = MappingForm(look)
        self.form.hide()
        self._page = QWidget()
        self._page_column = column(self._page, margins=(0, 0, 8, 0), gap=4)
        self._parts: list[QWidget] = []
        self.content = ContentOrNotice(scrolling(self._page), look)
        self.says = label("", "secondary", wrap=True)
        self.save_button = button("Save the mapping…", self._save)
        self.go_button = button("Go on", self._go_on, primary=True)
        self._build()
        self.place.currentIndexChanged.connect(self._on_place)
        self.form.changed.connect(self._ask)
        session.changed.connect(self._follow)
        self._ask()

    def _build(self) -> None:
        layout = column(self, margins=(16, 16, 16, 16), gap=12)
        put(layout, row(label("From"), (self.place, 1), self.branch))
        layout.addWidget(self.content, 1)
        cancel = button("Cancel", self.reject)
        for other in (cancel, self.save_button):
            other.setAutoDefault(False)
        put(layout, row((self.says, 1), self.save_button, cancel, self.go_button))
        self.resize(*SIZE)

    @property
    def plan(self) -> ChangePlanBody | None:
        """The plan of what is chosen; None as long as the host makes it."""
        return self._plan

    # --- the plan ---

    def _on_place(self, _index: int) -> None:
        self.form.forget()
        self._ask()

    def _ask(self) -> None:
        self._plan = None
        self._asked += 1
        number = self._asked
        self._allow(WAITS)
        if not self._parts:
            self.content.say("steps", WAITS, "Nothing runs until you go on.")
        self._session.questions.plan_change(
            self.place.currentData(),
            self.form.mapping,
            lambda answer: self._take(number, answer),
            again=self._is_open_in_host,
        )

    def _take(self, number: int, answer: ChangePlanBody | Reply) -> None:
        if number != self._asked:
            return
        if isinstance(answer, Reply):
            self._is_open_in_host = False
            self.content.say("error", "It cannot go on like this", answer.message)
            self._allow("It cannot go on like this.")
            self.says.setText("")
            return
        self._is_open_in_host = True
        self._plan = answer
        self.form.show_plan(answer)
        self._fill(answer)
        self.says.setText(summary(answer))
        self._allow("Decide first what becomes of it." if answer.problems else "")

    def _allow(self, why_not: str) -> None:
        allow(self.go_button, why_not)
        has_mapping = self._plan is not None and not self.form.isHidden()
        why_not_save = "" if has_mapping else "There is nothing to map."
        allow(self.save_button, why_not_save)

    def _fill(self, plan: ChangePlanBody) -> None:
        self._page_column.removeWidget(self.form)
        for part in self._parts:
            self._page_column.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts = []
        for title, lines, tone in sections(plan, self._title):
            self._add_part(title, lines, tone)
            if title == "To decide" or (title == "Changed" and not plan.problems):
                self._page_column.addWidget(self.form)
        if not plan.changes:
            self._add_part("The graph is that of this checkpoint", (), "")
            self._page_column.addWidget(self.form)
        filler = QWidget()
        self._page_column.addWidget(filler, 1)
        self._parts.append(filler)
        self.content.show_content()

    def _add_part(self, title: str, lines: tuple[str, ...], tone: str) -> None:
        shown = list(lines[:MOST_LINES])
        if len(lines) > MOST_LINES:
            shown.append(f"and {counted(len(lines) - MOST_LINES, 'line')} more")
        head = label(title, "strong")
        body = label("\n".join(shown), wrap=True, tone=tone)
        body.setContentsMargins(0, 0, 0, 8)
        for part in (head, body):
            self._page_column.addWidget(part)
            self._parts.append(part)

    def _title(self, executor: str) -> str:
        return title_in(self._session.moment, executor) or executor

    def _follow(self) -> None:
        """Close when the run moves, because the plan is about where it stood."""
        if self._session.running:
            self.reject()

    # --- verbs ---

    def _save(self) -> None:
        if self._plan is not None:
            text = json.dumps(self._plan.mapping, indent=2, ensure_ascii=False)
            self.save_requested.emit(MAPPING_FILE, text + "\n")

    def _go_on(self) -> None:
        plan = self._plan
        if plan is None or plan.problems:
            return
        mapping = self.form.mapping
        choice = GoOn(
            plan.checkpoint_id,
            dict(mapping) if mapping is not None else None,
            self.branch.text().strip(),
        )
        self.accept()
        self.chosen.emit(choice)
