"""Presses controls in a mode, one after the other, each from the same state."""

from __future__ import annotations

import gc
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QtMsgType,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication, QScrollBar, QWidget

from designer.app import make_application, make_window
from designer.canvas.view import CanvasView
from designer.look.theme import Look
from designer.session.session import DebugSession
from designer.shell.files.dialogs import Choice
from designer.shell.settings.settings import Settings, Values
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from tests.crawl.controls import CANVAS, Control, control, controls
from tests.crawl.effect import Snapshot, changed, snapshot
from tests.crawl.host import PlayedHost
from tests.crawl.modes import MODES, Build, look_around, panels_of, pump
from tests.designer.shell.support import Somebody

SIZE = (1400, 900)
RECENT = "Open recent >"  # in the names of its entries
_CLIPBOARD = "nothing of ours"
# what was asked or written stays so, and hinders no other press
_GONE_BY = ("host", "file", "questions", "clipboard")
_PLATFORM = "This plugin does not support"  # the offscreen platform about itself


@dataclass
class Report:
    """What was pressed, and what is wrong with it."""

    pressed: int = 0
    disabled: int = 0
    modes: int = 0
    faults: list[str] = field(default_factory=list)
    tell: Callable[[str], object] = lambda _fault: None
    keys: set[str] = field(default_factory=set)

    def complain(self, fault: str) -> None:
        self.faults.append(fault)
        self.tell(fault)

    def __str__(self) -> str:
        counts = f"{len(self.keys)} controls, {self.pressed} presses and {self.disabled} disabled in {self.modes} modes"
        return f"{counts}: {len(self.faults)} faults"


class Complaints:
    """Errors in slots and warnings of Qt, while it is entered."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def __enter__(self) -> Self:
        self._hooks = sys.excepthook, sys.unraisablehook
        sys.excepthook = self._on_error
        sys.unraisablehook = lambda raised: self._on_error(
            None, raised.exc_value, raised.exc_traceback
        )
        self._handler = qInstallMessageHandler(self._on_message)
        return self

    def __exit__(self, *_: object) -> None:
        sys.excepthook, sys.unraisablehook = self._hooks
        qInstallMessageHandler(self._handler)

    def take(self) -> list[str]:
        heard = self.heard
        self.heard = []
        return heard

    def _on_error(
        self, _type: object, error: BaseException | None, where: TracebackType | None
    ) -> None:
        lines = traceback.extract_tb(where)[-1:] if where is not None else []
        at = f" in {Path(lines[0].filename).name}:{lines[0].lineno}" if lines else ""
        self.heard.append(f"{type(error).__name__}: {error}{at}")

    def _on_message(
        self, kind: QtMsgType, _context: QMessageLogContext, text: str
    ) -> None:
        if kind is not QtMsgType.QtDebugMsg and not text.startswith(_PLATFORM):
            self.heard.append(f"Qt: {text}")


class _Base:
    """What of a workspace can be put back."""

    def __init__(self, workspace: Workspace, settings: Values) -> None:
        self.settings = deepcopy(settings)
        self.workspace = workspace
        document = workspace.document
        canvas = workspace.canvas
        self._index = document.undo_stack.index()
        self._way = document.inside
        self._selection = document.selection
        self._transform = canvas.transform()
        self._snap = canvas.snap
        self._scrolled = [bar.value() for bar in _bars(canvas)]
        self._fronts = {
            name: area.currentIndex() for name, area in workspace.areas.items()
        }

    def take_back(self, panel: str) -> None:
        document = self.workspace.document
        canvas = self.workspace.canvas
        document.undo_stack.setIndex(self._index)
        document.go_to(self._way)
        document.select(self._selection)
        canvas.toast.stop()
        canvas.set_snap(self._snap)
        canvas.floating.show_minimap(False)
        canvas.camera.zoom_to(self._transform.m11())
        # the very same again, as steps of zoom are rounded
        canvas.setTransform(self._transform)
        for bar, value in zip(_bars(canvas), self._scrolled, strict=True):
            bar.setValue(value)
        for name, index in self._fronts.items():
            self.workspace.areas[name].setCurrentIndex(index)
        if panel:
            self.workspace.show_panel(panel)
        QApplication.clipboard().setText(_CLIPBOARD)
        canvas.setFocus()


def _bars(canvas: CanvasView) -> list[QScrollBar]:
    return [canvas.horizontalScrollBar(), canvas.verticalScrollBar()]


class Stage:
    """A window in one mode, and the way back to it after a press."""

    def __init__(self, build: Build, panel: str) -> None:
        self._build = build
        self._panel = panel
        self._folder = tempfile.TemporaryDirectory()
        self._builds = 0
        self.window: Window
        self.somebody: Somebody
        self._start()

    def _start(self) -> None:
        self._builds += 1
        folder = Path(self._folder.name) / str(self._builds)
        folder.mkdir()
        self.somebody = Somebody(folder)
        self.somebody.trusts = True
        settings = Settings(folder / "settings.json")
        settings.set_still(True)
        self.window = make_window(
            settings, Look("light"), self.somebody, lambda: DebugSession(PlayedHost())
        )
        self.window.resize(*SIZE)
        self.window.show()
        self.window.activateWindow()
        self._build(self.window, folder)
        if self._panel:
            self.window.workspace.show_panel(self._panel)
        QApplication.clipboard().setText(_CLIPBOARD)
        self._settle()
        if self.window.current is not None:
            look_around(self.window.current)
            pump(2)
        current = self.window.current
        values = self.window.settings.values
        self._base = _Base(current, values) if current is not None else None
        self.base = self.now()

    def show(self, panel: str) -> None:
        """Bring a panel to the front, now and after each press."""
        self._panel = panel
        if panel:
            self.window.workspace.show_panel(panel)
            self._settle()
            self.base = self.now()

    def now(self, without: QWidget | None = None) -> Snapshot:
        return snapshot(self.window, self.somebody, without)

    def restore(self) -> None:
        """Back to where it was before the press, by the shortest way that leads there."""
        self._close_popups()
        if changed(self.base, self.now()) and not self._go_back():
            self._end()
            self._start()

    def _go_back(self) -> bool:
        """Take an edit, a selection, a look or a panel back, which costs less than a
        new window.
        """
        window = self.window
        base = self._base
        if (
            base is None
            or window.current is not base.workspace
            or len(window.workspaces) != 1
        ):
            return False
        base.take_back(self._panel)
        window.status.say("")
        window.settings.values = deepcopy(base.settings)
        window._look.choose(window.settings.values.theme)
        window.follow_settings()
        self._settle(3)
        self.base, before = self.now(), self.base
        return all(name.endswith(_GONE_BY) for name in changed(before, self.base))

    def _settle(self, rounds: int = 6) -> None:
        pump(rounds)
        for workspace in self.window.workspaces:
            if workspace.checks.is_busy:
                workspace.checks.run()
        pump(1)

    def _close_popups(self) -> None:
        popup = QApplication.activePopupWidget()
        while popup is not None:
            popup.close()
            popup = QApplication.activePopupWidget()
        for other in QApplication.topLevelWidgets():
            if other is not self.window and other.isVisible():
                other.close()
        pump(2)

    def _end(self) -> None:
        self.somebody.changes = Choice.DISCARD
        self.window.close()
        self.window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        pump(2)

    def close(self) -> None:
        self._close_popups()
        self._end()
        self._folder.cleanup()
        gc.collect()


Wanted = Callable[[str], bool]


def crawl(
    wanted: Wanted = lambda _key: True,
    modes: dict[str, Build] = MODES,
    *,
    once: bool = False,
    panels: bool = True,
    tell: Callable[[str], object] = lambda _fault: None,
) -> Report:
    """Press what is `wanted` in these modes; with `once` each control in the first mode
    only that has it. Without `panels` only what is in front is crawled.
    """
    make_application()
    report = Report(tell=tell)
    with _own_data(), Complaints() as complaints:
        for mode, build in modes.items():
            report.modes += 1
            _crawl_mode(
                mode, build, wanted, report, complaints, once=once, panels=panels
            )
    return report


def _crawl_mode(
    mode: str,
    build: Build,
    wanted: Wanted,
    report: Report,
    complaints: Complaints,
    *,
    once: bool,
    panels: bool,
) -> None:
    stage = Stage(build, "")
    seen: set[str] = set()
    try:
        for number, panel in enumerate(
            list(panels_of(stage.window)) if panels else [""]
        ):
            stage.show(panel)
            there = controls(stage.window, _new_contexts(number))
            stage.restore()  # a right click has selected what it was on
            for key, found in there.items():
                is_new = key not in report.keys
                if key not in seen and wanted(key) and (is_new or not once):
                    _judge(mode, key, found, stage, report, complaints)
                seen.add(key)
                report.keys.add(key)
    finally:
        stage.close()


def _new_contexts(number: int) -> Wanted:
    """What is drawn is the same whatever panel is in front."""
    return lambda key: number == 0 or not key.startswith(CANVAS)


def _judge(
    mode: str,
    key: str,
    seen: Control,
    stage: Stage,
    report: Report,
    complaints: Complaints,
) -> None:
    if not seen.enabled:
        report.disabled += 1
        if not seen.says_why:
            report.complain(
                f"{mode}: {key}: is disabled and does not say why ({seen.why!r})"
            )
        return
    found = control(stage.window, key)  # the window may be another one by now
    if found is None and RECENT in key:
        return  # the list of files changes with each that is opened
    if found is None:
        report.complain(f"{mode}: {key}: is not there any more after another press")
        return
    report.pressed += 1
    for fault in _press(stage, found, complaints):
        report.complain(f"{mode}: {key}: {fault}")
    stage.restore()


def _press(stage: Stage, control: Control, complaints: Complaints) -> Iterator[str]:
    complaints.take()
    before = stage.now(control.own)
    try:
        control.press()
        pump()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told by name
        yield f"{type(error).__name__}: {error}"
        return
    yield from complaints.take()
    if not control.chosen and not changed(before, stage.now(control.own)):
        yield "does nothing"


@contextmanager
def _own_data() -> Iterator[None]:
    from designer.screenshots import _own_data as own_data

    with tempfile.TemporaryDirectory() as folder, own_data(folder):
        yield
