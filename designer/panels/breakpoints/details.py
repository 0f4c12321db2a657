"""The right pane of the list: the facts of the selected breakpoint."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from designer.look.breakpoint_marks import breakpoint_icon
from designer.look.theme import Look
from designer.model import breakpoint_words as words
from designer.model.breakpoint_trial import AtHand, tried
from designer.panels.breakpoints.rows import Row
from designer.panels.widgets.basic import (
    RIGHT,
    ElidedLabel,
    icon_button,
    label,
    scrolling,
    set_style,
)
from designer.qt.layouts import column, put, row

FACTS = (
    "When",
    "Stopped",
    "Only if",
    "Now",
    "Hits",
    "Then",
    "For",
    "Kept in",
    "Fault",
)
_ROLES = {"Only if": "data", "Then": "body", "Kept in": "data"}


class BreakpointDetails(QWidget):
    """`edit_requested` and `delete_requested` are emitted by its buttons."""

    edit_requested = Signal()
    delete_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._mark = label("")
        self._mark.setFixedSize(16, 16)
        self._name = ElidedLabel("", "strong", RIGHT)
        self.edit_button = icon_button(
            look, "pencil", "Edit this breakpoint (Enter)", self.edit_requested.emit
        )
        self.delete_button = icon_button(
            look, "trash", "Delete this breakpoint (Del)", self.delete_requested.emit
        )
        self.captions = {fact: label(fact, "secondary") for fact in FACTS}
        self.values = {
            fact: label("", "data" if _ROLES.get(fact) == "data" else "body", wrap=True)
            for fact in FACTS
        }
        body = QWidget()
        layout = column(body, margins=(0, 0, 8, 8), gap=4)
        put(
            layout,
            row(
                self._mark,
                (self._name, 1),
                self.edit_button,
                self.delete_button,
                gap=8,
            ),
        )
        place = QWidget()
        grid = QGridLayout(place)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnMinimumWidth(0, 72)
        grid.setColumnStretch(1, 1)
        for number, fact in enumerate(FACTS):
            grid.addWidget(self.captions[fact], number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self.values[fact], number, 1)
        layout.addWidget(place)
        layout.addStretch(1)
        area = scrolling(body)
        area.setMinimumHeight(1)
        column(self, margins=(12, 8, 0, 0)).addWidget(area, 1)

    def show_row(self, shown: Row, *, stopped: str, kept: str, hand: AtHand) -> None:
        """Show the facts of a breakpoint. `stopped` says where the run stands if it
        stands there; `kept` is the name of the file.
        """
        point = shown.point
        theme = self._look.theme
        icon = breakpoint_icon(shown.mark, theme, self.devicePixelRatioF())
        self._mark.setPixmap(icon.pixmap(16))
        self._name.setText(shown.where)
        condition = words.only_if(point)
        trial = tried(condition, hand) if condition and not shown.fault else None
        run = f"only {point.run}" if point.run else "every invocation"
        facts = {
            "When": words.when(point),
            "Stopped": stopped,
            "Only if": condition,
            "Now": trial.words if trial is not None else "",
            "Hits": f"{shown.hits:,}",
            "Then": words.then(point),
            "For": run if point.inside else "",
            "Kept in": kept,
            "Fault": shown.fault,
        }
        for fact, text in facts.items():
            self.values[fact].setText(text)
            self.values[fact].setVisible(bool(text))
            self.captions[fact].setVisible(bool(text))
        is_true = trial is not None and trial.answer == "true"
        set_style(self.values["Now"], tone="ok" if is_true else "")
        set_style(
            self.values["Fault"], tone="warn" if not shown.mark.verified else "bad"
        )
