"""Explorations as the window sees them: what was found about the supersteps that were
tried in other orders, and whether the task *Delivery orders* is open. Nothing is tried
before the user asks.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.client import CANCELLED, HOST_CLOSED, Done
from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import (
    ExploreArguments,
    ExploredBody,
    ExploreStopArguments,
    Notice,
    Reply,
)

PAUSE = 60  # ms between two signals, however much is found
Ask = Callable[[str, BaseModel, Done], None]
View = Callable[[str], None]
# The checkpoint to compare with, its name, and the URL of its store.
CompareWith = Callable[[str, str, str], None]


class DeliveryOrders(QObject):
    """A part of the session. `ask` sends a command to the host.

    is_on      whether the task is open
    exploring  the checkpoint whose next superstep is explored now, or ""
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
        self.exploring = ""
        self._timeline = timeline
        self._ask = ask
        self._view = view
        self._compare_with = compare_with
        self._bodies: dict[str, ExploredBody] = {}
        self._refused: dict[str, str] = {}
        self._last_id = 0
        self._id = ""
        self._changed = QTimer(self, interval=PAUSE, singleShot=True)
        self._changed.timeout.connect(self.changed)

    # --- the task -------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Open the task."""
        self.is_on = True
        self.changed.emit()

    def leave(self) -> None:
        """Close the task. What was found stays; an exploration under way ends, because
        its handlers would go on running unseen.
        """
        if self.is_on:
            self.is_on = False
            self.stop()
            self.changed.emit()

    # --- exploring ------------------------------------------------------------------------------------------------

    def explore(self, checkpoint_id: str, *, live: bool = False) -> None:
        """Explore the superstep that follows on a checkpoint. One under way ends."""
        # A new id each time, because what the one before found may still arrive.
        self._last_id += 1
        self._id = f"e{self._last_id}"
        self.exploring = checkpoint_id
        self._bodies.pop(checkpoint_id, None)
        self._refused.pop(checkpoint_id, None)
        arguments = ExploreArguments(
            id=self._id, checkpoint_id=checkpoint_id, live=live
        )
        id_ = self._id
        self._ask("explore", arguments, lambda reply: self._on_reply(id_, reply))
        self.changed.emit()

    def stop(self) -> None:
        """Try nothing further. What was found stays."""
        if self.exploring:
            arguments = ExploreStopArguments(id=self._id)
            self._end()
            self._ask("explore_stop", arguments, lambda _reply: None)
            self.changed.emit()

    def _end(self) -> None:
        self._id = ""
        self.exploring = ""

    def _on_reply(self, id_: str, reply: Reply) -> None:
        if id_ != self._id or reply.success:
            return
        if reply.error_type not in (HOST_CLOSED, CANCELLED):
            self._refused[self.exploring] = reply.message
        self._end()
        self.changed.emit()

    def on_notice(self, notice: Notice) -> None:
        """Take what was found."""
        if notice.event != "explored" or not self._id:
            return
        try:
            body = ExploredBody.model_validate(notice.body)
        except ValidationError as error:
            self._refused[self.exploring] = (
                f"The run's process sent what cannot be read: {error}"
            )
            self._end()
            self.changed.emit()
            return
        if body.id != self._id:
            return
        if body.failed:
            self._refused[body.checkpoint_id] = body.failed
        else:
            self._bodies[body.checkpoint_id] = body
        if body.done or body.failed:
            self._end()
            self.changed.emit()
        elif not self._changed.isActive():
            self._changed.start()

    # --- what was found -------------------------------------------------------------------------------------------

    def body(self, checkpoint_id: str) -> ExploredBody | None:
        """Return what was found about the superstep after a checkpoint, so far."""
        return self._bodies.get(checkpoint_id)

    def refusal(self, checkpoint_id: str) -> str:
        """Return why that superstep was not explored; "" if it was, or was not asked."""
        if checkpoint_id in self._refused:
            return self._refused[checkpoint_id]
        body = self._bodies.get(checkpoint_id)
        return "" if body is None else body.refused

    def outcomes(self, checkpoint_id: str) -> int:
        """Return how many outcomes the superstep after a checkpoint has; 0 if it is not
        known.
        """
        body = self._bodies.get(checkpoint_id)
        return 0 if body is None else body.count

    def several_rows(self) -> tuple[int, ...]:
        """Return the rows of the timeline whose next superstep has several outcomes."""
        rows = (
            self._timeline.row_of(checkpoint_id)
            for checkpoint_id, body in self._bodies.items()
            if body.count > 1
        )
        return tuple(row for row in rows if row is not None)

    def why_not(self, checkpoint_id: str) -> str:
        """Return why no superstep after a checkpoint can be explored, or ""."""
        row = self._timeline.row_of(checkpoint_id)
        if row is None:
            return "There is no checkpoint here yet."
        header = self._timeline.header_at(row)
        if header.damaged:
            return "This checkpoint is damaged."
        if not header.queued:
            return "No superstep follows: nothing is queued here."
        return ""

    def pair(self, checkpoint_id: str, outcome: int) -> tuple[str, int] | None:
        """Return what *Compare* shows for an outcome: the recorded checkpoint, and the
        place of the outcome beside it: this one, or the first if this one is recorded.
        None if there is nothing to compare.
        """
        body = self._bodies.get(checkpoint_id)
        if body is None or not body.store:
            return None
        for place, each in enumerate(body.outcomes):
            other = 0 if place == outcome else outcome
            if each.recorded_in and other != place and body.outcomes[other].saved_in:
                return each.recorded_in, other
        return None

    def compare(self, checkpoint_id: str, outcome: int) -> None:
        """Compare what was recorded with another outcome."""
        pair = self.pair(checkpoint_id, outcome)
        if pair is not None:
            body = self._bodies[checkpoint_id]
            recorded, other = pair
            name = self._timeline.name(checkpoint_id)
            self._view(recorded)
            self._compare_with(
                body.outcomes[other].saved_in,
                f"outcome {other + 1} after {name}",
                body.store,
            )

    # --- following the session ------------------------------------------------------------------------------------

    def on_compared(self, base: str) -> None:
        """Leave when a comparison begins, because there is one task at a time."""
        if base:
            self.leave()

    def lost(self) -> None:
        """The host ended, and with it the exploration."""
        if self.exploring:
            self._end()
            self.changed.emit()

    def forget(self) -> None:
        """Forget everything, because the document was replaced."""
        self._end()
        self._bodies = {}
        self._refused = {}
        self.is_on = False
        self.changed.emit()
