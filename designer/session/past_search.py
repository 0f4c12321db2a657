"""Questions to the recorded past: their hits, which arrive little by little, and the way
from one hit to the next.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.client import CANCELLED, HOST_CLOSED, Done
from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import (
    Breakpoint,
    FindArguments,
    FindBody,
    FindStopArguments,
    FoundBody,
    Notice,
    PastHit,
    Reply,
    ReverseArguments,
    ReverseBody,
)

MOST = 4  # questions that are shown at a time
PAUSE = 60  # ms between two signals, however many hits come
GROW_PAUSE = 400  # ms from new checkpoints to a further question
REVERSE = "reverse"  # the id of the only reverse continue
Ask = Callable[[str, BaseModel, Done], None]


@dataclass(eq=False)
class PastQuestion:
    """A question and its hits, in the order of their saving.

    number       of its tag on the lanes, from 1
    every_run    it is about all runs of the document
    breakpoint   is applied to the past, instead of `text`
    position     of the hit that the user went to last
    read, of     checkpoints that were looked at, of about so many
    count        hits; `left_out` of them are not among `hits`
    refused      why it cannot be read, or answered further
    is_done      it is answered up to the newest checkpoint
    is_halted    the user stopped it
    is_lost      the host that answered it has ended
    """

    id: str
    number: int
    text: str
    every_run: bool = False
    breakpoint: Breakpoint | None = None
    run_id: str = ""
    kind: str = ""
    hits: list[PastHit] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    position: int | None = None
    read: int = 0
    of: int = 0
    count: int = 0
    left_out: int = 0
    unreadable: int = 0
    errors: int = 0
    error: str = ""
    refused: str = ""
    is_done: bool = False
    is_halted: bool = False
    is_lost: bool = False

    def forget_hits(self) -> None:
        """Forget the answer, because the question is asked from the beginning."""
        self.hits.clear()
        self.places.clear()
        self.position = None
        self.read = self.of = self.count = self.left_out = 0
        self.unreadable = self.errors = 0
        self.error = self.refused = ""
        self.is_done = self.is_halted = self.is_lost = False

    def take(self, body: FoundBody) -> None:
        for hit in body.hits:
            self.places.setdefault(hit.checkpoint_id, []).append(len(self.hits))
            self.hits.append(hit)
        self.read = body.read
        self.of = body.of
        self.count = body.count
        self.left_out = body.left_out
        self.unreadable = body.unreadable
        self.errors = body.errors
        self.error = body.error
        self.is_done = body.done
        self.refused = body.failed


class PastSearch(QObject):
    """A part of the session. `ask` sends a command to the host, `shown` returns the
    checkpoint that is looked at, and `show` looks at one of a run.

    questions   at most `MOST`, in the order of their numbers
    active      the question whose hits are listed and gone through
    reversing   whether a reverse continue is under way
    """

    changed = Signal()  # questions, active, hits
    requested = Signal()  # somebody asked elsewhere: the search should be seen
    told = Signal(str)  # a message, such as that there is no further hit

    def __init__(
        self,
        timeline: TimelineModel,
        ask: Ask,
        shown: Callable[[], str],
        show: Callable[[str, str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.questions: tuple[PastQuestion, ...] = ()
        self.active: PastQuestion | None = None
        self.reversing = False
        self._timeline = timeline
        self._ask = ask
        self._shown = shown
        self._show = show
        self._last_id = 0
        self._run_id = ""
        self._changed = QTimer(self, interval=PAUSE, singleShot=True)
        self._changed.timeout.connect(self.changed)
        self._grown = QTimer(self, interval=GROW_PAUSE, singleShot=True)
        self._grown.timeout.connect(self._go_on)
        timeline.grown.connect(self._on_grown)

    # --- asking ---

    def ask(self, text: str, *, every_run: bool = False) -> None:
        """Ask a question. One that is there already becomes the active one."""
        text = text.strip()
        if text:
            self._add(PastQuestion("", 0, text, every_run))

    def ask_breakpoint(self, point: Breakpoint, text: str) -> None:
        """Apply a breakpoint, with its log text, to the past."""
        self._add(PastQuestion("", 0, text, breakpoint=point))

    def _add(self, question: PastQuestion) -> None:
        for other in self.questions:
            same = (other.text, other.every_run, other.breakpoint)
            if same == (question.text, question.every_run, question.breakpoint):
                self.activate(other)
                if other.refused or other.is_halted or other.is_lost:
                    self._begin(other)
                return
        # One that could not be read has no tag, so it makes room first.
        for other in self.questions:
            if other.refused and not other.hits:
                self.drop(other)
        if len(self.questions) == MOST:
            self.drop(self.questions[0])
        used = {other.number for other in self.questions}
        question.number = min(set(range(1, MOST + 1)) - used)
        order = sorted((*self.questions, question), key=lambda each: each.number)
        self.questions = tuple(order)
        self.active = question
        self._begin(question)

    def _begin(self, question: PastQuestion) -> None:
        """Ask the host from the beginning."""
        question.forget_hits()
        # A new id each time, because hits of the one before may still arrive.
        self._last_id += 1
        question.id = f"q{self._last_id}"
        question.run_id = self._timeline.run_id
        self._send(question, goes_on=False)
        self._tell()

    def _send(self, question: PastQuestion, *, goes_on: bool) -> None:
        is_text = question.breakpoint is None
        arguments = FindArguments(
            id=question.id,
            question=question.text if is_text else "",
            breakpoint=question.breakpoint,
            run_id=None if question.every_run else question.run_id,
            goes_on=goes_on,
        )
        id_ = question.id
        self._ask("find", arguments, lambda reply: self._on_reply(id_, reply))

    def _on_reply(self, id_: str, reply: Reply) -> None:
        question = self._by_id(id_)
        if question is None:
            return
        if reply.success:
            question.kind = FindBody.model_validate(reply.body).kind
        else:
            question.is_done = True
            if reply.error_type not in (HOST_CLOSED, CANCELLED):
                question.refused = reply.message
        self._tell()

    def on_notice(self, notice: Notice) -> None:
        """Take what the host found."""
        if notice.event != "found":
            return
        try:
            body = FoundBody.model_validate(notice.body)
        except ValidationError as error:
            self.told.emit(f"The run's process sent hits that cannot be read: {error}")
            return
        question = self._by_id(body.id)
        if question is not None and not question.is_halted:
            question.take(body)
            self._tell()

    def _by_id(self, id_: str) -> PastQuestion | None:
        return next((each for each in self.questions if each.id == id_), None)

    # --- the questions that are there ---

    def activate(self, question: PastQuestion) -> None:
        self.active = question
        self._tell()

    def halt(self, question: PastQuestion) -> None:
        """Answer a question no further; its hits stay."""
        if not question.is_done:
            question.is_halted = True
            question.is_done = True
            self._stop(question.id)
            self._tell()

    def drop(self, question: PastQuestion) -> None:
        """Remove a question and its hits."""
        self._stop(question.id)
        left = tuple(each for each in self.questions if each is not question)
        self.questions = left
        if self.active is question:
            self.active = left[-1] if left else None
        self._tell()

    def clear(self) -> None:
        """Remove all questions, and end a reverse continue."""
        for question in self.questions:
            self._stop(question.id)
        self.questions = ()
        self.active = None
        self.stop_reverse()
        self._tell()

    def _stop(self, id_: str) -> None:
        self._ask("find_stop", FindStopArguments(id=id_), lambda _reply: None)

    def forget(self) -> None:
        """Forget everything, because the document was replaced."""
        self.questions = ()
        self.active = None
        self.reversing = False
        self._tell()

    def lost(self) -> None:
        """The host ended: nothing more arrives, and the next one knows no question."""
        for question in self.questions:
            question.is_lost = True
            question.is_done = True
        self.reversing = False
        self._tell()

    def ask_again(self) -> None:
        """Ask all questions from the beginning, because the host forgot them."""
        for question in self.questions:
            if not question.is_halted and not question.refused:
                self._begin(question)

    def _tell(self) -> None:
        if not self._changed.isActive():
            self._changed.start()

    # --- following the run ---

    def _on_grown(self) -> None:
        if self._timeline.run_id != self._run_id:
            self._run_id = self._timeline.run_id
            self._grown.stop()
            if self._run_id:
                self._ask_other_run()
        elif self.questions and not self._grown.isActive():
            self._grown.start()

    def _ask_other_run(self) -> None:
        for question in self.questions:
            if not question.every_run and question.run_id != self._run_id:
                self._begin(question)

    def _go_on(self) -> None:
        """Have the questions answered for the checkpoints that were saved since."""
        for question in self.questions:
            if not question.is_done or question.is_halted or question.refused:
                continue
            if question.is_lost:
                self._begin(question)
            else:
                question.is_done = False
                self._send(question, goes_on=True)

    # --- going from hit to hit ---

    @property
    def place(self) -> int | None:
        """The hit of the active question that is shown; None if none is."""
        question = self.active
        if question is None:
            return None
        places = question.places.get(self._shown(), ())
        if question.position in places:
            return question.position
        return places[0] if places else None

    def hits_at(self, checkpoint_id: str) -> list[PastQuestion]:
        """Return the questions that have a hit at a checkpoint."""
        return [each for each in self.questions if checkpoint_id in each.places]

    def go(self, step: int) -> None:
        """Look at the next hit of the active question, or with -1 at the one before;
        from the last one on to the first.
        """
        question = self.active
        if question is None or not question.hits:
            text = self._why_no_hit()
            self.told.emit(text)
            return
        count = len(question.hits)
        target = self._from_here(question, step)
        if not 0 <= target < count:
            is_over = target >= count
            text = "Went on from the first hit." if is_over else _FROM_LAST
            self.told.emit(text)
            target = 0 if is_over else count - 1
        self.view(target)

    def _from_here(self, question: PastQuestion, step: int) -> int:
        place = self.place
        if place is not None:
            return place + step
        header = self._timeline.header(self._shown())
        if header is None:
            return 0 if step > 0 else len(question.hits) - 1
        after = bisect_right(
            question.hits, header.sequence, key=lambda hit: hit.sequence
        )
        return after if step > 0 else after - 1

    def _why_no_hit(self) -> str:
        if self.active is None:
            return "Ask the past first (Ctrl+Shift+F)."
        if not self.active.is_done:
            return "No hit yet."
        return "The question has no hit."

    def view(self, position: int) -> None:
        """Look at a hit of the active question."""
        question = self.active
        if question is not None and 0 <= position < len(question.hits):
            question.position = position
            hit = question.hits[position]
            self._show(hit.run_id, hit.checkpoint_id)
            self._tell()

    # --- reverse continue ---

    def run_back(self, points: Sequence[Breakpoint]) -> None:
        """Look at the nearest checkpoint before the one that is shown, at which the
        active question or one of these breakpoints has a hit.
        """
        shown = self._shown()
        questions = []
        asked = self.active
        active = None
        if asked is not None and not asked.refused:
            active = asked.breakpoint
            questions = [asked.text] if active is None else []
        breakpoints = [point for point in points if not point.log]
        if active is not None:
            # The user asked for this one, so it stops although it only logs.
            breakpoints.append(active.model_copy(update={"log": ""}))
        if not shown:
            self.told.emit("There is no checkpoint to run back from.")
            return
        if not breakpoints and not questions:
            self.told.emit(
                "Set a breakpoint (F9) or ask the past (Ctrl+Shift+F) first."
            )
            return
        if self.reversing:
            return
        self.reversing = True
        arguments = ReverseArguments(
            id=REVERSE,
            checkpoint_id=shown,
            breakpoints=tuple(breakpoints),
            questions=tuple(questions),
        )
        self._ask("reverse", arguments, self._on_reversed)
        self._tell()

    def stop_reverse(self) -> None:
        if self.reversing:
            self._stop(REVERSE)

    def _on_reversed(self, reply: Reply) -> None:
        self.reversing = False
        self._tell()
        if not reply.success:
            if reply.error_type not in (HOST_CLOSED, CANCELLED):
                self.told.emit(f"Running back failed: {reply.message}")
            return
        body = ReverseBody.model_validate(reply.body)
        if body.hit is not None:
            self._show(body.hit.run_id, body.hit.checkpoint_id)
            self.told.emit(f"Ran back to: {body.hit.text}")
        elif body.complete:
            failed = f" {_errors(body.errors, body.error)}" if body.errors else ""
            self.told.emit(f"No hit before this checkpoint.{failed}")
        else:
            self.told.emit("Running back was stopped.")


_FROM_LAST = "Went on from the last hit."


def _errors(errors: int, error: str) -> str:
    times = "once" if errors == 1 else f"{errors:,} times"
    return f"The condition could not be evaluated {times}: {error}"
