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
from runtime.debug.protocol import Reply

OTHER_GRAPH = "SignatureMismatchError"
WHY_NEW_RUN = (
    "Nodes or edges differ from the run that failed, and a run continues with the graph that it started with. "
    "You may change parameters and Python code. "
)


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

    `tell` is called when that changes; `refuse`, with a title and a text, when the run
    cannot continue.
    """

    def __init__(
        self,
        document: Document,
        session: DebugSession,
        tell: Callable[[], object],
        refuse: Callable[[str, str], object],
    ) -> None:
        self._document = document
        self._session = session
        self._tell = tell
        self._refuse = refuse
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

    def go_on(self) -> None:
        """Continue from the barrier before the failure, with the present document."""
        if self.current is not None:
            self._session.restore(self.current.checkpoint, done=self._on_restored)

    def give_up(self) -> None:
        self.current = None
        self._tell()

    def _on_restored(self, reply: Reply) -> None:
        if reply.success:
            self.current = None
            self._session.continue_()
        elif reply.error_type == OTHER_GRAPH:
            self._refuse("This run cannot continue.", WHY_NEW_RUN + reply.message)

    def _follow(self) -> None:
        if self._session.running and self.current is not None:
            self.current = None
