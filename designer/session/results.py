"""Which results the executors that reach outside get when a run goes on from the past:
the recorded one, that of a live call, or one that the user has pinned.

The choices are the tab's, and kept as long as its document is open. The pins are the
document's. The host says beforehand what comes of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.mirror import Mirror
from designer.session.opener import Opener
from runtime.debug.protocol import (
    CallMode,
    OutsideCall,
    PinnedResult,
    RecordedResultBody,
    ReplaySettings,
    RestorePlanArguments,
    RestorePlanBody,
)

DELAY = 120  # ms after the last move along the timeline

Planned = Callable[[RestorePlanBody | None], object]


AskRecorded = Callable[[str, Callable[[RecordedResultBody | None], object]], object]


class Ask(Protocol):
    def __call__(
        self, arguments: RestorePlanArguments, done: Planned, *, again: bool
    ) -> None: ...


class Results(QObject):
    """A part of the session.

    changed         the choices, the pins, or `plan`
    edit_requested  the user wants to edit the pinned result of an executor, by its path
    offered         a result to begin a pin with: the path, a `PinnedResult`,
                    and what it leaves out
    pins            the pinned results of the document, by the path of their executor
    exists          whether the document has the executor of a path
    in_new_runs     whether a new run uses the pinned results too
    """

    changed = Signal()
    edit_requested = Signal(str)
    offered = Signal(str, object, str)

    def __init__(
        self,
        mirror: Mirror,
        opener: Opener,
        ask: Ask,
        ask_recorded: AskRecorded,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.pins: Mapping[str, PinnedResult] = {}
        self.exists: Callable[[str], bool] = lambda _path: True
        self.in_new_runs = False
        self._mirror = mirror
        self._opener = opener
        self._ask = ask
        self._ask_recorded = ask_recorded
        self._choices: dict[str, CallMode] = {}
        # Whether the live run goes by what is decided here, and what it was told.
        self._is_followed = False
        self._told: ReplaySettings | None = None
        self._asked: RestorePlanArguments | None = None  # waits for its answer
        self._known: tuple[RestorePlanArguments, RestorePlanBody | None] | None = None
        self._waiting: list[tuple[RestorePlanArguments, Planned]] = []
        # Whether the host has to open the document for the next question.
        self._is_stale = False
        # Executors that a plan named, among them those of code that only the host knows.
        self._seen: set[str] = set()
        self._viewing: str | None = None
        self._head = ""
        self._timer = QTimer(self, interval=DELAY, singleShot=True)
        self._timer.timeout.connect(self._look)
        mirror.changed.connect(self._follow)

    # --- what the user has decided ---

    @property
    def choices(self) -> Mapping[str, CallMode]:
        """What the user has chosen in this tab, by the path of the executor."""
        return self._choices

    def mode_of(self, path: str) -> CallMode:
        """Return what an executor gets on going on, as far as the user decides it."""
        mode = self._choices.get(path)
        if mode is None or (mode == "pinned" and path not in self.pins):
            return "pinned" if path in self.pins else "recorded"
        return mode

    def choose(self, path: str, mode: CallMode) -> None:
        """Choose what an executor gets from now on. Without a pinned result there is
        nothing to choose "pinned" for: the user is asked for one.
        """
        if mode == "pinned" and path not in self.pins:
            self.edit_requested.emit(path)
            return
        if mode == self.mode_of(path):
            return
        self._choices[path] = mode
        self._on_decided()

    def use_pins(self, pins: Mapping[str, PinnedResult]) -> None:
        """Take the pinned results of the document. A new pin counts at once, and one
        that is gone is not chosen any more.
        """
        if pins == self.pins:
            return
        for path in pins.keys() ^ self.pins.keys():
            self._choices.pop(path, None)
        self.pins = dict(pins)
        self._on_decided()

    def edit(self, path: str) -> None:
        """Let the user edit the pinned result of an executor, or make one."""
        self.edit_requested.emit(path)

    def offer_shown(self, path: str) -> None:
        """Offer a result to begin a pin with: what the executor did in the superstep
        that is shown, or an empty one.
        """
        *inside, node = path.split("/")
        if self._mirror.mode == "edit" or tuple(inside) != self._mirror.way:
            self.offered.emit(path, PinnedResult(), "")
            return

        def on_answer(body: RecordedResultBody | None) -> None:
            result = body.result if body is not None else PinnedResult()
            self.offered.emit(path, result, body.note if body is not None else "")

        self._ask_recorded(node, on_answer)

    def reaches_outside(self, path: str) -> bool:
        """Whether an executor is known to reach outside, because a plan says so or the
        user has decided something for it.
        """
        return path in self._seen or path in self.pins or path in self._choices

    def use_in_new_runs(self, *, on: bool) -> None:
        """Use the pinned results in new runs too, or not."""
        if on != self.in_new_runs:
            self.in_new_runs = on
            self.changed.emit()

    @property
    def settings(self) -> ReplaySettings:
        """What the host is told when a run goes on. It stops before a call that would
        run live unasked. What is decided for a node that is deleted is left out.
        """
        decided = self._choices.keys() | self.pins.keys()
        modes = {path: self.mode_of(path) for path in decided if self.exists(path)}
        live = [path for path, mode in modes.items() if mode == "live"]
        pinned = {
            path: self.pins[path] for path, mode in modes.items() if mode == "pinned"
        }
        return ReplaySettings(
            live=tuple(sorted(live)), pinned=pinned, default="recorded", on_miss="stop"
        )

    # --- what the live run goes by ---

    @property
    def for_run(self) -> ReplaySettings | None:
        """What the live run is told when a host takes it up; None for one that began
        without any of this.
        """
        return self.settings if self._is_followed else None

    @property
    def is_outdated(self) -> bool:
        """Whether the live run has to be told of what was decided since."""
        return self._is_followed and self._told != self.settings

    def began(self) -> None:
        """A new run has begun. It goes by the pins if the user wants that."""
        self._is_followed = self.in_new_runs and bool(self.settings.pinned)
        self._told = None

    def told(self, settings: ReplaySettings | None) -> None:
        """The host goes on with the live run by these."""
        self._is_followed = settings is not None
        self._told = settings

    def forget(self) -> None:
        """Another document is open."""
        self._is_followed = False
        self._told = None
        self._timer.stop()
        self._choices.clear()
        self.pins = {}
        self.in_new_runs = False
        self._known = self._asked = None
        self._seen.clear()
        self._waiting.clear()
        self.changed.emit()

    # --- what comes of it ---

    @property
    def plan(self) -> RestorePlanBody | None:
        """What going on from the viewed checkpoint would do outside; None as long as
        that is not known.
        """
        viewing = self._mirror.viewing
        if viewing is None or self._known is None:
            return None
        asked, answer = self._known
        return answer if asked == self._question(viewing) else None

    def unasked(self, plan: RestorePlanBody) -> tuple[OutsideCall, ...]:
        """Return the calls of a plan that would run live, although the user has not
        chosen that.
        """
        return tuple(
            call
            for call in plan.calls
            if call.is_unasked and self.mode_of(name_of(call)) != "live"
        )

    def when_planned(
        self, checkpoint_id: str, then: Planned, *, again: bool = False
    ) -> None:
        """Call a function with the plan for a checkpoint, or with None if there is no
        plan. With `again` the host opens the document for it, which may have changed.
        """
        question = self._question(checkpoint_id)
        self._is_stale = self._is_stale or again
        known = None if again else self._known
        if known is not None and known[0] == question:
            then(known[1])
            return
        self._timer.stop()
        self._waiting.append((question, then))
        self._put(question)

    def _question(self, checkpoint_id: str) -> RestorePlanArguments:
        return RestorePlanArguments(checkpoint_id=checkpoint_id, replay=self.settings)

    def _on_decided(self) -> None:
        self.changed.emit()
        self._look()

    def _follow(self) -> None:
        """Ask about another checkpoint soon, and again when more is recorded."""
        mirror = self._mirror
        head = mirror.head.id if mirror.head is not None else ""
        if (mirror.viewing, head) == (self._viewing, self._head):
            return
        if mirror.viewing != self._viewing:
            self._known = None
        self._viewing = mirror.viewing
        self._head = head
        if mirror.viewing is not None:
            self._timer.start()
        else:
            self._timer.stop()

    def _look(self) -> None:
        viewing = self._mirror.viewing
        # Where the host has no workflow it would have to import the code of one.
        if viewing is not None and self._opener.can_run:
            self._put(self._question(viewing))

    def _put(self, question: RestorePlanArguments) -> None:
        """Ask one question at a time; what is wanted then is asked after its answer."""
        if self._asked is not None:
            return
        self._asked = question
        again = self._is_stale
        self._is_stale = False
        self._ask(question, lambda plan: self._on_answer(question, plan), again=again)

    def _on_answer(
        self, question: RestorePlanArguments, plan: RestorePlanBody | None
    ) -> None:
        if question is not self._asked:
            return  # of a document that is not open any more
        self._asked = None
        self._known = (question, plan)
        if plan is not None:
            self._seen.update(map(name_of, plan.calls))
        answered = [then for asked, then in self._waiting if asked == question]
        self._waiting = [entry for entry in self._waiting if entry[0] != question]
        for then in answered:
            then(plan)
        self.changed.emit()
        if self._asked is None:
            self._ask_next(question)

    def _ask_next(self, answered: RestorePlanArguments) -> None:
        if self._waiting:
            self._put(self._waiting[0][0])
            return
        viewing = self._mirror.viewing
        if viewing is not None and self._question(viewing) != answered:
            self._look()


def name_of(call: OutsideCall) -> str:
    """Return the path of the executor of a call, without its invocations."""
    owners = [key.rpartition("#")[0] or key for key in call.path]
    return "/".join((*owners, call.executor))
