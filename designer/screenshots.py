"""Pictures of the main states, light and dark, taken from the real window with a real run behind it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from designer.app import make_application, make_window
from designer.demo import start_demo
from designer.look.theme import Look, ThemeName
from designer.shell.settings import Settings
from designer.shell.window import Window
from designer.shell.workspace import Workspace

SIZE = (1600, 1000)
PATIENCE_MS = 60_000


class NotReachedError(RuntimeError):
    """A state that a picture should show did not come about in time."""


def wait_until(done: Callable[[], bool], what: str) -> None:
    """Let Qt work until `done` says so. Raises `NotReachedError` after a minute."""
    loop = QEventLoop()
    ticker = QTimer(interval=20)
    ticker.timeout.connect(lambda: loop.quit() if done() else None)
    limit = QTimer(singleShot=True, interval=PATIENCE_MS)
    limit.timeout.connect(lambda: loop.exit(1))
    ticker.start()
    limit.start()
    if not done() and loop.exec() != 0:
        raise NotReachedError(f"not reached in {PATIENCE_MS // 1000} s: {what}")


def settle() -> None:
    """Let layouts, animations and pending paints finish."""
    loop = QEventLoop()
    QTimer.singleShot(400, loop.quit)
    loop.exec()


def take_all(folder: Path) -> Iterator[Path]:
    """Write `<state>-<theme>.png` for every state; yields each path as it is written."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        # The user's own history, settings and journals stay out of the pictures, and the pictures out of them.
        before = os.environ.get("STEPWELL_DATA_DIR")
        os.environ["STEPWELL_DATA_DIR"] = scratch
        try:
            yield from _take(folder, Path(scratch))
        finally:
            os.environ.pop("STEPWELL_DATA_DIR", None)
            if before is not None:
                os.environ["STEPWELL_DATA_DIR"] = before


def _take(folder: Path, scratch: Path) -> Iterator[Path]:
    make_application()
    look = Look("light")
    window = make_window(Settings(scratch / "settings.json"), look)
    window.resize(*SIZE)
    window.show()
    settle()
    yield from _both(window, look, folder, "start")
    workspace, driver = start_demo(window)
    wait_until(lambda: driver.reached and not workspace.session.running, "the half-full join")
    half_full = workspace.session.head
    assert half_full is not None  # noqa: S101
    workspace.session.continue_()
    wait_until(lambda: _reason(workspace) == "waiting", "the question")
    workspace.show_panel("Requests")
    yield from _both(window, look, folder, "question")
    workspace.session.view(half_full.id)
    wait_until(lambda: workspace.session.mode == "past", "the past")
    workspace.show_panel("Joins")
    yield from _both(window, look, folder, "half-full-join")
    _answer(workspace, "approve")
    workspace.session.restore(half_full.id)
    wait_until(lambda: _reason(workspace) == "restored", "the fork")
    workspace.session.continue_()
    wait_until(lambda: _reason(workspace) == "waiting", "the question on the fork")
    _answer(workspace, "block")
    yield from _both(window, look, folder, "two-branches")
    workspace.session.leave()
    workspace.document.select({"route_by_licence"})
    yield from _both(window, look, folder, "editing")
    window.close()


def _reason(workspace: Workspace) -> str:
    stopped = workspace.session.stopped
    return "" if stopped is None or workspace.session.running else stopped.reason


def _answer(workspace: Workspace, verdict: str) -> None:
    session = workspace.session
    session.back_to_live()
    wait_until(lambda: session.mode == "live" and session.moment is not None and bool(session.moment.requests), "live")
    assert session.moment is not None  # noqa: S101
    reason = {} if verdict == "approve" else {"reason": "We ship closed source."}
    session.answer({request.id: {"verdict": verdict, **reason} for request in session.moment.requests})
    wait_until(lambda: _reason(workspace) == "finished", "the end")


def _both(window: Window, look: Look, folder: Path, state: str) -> Iterator[Path]:
    themes: tuple[ThemeName, ThemeName] = ("light", "dark")
    for theme in themes:
        look.choose(theme)
        settle()
        path = folder / f"{state}-{theme}.png"
        window.grab().save(str(path))
        yield path
    QApplication.processEvents()
