"""Going on from the past, after the user knows what it will do outside."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.session.session import DebugSession
from designer.shell.runs.outside_dialog import OutsideDialog
from runtime.debug.protocol import RestorePlanBody

Go = Callable[[], object]


class OutsideWorld:
    """A part of the workspace. It asks only where something would happen outside that
    the user has not asked for.

    title  returns what an executor is called, by its path
    """

    def __init__(
        self,
        session: DebugSession,
        look: Look,
        parent: QWidget,
        title: Callable[[str], str],
    ) -> None:
        self._session = session
        self._look = look
        self._parent = parent
        self._title = title
        self.dialog: OutsideDialog | None = None
        self._awaited = ""  # the checkpoint from which the user wants to go on

    def before(self, checkpoint_id: str, verb: str, go: Go) -> None:
        """Go on from a checkpoint: at once, or after the dialog. `verb` is what that is
        called there.
        """
        self._awaited = checkpoint_id

        def on_plan(plan: RestorePlanBody | None) -> None:
            if self._awaited != checkpoint_id:
                return  # because the user does something else by now
            self._awaited = ""
            if plan is not None and self._session.results.unasked(plan):
                self.show(checkpoint_id, verb, go)
            else:
                go()

        session = self._session
        # The host has the graph of before. Opening another one would end what moves.
        is_changed = bool(session.difference.changes)
        is_still = not session.running and not session.stands_inside
        again = is_changed and is_still
        session.results.when_planned(checkpoint_id, on_plan, again=again)

    def show(self, checkpoint_id: str, verb: str, go: Go) -> None:
        """Show what would happen, and go on if the user wants that."""
        dialog = OutsideDialog(
            self._session,
            self._look,
            checkpoint_id,
            verb,
            self._parent,
            self._title,
        )
        dialog.accepted.connect(go)
        dialog.finished.connect(self._on_closed)
        self.dialog = dialog
        dialog.open()

    def _on_closed(self, _result: int) -> None:
        self.dialog = None
