"""Nothing is lost in the window: backups, what happens on disk, other windows, and
places that cannot be written.
"""

from __future__ import annotations

import os
import resource
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from designer.document.document import Document
from designer.document.journal import JournalEntry
from designer.model import edits
from designer.model.files import load, save
from designer.shell.files.dialogs import Choice
from tests.designer.panels.fakes import design
from tests.designer.shell.support import Hand

# The command palette raises itself and takes the keyboard, which the offscreen platform
# cannot.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "mine.stepwell.json"
    save(file, design())
    return file


def add(document: Document, name: str) -> None:
    drawn, _ = edits.add_node(document.design, "output", (400, 400), node_id=name)
    document.apply("Add Output", drawn)


def choose(hand: Hand, command: str) -> None:
    """By the command palette, as with the keyboard alone."""
    hand.key(Qt.Key.Key_P, CTRL | SHIFT)
    hand.type(command)
    hand.key(Qt.Key.Key_Return)


@contextmanager
def full_disk() -> Iterator[None]:
    """No file grows beyond 64 bytes, for root neither."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def plain_user() -> Iterator[None]:
    """Root writes everywhere: for a while somebody else asks."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if me == 0:
            os.seteuid(me)


# --- backups ------------------------------------------------------------------------------------------------------


def test_an_earlier_version_comes_back_by_the_command_and_goes_by_undo(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    document = hand.workspace.document
    first = hand.workspace.document.design
    add(document, "later")
    hand.key(Qt.Key.Key_S, CTRL)
    second = document.design
    choose(hand, "Restore a backup")
    assert hand.somebody.asked == ["backup of mine"]
    assert "replaced by a save" in hand.somebody.versions[0].title
    assert "1 node removed: later" in hand.somebody.versions[0].details()
    assert document.design == first
    assert not document.is_clean
    hand.key(Qt.Key.Key_Z, CTRL)
    assert (document.design, load(path), document.is_clean) == (second, second, True)


def test_where_there_is_no_backup_the_command_says_when_there_is_one(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    choose(hand, "Restore a backup")
    assert "whenever a save replaces" in hand.somebody.told[0][1]


def test_what_was_discarded_at_the_end_is_among_the_backups(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    add(hand.workspace.document, "unsaved")
    wanted = hand.workspace.document.design
    hand.somebody.changes = Choice.DISCARD
    hand.key(Qt.Key.Key_W, CTRL)
    hand.window.files.open(path)
    choose(hand, "Restore a backup")
    assert "discarded" in hand.somebody.versions[0].title
    assert hand.workspace.document.design == wanted


def test_a_saved_drawing_whose_file_is_gone_is_among_the_backups_when_its_tab_is_closed(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    content = path.read_bytes()
    path.unlink()
    hand.key(Qt.Key.Key_W, CTRL)
    assert hand.somebody.asked == []
    path.write_bytes(b"{}")
    hand.window.files.open(path)
    assert hand.workspace.document.earlier_versions()[0].file.read_bytes() == content


def test_a_backup_that_cannot_be_read_says_so_and_changes_nothing(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    document = hand.workspace.document
    path.write_text("{ of another program", "utf-8")
    add(document, "x")
    hand.key(Qt.Key.Key_S, CTRL)
    before = document.design
    choose(hand, "Restore a backup")
    assert "cannot be read" in hand.somebody.versions[0].details()
    assert "Not valid JSON" in hand.somebody.told[0][1]
    assert document.design == before


# --- recovery -----------------------------------------------------------------------------------------------------


def left_behind(tmp_path: Path, path: Path | None, name: str) -> JournalEntry:
    drawn, _ = edits.add_node(design(), "output", (0, 0), node_id=name)
    file = tmp_path / f"{name}.journal"
    file.write_text("left", "utf-8")
    return JournalEntry(file, path, "mine", 1, 2e9, drawn)


def test_two_windows_that_died_over_one_file_are_both_recovered(
    hand: Hand, path: Path, tmp_path: Path
) -> None:
    hand.window.files.open(path)  # as when it was named on the command line
    entries = [left_behind(tmp_path, path, name) for name in ("one", "two")]
    for entry in entries:
        hand.window.files._recover(entry)
    assert [workspace.document.path for workspace in hand.window.workspaces] == [
        path,
        None,
    ]
    assert [workspace.document.design for workspace in hand.window.workspaces] == [
        entry.design for entry in entries
    ]
    assert not any(entry.file.exists() for entry in entries)


# --- changes on disk ----------------------------------------------------------------------------------------------


def theirs(path: Path, document: Document) -> object:
    """Another program writes the file, and the window looks."""
    other = edits.add_node(document.design, "output", (8, 8), node_id="theirs")[0]
    save(path, other)
    return other


def test_a_change_on_disk_is_shown_compared_and_reloaded(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    workspace = hand.workspace
    mine = hand.workspace.document.design
    other = theirs(path, workspace.document)
    hand.wait(workspace.banner.isVisible)  # nobody has to ask for it
    assert "Changed on disk" in workspace.banner.text
    hand.press("Compare", workspace.banner)
    assert "1 node added: theirs" in hand.somebody.versions[0].details()
    hand.press("Reload", workspace.banner)
    assert (workspace.document.design, workspace.document.is_clean) == (other, True)
    assert workspace.banner.isHidden()
    hand.key(Qt.Key.Key_Z, CTRL)
    assert workspace.document.design == mine


def test_keeping_ones_own_replaces_the_other_at_the_next_save_and_keeps_it(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    workspace = hand.workspace
    mine = hand.workspace.document.design
    other = theirs(path, workspace.document)
    workspace.watch.look()
    hand.press("Keep mine", workspace.banner)
    assert workspace.banner.isHidden()
    assert not workspace.document.is_clean
    hand.key(Qt.Key.Key_S, CTRL)
    assert (load(path), hand.somebody.asked) == (mine, [])
    assert load(workspace.document.earlier_versions()[0].file) == other


def test_a_file_that_was_removed_is_saved_again(hand: Hand, path: Path) -> None:
    hand.window.files.open(path)
    workspace = hand.workspace
    path.unlink()
    workspace.watch.look()
    assert "Removed from disk" in workspace.banner.text
    hand.press("Save again", workspace.banner)
    assert load(path) == workspace.document.design
    assert (workspace.banner.isHidden(), hand.somebody.asked) == (True, [])


def test_a_change_that_cannot_be_read_is_told_and_nothing_changes(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    workspace = hand.workspace
    mine = hand.workspace.document.design
    path.write_text('{"format": 99}', "utf-8")
    workspace.watch.look()
    hand.press("Compare", workspace.banner)
    assert "format 99" in hand.somebody.versions[0].details()
    hand.press("Reload", workspace.banner)
    assert "cannot be reloaded" in hand.somebody.told[0][0]
    assert (workspace.document.design, workspace.banner.isVisible()) == (mine, True)
    assert path.read_text("utf-8") == '{"format": 99}'


# --- two windows --------------------------------------------------------------------------------------------------


def test_the_second_window_on_a_file_is_told_and_neither_overwrites_the_other_unasked(
    hand: Hand, path: Path
) -> None:
    first = Document()  # of another window
    first.open(path)
    hand.window.files.open(path)
    workspace = hand.workspace
    assert "Also open in another window" in workspace.banner.text
    hand.press("Dismiss", workspace.banner)
    assert workspace.banner.isHidden()
    add(first, "first")
    first.save()
    add(workspace.document, "second")
    hand.somebody.overwrites = False
    hand.key(Qt.Key.Key_S, CTRL)
    assert hand.somebody.asked == ["overwrite mine"]
    assert load(path) == first.design
    hand.somebody.overwrites = True
    hand.key(Qt.Key.Key_S, CTRL)
    assert load(workspace.document.earlier_versions()[0].file) == first.design
    assert first.disk_news() == "changed"
    first.close()


def test_a_file_that_another_tab_has_open_is_no_place_to_save(
    hand: Hand, path: Path
) -> None:
    hand.window.files.open(path)
    before = path.read_bytes()
    hand.key(Qt.Key.Key_N, CTRL)
    add(hand.workspace.document, "x")
    hand.somebody.save_to = path
    hand.key(Qt.Key.Key_S, CTRL)
    assert "open in another tab" in hand.somebody.told[0][1]
    assert (path.read_bytes(), hand.workspace.document.path) == (before, None)


# --- places that cannot be written --------------------------------------------------------------------------------


def test_a_read_only_file_is_saved_elsewhere(
    hand: Hand, path: Path, tmp_path: Path
) -> None:
    before = path.read_bytes()
    path.chmod(0o444)
    hand.window.files.open(path)
    add(hand.workspace.document, "x")
    hand.somebody.elsewhere = True
    hand.key(Qt.Key.Key_S, CTRL)
    assert "read-only" in hand.somebody.told[0][1]
    assert path.read_bytes() == before
    assert load(tmp_path / "saved.stepwell.json") == hand.workspace.document.design
    assert hand.workspace.document.is_clean


def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_lost(
    hand: Hand,
) -> None:
    # pytest's own can be entered by nobody else
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mine.stepwell.json")
        save(path, design())
        before = path.read_bytes()
        path.chmod(0o666)
        path.parent.chmod(0o555)
        hand.window.files.open(path)
        add(hand.workspace.document, "x")
        changed = hand.workspace.document.design
        with plain_user():
            hand.key(Qt.Key.Key_S, CTRL)
        assert "mine.stepwell.json cannot be saved" in hand.somebody.told[0][0]
        assert (hand.workspace.document.design, hand.workspace.document.is_clean) == (
            changed,
            False,
        )
        assert path.read_bytes() == before
        path.parent.chmod(0o755)
        hand.key(Qt.Key.Key_S, CTRL)
        assert load(path) == changed
        hand.key(Qt.Key.Key_W, CTRL)


def test_case_147_a_full_disk_leaves_the_old_file_whole(hand: Hand, path: Path) -> None:
    hand.window.files.open(path)
    add(hand.workspace.document, "x")
    changed = hand.workspace.document.design
    before = path.read_bytes()
    with full_disk():
        hand.key(Qt.Key.Key_S, CTRL)
        hand.workspace.document.flush_journal()
    assert "File too large" in hand.somebody.told[0][1]
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.glob(".*.tmp")] == []
    assert (hand.workspace.document.design, hand.workspace.document.is_clean) == (
        changed,
        False,
    )
    hand.key(Qt.Key.Key_S, CTRL)
    assert load(path) == changed


# --- what a newer program wrote -----------------------------------------------------------------------------------


def test_case_144_unknown_fields_and_types_outlive_edits_in_the_window(
    hand: Hand, path: Path
) -> None:
    drawn = design()
    nodes = tuple(
        node.model_copy(
            update={
                "type": "of a plugin",
                "params": {"deep": [{"x": 1}]},
                "colour": "red",
            }
        )
        for node in drawn.workflow.nodes[:1]
    )
    workflow = drawn.workflow.model_copy(
        update={"nodes": (*nodes, *drawn.workflow.nodes[1:]), "owner": "me"}
    )
    save(
        path,
        replace(
            drawn, workflow=workflow, extra={"tool": [1]}, layout_extra={"zoom": 2}
        ),
    )
    hand.window.files.open(path)
    document = hand.workspace.document
    key = nodes[0].id
    hand.workspace.canvas.setFocus()
    document.select({key})
    hand.key(Qt.Key.Key_Right, CTRL)
    hand.key(Qt.Key.Key_F2)
    field = hand.workspace.focusWidget()
    assert isinstance(field, QLineEdit)
    hand.type("Named")
    hand.key(Qt.Key.Key_Return)
    hand.key(Qt.Key.Key_S, CTRL)
    saved = load(path)
    node = saved.workflow.node(key)
    assert node is not None
    assert (node.type, node.params, node.model_extra) == (
        "of a plugin",
        {"deep": [{"x": 1}]},
        {"colour": "red"},
    )
    assert saved.workflow.model_extra == {"owner": "me"}
    assert (saved.extra, saved.layout_extra) == ({"tool": [1]}, {"zoom": 2})
    assert saved.positions[key] != drawn.positions[key]
    assert "Named" in node.name
