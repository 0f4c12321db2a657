"""Edit and fork: opens the task over a checkpoint, and applies or discards what is
staged.
"""

from __future__ import annotations

from collections.abc import Callable

from designer.session.opener import LOOKS_ONLY
from designer.session.session import DebugSession
from runtime.debug.protocol import Reply

NOTHING_TO_COPY = "There is no checkpoint yet: run the workflow first."
NOT_READ_ONLY = "The store is read only: a copy could not be kept in it."


class EditCopy:
    """The verbs of a workspace.

    ask_discard  asks the user whether so many changes may be dropped
    """

    def __init__(self, session: DebugSession) -> None:
        self._session = session
        self.ask_discard: Callable[[int], bool] = lambda _count: True

    @property
    def why_not(self) -> str:
        """Why no copy can be edited; "" if one can."""
        session = self._session
        if session.looks_only:
            return LOOKS_ONLY
        if not self._checkpoint:
            return NOTHING_TO_COPY
        return NOT_READ_ONLY if session.read_only else ""

    @property
    def _checkpoint(self) -> str:
        """The checkpoint that is shown, or where the live run is."""
        session = self._session
        if session.viewing is not None:
            return session.viewing
        if session.mode == "live" and session.head is not None:
            return session.head.id
        timeline = session.timeline
        count = timeline.rowCount()
        return timeline.header_at(count - 1).id if count else ""

    def begin(self, checkpoint_id: str = "") -> bool:
        """Edit a copy of a checkpoint, by default of the one that is shown. Return
        whether that can be done.
        """
        if self.why_not:
            return False
        if self._session.base:
            self._session.compare_with("")  # because there is one task at a time
        self._session.proof.leave()
        self._session.delivery_orders.leave()
        if self._session.origin.is_on:
            self._session.origin.forget()
        self._session.staged.begin(checkpoint_id or self._checkpoint)
        return True

    def apply(self, then: Callable[[], object] | None = None) -> None:
        """Make the fork and stand there, then do something."""

        def on_reply(reply: Reply) -> None:
            if reply.success and then is not None:
                then()

        if not self._session.staged.why_not:
            self._session.staged.apply(on_reply)

    def apply_and_run(self) -> None:
        self.apply(self._session.continue_)

    def apply_and_step(self) -> None:
        self.apply(self._session.step)

    def discard(self) -> None:
        """Drop what is staged over the checkpoint, if the user agrees."""
        staged = self._session.staged
        if not staged.count or self.ask_discard(staged.count):
            staged.discard()
