"""Going on from a checkpoint with the document as it is now."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.session.failures import CANNOT_MIGRATE
from designer.session.session import DebugSession
from designer.shell.runs.change_dialog import ChangeDialog, GoOn
from runtime.debug.protocol import Reply

Then = Callable[[], object] | None


class ChangedGraph:
    """The verbs of a workspace. What the present document can take over is taken over
    at once; for the rest a dialog asks what becomes of it.

    save_text  asks the user where to save a text, by a name for its file
    """

    def __init__(
        self,
        session: DebugSession,
        look: Look,
        parent: QWidget,
        save_text: Callable[[str, str], object],
    ) -> None:
        self._session = session
        self._look = look
        self._parent = parent
        self._save_text = save_text

    @property
    def is_there(self) -> bool:
        """Whether the document differs from the graph of the run that is shown."""
        return bool(self._session.difference.changes)

    def go_on(self) -> None:
        """Go on from the newest checkpoint at which the changes make no difference."""
        before = self._session.difference.before
        if before:
            self.restore(before, self._session.continue_)

    def restore(self, checkpoint_id: str, then: Then = None, branch: str = "") -> None:
        """Stand at a checkpoint as a fork with the present document, then do something."""

        def on_reply(reply: Reply) -> None:
            if reply.success and then is not None:
                then()
            elif reply.error_type == CANNOT_MIGRATE:
                self.show(checkpoint_id, then)

        self._session.restore(checkpoint_id, branch, on_reply, migrate=True)

    def show(self, checkpoint_id: str = "", then: Then = None) -> None:
        """Show what would become of the run, at one checkpoint first."""
        places = self._places(checkpoint_id)
        if not places:
            return
        dialog = ChangeDialog(self._session, self._look, places, self._parent)
        dialog.save_requested.connect(self._save_text)
        act = then if then is not None else self._session.continue_
        dialog.chosen.connect(lambda choice: self._take(choice, act))
        dialog.open()

    def _take(self, choice: GoOn, then: Callable[[], object]) -> None:
        def on_reply(reply: Reply) -> None:
            if reply.success:
                then()
            elif reply.error_type == CANNOT_MIGRATE:
                self._session.failed.emit("The run cannot go on", reply.message)

        self._session.restore(
            choice.checkpoint_id,
            choice.branch,
            on_reply,
            migrate=True,
            mapping=choice.mapping,
        )

    def _places(self, first: str) -> list[tuple[str, str]]:
        """Return the checkpoints to choose from, with what they are."""
        session = self._session
        difference = session.difference
        head = session.head.id if session.head is not None else ""
        reasons: dict[str, list[str]] = {}
        if first:
            reasons[first] = []
        for id, reason in (
            (difference.before, "before the change"),
            (difference.origin, "what you looked at"),
            (head, "where the run stands"),
        ):
            if id and session.timeline.header(id) is not None:
                reasons.setdefault(id, []).append(reason)
        return [(self._words(id, why), id) for id, why in reasons.items()]

    def _words(self, id: str, reasons: list[str]) -> str:
        timeline = self._session.timeline
        header = timeline.header(id)
        words = timeline.name(id) or id[:8]
        if header is not None:
            words += f", superstep {header.superstep:,} of {header.branch}"
        # The other reason says it already where the run was not looked at in the past.
        if "where the run stands" in reasons:
            reasons = [why for why in reasons if why != "what you looked at"]
        return " · ".join((words, *reasons))
