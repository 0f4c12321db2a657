"""Asks the host about one element of the run, for the panel that shows it."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial

from PySide6.QtCore import QObject, Signal

from designer.session.session import DebugSession
from runtime.debug.protocol import EdgeBody, Moment, NodeBody

CACHED = 64
Body = NodeBody | EdgeBody
_Place = tuple[object, ...]


class SelectedQuestion(QObject):
    """One question at a time. Of the pending ones only the newest is asked.

    element  the id of a node or edge, "" for none
    body     the host's answer about it, None until it has come
    """

    answered = Signal()

    def __init__(self, session: DebugSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.element = ""
        self.body: Body | None = None
        self._session = session
        self._body_of: _Place = ()
        self._asking = False
        self._answers: OrderedDict[_Place, Body] = OrderedDict()

    def ask_about(self, element: str, moment: Moment) -> None:
        """Take an element of the moment that is shown. Ask if the answer is not known:
        `answered` follows.
        """
        if element != self.element:
            self.element = element
            self.body = None
        place = self._place(moment, element)
        known = self._answers.get(place)
        if known is not None:
            self.body = known
            self._body_of = place
        elif element and place != self._body_of:
            self._ask()

    def forget(self) -> None:
        """Nothing is shown. What is known of the past stays."""
        self.element = ""
        self.body = None
        self._body_of = ()

    def clear(self) -> None:
        """Drop all answers, because the run is left."""
        self._answers.clear()

    def _place(self, moment: Moment, element: str) -> _Place:
        """Return the key of an answer: element, moment, and level.

        A live run has no viewed checkpoint, so its moments are told apart by their
        identity: each update is another object.
        """
        session = self._session
        keys = session.inside.keys if session.inside is not None else ()
        moment_key = session.viewing if session.viewing is not None else id(moment)
        return (element, moment_key, session.way, keys)

    def _ask(self) -> None:
        moment = self._session.seen
        if self._asking or moment is None or not self.element:
            return
        self._asking = True
        place = self._place(moment, self.element)
        answered = partial(self._on_reply, place, moment)
        if self.element in moment.nodes:
            self._session.questions.node(self.element, answered)
        else:
            self._session.questions.edge(self.element, answered)

    def _on_reply(self, place: _Place, of: Moment, body: Body | None) -> None:
        self._asking = False
        moment = self._session.seen
        wanted_place = self._place(moment, self.element) if moment is not None else ()
        viewing = self._session.viewing
        # Answers about the past are cached, because a checkpoint never changes.
        if body is not None and viewing is not None and place[1] == viewing:
            self._answers[place] = body
            if len(self._answers) > CACHED:
                self._answers.popitem(last=False)
        # An answer about an earlier moment is better than nothing, if the element is
        # still the same.
        is_same_element = place[0] == self.element and place[2:] == wanted_place[2:]
        if place == wanted_place or (is_same_element and self.body is None):
            self.body = body
            self._body_of = place
            self.answered.emit()
        if place != wanted_place:
            self._ask()
