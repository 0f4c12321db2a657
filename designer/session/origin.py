"""The way of one value back to the input, as the window shows it: a list in the
inspector, and a path on the canvas.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, Signal

from runtime.debug.protocol import OriginStep, ProvenanceArguments, ProvenanceBody

# Gets the answer, or None and the reason why there is none.
Answered = Callable[[ProvenanceBody | None, str], None]
Ask = Callable[[ProvenanceArguments, Answered], None]


@dataclass(slots=True, eq=False)
class _Question:
    """A value whose origin was asked for, and the answer once it is there."""

    name: str
    body: ProvenanceBody | None = None
    failure: str = ""
    chosen: int = 0


class OriginTrail(QObject):
    """A part of the session. `ask` sends one question to the host.

    A long way is answered in parts. To go on from a part is another question, and
    `back` returns to the one before.
    """

    changed = Signal()
    asked = Signal()  # by the user, who wants to see the answer
    step_chosen = Signal(object)  # OriginStep, to look at

    def __init__(self, ask: Ask, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ask = ask
        self._questions: list[_Question] = []

    @property
    def is_on(self) -> bool:
        return bool(self._questions)

    @property
    def name(self) -> str:
        """What is explained, such as "this message"."""
        return self._questions[-1].name if self._questions else ""

    @property
    def body(self) -> ProvenanceBody | None:
        return self._questions[-1].body if self._questions else None

    @property
    def failure(self) -> str:
        """Why there is no answer; "" as long as it is awaited."""
        return self._questions[-1].failure if self._questions else ""

    @property
    def chosen(self) -> int:
        """The number of the step that the user looks at; 0 for none."""
        return self._questions[-1].chosen if self._questions else 0

    @property
    def can_go_back(self) -> bool:
        return len(self._questions) > 1

    def step(self, number: int) -> OriginStep | None:
        steps = self.body.steps if self.body is not None else ()
        return next((step for step in steps if step.number == number), None)

    def explain(self, arguments: ProvenanceArguments, name: str) -> None:
        """Ask where a value comes from, instead of what was asked before."""
        self._questions.clear()
        self._send(arguments, name)

    def go_on(self, step: OriginStep) -> None:
        """Ask further back from a step whose origin was not looked up."""
        arguments = ProvenanceArguments(
            checkpoint_id=step.at.checkpoint_id,
            address=step.at.address,
            inside=step.at.inside,
            runs=step.at.runs,
        )
        self._send(arguments, self.name)

    def back(self) -> None:
        """Show the answer before again; without one, end."""
        if self._questions:
            self._questions.pop()
            self.changed.emit()

    def forget(self) -> None:
        if self._questions:
            self._questions.clear()
            self.changed.emit()

    def choose(self, number: int) -> None:
        """Look at a step: at its executor, after its superstep."""
        step = self.step(number)
        if step is not None:
            self._questions[-1].chosen = number
            self.changed.emit()
            self.step_chosen.emit(step)

    def _send(self, arguments: ProvenanceArguments, name: str) -> None:
        question = _Question(name)
        self._questions.append(question)
        self.changed.emit()
        self.asked.emit()
        self._ask(arguments, partial(self._on_answer, question))

    def _on_answer(
        self, question: _Question, body: ProvenanceBody | None, failure: str
    ) -> None:
        question.body = body
        question.failure = failure
        if question in self._questions:
            self.changed.emit()
