"""The answer to a question of a copy, in the form that the run's own questions have."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.fields.plain import MISSING, same_json
from designer.panels.forms.answer import AnswerForm, Draft
from designer.panels.surgery.rows import NOTHING
from designer.panels.widgets.basic import button
from designer.qt.layouts import column, put, row
from runtime.debug.protocol import RequestMoment


class AnswerEditor(QWidget):
    """`typed` carries the answer as JSON at each change, complete or not."""

    typed = Signal(object)
    withdrawn = Signal()

    def __init__(self, request: RequestMoment, look: Look) -> None:
        super().__init__()
        self.form = AnswerForm(request, look, Draft())
        # Because an answer of a copy is not sent: it is staged as it is typed.
        self.form.send.hide()
        self.form.keep.hide()
        self.withdraw = button("Withdraw the question", self.withdrawn.emit, small=True)
        layout = column(self, margins=(0, 4, 8, 6), gap=6)
        layout.addWidget(self.form)
        put(layout, row(self.withdraw, None))
        self.form.edited.connect(self._on_edited)

    def show_answer(self, answer: Any) -> None:
        """Show an answer that was staged; NOTHING for none."""
        shown = MISSING if answer is NOTHING else answer
        if not same_json(self._value(), {} if shown is MISSING else shown):
            self.form.form.show_value({} if shown is MISSING else shown)

    def _value(self) -> Any:
        try:
            return self.form.value()
        except ValueError:
            return self.form.form.stored()

    def _on_edited(self) -> None:
        value = self._value()
        if value is not MISSING:
            self.typed.emit(value)
