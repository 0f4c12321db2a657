"""What tests of the whole window share: a window with real documents and hosts,
somebody who answers its questions, and hands for mouse and keyboard.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from designer.app import make_application, make_window
from designer.document.document import Document
from designer.look.stylesheet import palette
from designer.look.theme import Look, Theme
from designer.panels.base import Panel
from designer.qt import garbage_collector
from designer.session.session import DebugSession
from designer.shell.files.dialogs import Choice, Questions, Recovery
from designer.shell.files.versions import Version
from designer.shell.settings.settings import Settings
from designer.shell.settings.theme_change import Restyling
from designer.shell.window import Window
from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    CatalogueBody,
    EdgeMoment,
    HeadersBody,
    Moment,
    OpenBody,
    OutsideCall,
    RestorePlanBody,
    ResumedBody,
    StartBody,
    StoppedBody,
)
from runtime.nodes import catalogue
from tests.designer.fakes import RecordingLink, header, straight
from tests.designer.panels.fakes import design

LEFT = Qt.MouseButton.LeftButton
NO_BUTTON = Qt.MouseButton.NoButton
PLAIN = Qt.KeyboardModifier.NoModifier
BUILT_IN = CatalogueBody(nodes=tuple(catalogue().infos()))
HOST = 20_000  # ms for a host to start and answer on a busy machine


class Somebody(Questions):
    """Answers at once what tests tell it to; `asked` and `told` have what it heard."""

    def __init__(self, folder: Path) -> None:
        self.asked: list[str] = []
        self.told: list[tuple[str, str]] = []
        self.trusts = True
        self.recovery = Recovery.RECOVER
        self.versions: list[Version] = []  # what was offered last
        self.backup: int | None = 0
        self.overwrites = True
        self.elsewhere = False
        self.changes = Choice.DISCARD
        self.runs_without = True
        self.deletes = True
        self.leaves = True  # what was typed and is no value
        self.open_from: Path | None = None
        self.shared_from: Path | None = None
        self.patch_from: Path | None = None
        self.discards = True  # changes over a copy
        self.save_to: Path | None = folder / "saved.stepwell.json"
        self.export_to: Path | None = folder / "output.md"

    def shared_path(self) -> Path | None:
        self.asked.append("import a shared run")
        return self.shared_from

    def trust(self, folder: str) -> bool:
        self.asked.append(f"trust {folder}")
        return self.trusts

    def save_changes(self, name: str) -> Choice:
        self.asked.append(f"save {name}")
        return self.changes

    def leave_typed(self, name: str, typed: Sequence[str]) -> bool:
        self.asked.append(f"leave {', '.join(typed)}")
        return self.leaves

    def run_without(self, typed: Sequence[str], instead: str) -> bool:
        self.asked.append(f"run with {instead} without: {'; '.join(typed)}")
        return self.runs_without

    def delete_runs(self, number: int, what_goes: str) -> bool:
        self.asked.append(f"delete {number}: {what_goes}")
        return self.deletes

    def recover(self, found: Sequence[Version]) -> tuple[Recovery, frozenset[int]]:
        self.asked.append(
            f"recover {', '.join(version.title.split(' · ')[0] for version in found)}"
        )
        self.versions = list(found)
        return self.recovery, frozenset(range(len(found)))

    def choose_backup(self, name: str, backups: Sequence[Version]) -> int | None:
        self.asked.append(f"backup of {name}")
        self.versions = list(backups)
        return self.backup

    def compare(self, title: str, version: Version) -> None:
        self.asked.append("compare")
        self.versions = [version]

    def take_over(self, name: str, version: Version) -> bool:
        self.asked.append(f"take over {name}")
        self.versions = [version]
        return self.overwrites

    def save_elsewhere(self, name: str, why: str) -> bool:
        self.told.append((f"{name} cannot be saved", why))
        return self.elsewhere

    def overwrite_changed(self, name: str) -> bool:
        self.asked.append(f"overwrite {name}")
        return self.overwrites

    def open_path(self) -> Path | None:
        self.asked.append("open")
        return self.open_from

    def patch_path(self) -> Path | None:
        self.asked.append("patch")
        return self.patch_from

    def discard_changes(self, count: int) -> bool:
        self.asked.append(f"discard {count}")
        return self.discards

    def save_path(self, suggested: str) -> Path | None:
        self.asked.append(f"save as {suggested}")
        return self.save_to

    def export_path(self, suggested: str) -> Path | None:
        self.asked.append(f"export {suggested}")
        return self.export_to

    def tell(self, title: str, text: str) -> None:
        self.told.append((title, text))

    def inform(self, title: str, text: str) -> None:
        self.told.append((title, text))


class Hand:
    """Mouse and keyboard for a window, or for a workspace alone: `top` is shown and
    active.
    """

    def __init__(
        self, qtbot: QtBot, top: Window | Workspace, somebody: Somebody
    ) -> None:
        self.qtbot = qtbot
        self.top = top
        self.somebody = somebody

    @property
    def window(self) -> Window:
        assert isinstance(self.top, Window), "the fixture `desk` has no window"
        return self.top

    @property
    def workspace(self) -> Workspace:
        """The workspace alone, or the one in front."""
        if isinstance(self.top, Workspace):
            return self.top
        return self.top.workspace

    def new_document(self) -> Workspace:
        """A workspace with an empty document, in front."""
        if isinstance(self.top, Workspace):
            return self.top
        return self.top.new_document()

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        self.qtbot.mouseClick(
            widget, LEFT, PLAIN, at if at is not None else widget.rect().center()
        )

    def press(self, text: str, inside: QWidget | None = None) -> None:
        """Click the button with this text that can be seen."""
        self.click(self.button(text, inside))

    def button(self, text: str, inside: QWidget | None = None) -> QAbstractButton:
        buttons = (inside or self.top).findChildren(QAbstractButton)
        seen = [
            button for button in buttons if button.text() == text and button.isVisible()
        ]
        assert len(seen) == 1, (
            text,
            [button.text() for button in buttons if button.isVisible()],
        )
        return seen[0]

    def show(self, title: str) -> Panel:
        """Click the tab of a panel."""
        panel = self.workspace.panels[title]
        area = self.workspace.areas[panel.area]
        bar = area.tabBar()
        self.click(bar, bar.tabRect(area.indexOf(panel)).center())
        assert panel.isVisible()
        return panel

    def click_recent(self, place: int) -> None:
        """Click a row of the list of recent workflows."""
        table = self.window.start_page.table
        self.click(
            table.viewport(), table.visualItemRect(table.item(place, 0)).center()
        )

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = PLAIN) -> None:
        """A key to whatever has the focus."""
        self.qtbot.keyClick(QApplication.focusWidget() or self.top, key, modifiers)

    def type(self, text: str) -> None:
        self.qtbot.keyClicks(QApplication.focusWidget(), text)

    def drag(self, widget: QWidget, start: QPoint, end: QPoint, steps: int = 4) -> None:
        places = [start + (end - start) * step / steps for step in range(1, steps + 1)]
        self.mouse(widget, QEvent.Type.MouseButtonPress, start, LEFT, LEFT)
        for place in places:
            self.mouse(widget, QEvent.Type.MouseMove, place, NO_BUTTON, LEFT)
        self.mouse(widget, QEvent.Type.MouseButtonRelease, end, LEFT, NO_BUTTON)

    def hover(self, widget: QWidget, at: QPoint) -> None:
        self.mouse(widget, QEvent.Type.MouseMove, at, NO_BUTTON, NO_BUTTON)

    def mouse(
        self,
        widget: QWidget,
        kind: QEvent.Type,
        at: QPoint,
        button: Qt.MouseButton,
        held: Qt.MouseButton,
    ) -> None:
        event = QMouseEvent(
            kind, QPointF(at), QPointF(widget.mapToGlobal(at)), button, held, PLAIN
        )
        QApplication.sendEvent(widget, event)

    def wait(self, done: Callable[[], bool], timeout: int = HOST) -> None:
        self.qtbot.waitUntil(done, timeout=timeout)

    def wait_stopped(self, *reasons: str) -> None:
        """Until the run stands, for one of these reasons."""
        session = self.workspace.session

        def stands() -> bool:
            return (
                not session.running
                and session.stopped is not None
                and session.stopped.reason in reasons
            )

        self.wait(stands)

    def close(self) -> bool:
        return self.top.close()


@contextmanager
def opened(
    qtbot: QtBot,
    folder: Path,
    make_session: Callable[[], DebugSession] = DebugSession,
    theme: str = "light",
    *,
    painted: bool = True,
) -> Iterator[Hand]:
    """Open a window as `stepwell open` does. `STEPWELL_DATA_DIR` must be set.

    It waits for no disk. Without `painted` it has no style sheet and paints nothing.
    That is two thirds of the time of a test that looks at no pixel.
    """
    make_application()
    with pytest.MonkeyPatch.context() as patch:
        _be_quick(patch)
        if not painted:
            patch.setattr(Restyling, "start", _use_palette_alone)
        yield from _opened(qtbot, folder, make_session, theme, painted)


def _be_quick(patch: pytest.MonkeyPatch) -> None:
    """Wait for no disk, and leave the garbage to tests/conftest.py."""
    patch.setattr(os, "fsync", lambda _file: None)
    patch.setattr(garbage_collector, "freeze", lambda: None)
    patch.setattr(garbage_collector, "collect", lambda: None)


def _use_palette_alone(_restyling: Restyling, theme: Theme) -> None:
    QApplication.setPalette(palette(theme))


def _opened(
    qtbot: QtBot,
    folder: Path,
    make_session: Callable[[], DebugSession],
    theme: str,
    painted: bool,
) -> Iterator[Hand]:
    somebody = Somebody(folder)
    window = make_window(
        Settings(folder / "settings.json"), Look(theme), somebody, make_session
    )
    window.setUpdatesEnabled(painted)
    window.resize(1400, 900)
    window.show()
    qtbot.waitExposed(window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    hand = Hand(qtbot, window, somebody)
    try:
        yield hand
    finally:
        somebody.changes = Choice.DISCARD
        window.close()
        window.deleteLater()
        QApplication.processEvents()


@contextmanager
def workspace_alone(
    qtbot: QtBot, folder: Path, session: DebugSession
) -> Iterator[Hand]:
    """Show a workspace with no window around it: no menus, tabs, commands or files.

    It is not painted. `STEPWELL_DATA_DIR` must be set.
    """
    make_application()
    with pytest.MonkeyPatch.context() as patch:
        _be_quick(patch)
        yield from _workspace_alone(qtbot, folder, session)


def _workspace_alone(
    qtbot: QtBot, folder: Path, session: DebugSession
) -> Iterator[Hand]:
    somebody = Somebody(folder)
    session.trust = somebody.trust
    settings = Settings(folder / "settings.json")
    workspace = Workspace(Document(), session, settings, Look("light"))
    workspace.ask_run_without = somebody.run_without
    workspace.setUpdatesEnabled(False)
    workspace.resize(1400, 830)
    workspace.show()
    workspace.activateWindow()
    qtbot.waitUntil(workspace.isActiveWindow)
    workspace.canvas.setFocus()
    try:
        yield Hand(qtbot, workspace, somebody)
    finally:
        workspace.document.give_up()
        workspace.close()
        workspace.deleteLater()
        QApplication.processEvents()


# --- a run that a recording link plays -----------------------------------------------------------------


def link_of(workspace: Workspace) -> RecordingLink:
    link = workspace.session._link
    assert isinstance(link, RecordingLink)
    return link


def foresee(workspace: Workspace, *calls: OutsideCall, words: str = "") -> None:
    """The host says what going on from the viewed checkpoint would do outside."""
    link = link_of(workspace)
    checkpoint_id = link.last("restore_plan")["arguments"]["checkpoint_id"]
    plan = RestorePlanBody(checkpoint_id=checkpoint_id, calls=calls, words=words)
    link.reply("restore_plan", plan)


def draw(hand: Hand) -> Workspace:
    """A new document with a workflow in it."""
    workspace = hand.new_document()
    workspace.document.apply("Draw", design())
    return workspace


def live(hand: Hand, reason: str = "step", *, moving: bool = False) -> Workspace:
    """A drawn workflow with a run of three checkpoints that stands (or moves)."""
    workspace = draw(hand)
    link = link_of(workspace)
    workspace.session.run(stop_on_entry=True)
    link.reply("open", OpenBody(workflow="w"))
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.reply("start", StartBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=tuple(straight(3))))
    workspace.session.timeline.flush()
    if not moving:
        stand(workspace, reason)
    return workspace


def stand(
    workspace: Workspace,
    reason: str,
    number: int = 3,
    *,
    edges: dict[str, EdgeMoment] | None = None,
    **more: Any,
) -> None:
    """The run stops, in the words of the host."""
    link = link_of(workspace)
    stopped = StoppedBody(
        reason=reason,
        status="IDLE",
        superstep=number - 1,
        run_id="r1",
        checkpoint_id=f"c{number}",
        **more,
    )
    link.notice("stopped", stopped)
    link.reply(
        "inspect",
        Moment(header=header(number), superstep=number - 1, edges=edges or {}),
    )
