"""Restore proofs as the window sees them: which checkpoints were checked, what was found,
and whether the task *Restore proof* is open. Nothing is checked before the user asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.client import CANCELLED, HOST_CLOSED, Done
from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import (
    Notice,
    ProofCheck,
    ProofItem,
    ProofOutcome,
    ProvedBody,
    Reply,
    VerifyArguments,
    VerifyBody,
    VerifyStopArguments,
)

PAUSE = 60  # ms between two signals, however many proofs come
Ask = Callable[[str, BaseModel, Done], None]
View = Callable[[str], None]
# The checkpoint to compare with, its name, and the URL of its store.
CompareWith = Callable[[str, str, str], None]


class RestoreProof(QObject):
    """A part of the session. `ask` sends a command to the host, `view` looks at a
    checkpoint.

    is_on       whether the task is open
    has_marks   whether every checked checkpoint has a mark on the timeline; failures
                always have one
    read, of    checkpoints that were checked, of so many
    refused     why no more can be checked, or ""
    """

    changed = Signal()

    def __init__(
        self,
        timeline: TimelineModel,
        ask: Ask,
        view: View,
        compare_with: CompareWith,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.is_on = False
        self.has_marks = False
        self.is_checking = False
        self.read = self.of = 0
        self.refused = ""
        self._timeline = timeline
        self._ask = ask
        self._view = view
        self._compare_with = compare_with
        self._items: dict[str, ProofItem] = {}
        self._last_id = 0
        self._id = ""
        # The store that keeps failed advances of the present question, and of each
        # checkpoint.
        self._kept = ""
        self._stores: dict[str, str] = {}
        self._rows = 0
        self._changed = QTimer(self, interval=PAUSE, singleShot=True)
        self._changed.timeout.connect(self.changed)
        timeline.grown.connect(self._on_grown)

    # --- the task -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open the task, with the marks on the timeline."""
        self.is_on = True
        self.has_marks = True
        self.changed.emit()

    def leave(self) -> None:
        """Close the task. What was found stays, and a check goes on."""
        if self.is_on:
            self.is_on = False
            self.changed.emit()

    def show_marks(self, has_marks: bool) -> None:
        if has_marks != self.has_marks:
            self.has_marks = has_marks
            self.changed.emit()

    # --- checking -------------------------------------------------------------------------------------------------

    def check(self, checkpoints: Sequence[str] = ()) -> None:
        """Check these checkpoints, or all those of the run. A check under way ends."""
        run_id = self._timeline.run_id
        if not run_id:
            return
        # A new id each time, because proofs of the one before may still arrive.
        self._last_id += 1
        self._id = f"p{self._last_id}"
        self.is_checking = True
        self.read = 0
        self.of = len(checkpoints) or self._timeline.rowCount()
        self.refused = ""
        arguments = VerifyArguments(
            id=self._id, run_id=run_id, checkpoints=tuple(checkpoints)
        )
        id_ = self._id
        self._ask("verify", arguments, lambda reply: self._on_reply(id_, reply))
        self.changed.emit()

    def check_all(self) -> None:
        self.check()

    def stop(self) -> None:
        """Check no further checkpoint. What was found stays."""
        if self.is_checking:
            self.is_checking = False
            arguments = VerifyStopArguments(id=self._id)
            self._id = ""
            self._ask("verify_stop", arguments, lambda _reply: None)
            self.changed.emit()

    def _on_reply(self, id_: str, reply: Reply) -> None:
        if id_ != self._id:
            return
        if reply.success:
            body = VerifyBody.model_validate(reply.body)
            self.of = body.of
            self._kept = body.kept
        else:
            self.is_checking = False
            if reply.error_type not in (HOST_CLOSED, CANCELLED):
                self.refused = reply.message
        self.changed.emit()

    def on_notice(self, notice: Notice) -> None:
        """Take what the host proved."""
        if notice.event != "proved":
            return
        try:
            body = ProvedBody.model_validate(notice.body)
        except ValidationError as error:
            self.refused = f"The run's process sent proofs that cannot be read: {error}"
            self.changed.emit()
            return
        if body.id != self._id:
            return
        self._items |= {item.checkpoint_id: item for item in body.proofs}
        self._stores |= {item.checkpoint_id: self._kept for item in body.proofs}
        self.read = body.read
        self.of = body.of
        self.refused = body.failed
        if body.done or body.failed:
            self.is_checking = False
            self.changed.emit()
        elif not self._changed.isActive():
            self._changed.start()

    # --- what was found -------------------------------------------------------------------------------------------

    def item(self, checkpoint_id: str) -> ProofItem | None:
        """Return the proof of a checkpoint; None if it was not checked."""
        return self._items.get(checkpoint_id)

    def mark(self, checkpoint_id: str) -> ProofOutcome | None:
        """Return what the timeline shows at a checkpoint; None for nothing."""
        item = self._items.get(checkpoint_id)
        if item is None or (item.outcome != "failed" and not self.has_marks):
            return None
        return item.outcome

    def failed_rows(self) -> tuple[int, ...]:
        """Return the rows of the timeline whose proof has failed."""
        rows = (
            self._timeline.row_of(item.checkpoint_id)
            for item in self._items.values()
            if item.outcome == "failed"
        )
        return tuple(row for row in rows if row is not None)

    @property
    def is_empty(self) -> bool:
        return not self._items

    def checked(self) -> list[ProofItem]:
        """Return the proofs of the checkpoints on the timeline, in their order."""
        timeline = self._timeline
        ids = [timeline.header_at(row).id for row in range(timeline.rowCount())]
        return [self._items[id_] for id_ in ids if id_ in self._items]

    def counts(self) -> Counter[str]:
        """Return how many checkpoints of the timeline have which outcome."""
        return Counter(item.outcome for item in self.checked())

    def failed_advance(self, checkpoint_id: str) -> ProofCheck | None:
        """Return the check whose two results can be compared; None if there is none."""
        item = self._items.get(checkpoint_id)
        if item is None or not self._stores.get(checkpoint_id):
            return None
        for check in item.checks:
            if check.recorded and check.again:
                return check
        return None

    def compare_two(self, checkpoint_id: str) -> None:
        """Compare what came of a failed advance with what was recorded."""
        check = self.failed_advance(checkpoint_id)
        if check is None:
            return
        name = f"a step from {self._timeline.name(checkpoint_id)}, done again"
        self._view(check.recorded)
        self._compare_with(check.again, name, self._stores[checkpoint_id])

    # --- following the session ------------------------------------------------------------------------------------

    def on_compared(self, base: str) -> None:
        """Leave when a comparison begins, because there is one task at a time."""
        if base:
            self.leave()

    def lost(self) -> None:
        """The host ended, and with it the check and the store of failed advances."""
        self._id = ""
        self._stores.clear()
        if self.is_checking:
            self.is_checking = False
            self.changed.emit()

    def forget(self) -> None:
        """Forget everything, because the document was replaced."""
        self._id = ""
        self._items = {}
        self._stores = {}
        self.is_on = self.has_marks = self.is_checking = False
        self.read = self.of = 0
        self.refused = ""
        self.changed.emit()

    def _on_grown(self) -> None:
        """Forget the proofs of checkpoints from which the run went on since, because
        they do not speak of that.
        """
        count = self._timeline.rowCount()
        if count < self._rows:
            self._rows = 0
        has_forgotten = False
        for row in range(self._rows, count):
            header = self._timeline.header_at(row)
            if header.id not in self._items:
                has_forgotten |= self._items.pop(header.parent or "", None) is not None
        self._rows = count
        if has_forgotten:
            self.changed.emit()
