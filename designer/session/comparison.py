"""The comparison of the moment that the user looks at with another checkpoint."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from designer.session.mirror import Mirror
from runtime.debug.protocol import DiffArguments, DiffBody

Answered = Callable[[DiffBody | None], None]


class Comparison(QObject):
    """A part of the session. `ask` sends one question to the host.

    base       the checkpoint to compare with; "" for none
    base_name  its name, if it is a checkpoint of another run
    diff       what differs, as soon as the host has sent it
    """

    changed = Signal()  # diff

    def __init__(
        self,
        mirror: Mirror,
        ask: Callable[[DiffArguments, Answered], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.base = ""
        self.base_name = ""
        self.diff: DiffBody | None = None
        self._mirror = mirror
        self._ask = ask
        self._pending: DiffArguments | None = None
        mirror.viewed.connect(self.refresh)
        # Because a comparison would hide what the run needs from the user.
        mirror.resumed.connect(self._on_resumed)

    def forget(self) -> None:
        self.base = ""
        self.base_name = ""
        self.diff = None

    def compare_with(self, checkpoint_id: str, name: str) -> None:
        if checkpoint_id != self.base:
            self.base = checkpoint_id
            self.base_name = name
            self.diff = None
            self._mirror.changed.emit()
            self.changed.emit()
            self.refresh()

    def refresh(self) -> None:
        """Ask the host what differs. One question at a time: its answer asks again if
        the user has looked elsewhere meanwhile.
        """
        if self.base and self._pending is None and self._mirror.moment is not None:
            question = self._question()
            self._pending = question
            self._ask(question, lambda body: self._on_answer(question, body))

    def _question(self) -> DiffArguments:
        return DiffArguments(
            base=self.base,
            checkpoint_id=self._mirror.looked_at,
            inside=self._mirror.way,
            runs=self._mirror.runs_inside,
        )

    def _on_answer(self, question: DiffArguments, body: DiffBody | None) -> None:
        self._pending = None
        if question.base != self.base:
            self.refresh()
            return
        self.diff = body
        self.changed.emit()
        if question != self._question():
            self.refresh()

    def _on_resumed(self) -> None:
        if self.base:
            self.forget()
            self.changed.emit()
