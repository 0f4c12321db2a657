"""Writes the recovery files when the program ends without a question: by a signal, by
the end of the session, or by an uncaught exception.

Only an end that no program can notice, such as `kill -9`, loses the last changes, of as
long as the journal waits (`designer.document.document.JOURNAL_DELAY`).
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

# Those that the system has. SIGHUP means that the terminal or the connection was
# closed.
_SIGNALS = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGBREAK")
    if hasattr(signal, name)
)


def _is_ignored(number: signal.Signals) -> bool:
    """Return whether a signal is ignored, as SIGHUP is after `nohup`, which is to stay
    so.
    """
    return signal.getsignal(number) is signal.SIG_IGN


class Endings(QObject):
    """Saves the window's documents at those ends, until `dispose`. A signal sets
    `exit_code`.

    `workspaces` is the window's list of open workspaces, which it keeps up to date.
    """

    def __init__(self, window: QWidget, workspaces: Sequence[Workspace]) -> None:
        super().__init__(window)
        self._window = window
        self._workspaces = workspaces
        self.exit_code = 0
        # Python handles signals between two of its own instructions, of which there are
        # none while Qt waits. So the signal writes a byte into a socket, which wakes
        # Qt.
        self._reading, self._writing = socket.socketpair()
        for end in (self._reading, self._writing):
            end.setblocking(False)
        self._handlers_before = {}
        for number in _SIGNALS:
            if number is signal.SIGINT or not _is_ignored(number):
                before = signal.signal(number, self._on_signal)
                self._handlers_before[number] = before
        self._wakeup_before = signal.set_wakeup_fd(
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
        """Commit the field with the focus, and write all recovery files now."""
        take_over_typing(self._window.focusWidget())
        for workspace in self._workspaces:
            workspace.document.flush_journal()

    def dispose(self) -> None:
        """Restore the handlers of before, and end the runs of open documents. Their
        recovery files stay.
        """
        for workspace in self._workspaces:
            workspace.session.close()
            # Because the parts of a window are deleted in any order, and none must hear
            # signals of another that is deleted.
            for part in (
                workspace.session,
                workspace.document,
                workspace.document.undo_stack,
            ):
                part.blockSignals(True)
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._handlers_before.items():
            signal.signal(number, handler)
        sys.excepthook = self._hook_before
        for end in (self._reading, self._writing):
            end.close()

    def _on_woken(self) -> None:
        """Empty the socket. Python has handled the signal already."""
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
        """Write the recovery files, because the window may end by the error."""
        self._hook_before(kind, error, trace)
        self.keep()


def take_over_typing(field: QWidget | None) -> None:
    """Take over what is being typed into a field that waits until it is left. The field
    keeps the focus.
    """
    if isinstance(field, QLineEdit) and field.isModified():
        field.editingFinished.emit()
