"""Files: opened, saved and closed without losing anything, and whatever goes wrong is
said in the living window.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication

from designer.document.journal import FOLDER
from designer.model import edits
from designer.model.files import load, save
from designer.shell.files.dialogs import Choice
from resources import examples
from runtime.system import user_folders
from tests.designer.panels.fakes import design

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "mine.stepwell.json"
    save(file, design())
    return file


def edit(workspace):
    drawn, _ = edits.add_node(workspace.document.design, "output", (400, 400))
    workspace.document.apply("Add Output", drawn)
    return workspace.document.design


def test_open_and_save_with_keys(hand, path):
    hand.somebody.open_from = path
    hand.key(Qt.Key.Key_O, CTRL)
    changed = edit(hand.workspace)
    assert hand.window.tabs.face(0).dot
    hand.key(Qt.Key.Key_S, CTRL)
    assert load(path) == changed
    assert not hand.window.tabs.face(0).dot
    assert hand.somebody.told == []


@pytest.mark.parametrize("typed", ["mine.stepwell.json", "below/../mine.stepwell.json"])
def test_a_path_that_was_typed_in_a_folder_is_remembered_whole_and_once(
    hand, path, monkeypatch, typed
):
    (path.parent / "below").mkdir()
    hand.window.files.open(path)
    hand.window.files.close(hand.workspace)
    monkeypatch.chdir(path.parent)
    hand.window.files.open(Path(typed))
    assert hand.workspace.document.path == path
    assert [entry.path for entry in hand.window.settings.values.recent] == [str(path)]


def test_a_new_document_asks_where_to_and_save_as_moves(hand, tmp_path):
    hand.key(Qt.Key.Key_N, CTRL)
    changed = edit(hand.workspace)
    hand.key(Qt.Key.Key_S, CTRL)
    assert hand.somebody.asked == ["save as Untitled.stepwell.json"]
    assert load(tmp_path / "saved.stepwell.json") == edits.set_workflow(
        changed, name="saved"
    )
    hand.somebody.save_to = tmp_path / "other.stepwell.json"
    hand.key(Qt.Key.Key_S, CTRL | SHIFT)
    assert hand.workspace.document.display_name == "other"
    assert [Path(entry.path).name for entry in hand.window.settings.values.recent] == [
        "other.stepwell.json",
        "saved.stepwell.json",
    ]


def test_a_shipped_example_is_never_written_over(hand):
    example = examples()[0].path
    before = example.read_bytes()
    hand.window.files.open(example)
    edit(hand.workspace)
    hand.key(Qt.Key.Key_S, CTRL)
    after = example.read_bytes()
    if after != before:
        example.write_bytes(before)  # the rule may be broken, the example may not
    assert hand.somebody.asked == ["save as licence_audit.stepwell.json"]
    assert after == before


def test_a_file_that_another_program_changed_is_not_overwritten_unasked(hand, path):
    hand.window.files.open(path)
    edit(hand.workspace)
    theirs = path.read_bytes() + b"\n"
    path.write_bytes(theirs)
    hand.somebody.overwrites = False
    hand.key(Qt.Key.Key_S, CTRL)
    assert (path.read_bytes(), hand.somebody.asked) == (theirs, ["overwrite mine"])
    assert not hand.workspace.document.is_clean


def test_a_place_that_is_none_is_told_and_nothing_is_lost(hand, path, tmp_path):
    hand.window.files.open(path)
    changed = edit(hand.workspace)
    hand.somebody.save_to = tmp_path / "no such folder" / "x.stepwell.json"
    hand.key(Qt.Key.Key_S, CTRL | SHIFT)
    assert "x.stepwell.json cannot be saved" in hand.somebody.told[0][0]
    assert (hand.workspace.document.design, hand.workspace.document.path) == (
        changed,
        path,
    )
    assert not hand.workspace.document.is_clean


def test_a_value_that_json_does_not_have_is_told_and_the_file_stays(hand, path):
    hand.window.files.open(path)
    before = path.read_bytes()
    document = hand.workspace.document
    document.apply("Input", edits.set_workflow(document.design, input=float("nan")))
    hand.key(Qt.Key.Key_S, CTRL)
    assert len(hand.somebody.told) == 1
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"format": 99}', b"\xff\xfe", b'{"workflow": {"nodes": 3}}'],
)
def test_a_broken_file_is_told_and_the_window_lives(hand, path, content):
    hand.window.files.open(path)
    broken = path.with_name("broken.stepwell.json")
    broken.write_bytes(content)
    hand.somebody.open_from = broken
    hand.key(Qt.Key.Key_O, CTRL)
    assert [title for title, _ in hand.somebody.told] == [
        "broken.stepwell.json cannot be opened"
    ]
    assert [workspace.document.path for workspace in hand.window.workspaces] == [path]
    assert broken.read_bytes() == content


def test_a_recent_file_that_is_gone_is_told_and_forgotten(hand, path):
    hand.window.files.open(path)
    hand.key(Qt.Key.Key_W, CTRL)
    path.unlink()
    hand.click_recent(0)
    assert "cannot be opened" in hand.somebody.told[0][0]
    assert hand.window.settings.values.recent == []


def test_the_same_file_is_opened_once(hand, path):
    first = hand.window.files.open(path)
    hand.key(Qt.Key.Key_N, CTRL)
    assert hand.window.files.open(path.parent / "." / path.name) is first
    assert hand.window.current is first
    assert len(hand.window.workspaces) == 2


@pytest.mark.parametrize(
    ("choice", "closed", "saved"),
    [
        (Choice.SAVE, True, True),
        (Choice.DISCARD, True, False),
        (Choice.CANCEL, False, False),
    ],
)
def test_closing_asks_when_there_are_changes(hand, path, choice, closed, saved):
    hand.window.files.open(path)
    changed = edit(hand.workspace)
    hand.somebody.changes = choice
    hand.key(Qt.Key.Key_W, CTRL)
    assert hand.somebody.asked == ["save mine"]
    assert (hand.window.workspaces == []) is closed
    assert (load(path) == changed) is saved


def test_a_save_that_fails_keeps_the_window_open(hand, tmp_path):
    hand.key(Qt.Key.Key_N, CTRL)
    changed = edit(hand.workspace)
    hand.somebody.changes = Choice.SAVE
    hand.somebody.save_to = tmp_path / "nowhere" / "x.stepwell.json"
    assert not hand.close()
    assert hand.workspace.document.design == changed
    assert hand.window.isVisible()


def test_cancel_at_the_second_of_two_closes_neither(hand, path):
    first = hand.window.files.open(path)
    hand.key(Qt.Key.Key_N, CTRL)
    edit(hand.workspace)
    hand.somebody.changes = Choice.CANCEL
    assert not hand.close()
    assert first in hand.window.workspaces


def test_the_cross_of_a_tab_closes_that_tab(hand, path):
    hand.window.files.open(path)
    hand.key(Qt.Key.Key_N, CTRL)
    tabs = hand.window.tabs
    hand.click(tabs, tabs.cross_rect(0).center())
    assert [workspace.document.path for workspace in hand.window.workspaces] == [None]
    hand.click(tabs, tabs.cross_rect(0).center())
    assert hand.window.current is None


def test_case_153_undo_acts_on_the_document_in_front(hand, path):
    first = hand.window.files.open(path)
    edit(first)
    hand.key(Qt.Key.Key_N, CTRL)
    second = hand.workspace
    edit(second)
    hand.key(Qt.Key.Key_Z, CTRL)
    assert (second.document.undo_stack.index(), first.document.undo_stack.index()) == (
        0,
        1,
    )
    hand.key(Qt.Key.Key_PageUp, CTRL)
    assert hand.window.current is first
    hand.key(Qt.Key.Key_Z, CTRL)
    assert first.document.undo_stack.index() == 0


def test_a_workflow_without_a_file_is_called_by_the_name_it_was_given_and_said_to_be_not_saved(
    hand, tmp_path
):
    hand.key(Qt.Key.Key_N, CTRL)
    document = hand.workspace.document
    tabs = hand.window.tabs
    assert (tabs.tabText(0).strip(), document.called) == ("Untitled", "Untitled")
    document.apply(
        "Rename workflow", edits.set_workflow(document.design, name="My audit")
    )
    assert tabs.tabText(0).strip() == "My audit (not saved)"
    assert hand.window.windowTitle().startswith("My audit (not saved) — ")
    hand.somebody.changes = Choice.CANCEL
    hand.key(Qt.Key.Key_W, CTRL)
    assert hand.somebody.asked == ["save My audit"]
    hand.key(Qt.Key.Key_S, CTRL)
    assert tabs.tabText(0).strip() == "saved"
    assert hand.window.windowTitle().startswith("saved — ")


def test_that_changes_are_not_protected_is_said_as_long_as_it_is_so(hand):
    hand.key(Qt.Key.Key_N, CTRL)
    workspace = hand.workspace
    banner = hand.workspace.banner
    folder = user_folders.data_dir() / FOLDER
    for left in folder.glob("*"):
        left.unlink()
    if folder.is_dir():
        folder.rmdir()
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way", "utf-8")
    for name in ("one", "two"):
        workspace.document.apply(
            "Rename", edits.set_workflow(workspace.document.design, name=name)
        )
        workspace.document.flush_journal()
        hand.workspace.canvas.tell("Something else is said meanwhile.")
        assert banner.isVisible()
        assert banner.text.startswith(
            "Changes are not protected against a crash: the recovery file cannot be written"
        )
    hand.press("Save", banner)
    assert hand.somebody.asked == ["save as two.stepwell.json"]
    folder.unlink()
    edit(workspace)
    workspace.document.flush_journal()
    assert banner.isHidden()


def test_the_start_page_leads_back_to_what_is_open(hand):
    hand.key(Qt.Key.Key_N, CTRL)
    workspace = hand.workspace
    hand.window.show_start_page()
    assert hand.window.current is None
    assert hand.window.tabs.isVisible()
    hand.click(hand.window.tabs, hand.window.tabs.tabRect(0).center())
    assert hand.window.current is workspace


def test_a_file_dropped_on_the_window_is_opened(hand, path):
    hand.key(Qt.Key.Key_N, CTRL)
    data = QMimeData()
    data.setUrls(
        [
            QUrl.fromLocalFile(str(path)),
            QUrl.fromLocalFile(str(path.with_name("a.txt"))),
        ]
    )
    copy = Qt.DropAction.CopyAction
    left = Qt.MouseButton.LeftButton
    plain = Qt.KeyboardModifier.NoModifier
    over = hand.workspace.canvas.viewport()
    QApplication.sendEvent(
        over, QDragEnterEvent(QPoint(90, 90), copy, data, left, plain)
    )
    QApplication.sendEvent(over, QDropEvent(QPointF(90, 90), copy, data, left, plain))
    assert hand.workspace.document.path == path
    assert len(hand.window.workspaces) == 2


def test_a_store_is_opened_like_any_file_to_be_looked_into(hand, tmp_path):
    path = tmp_path / "runs.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE any (one)")
    workspace = hand.window.files.open(path)
    assert workspace.session.looks_only
    assert workspace.document.title == "runs.db"
    hand.window.new_document()
    assert hand.window.files.open(path) is workspace
    assert hand.window.current is workspace
    assert hand.somebody.told == []
