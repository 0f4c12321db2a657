"""The way from a failure to its repair: to the node that failed, to the field that is
wrong, and back to the run, from the barrier before the failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from designer.document.document import Document
from designer.model.fixes import Fix
from designer.model.fixes.similar_names import failed_place, near_names
from designer.session.session import DebugSession


@dataclass(frozen=True)
class Repair:
    """A failure under repair: the node or edge, its part, and the checkpoint at the
    barrier before.
    """

    element: str
    part: str
    checkpoint: str


class Repairs:
    """Knows the present repair. It begins with "Fix and continue", and ends when the
    run continues, when another begins, or when the user gives up.

    `tell` is called when that changes.
    """

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        tell: Callable[[], object],
    ) -> None:
        self._document = document
        self._session = session
        self._tell = tell
        self.current: Repair | None = None
        session.changed.connect(self._follow)
        document.replaced.connect(self.give_up)

    @property
    def failed(self) -> tuple[str, str]:
        """The node or edge of the drawing in which the live run failed, and its part;
        "" for none.
        """
        stopped = self._session.stopped
        if stopped is None or stopped.reason != "failed" or self._session.running:
            return "", ""
        return failed_place(self._document.root, stopped.executor, stopped.text)

    def offers(self) -> list[Fix]:
        """Return the fixes that the error offers: similar names for a field that is
        missing.
        """
        stopped = self._session.stopped
        if stopped is None or not self.failed[0]:
            return []
        names = near_names(self._document.root, stopped.executor, stopped.text)
        return [Fix(text, change()) for text, change in names]

    def begin(self) -> Repair | None:
        """Go to editing for the repair. Return None if nothing failed."""
        element, part = self.failed
        head = self._session.head
        if not element or head is None:
            return None
        self.current = Repair(element, part, head.id)
        self._session.leave()
        return self.current

    def give_up(self) -> None:
        self.current = None
        self._tell()

    def _follow(self) -> None:
        if self._session.running and self.current is not None:
            self.current = None
