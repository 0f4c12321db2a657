"""The dialog that says beforehand what going on from the past will do outside, and lets
the user choose for each executor.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.values.result_choice import ResultChoice
from designer.panels.widgets.basic import (
    ContentOrNotice,
    Glyph,
    Role,
    button,
    hairline,
    label,
    scrolling,
)
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row
from designer.session.session import DebugSession
from designer.shell.runs.outside_words import OutsideRow, rows
from runtime.debug.protocol import CallMode, RestorePlanBody

WIDTH = 620
LEAST = 260  # px of its height
MOST = 460
FRAME_HEIGHT = 130  # px around the list
WAITS = "The plan is being made."
NOTHING = "Nothing that follows reaches outside."
NO_PLAN = "It is not known what would happen outside"
SAYS = "A call that nobody asked for does not happen: the run stops before it."
_GLYPHS: dict[CallMode, str] = {"recorded": "record", "live": "globe", "pinned": "pin"}


class OutsideDialog(Dialog):
    """Nothing moves while it is open. It emits `accepted` when the user goes on.

    verb   what going on is called: "Restore here"
    title  returns what an executor is called, by its path
    """

    listed = Signal()  # the rows are those of the present plan

    def __init__(
        self,
        session: DebugSession,
        look: Look,
        checkpoint_id: str,
        verb: str,
        parent: QWidget,
        title: Callable[[str], str],
    ) -> None:
        super().__init__(parent)
        name = session.timeline.name(checkpoint_id) or checkpoint_id[:8]
        self.setWindowTitle(f"What happens outside from {name} on")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "panel")
        self._session = session
        self._look = look
        self._title = title
        self._checkpoint_id = checkpoint_id
        self._plan: RestorePlanBody | None = None
        self.choices: dict[str, ResultChoice] = {}
        self._head = label("", "strong", wrap=True)
        self._page = QWidget()
        self._rows = column(self._page, margins=(0, 0, 8, 0), gap=0)
        self._parts: list[QWidget] = []
        self.content = ContentOrNotice(scrolling(self._page), look)
        self.says = label(SAYS, "caption", wrap=True)
        self.go_button = button(verb, self.accept, primary=True)
        self._build()
        session.results.changed.connect(self._ask)
        session.changed.connect(self._follow)
        self._ask()

    def _build(self) -> None:
        layout = column(self, margins=(16, 16, 16, 16), gap=12)
        layout.addWidget(self._head)
        layout.addWidget(self.content, 1)
        cancel = button("Cancel", self.reject)
        cancel.setAutoDefault(False)
        put(layout, row((self.says, 1), cancel, self.go_button))
        self.resize(WIDTH, LEAST)
        self.go_button.setDefault(True)
        self.go_button.setFocus()

    def _ask(self) -> None:
        self._session.results.when_planned(self._checkpoint_id, self.show_plan)

    def show_plan(self, plan: RestorePlanBody | None) -> None:
        """Show a plan, or that there is none."""
        if plan is None:
            self.content.say("error", NO_PLAN, SAYS)
            self._head.setText("")
        elif plan != self._plan:
            self._plan = plan
            self._fill(plan)
        self.listed.emit()

    def _fill(self, plan: RestorePlanBody) -> None:
        for part in self._parts:
            self._rows.removeWidget(part)
            part.hide()
            part.deleteLater()
        self._parts = []
        self.choices = {}
        results = self._session.results
        listed = rows(plan, results)
        for outside in listed:
            self._add(outside)
        filler = QWidget()
        self._rows.addWidget(filler, 1)
        self._parts.append(filler)
        happens = f"Outside: {plan.words}" if plan.calls else plan.words
        self._head.setText(happens or NOTHING)
        self.content.show_content()
        needed = self._page.sizeHint().height() + FRAME_HEIGHT
        self.resize(self.width(), max(self.height(), min(needed, MOST)))

    def _add(self, outside: OutsideRow) -> None:
        results = self._session.results
        mode = results.mode_of(outside.path)
        choice = ResultChoice(outside.path, mode)
        choice.chosen.connect(partial(results.choose, outside.path))
        self.choices[outside.path] = choice
        title = self._title(outside.path)
        glyph = Glyph(
            self._look,
            _GLYPHS["live" if outside.unasked else mode],
            "warn" if outside.unasked else "text2",
        )
        part = QWidget()
        layout = column(part, margins=(0, 8, 0, 8), gap=2)
        put(layout, row(glyph, (label(title, "strong", wrap=True), 1), choice, gap=8))
        for line in outside.lines:
            layout.addWidget(self._note(line, "secondary"))
        for reason in outside.reasons:
            text = reason[:1].upper() + reason[1:]
            role: Role = "body" if outside.unasked else "secondary"
            tone = "warn" if outside.unasked else ""
            layout.addWidget(self._note(text, role, tone))
        for widget in (part, hairline()):
            self._rows.addWidget(widget)
            self._parts.append(widget)

    def _note(self, text: str, role: Role, tone: str = "") -> QWidget:
        note = label(text, role, wrap=True, tone=tone)
        note.setContentsMargins(24, 0, 0, 0)
        return note

    def _follow(self) -> None:
        """Close when the run moves, because the plan is about where it stood."""
        if self._session.running:
            self.reject()
