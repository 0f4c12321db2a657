"""A program whose workflow is debugged: the way to it, and away from it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from designer.session.client import CLOSE_PATIENCE, Client, Done
from designer.session.execution import Execution
from designer.session.failures import Failures, reply_to
from designer.session.line_link import Link
from designer.session.mirror import Mirror
from designer.session.opener import Opener
from designer.session.phase import RunEvent, RunState
from runtime.debug.protocol import Reply


class Attachment(QObject):
    """A part of the session."""

    def __init__(
        self,
        link: Link,
        client: Client,
        opener: Opener,
        run: RunState,
        mirror: Mirror,
        execution: Execution,
        failures: Failures,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._link = link
        self._client = client
        self._opener = opener
        self._run = run
        self._mirror = mirror
        self._execution = execution
        self._failures = failures
        opener.attached.connect(self._on_attached)

    def attach(self, done: Done | None = None) -> None:
        """Debug the workflow of the program to which the link leads. Nothing changes
        there.
        """
        self._opener.is_attached = True
        self._opener.is_left = False
        attached = Reply(request_seq=0, command="attach", success=True)
        self._opener.for_looking(
            partial(reply_to, done, attached), partial(self._execution.refused, done)
        )

    def detach(self) -> None:
        """Leave the program, which goes on by itself."""
        if self._opener.is_attached and self._client.is_open:
            self._client.request("shutdown")
            self._client.kill(CLOSE_PATIENCE)

    def follow_program(self) -> None:
        """Leave a run of the window, and stand with the run of the program."""
        if self._run.is_standing:
            self._run.take(RunEvent.REQUEST)
            self._opener.for_running(
                partial(self._execution.put, "follow", None, None),
                partial(self._execution.refused, None),
            )

    def _on_attached(self) -> None:
        if self._link.owns_process:
            # A process that was started again has no run.
            self._mirror.host_has_no_run()
        if self._mirror.run_id is not None:
            self._mirror.history.load_runs()
            self._mirror.history.load(self._mirror.run_id)
            self._mirror.show_live()
        else:
            self._mirror.history.load_all()
            self._mirror.show_live()
        self._mirror.changed.emit()

    def program_left(self, reason: str, was_killed: bool) -> None:
        """The program ended, or was detached."""
        if not was_killed:
            self._failures.report("The program is no longer attached", reason)
        self._mirror.stopped_at.emit()
