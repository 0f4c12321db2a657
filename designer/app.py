"""The composition root: the only place that puts the parts of the program together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QApplication

from designer import warm
from designer.document.document import Document
from designer.look.fonts import load_fonts, ui_font
from designer.look.icons import themed_icon
from designer.look.theme import Look
from designer.qt import garbage_collector
from designer.session.line_link import Link
from designer.session.session import DebugSession
from designer.shell.endings import Endings
from designer.shell.files.dialogs import Questions
from designer.shell.settings import scale
from designer.shell.settings.motion import SystemMotion
from designer.shell.settings.settings import Settings
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from resources import examples
from runtime.system.user_folders import data_dir, is_shipped

NAME = "Stepwell"
WARM_UP_AFTER = 50  # ms: after the first paint, before the first check


def make_application() -> QApplication:
    """Return the Qt application with our fonts, and create it if there is none."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication) and existing.applicationName() == NAME:
        return existing  # because setting the style again would polish every widget
    if isinstance(existing, QApplication):
        application = existing
    else:
        application = QApplication(sys.argv[:1])
    application.setApplicationName(NAME)
    application.setDesktopFileName("stepwell")
    # Because style sheets can change all of it, and it is the same on every platform.
    application.setStyle("Fusion")
    load_fonts()
    application.setFont(ui_font())
    return application


def start_application(settings: Settings) -> QApplication:
    """Return the application in the size of the settings."""
    scale.use(settings.values.scale)
    return make_application()


def make_window(
    settings: Settings,
    look: Look,
    questions: Questions | None = None,
    make_session: Callable[[], DebugSession] = DebugSession,
) -> Window:
    """Return a window whose workspaces run workflows in processes of their own, unless
    `make_session` returns sessions with another link.
    """

    def make_workspace(link: Link | None = None) -> Workspace:
        session = make_session() if link is None else DebugSession(link)
        session.trust = is_trusted
        return Workspace(Document(), session, settings, look)

    def is_trusted(folder: str) -> bool:
        if is_shipped(Path(folder)) or settings.is_trusted(folder):
            return True
        trusted = window.questions.trust(folder)
        if trusted:
            settings.trust(folder)
        return trusted

    window = Window(settings, look, examples(), make_workspace, questions)
    return window


def main(file: Path | None, *, begin: Callable[[Window], object] | None = None) -> int:
    """Show the window until it is closed, on a file or on what `begin` shows in it.
    Return the exit code.
    """
    settings = Settings(data_dir() / "settings.json")
    application = start_application(settings)
    look = Look(settings.values.theme)
    motion = SystemMotion(application)
    settings.system_is_still = motion.is_still
    window = make_window(settings, look)
    motion.changed.connect(window.follow_settings)
    motion.ask()
    application.setWindowIcon(themed_icon("steps", look, "accent"))
    # Before a document is opened, because opening creates many objects.
    garbage_collector.collect_from_timer(window)
    if file is not None:
        window.files.open(file)
    window.show()
    endings = Endings(window, window.workspaces)
    QTimer.singleShot(WARM_UP_AFTER, warm.start)
    if begin is not None:
        begin(window)
    else:
        QTimer.singleShot(0, window, window.files.offer_recovery)
    code = application.exec()
    endings.dispose()
    # Now, while the application is there: at the end of the interpreter Python deletes
    # the parts in any order, which sometimes crashes.
    window.hide()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return code
