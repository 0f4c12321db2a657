"""What the user reads when a command of the session fails."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from designer.session.client import CANCELLED, DROPPED, HOST_CLOSED, Done
from designer.session.opener import NOT_ATTACHED_NOW, NOT_TRUSTED
from runtime.debug.protocol import Reply

NO_HISTORY = "The runs of this document cannot be listed"
CANNOT_MIGRATE = "MigrationRefusedError"
# `error_type` of failures that the user knows already
KNOWN_FAILURES = (
    HOST_CLOSED,
    NOT_TRUSTED,
    CANCELLED,
    DROPPED,
    NOT_ATTACHED_NOW,
    CANNOT_MIGRATE,
)
_TITLES = {
    "open": "The workflow cannot be run",
    "start": "The run could not be started",
    "attach": "The workflow cannot be debugged",
    "follow": "The run of the program cannot be shown",
    "restore": "The checkpoint could not be restored",
    "answer": "The answer was not taken",
    "step": "The run could not continue",
    "continue": "The run could not continue",
    "run_to": "The run could not continue",
}


class Failures(QObject):
    """A part of the session. It passes on what the user does not know already."""

    reported = Signal(str, str)  # title, text: for a message to the user

    def report(self, title: str, text: str) -> None:
        self.reported.emit(title, text)

    def under(self, title: str) -> Done:
        """Return a receiver of replies that reports those that failed."""

        def on_reply(reply: Reply) -> None:
            if not reply.success and reply.error_type not in KNOWN_FAILURES:
                self.report(title, reply.message)

        return on_reply

    def of_command(self, reply: Reply) -> None:
        """Report the failed reply to a command that moves the run."""
        self.under(title_of(reply.command))(reply)


def title_of(command: str) -> str:
    """Return the title for a command that failed."""
    return _TITLES.get(command, "That could not be done")


def reply_to(done: Done | None, reply: Reply) -> None:
    """Call a receiver of replies, if there is one."""
    if done is not None:
        done(reply)
