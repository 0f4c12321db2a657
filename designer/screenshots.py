"""Pictures of the main states of the window, light and dark, with real runs.

The licence audit waits for an answer, is approved and finishes. Then it is restored at
the half-full join, on another branch, and asks again there.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import (
    QEventLoop,
    QMessageLogContext,
    QTimer,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from designer.app import make_application, make_window
from designer.demo import start_demo
from designer.look.theme import Look, ThemeName
from designer.shell.settings.settings import Settings
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from resources import examples

SIZE = (1600, 1000)
PATIENCE_MS = 60_000
LOSSLESS = 50  # Qt's "quality" of a PNG: 3 % larger than the smallest, in a quarter of the time
SETTLE_MS = 400  # longer than every animation of the window
BRANCH = "what if we block"
STOP_AT = "route_by_licence"
NOTE = "Two of three messages are in."
# Examples that are run for the list on the start page.
_OTHERS = ("lost_join", "review_loop")


class NotReachedError(RuntimeError):
    """A state for a picture was not reached in time."""


def wait_until(done: Callable[[], bool], what: str) -> None:
    """Process events until `done` returns true. Raise `NotReachedError` after a minute."""
    loop = QEventLoop()
    ticker = QTimer(interval=20)
    ticker.timeout.connect(lambda: loop.quit() if done() else None)
    limit = QTimer(singleShot=True, interval=PATIENCE_MS)
    limit.timeout.connect(lambda: loop.exit(1))
    ticker.start()
    limit.start()
    if not done() and loop.exec() != 0:
        raise NotReachedError(f"not reached in {PATIENCE_MS // 1000} s: {what}")


def settle(pause: int = SETTLE_MS) -> None:
    """Let layouts, animations and pending paints finish, for `pause` milliseconds."""
    loop = QEventLoop()
    QTimer.singleShot(pause, loop.quit)
    loop.exec()


def take_all(folder: Path, pause: int = SETTLE_MS) -> Iterator[Path]:
    """Write `<state>-<theme>.png` for every state; yields each path as it is written.

    `pause` is that of `settle`, before each picture.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as scratch,
        _own_data(scratch),
        _quiet_platform(),
    ):
        make_application()
        look = Look("light")
        window = make_window(Settings(Path(scratch) / "settings.json"), look)
        window.resize(*SIZE)
        window.show()
        try:
            yield from Photographer(window, look, folder, pause).take()
        finally:
            window.close()
            QApplication.processEvents()


class Photographer:
    """Plays the story in a window, and takes a picture of each state in both themes."""

    def __init__(
        self, window: Window, look: Look, folder: Path, pause: int = SETTLE_MS
    ) -> None:
        self._pause = pause
        self._window = window
        self._look = look
        self._folder = folder

    def take(self) -> Iterator[Path]:
        workspace, driver = start_demo(self._window)
        session = workspace.session
        wait_until(lambda: driver.reached and not session.running, "the half-full join")
        half_full = session.head
        assert half_full is not None  # noqa: S101 - reached
        workspace.run()
        yield from self._question(workspace)
        self._approve(workspace)
        session.annotate(half_full.id, note=NOTE)
        session.restore(half_full.id, BRANCH)
        self._wait_for(workspace, "restored")
        yield from self._stopped(workspace)
        workspace.run()
        self._wait_for(workspace, "waiting")
        # Instead of the outputs of the approved branch.
        workspace.show_panel("Timeline")
        yield from self._both("two-branches")
        session.view(half_full.id)
        wait_until(
            lambda: session.mode == "past" and session.moment is not None, "the past"
        )
        workspace.show_panel("Joins")
        yield from self._both("half-full-join")
        session.leave()
        workspace.document.select({"route_by_licence"})
        yield from self._both("editing")
        yield from self._start()

    def _question(self, workspace: Workspace) -> Iterator[Path]:
        self._wait_for(workspace, "waiting")
        workspace.show_panel("Requests")
        yield from self._both("question")

    def _stopped(self, workspace: Workspace) -> Iterator[Path]:
        """A breakpoint stops the run inside a superstep, below the board so far."""
        workspace.document.select({STOP_AT})
        workspace.canvas.breakpoints.toggle()
        workspace.run()
        self._wait_for(workspace, "breakpoint")
        workspace.show_panel("Board")
        yield from self._both("stopped")
        workspace.canvas.breakpoints.delete({STOP_AT})
        workspace.document.select(())

    def _approve(self, workspace: Workspace) -> None:
        session = workspace.session
        assert session.moment is not None  # noqa: S101 - its question was photographed
        session.answer(
            {request.id: {"verdict": "approve"} for request in session.moment.requests}
        )
        self._wait_for(workspace, "finished")

    def _start(self) -> Iterator[Path]:
        for example in examples():
            if example.name in _OTHERS:
                self._window.files.run(example.path)
                self._wait_for(self._window.workspace, "finished", "waiting", "stalled")
        for workspace in list(self._window.workspaces):
            self._window.files.close(workspace)
        yield from self._both("start")

    def _wait_for(self, workspace: Workspace, *reasons: str) -> None:
        session = workspace.session

        def stands() -> bool:
            stopped = session.stopped
            if session.running or stopped is None or session.moment is None:
                return False
            return stopped.reason in reasons

        wait_until(stands, " or ".join(reasons))

    def _both(self, state: str) -> Iterator[Path]:
        themes: tuple[ThemeName, ThemeName] = ("light", "dark")
        for theme in themes:
            self._look.choose(theme)
            self._window.restyling.finish()
            settle(self._pause)
            path = self._folder / f"{state}-{theme}.png"
            image = self._window.grab().toImage()
            picture = image.convertToFormat(QImage.Format.Format_RGB32)
            picture.save(str(path), "PNG", LOSSLESS)  # type: ignore[call-overload]
            yield path


@contextmanager
def _own_data(folder: str) -> Iterator[None]:
    """The user's own history, settings and journals stay out of the pictures, and the
    pictures out of them.
    """
    before = os.environ.get("STEPWELL_DATA_DIR")
    os.environ["STEPWELL_DATA_DIR"] = folder
    try:
        yield
    finally:
        os.environ.pop("STEPWELL_DATA_DIR")
        if before is not None:
            os.environ["STEPWELL_DATA_DIR"] = before


@contextmanager
def _quiet_platform() -> Iterator[None]:
    """Hide the warnings of Qt's offscreen platform about things that it does not
    support.
    """

    def pass_on(_kind: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        if not text.startswith("This plugin does not support"):
            os.write(2, f"{text}\n".encode())

    before = qInstallMessageHandler(pass_on)
    try:
        yield
    finally:
        qInstallMessageHandler(before)
