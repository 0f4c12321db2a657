"""Try a value: takes a JSON text through the conditions of an edge group as a run
would, without a run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from designer.document.document import Document
from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.model.completion.message_examples import UNKNOWN
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import GrowingText, JsonError, parse_json
from designer.panels.widgets.basic import Glyph, hint, label, set_style
from designer.qt.layouts import column, put, row
from runtime.checks.try_conditions import Outcome, Trial, try_value
from runtime.document.definition import EdgeDefinition

# Elements that conditions may touch, so that the window waits some ten milliseconds at
# most.
MOST_WORK = 300_000
MOST_TEXT = 50_000
# The last text for each edge, kept while its document is open, because users come back
# to it.
_typed: WeakKeyDictionary[Document, dict[str, str]] = WeakKeyDictionary()


class TryBox(QWidget):
    """`tried` carries the `Trial` of the typed value, or None when there is no value."""

    tried = Signal(object)

    def __init__(
        self, look: Look, document: Document, name: Callable[[str], str]
    ) -> None:
        super().__init__()
        self._name = name
        self._values = _typed.setdefault(document, {})
        self._edge: EdgeDefinition | None = None
        self.field = GrowingText(least=1, most=6)
        self.field.setFont(data_font())
        self.field.setAccessibleName("Test value")
        self.field.setPlaceholderText('{"score": 0.9}')
        self.field.setToolTip(
            "A message as JSON. Each condition shows its result; nothing is "
            "run or sent."
        )
        self.error = ErrorLine(look)
        self._glyph = Glyph(look, "next", "accent", 14)
        self.verdict = label("", "body", wrap=True)
        self._line = QWidget()
        put(self._line, row(self._glyph, (self.verdict, 1), gap=6))
        layout = column(self, gap=4)
        put(
            layout,
            row(label("Try a value", "strong"), hint("as JSON, without a run"), None),
        )
        for widget in (self.field, self.error, self._line):
            layout.addWidget(widget)
        self._line.hide()
        self.field.edited.connect(self._on_edited)

    def show_edge(self, edge: EdgeDefinition) -> None:
        """Try the value on this edge."""
        if self._edge is None or self._edge.id != edge.id:
            self.field.set_text(self._values.get(edge.id, ""))
        if edge is not self._edge:
            self._edge = edge
            self._try()

    def value(self) -> Any:
        """Return the typed value, or `UNKNOWN` when there is none."""
        try:
            if self.field.text().strip():
                return parse_json(self.field.text())
            return UNKNOWN
        except (JsonError, RecursionError):
            return UNKNOWN

    def _on_edited(self) -> None:
        if self._edge is not None:
            self._values[self._edge.id] = self.field.text()
        self._try()

    def _try(self) -> None:
        trial = None
        mistake = ""
        text = self.field.text()
        try:
            if text.strip() and self._edge is not None:
                trial = try_value(self._edge, _parsed(text), MOST_WORK)
        except RecursionError:
            mistake = "This is nested too deeply."
        except ValueError as error:
            mistake = str(error)
        self.error.say(mistake)
        set_style(self.field, invalid=bool(mistake))
        self._line.setVisible(trial is not None)
        if trial is not None:
            self._say(trial)
        self.tried.emit(trial)

    def _say(self, trial: Trial) -> None:
        if trial.targets is None:
            self._glyph.show_glyph("failed", "bad")
            number = (trial.blamed or 0) + 1
            condition = "the condition"
            if len(trial.outcomes) > 1:
                condition = f"condition {number}"
            if trial.outcomes[number - 1].answer == "unknown":
                words = f"Not known without a run: {condition}."
            else:
                words = f"A run would fail here, at {condition}."
        elif trial.targets:
            self._glyph.show_glyph("next", "accent")
            words = f"Goes to {', '.join(map(self._name, trial.targets))}"
        else:
            self._glyph.show_glyph("not_taken", "text2")
            words = "Goes nowhere: nothing is sent on"
        self.verdict.setText(words)


class OutcomeLine(QWidget):
    """The result of one condition for the tried value. It is hidden when
    there is none.
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._glyph = Glyph(look, "idle", "text3", 14)
        self.words = label("", "secondary", wrap=True)
        put(self, row(self._glyph, (self.words, 1), gap=6))
        self.hide()

    def say(
        self, outcome: Outcome | None, *, taken: bool = False, late: bool = False
    ) -> None:
        """Show an outcome. `taken`: the value goes here. `late`: an earlier case has
        taken it.
        """
        self.setVisible(outcome is not None)
        if outcome is None:
            return
        glyph, role = {
            "true": ("done", "ok"),
            "false": ("not_taken", "text3"),
            "error": ("failed", "bad"),
            "unknown": ("waiting", "warn"),
        }[outcome.answer]
        if taken:
            glyph = "next"
            role = "accent"
        elif late:
            role = "text3"
        self._glyph.show_glyph(glyph, role)
        self.words.setText(_outcome_words(outcome, taken=taken, late=late))


def _outcome_words(outcome: Outcome, *, taken: bool, late: bool) -> str:
    if taken:
        return f"{outcome.answer}: goes here"
    if late:
        return f"{outcome.answer}, but a case above is taken first"
    return f"{outcome.answer}: {outcome.reason}" if outcome.reason else outcome.answer


def _parsed(text: str) -> Any:
    if len(text) > MOST_TEXT:
        raise ValueError(
            f"This is longer than {MOST_TEXT:,} characters: try a smaller value."
        )
    return parse_json(text)
