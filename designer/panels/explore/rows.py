"""The rows of an exploration: a row for each outcome, then one for each other finding;
and the same as text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from designer.look.fonts import ui_font
from designer.look.theme import Look
from designer.panels.values.difference_rows import text_of
from designer.panels.widgets.tables import RowColumns
from designer.qt.indexes import AnyIndex
from runtime.debug.protocol import (
    DIFFERENCE_TITLES,
    ChangeItem,
    ExploredBody,
    ExploredFinding,
)
from runtime.values.words import counted

Title = Callable[[str], str]
NAMES = {
    "not repeatable": "Not repeatable",
    "kept outside": "Kept outside of the run",
    "residue": "Left behind",
    "swallowed": "Cancellation swallowed",
}
PHASES = {
    "repeat": "the same order again",
    "orders": "other orders",
    "witnesses": "shorter orders",
    "failures": "failures put in",
}


class Row(NamedTuple):
    """A row of the table.

    outcome  the place of the outcome, or None for another finding
    text     all of it, for below the table
    tone     the colour role of its number
    """

    number: str
    words: str
    tries: str
    outcome: int | None
    text: str
    changes: tuple[ChangeItem, ...]
    tone: str


def rows_of(body: ExploredBody) -> list[Row]:
    """Return the outcomes, then what else was found."""
    several = len(body.outcomes) > 1
    rows = []
    for place, outcome in enumerate(body.outcomes):
        words = _when(outcome.when)
        if outcome.recorded_in:
            words = f"As recorded: {outcome.when}"
        text = f"Fails: {outcome.error}" if outcome.error else ""
        if not text:
            text = _text_of_outcome(body, place)
        rows.append(
            Row(
                str(place + 1),
                words,
                f"{outcome.tries:,}",
                place,
                text,
                outcome.changes,
                "warn" if several else "ok",
            )
        )
    others = (finding for finding in body.findings if finding.kind != "orders")
    return [*rows, *map(_finding_row, others)]


def _text_of_outcome(body: ExploredBody, place: int) -> str:
    """Return what the lanes and the differences leave open; "" for nothing."""
    if place:
        return f"{_when(body.outcomes[place].when)}."
    if not body.done or body.count > 1:
        return ""
    if body.complete:
        return "Every order of these calls comes to this outcome."
    return "Every try came to this outcome. There are more orders than were tried."


def _finding_row(finding: ExploredFinding) -> Row:
    return Row("!", NAMES[finding.kind], "", None, finding.text, finding.changes, "bad")


def _when(words: str) -> str:
    """Return an order as the beginning of a line. Titles of nodes stay as they are."""
    return f"I{words[1:]}" if words.startswith("in the ") else words


def sum_of(body: ExploredBody) -> tuple[str, str]:
    """Return what came out in a few words, and the colour role of them."""
    others = sum(finding.kind != "orders" for finding in body.findings)
    if any(finding.kind == "not repeatable" for finding in body.findings):
        return "Not repeatable", "bad"
    words = counted(body.count, "outcome")
    if body.done and body.count == 1 and not others:
        words = "One outcome in every order" if body.complete else "One outcome"
    if others:
        words += f", {counted(others, 'other finding')}"
    if body.count > 1:
        return words, "warn"
    return words, "bad" if others else "ok"


def facts_of(body: ExploredBody) -> str:
    """Return how much was tried."""
    calls = counted(len(body.calls), "call")
    tries = "1 try" if body.tries == 1 else f"{body.tries:,} tries"
    disturbed = counted(body.disturbed, "failure")
    return f"{calls}, {tries}, {disturbed} put in"


def text_of_body(body: ExploredBody, title: Title) -> str:
    """Return all of it as text."""
    words, _ = sum_of(body)
    lines = [f"Superstep {body.superstep}: {words} ({facts_of(body)})"]
    for row in rows_of(body):
        tries = f" ({row.tries}×)" if row.tries else ""
        lines.append(f"{row.number} {row.words}{tries}")
        if row.text:
            lines.append(f"  {row.text}")
        if row.changes:
            listed = text_of(row.changes, DIFFERENCE_TITLES, title)
            lines += [f"  {line}" for line in listed.splitlines()]
    lines += body.notes
    return "\n".join(lines) + "\n"


class OutcomeColumns(RowColumns[Row]):
    heads = ("", "Order", "Tries")
    numbers = frozenset({2})

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        column = index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return (row.number, row.words, row.tries)[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.words if row.outcome is not None else row.text
        if role == Qt.ItemDataRole.TextAlignmentRole and column == 2:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.FontRole and column == 0:
            return ui_font(13, QFont.Weight.DemiBold)
        if role == Qt.ItemDataRole.ForegroundRole and column == 0:
            return getattr(self._look.theme, row.tone)
        return None
