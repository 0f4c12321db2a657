"""The demo in the window: the licence audit, run until a join is half full."""

from __future__ import annotations

from PySide6.QtCore import QObject

from designer.session.session import DebugSession
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from resources import examples

EXAMPLE = "licence_audit"


class RunToHalfFullJoin(QObject):
    """Steps a fresh run until a join has some of its messages. `reached` is true from
    then on.
    """

    def __init__(self, session: DebugSession, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.reached = False
        session.stopped_at.connect(self._go_on)

    def _go_on(self) -> None:
        stopped = self._session.stopped
        head = self._session.head
        if self.reached or stopped is None or stopped.reason not in {"entry", "step"}:
            return
        if head is not None and head.buffered:
            self.reached = True
        else:
            self._session.step()


def start_demo(window: Window) -> tuple[Workspace, RunToHalfFullJoin]:
    path = next(example.path for example in examples() if example.name == EXAMPLE)
    workspace = window.files.open(path)
    assert workspace is not None  # noqa: S101 - a shipped example opens, a test says so
    driver = RunToHalfFullJoin(workspace.session, workspace)
    workspace.run(stop_on_entry=True)
    return workspace, driver
