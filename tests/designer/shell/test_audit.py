"""Every widget of the window has a name and, where it has no words, a tip with its
keys; Tab and F6 lead everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QDialog,
    QToolButton,
    QWidget,
)

from designer.look.theme import Look
from designer.panels.code.window import CodeWindow, SourceWindow
from designer.session.store_process import StoreProcess
from designer.shell.attach.attach_dialog import AttachDialog
from designer.shell.files.dialogs import MessageBox, Questions
from designer.shell.files.versions import Version, VersionDialog
from designer.shell.find.command_palette import CommandPalette
from designer.shell.help.page import HelpPage
from designer.shell.help.tour import Tour
from designer.shell.keys.cheat_sheet import ShortcutList
from designer.shell.keys.dialog import KeyDialog
from designer.shell.runs.change_dialog import ChangeDialog
from designer.shell.runs.outside_dialog import OutsideDialog
from designer.shell.runs.pin_dialog import PinDialog
from designer.shell.settings.editor_dialog import EditorDialog
from designer.shell.sharing.bundle_dialog import BundleDialog, Fault
from designer.shell.sharing.share_dialog import ShareDialog, Shown
from designer.shell.stores.runs_dialog import RunsDialog
from designer.shell.stores.store_dialog import StoreDialog
from designer.shell.undo_list import UndoList
from designer.shell.workspace import Workspace
from resources import examples
from runtime.debug.protocol import OutsideCall, PinnedResult, RestorePlanBody
from runtime.nodes import catalogue
from tests.designer.fakes import RecordingLink, header
from tests.designer.shell.audit import faults, name_of
from tests.designer.shell.support import Hand, live

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def workspace(hand: Hand) -> Workspace:
    """The licence audit, being edited, with the node types that a host would send."""
    hand.window.files.open(
        next(example.path for example in examples() if example.name == "licence_audit")
    )
    workspace = hand.workspace
    workspace.session.catalogue.infos = {
        info.type: info for info in catalogue().infos()
    }
    workspace.session.catalogue_ready.emit()
    workspace.canvas.setFocus()
    return workspace


def faults_of_panels(hand: Hand) -> set[str]:
    found = set()
    for title in hand.workspace.panels:
        hand.workspace.show_panel(title)
        QApplication.processEvents()
        found |= faults(hand.window)
    return found


def test_the_rules_find_what_breaks_them(qtbot) -> None:
    root = QWidget()
    qtbot.addWidget(root)
    QToolButton(root).setFixedSize(20, 20)
    root.show()
    assert len(faults(root)) == 2  # no name, and no words with no tip


def test_the_start_page(hand: Hand) -> None:
    assert faults(hand.window) == set()


@pytest.mark.painted  # a row of a tree has a size when it was painted
def test_editing_with_the_form_of_every_node_and_edge(
    hand: Hand, workspace: Workspace
) -> None:
    found = faults_of_panels(hand)
    workflow = workspace.document.design.workflow
    for thing in (*workflow.nodes, *workflow.edges):
        workspace.document.select({thing.id})
        QApplication.processEvents()
        found |= faults(hand.window)
    assert found == set()


def test_the_form_of_every_node_type(hand: Hand, workspace: Workspace) -> None:
    found = set()
    for type in workspace.session.infos:
        workspace.document.select({workspace.canvas.commands.add_node(type)})
        QApplication.processEvents()
        found |= faults(hand.window)
    assert found == set()


def test_a_live_run_and_its_past(hand: Hand) -> None:
    workspace = live(hand)
    found = faults_of_panels(hand)
    workspace.session.view("c1")
    assert found | faults_of_panels(hand) == set()


def shared_run_dialogs(hand: Hand) -> Iterator[QWidget]:
    sharing = hand.window.sharing
    sharing.make_process = lambda: StoreProcess(RecordingLink())
    sharing.ask_receive(Path("x.stepwell-run"))
    assert sharing.dialog is not None
    yield sharing.dialog
    sharing.dialog.close()
    shown = Shown("sqlite:x.db", header(2), "#2, superstep 1", 1, forked=False)
    share = ShareDialog(
        Look("light"),
        hand.window,
        shown,
        sharing.make_process(),
        lambda _name: None,
        lambda _file, _body: None,
    )
    share.open()
    yield share
    share.close()
    bundles = hand.window.bundles
    bundle = BundleDialog(
        Look("light"),
        hand.window,
        Fault("sqlite:x.db", "c2", "#2, superstep 1"),
        sharing.make_process(),
        Path(),
        bundles._trust,
        bundles._is_trusted,
        lambda _place: None,
    )
    bundle.open()
    yield bundle
    bundle.close()


def dialogs(hand: Hand) -> Iterator[QWidget]:
    """Every dialog and popup that is not asked for its answer, one at a time."""
    window = hand.window
    shown = {
        KeyDialog: window.change_shortcuts,
        EditorDialog: window.choose_editor,
        ShortcutList: window.show_shortcuts,
        UndoList: window.show_history,
        HelpPage: window.show_help,
        CommandPalette: window.show_commands,
        Tour: window.show_tour,
        RunsDialog: window.show_runs,
        StoreDialog: window.open_store,
        AttachDialog: window.attach,
    }
    for kind, show in shown.items():
        show()
        found = window.findChild(kind)
        assert found is not None
        yield found
        found.close()
    for ask in (
        lambda: window.exchange.ask_export(hand.workspace),
        window.exchange.ask_import,
    ):
        ask()
        assert window.exchange.dialog is not None
        yield window.exchange.dialog
        window.exchange.dialog.close()
    yield from shared_run_dialogs(hand)
    places = [("#1, superstep 0 of main", "c1")]
    workspace = hand.workspace
    changed = ChangeDialog(workspace.session, Look("light"), places, workspace)
    changed.open()
    yield changed
    changed.close()
    yield from result_dialogs(workspace)
    for code in (
        CodeWindow(Look("light"), window, "Code of the node", "python", "x = 1"),
        SourceWindow(
            Look("light"),
            window,
            Path("steps.py"),
            "x = 1\n",
            1,
            lambda _path, _line: "",
        ),
    ):
        code.show()
        yield code
        code.close()
    hand.workspace.canvas.quick_add(QPoint(300, 200))
    popup = hand.workspace.canvas.popup
    assert popup is not None
    yield popup
    hand.workspace.canvas.node_search.close()


def result_dialogs(workspace: Workspace) -> Iterator[QDialog]:
    look = Look("light")
    call = OutsideCall(
        executor="rank", mode="live", what="request", reason="it is", is_unasked=True
    )
    plan = RestorePlanBody(checkpoint_id="c1", calls=(call,), words="1 live: request.")
    session = workspace.session
    outside = OutsideDialog(
        session, look, "c1", "Restore here", workspace, workspace.pinning.title_of
    )
    outside.show_plan(plan)
    result = PinnedResult(sent=({"status": 200, "body": "fine"}, [1]), writes={"a": 1})
    pin = PinDialog(
        "Fetch", result, "A note.", look, workspace, is_pinned=True, in_new_runs=False
    )
    for dialog in (outside, pin):
        dialog.open()
        yield dialog
        dialog.close()


def test_dialogs_and_popups(hand: Hand, workspace: Workspace) -> None:
    # those two are `test_questions`
    found = set()
    kinds = {MessageBox, VersionDialog}
    for dialog in dialogs(hand):
        QApplication.processEvents()
        kinds.add(type(dialog))
        found |= faults(dialog)
        if isinstance(dialog, QDialog) and dialog.isWindow():
            assert dialog.windowTitle()
    assert found == set()
    assert kinds >= set(leaves(QDialog)), (
        "a dialog that is not looked at: add it to `dialogs`"
    )


def leaves(kind: type) -> Iterator[type]:
    """The dialogs of ours that no other is derived from."""
    for derived in kind.__subclasses__():
        if not derived.__subclasses__() and derived.__module__.startswith("designer."):
            yield derived
        yield from leaves(derived)


def test_questions(hand: Hand) -> None:
    questions = Questions(hand.window, Look("light"))
    found = []

    def look() -> None:
        asked = QApplication.activeModalWidget()
        assert isinstance(asked, QDialog)
        found.append(
            (asked.windowTitle(), faults(asked), asked.focusWidget() is not None)
        )
        asked.reject()

    version = Version("Of today", lambda: "Two nodes more")
    for ask in (
        lambda: questions.trust("/a/folder"),
        lambda: questions.save_changes("audit"),
        lambda: questions.recover([version]),
        lambda: questions.choose_backup("audit", [version, version]),
        lambda: questions.compare("What differs", version),
        lambda: questions.save_elsewhere("audit", "The disk is full"),
        lambda: questions.overwrite_changed("audit"),
        lambda: questions.tell("It failed", "Because"),
        lambda: questions.inform("About", "This"),
    ):
        QTimer.singleShot(0, look)
        ask()
    assert len(found) == 9
    assert [
        (title, broken) for title, broken, _focus in found if not title or broken
    ] == []
    assert all(focus for _title, _broken, focus in found)  # keys go somewhere at once


def test_the_keys_for_areas_lead_round_the_window_and_back(
    hand: Hand, workspace: Workspace
) -> None:
    """Four parts, each another; the same way back."""

    def area() -> str:
        focused = hand.window.focusWidget()
        names = {"canvas": workspace.canvas, **workspace.areas}
        return next(
            name
            for name, part in names.items()
            if part is focused or part.isAncestorOf(focused)
        )

    there = []
    for _ in range(4):
        hand.key(Qt.Key.Key_F6, CTRL)
        there.append(area())
    assert there[-1] == "canvas"
    assert set(there) == {"canvas", "right-edit", "bottom", "left"}
    back = []
    for _ in range(4):
        hand.key(Qt.Key.Key_F6, CTRL | SHIFT)
        back.append(area())
    assert back == [*there[-2::-1], "canvas"]


def test_a_part_in_which_nothing_takes_keys_gives_them_to_its_tabs(hand: Hand) -> None:
    """Most panels of a run have only words to show until it has answered."""
    workspace = live(hand)
    workspace.session.view("c1")
    workspace.show_panel("Messages")
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_F6, CTRL)
    tabs = workspace.areas["right-debug"].tabBar()
    assert hand.window.focusWidget() is tabs
    before = tabs.currentIndex()
    hand.key(Qt.Key.Key_Right)
    assert tabs.currentIndex() == before + 1


@pytest.mark.parametrize("mode", ["edit", "past"])
def test_tab_comes_only_to_what_is_seen_and_has_a_name(
    hand: Hand, mode: str, request: pytest.FixtureRequest
) -> None:
    if mode == "edit":
        workspace = request.getfixturevalue("workspace")
        workspace.document.select({workspace.document.design.workflow.nodes[1].id})
    else:
        live(hand)
        hand.workspace.session.view("c1")
    QApplication.processEvents()
    hand.key(Qt.Key.Key_F6, CTRL)  # out of the canvas, where Tab adds a node
    met: list[QWidget] = []
    for _ in range(120):
        hand.key(Qt.Key.Key_Tab)
        focused = hand.window.focusWidget()
        if focused is hand.workspace.canvas:
            break
        met.append(focused)
        assert focused.isVisible()
        if isinstance(focused, QAbstractScrollArea):
            seen = focused.viewport()
        else:
            seen = focused
        assert not seen.visibleRegion().isEmpty(), name_of(focused)
        assert name_of(focused)
    assert len(set(map(id, met))) > 5
