"""What went wrong on the way to the checkpoints of the timeline: drops, losses and
failed calls, asked of the host for those that are on screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from designer.session.client import Done
from designer.session.timeline_model import TimelineModel
from runtime.debug.protocol import (
    COUNTED_CHECKPOINTS,
    CheckpointCounts,
    CountsArguments,
    CountsBody,
    Reply,
)

KEPT = 20_000


class PastCounts(QObject):
    """A part of the session. A checkpoint never changes, so each is asked once."""

    changed = Signal()

    def __init__(
        self,
        timeline: TimelineModel,
        ask: Callable[[str, BaseModel, Done], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._ask = ask
        self._known: dict[str, CheckpointCounts | None] = {}
        self._is_asking = False
        timeline.modelReset.connect(self._known.clear)

    def of(self, checkpoint_id: str) -> CheckpointCounts | None:
        """Return the counts of a checkpoint, if they have arrived."""
        return self._known.get(checkpoint_id)

    def want(self, checkpoints: Iterable[str]) -> None:
        """Ask for those that are not known; `changed` follows. One question at a time,
        so the caller wants again what it still shows then.
        """
        missing = [each for each in checkpoints if each not in self._known]
        if not missing or self._is_asking:
            return
        if len(self._known) > KEPT:
            self._known.clear()
        missing = missing[:COUNTED_CHECKPOINTS]
        self._is_asking = True
        # None meanwhile, and for a checkpoint that cannot be read.
        self._known.update(dict.fromkeys(missing))
        arguments = CountsArguments(checkpoints=tuple(missing))
        self._ask("counts", arguments, self._on_reply)

    def _on_reply(self, reply: Reply) -> None:
        self._is_asking = False
        if reply.success:
            body = CountsBody.model_validate(reply.body)
            self._known.update((each.checkpoint_id, each) for each in body.counts)
        self.changed.emit()
