"""The comparison of the moment that the user looks at with another checkpoint: what
differs between the two, and where the ways to them part.

The host compares. It is asked only while the comparison is on screen, and a question
whose answer nobody waits for any more is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from designer.session.failures import Failures
from designer.session.latest_question import Body, LatestQuestion
from designer.session.mirror import Mirror
from designer.session.questions import Questions
from runtime.debug.protocol import (
    DiffArguments,
    DiffBody,
    DivergenceArguments,
    DivergenceBody,
    RunInfo,
    RunsArguments,
    RunsBody,
)

NO_OTHER_STORE = "This store cannot be compared with"
NOT_COMPARED = "These two cannot be compared"


class Comparison(QObject):
    """A part of the session. `view` looks at a checkpoint.

    base        the checkpoint to compare with; "" for none
    base_name   its name, if it is a checkpoint of another run
    base_store  the URL of its store, if it is in another one
    other_store, other_runs   the store that was compared last, and its runs
    base_run    the invocation that is compared on the side of the base, inside of a
                sub-workflow; "" for the same one as on the other side
    is_first    whether the user wants to know where the two part
    """

    changed = Signal()  # diff, divergence or is_first

    def __init__(
        self,
        mirror: Mirror,
        questions: Questions,
        view: Callable[[str], None],
        failures: Failures,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.base = ""
        self.base_name = ""
        self.base_store = ""
        self.base_run = ""
        self.is_first = False
        self.other_store = ""
        self.other_runs: tuple[RunInfo, ...] = ()
        self._is_watched = True
        self._mirror = mirror
        self._questions = questions
        self._view = view
        self._failures = failures
        ask = self._ask
        drop = questions.drop
        answered = self.changed.emit
        self._diff = LatestQuestion("diff", DiffBody, ask, drop, answered)
        self._divergence = LatestQuestion(
            "divergence", DivergenceBody, ask, drop, answered
        )
        mirror.viewed.connect(self.refresh)
        # Because a comparison would hide what the run needs from the user.
        mirror.resumed.connect(self._on_resumed)

    @property
    def diff(self) -> DiffBody | None:
        """What differs, as soon as the host has sent it."""
        return self._diff.answer

    @property
    def is_current(self) -> bool:
        """Whether `diff` is about the pair that is compared now."""
        return bool(self.base) and self._diff.is_answer_to(self._diff_arguments())

    @property
    def has_failed(self) -> bool:
        """Whether the two cannot be compared, because one of them cannot be read."""
        if self.is_first and self._divergence.has_failed:
            return True
        return self._diff.has_failed

    @property
    def divergence(self) -> DivergenceBody | None:
        """Where the ways part, as soon as the host has sent it."""
        return self._divergence.answer

    def forget(self) -> None:
        self.base = ""
        self.base_name = ""
        self.base_store = ""
        self.base_run = ""
        self.is_first = False
        self._diff.forget()
        self._divergence.forget()

    def compare_with(self, checkpoint_id: str, name: str = "", store: str = "") -> None:
        """Compare what is shown with a checkpoint from now on; with "" stop comparing.
        A checkpoint of another run needs a name, and one of another store its URL.
        """
        if checkpoint_id == self.base and store == self.base_store:
            return
        if checkpoint_id:
            self.base = checkpoint_id
            self.base_name = name
            self.base_store = store
            self._diff.forget()
        else:
            self.forget()
        self._mirror.changed.emit()
        self.changed.emit()
        self.refresh()

    def rebase(self, checkpoint_id: str) -> None:
        """Compare with another checkpoint of this run, or of the other run that has the
        base, without a sign of it yet.
        """
        self.base = checkpoint_id
        is_here = self._mirror.timeline.row_of(checkpoint_id) is not None
        if is_here and not self.base_store:
            self.base_name = ""
        self.base_run = ""
        self._diff.forget()

    def compare_with_store(self, store: str) -> None:
        """Compare what is shown with the newest run of another store: of the same
        workflow, if there is one. The store is only read.
        """

        def on_runs(body: RunsBody | None) -> None:
            if body is not None:
                self.other_store = store
                self.other_runs = body.runs
                self._compare_with_newest(store, body.runs)

        arguments = RunsArguments(store=store)
        complain = self._failures.under(NO_OTHER_STORE)
        self._questions.ask("runs", arguments, RunsBody, on_runs, complain)

    def _compare_with_newest(self, store: str, runs: Sequence[RunInfo]) -> None:
        workflow = self._mirror.head.workflow if self._mirror.head is not None else ""
        header = self._mirror.timeline.header(self._mirror.viewing)
        if header is not None:
            workflow = header.workflow
        same = [run for run in runs if run.workflow == workflow]
        for run in [*same, *runs][:1]:
            name = other_run_name(store, runs, run)
            self.compare_with(run.latest.id, name, store)
        if not runs:
            self._failures.report(NO_OTHER_STORE, "There is no run in it.")

    def compare_pair(self, base: str, checkpoint_id: str) -> None:
        """Look at a checkpoint of this run, compared with another one of it, or of the
        run that it is compared with now.
        """
        self.rebase(base)
        self._view(checkpoint_id)
        self._mirror.changed.emit()
        self.refresh()

    def swap_base(self) -> None:
        """Look at the base of the comparison, and compare with what was shown."""
        shown = self._mirror.viewing or (
            self._mirror.head.id if self._mirror.head is not None else ""
        )
        base = self.base
        if base and shown:
            self.rebase(shown)
            self._view(base)
            self._mirror.changed.emit()
            self.refresh()

    def choose_base_run(self, key: str) -> None:
        """Compare with another invocation of the sub-workflow that is shown; "" for the
        same one as on the other side.
        """
        if key != self.base_run:
            self.base_run = key
            self.refresh()
            self.changed.emit()

    def show_first(self, is_first: bool) -> None:
        """Tell whether the user wants to know where the two part."""
        if is_first != self.is_first:
            self.is_first = is_first
            self.refresh()
            self.changed.emit()

    def watch(self, is_watched: bool) -> None:
        """Tell whether the comparison is on screen. Nothing is asked while it is not."""
        self._is_watched = is_watched
        if is_watched:
            self.refresh()
        else:
            self._diff.drop()
            self._divergence.drop()

    def refresh(self) -> None:
        """Ask the host about the pair that is compared now."""
        if not self.base or not self._is_watched or self._mirror.moment is None:
            return
        if self._mirror.looked_at is None:
            # What the run is now changes without another question.
            self._diff.again()
            self._divergence.again()
        self._diff.ask(self._diff_arguments())
        if self.is_first:
            self._divergence.ask(self._divergence_arguments())

    def _ask(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], None],
        sent: Callable[[int], None],
    ) -> None:
        complain = self._failures.under(NOT_COMPARED)
        self._questions.ask(command, arguments, body, done, complain, sent)

    def _diff_arguments(self) -> DiffArguments:
        return DiffArguments(
            base=self.base,
            base_store=self.base_store,
            base_run=self.base_run if self._mirror.way else "",
            checkpoint_id=self._mirror.looked_at,
            inside=self._mirror.way,
            runs=self._mirror.runs_inside,
        )

    def _divergence_arguments(self) -> DivergenceArguments:
        """Return the question where two branches part: their ends are compared, so that
        the answer stays while the user walks along them.
        """
        base = self.base
        other = self._mirror.looked_at
        if self.base_name or not self._are_on_one_branch(base, other):
            if not self.base_name:
                base = self._end_of_branch(base)
            other = self._end_of_branch(other) if other is not None else None
        return DivergenceArguments(
            base=base,
            base_store=self.base_store,
            checkpoint_id=other,
            inside=self._mirror.way,
            runs=self._mirror.runs_inside,
        )

    def _are_on_one_branch(self, base: str, other: str | None) -> bool:
        timeline = self._mirror.timeline
        if other is None and self._mirror.head is not None:
            other = self._mirror.head.id
        first = timeline.row_of(base)
        second = timeline.row_of(other)
        if first is None or second is None:
            return False
        return timeline.lane_of(first) == timeline.lane_of(second)

    def _end_of_branch(self, checkpoint_id: str) -> str:
        timeline = self._mirror.timeline
        row = timeline.row_of(checkpoint_id)
        if row is None:
            return checkpoint_id
        last_row = timeline.lanes[timeline.lane_of(row)].last_row
        return timeline.header_at(last_row).id

    def _on_resumed(self) -> None:
        if self.base:
            self.forget()
            self.changed.emit()


def other_run_name(store: str, runs: Sequence[RunInfo], run: RunInfo) -> str:
    """Return the name of a run of another store: "runs.db, run 3"."""
    place = store.partition(":")[2].rstrip("/").rpartition("/")[2] or store
    return f"{place}, run {len(runs) - runs.index(run)}"
