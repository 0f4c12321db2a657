"""Asks the host about the shown superstep as a whole, for the panels that list it."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

from PySide6.QtCore import QObject, Signal

from designer.session.session import DebugSession
from runtime.debug.protocol import Moment, SuperstepBody

CACHED = 32
_Place = tuple[object, ...]


class SuperstepQuestion(QObject):
    """One question at a time, and none while the run moves, because the answer would be
    old before it is read.
    """

    answered = Signal()

    def __init__(self, session: DebugSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._asking = False
        # The moment is kept with its answer, because its identity is a part of the key.
        self._answers: OrderedDict[_Place, tuple[Moment, SuperstepBody | None]]
        self._answers = OrderedDict()

    def body(self) -> SuperstepBody | None:
        """Return the superstep of the moment that is shown. Ask if it is not known:
        `answered` follows.
        """
        moment = self._session.seen
        if moment is None:
            return None
        place = self._place(moment)
        if place in self._answers:
            return self._answers[place][1]
        is_moving = self._session.running and self._session.mode == "live"
        if not self._asking and not is_moving:
            self._asking = True
            self._session.questions.superstep(partial(self._on_reply, place, moment))
        return None

    def _place(self, moment: Moment) -> _Place:
        session = self._session
        keys = session.inside.keys if session.inside is not None else ()
        return id(moment), session.viewing, session.way, keys

    def _on_reply(
        self, place: _Place, moment: Moment, body: SuperstepBody | None
    ) -> None:
        self._asking = False
        self._answers[place] = (moment, body)
        if len(self._answers) > CACHED:
            self._answers.popitem(last=False)
        self.answered.emit()
