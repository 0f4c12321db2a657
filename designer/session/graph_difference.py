"""How the document differs from the graph of the recorded run, and until where that makes
no difference.

The host compares, as data, so nothing of the document runs. It is asked a moment after
the last change, and only while a recorded checkpoint is in question.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.mirror import Mirror
from designer.session.opener import Opener, Source
from designer.session.phase import RunState
from runtime.debug.protocol import GraphChange, GraphChangesArguments, GraphChangesBody

DELAY = 250  # ms after a change of the document


class Ask(Protocol):
    def __call__(
        self,
        arguments: GraphChangesArguments,
        done: Callable[[GraphChangesBody | None], None],
    ) -> None: ...


class GraphDifference(QObject):
    """A part of the session.

    origin   the checkpoint with whose graph the document is compared: the viewed one,
             also after going from there to editing; else the one where the run stands,
             or the newest of the run that is shown. "" for none
    changes  how the document differs; empty as long as that is not known
    before   the newest checkpoint on the way to the origin at which the changes make no
             difference yet; "" without changes
    complete whether the whole way was looked at
    """

    changed = Signal()

    def __init__(
        self, mirror: Mirror, opener: Opener, run: RunState, ask: Ask, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._mirror = mirror
        self._opener = opener
        self._run = run
        self._ask = ask
        self._viewed = ""  # the checkpoint from which the user went to editing
        # Whether the document may be another than the one that the run was given.
        self._is_touched = False
        self._asked: _Asked | None = None
        self._is_pending = False
        self._is_stale = False  # what was asked may have another answer now
        self._answer: GraphChangesBody | None = None
        self._waiting: list[Callable[[], object]] = []
        self._timer = QTimer(self, interval=DELAY, singleShot=True)
        self._timer.timeout.connect(self._compare)
        self._seen: tuple[str, str] = ("", "")
        mirror.changed.connect(self._follow)

    @property
    def origin(self) -> str:
        if self._run.is_running or self._opener.looks_only or self._opener.is_attached:
            return ""
        mirror = self._mirror
        if mirror.mode == "past":
            return mirror.viewing or ""
        if mirror.mode == "edit" and mirror.timeline.header(self._viewed) is not None:
            return self._viewed
        if mirror.head is not None:
            return mirror.head.id
        rows = mirror.timeline.rowCount()
        return mirror.timeline.header_at(rows - 1).id if rows else ""

    @property
    def changes(self) -> tuple[GraphChange, ...]:
        answer = self._present
        return answer.changes if answer is not None else ()

    @property
    def before(self) -> str:
        answer = self._present
        return answer.before.id if answer is not None and answer.changes else ""

    @property
    def complete(self) -> bool:
        answer = self._present
        return answer is None or answer.complete

    def when_known(self, then: Callable[[], object]) -> None:
        """Call a function as soon as the difference is known."""
        if self._timer.isActive():
            self._timer.stop()
            self._compare()
        if self._is_pending:
            self._waiting.append(then)
        else:
            then()

    def look_again(self) -> None:
        """The document, or a file of it, may have changed."""
        self._is_touched = True
        self._is_stale = True
        self._start()

    def settle(self) -> None:
        """The run has the document as it is now."""
        self._is_touched = False
        self._viewed = ""
        self._drop()

    def forget(self) -> None:
        """Nothing is recorded any more."""
        self.settle()
        self._seen = ("", "")

    @property
    def _present(self) -> GraphChangesBody | None:
        answer = self._answer
        if answer is None or answer.checkpoint_id != self.origin:
            return None
        return answer

    def _follow(self) -> None:
        mode = self._mirror.mode
        if mode == "past":
            self._viewed = self._mirror.viewing or ""
        elif mode == "live":
            self._viewed = ""
        place = (mode, self.origin)
        if place != self._seen:
            self._seen = place
            self._start()

    def _start(self) -> None:
        """Compare soon, if there is anything to compare."""
        is_wanted = self._is_touched or self._mirror.mode == "past"
        if is_wanted and self.origin:
            self._timer.start()
        else:
            self._timer.stop()

    def _compare(self) -> None:
        origin = self.origin
        source = self._opener.source
        if not origin or source is None:
            return
        asked = _Asked(origin, source)
        if asked == self._asked and not self._is_stale:
            return
        self._asked = asked
        self._is_stale = False
        self._is_pending = True
        arguments = GraphChangesArguments(
            document=dict(source.document),
            folder=source.folder,
            checkpoint_id=origin,
        )
        self._ask(arguments, partial(self._on_answer, asked))

    def _on_answer(self, asked: _Asked, answer: GraphChangesBody | None) -> None:
        if asked is not self._asked:
            return
        if answer is None:
            self._asked = None  # so that it is asked again
        self._is_pending = False
        if answer != self._answer:
            self._answer = answer
            self.changed.emit()
        self._call_waiting()

    def _drop(self) -> None:
        self._timer.stop()
        self._asked = None
        self._is_pending = False
        if self._answer is not None:
            self._answer = None
            self.changed.emit()
        self._call_waiting()

    def _call_waiting(self) -> None:
        waiting = self._waiting
        self._waiting = []
        for then in waiting:
            then()


class _Asked(NamedTuple):
    origin: str
    source: Source
