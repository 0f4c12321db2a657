"""Graft: a value of B is taken over into a copy of A, and Edit and fork opens there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from designer.model.graft import Graft, NoGraft, graft_of, place_of
from designer.model.patch_address import Address
from designer.model.staged_changes import value_before
from designer.session.session import DebugSession
from designer.shell.runs.edit_copy import EditCopy
from runtime.debug.protocol import ChangeItem, Moment, PatchParseBody, Spot

ANOTHER_RUN = (
    "A belongs to another run. Only a checkpoint of this run can be forked here."
)
GONE = "The message is not listed in A, because there are too many."


class Grafting(QObject):
    """The verb of a workspace. `show` goes to what was staged, and `refuse` says why
    nothing was.
    """

    def __init__(
        self,
        session: DebugSession,
        edit_copy: EditCopy,
        show: Callable[[Address], object],
        refuse: Callable[[str], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._edit_copy = edit_copy
        self._show = show
        self._refuse = refuse
        # What waits until A is shown, which has the place of its message.
        self._waiting: tuple[str, Graft] | None = None
        session.viewed.connect(self._on_viewed)

    def graft(self, change: ChangeItem) -> None:
        """Take a difference of the comparison over into a copy of A."""
        session = self._session
        base = session.base
        shown = session.seen
        if session.base_name or session.timeline.row_of(base) is None:
            self._refuse(ANOTHER_RUN)
            return
        other = shown if shown is not None else Moment()
        graft = graft_of(change, other, session.staged.run)
        if isinstance(graft, NoGraft):
            self._refuse(graft.reason)
        elif graft.read is None:
            self._begin(base, graft)
        else:
            checkpoint = session.viewing or (session.head.id if session.head else "")
            read = partial(self._on_read, base, graft)
            session.staged.read_at(checkpoint, graft.read, read)

    def _on_read(self, base: str, graft: Graft, body: PatchParseBody | None) -> None:
        if body is None:
            return
        value = value_before(body.change)
        change = graft.change.model_copy(update={"value": value})
        self._begin(base, graft._replace(change=change))

    def _begin(self, base: str, graft: Graft) -> None:
        if not self._edit_copy.begin(base):
            self._refuse(self._edit_copy.why_not)
            return
        self._waiting = (base, graft)
        self._on_viewed()

    def _on_viewed(self) -> None:
        if self._waiting is None:
            return
        base, graft = self._waiting
        staged = self._session.staged
        outer = staged.requests_of
        header = outer.header if outer is not None else None
        if staged.checkpoint != base or header is None or header.id != base:
            return
        self._waiting = None
        if graft.message is not None:
            original = staged.original
            place = place_of(graft.message, original or Moment())
            if place is None:
                self._refuse(GONE)
                return
            spot = Spot(place=place)
            change = graft.change.model_copy(update={"spot": spot})
            graft = graft._replace(change=change)
        id = staged.stage(graft.change)
        address = graft.address
        if graft.change.do == "add":
            address = address._replace(added=id)
        self._show(address)
