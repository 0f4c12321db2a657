"""Ends that nobody is asked about: a signal of the system, the end of the session, an error that nobody caught. What
was drawn and typed is in the recovery files before.

Only the end that no program can see, such as `kill -9`, comes without: it costs what the journal waits for
(`designer.document.document.JOURNAL_DELAY`).
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Sequence
from types import FrameType, TracebackType

from PySide6.QtCore import QObject, QSocketNotifier
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from designer.shell.workspace import Workspace

# Those of them that the system has. SIGHUP: the terminal, or the connection, is gone.
_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
)


def _is_ignored(number: signal.Signals) -> bool:
    """As SIGHUP after `nohup`: whoever started the window wants it to outlive its terminal."""
    return signal.getsignal(number) is signal.SIG_IGN


class Endings(QObject):
    """As long as it is there, the window's documents outlive those ends. `exit_code` is set by a signal.

    `workspaces` is the list of those that are open, which the window keeps up to date.
    """

    def __init__(self, window: QWidget, workspaces: Sequence[Workspace]) -> None:
        super().__init__(window)
        self._window = window
        self._workspaces = workspaces
        self.exit_code = 0
        # Python handles signals between two of its own instructions, and Qt waits in none: a byte wakes it.
        self._reading, self._writing = socket.socketpair()
        for end in (self._reading, self._writing):
            end.setblocking(False)
        heard = [
            number
            for number in _SIGNALS
            if number is signal.SIGINT or not _is_ignored(number)
        ]
        self._before = {
            number: signal.signal(number, self._on_signal) for number in heard
        }
        self._woken_before = signal.set_wakeup_fd(
            self._writing.fileno(), warn_on_full_buffer=False
        )
        self._notifier = QSocketNotifier(
            self._reading.fileno(), QSocketNotifier.Type.Read, self
        )
        self._notifier.activated.connect(self._on_woken)
        self._hook_before = sys.excepthook
        sys.excepthook = self._on_error
        application = QGuiApplication.instance()
        if isinstance(application, QGuiApplication):
            application.commitDataRequest.connect(lambda _manager: self.keep())

    def keep(self) -> None:
        """Take over what is being typed, and write all recovery files now."""
        take_over_typing(self._window.focusWidget())
        for workspace in self._workspaces:
            workspace.document.flush_journal()

    def dispose(self) -> None:
        """Leave everything as it was before. Runs of documents that are still open are ended; what can be recovered of
        them stays.
        """
        for workspace in self._workspaces:
            workspace.session.close()
            # The parts of a window go in any order from here on, and none must hear of another's end.
            for part in (
                workspace.session,
                workspace.document,
                workspace.document.undo_stack,
            ):
                part.blockSignals(True)
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._woken_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        sys.excepthook = self._hook_before
        for end in (self._reading, self._writing):
            end.close()

    def _on_woken(self) -> None:
        """Python has handled the signal by the time it is here."""
        try:
            self._reading.recv(64)
        except BlockingIOError:
            return

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.exit_code = 128 + number
        try:
            self.keep()
        finally:
            QGuiApplication.exit(self.exit_code)

    def _on_error(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        """The window may go on after it, or not."""
        self._hook_before(kind, error, trace)
        self.keep()


def take_over_typing(field: QWidget | None) -> None:
    """Take over what is being typed into a field that waits until it is left. The field
    keeps the focus.
    """
    if isinstance(field, QLineEdit) and field.isModified():
        field.editingFinished.emit()
