"""Shortcuts are changed by pressing them; what else has them is named and asked for;
resets bring ours back.
"""

import pytest
from PySide6.QtCore import Qt

from designer.shell.keys.cheat_sheet import ShortcutList
from designer.shell.keys.dialog import KeyDialog
from designer.shell.keys.rows import Keys
from designer.shell.settings.settings import Settings
from tests.designer.shell.support import draw

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def dialog(hand):
    draw(hand)
    hand.window.change_shortcuts()
    found = hand.window.findChild(KeyDialog)
    yield found
    close(hand)


def close(hand):
    left = hand.window.findChild(KeyDialog)
    if left is not None:
        left.close()
    hand.window.activateWindow()
    hand.wait(
        lambda: (
            hand.window.findChild(KeyDialog) is None and hand.window.isActiveWindow()
        )
    )


def keys(hand, id):
    return [keys.toString() for keys in hand.window.actions_by_id[id].shortcuts()]


def press(hand, dialog, id, key, modifiers):
    dialog.choose(id)
    hand.qtbot.keyClick(dialog.keys, key, modifiers)


def test_free_keys_are_used_at_once_and_after_a_restart(hand, dialog, tmp_path):
    press(hand, dialog, "new", Qt.Key.Key_N, CTRL | ALT)
    assert keys(hand, "new") == ["Ctrl+Alt+N"]
    assert Settings(tmp_path / "settings.json").values.shortcuts == {
        "new": "Ctrl+Alt+N"
    }
    close(hand)
    hand.window.workspace.canvas.setFocus()
    before = len(hand.window.workspaces)
    hand.key(Qt.Key.Key_N, CTRL | ALT)
    assert len(hand.window.workspaces) == before + 1


def test_keys_of_another_command_are_named_and_taken_only_when_asked_for(hand, dialog):
    press(hand, dialog, "new", Qt.Key.Key_S, CTRL)
    assert "“Save” (File)" in dialog.says.text()
    assert (keys(hand, "new"), keys(hand, "save")) == (["Ctrl+N"], ["Ctrl+S"])
    hand.click(dialog.take)
    assert (keys(hand, "new"), keys(hand, "save")) == (["Ctrl+S"], [])


def test_keys_of_the_canvas_are_named_too(hand, dialog):
    press(hand, dialog, "new", Qt.Key.Key_I, CTRL)
    assert "“Invert the selection” (Canvas)" in dialog.says.text()
    assert keys(hand, "new") == ["Ctrl+N"]


def test_a_second_key_goes_to_who_takes_it(hand, dialog):
    press(hand, dialog, "new", Qt.Key.Key_K, CTRL)
    hand.click(dialog.take)
    assert (keys(hand, "new"), keys(hand, "commands")) == (["Ctrl+K"], ["Ctrl+Shift+P"])


@pytest.mark.parametrize("key", [Qt.Key.Key_X, Qt.Key.Key_Home, Qt.Key.Key_Down])
def test_keys_that_fields_need_are_refused(hand, dialog, key):
    press(hand, dialog, "new", key, Qt.KeyboardModifier.NoModifier)
    assert "use Ctrl" in dialog.says.text()
    assert not dialog.take.isEnabled()
    assert keys(hand, "new") == ["Ctrl+N"]


def test_one_is_reset_and_all_are(hand, dialog):
    press(hand, dialog, "new", Qt.Key.Key_F7, Qt.KeyboardModifier.NoModifier)
    press(hand, dialog, "undo", Qt.Key.Key_F8, Qt.KeyboardModifier.NoModifier)
    dialog.choose("new")
    hand.click(dialog.reset)
    assert (keys(hand, "new"), keys(hand, "undo")) == (["Ctrl+N"], ["F8"])
    hand.click(dialog.reset_all)
    assert keys(hand, "undo") == ["Ctrl+Z"]
    assert hand.window.settings.values.shortcuts == {}


def test_a_reset_takes_nothing_from_another_unasked(hand, dialog):
    press(hand, dialog, "undo", Qt.Key.Key_F8, Qt.KeyboardModifier.NoModifier)
    press(hand, dialog, "new", Qt.Key.Key_Z, CTRL)
    assert keys(hand, "new") == ["Ctrl+Z"] or dialog.take.isEnabled()
    hand.click(dialog.take)
    dialog.choose("undo")
    hand.click(dialog.reset)
    assert "“New workflow”" in dialog.says.text()
    assert keys(hand, "new") == ["Ctrl+Z"]


def test_the_sheet_leads_to_the_dialog_and_shows_what_was_changed(hand):
    draw(hand)
    hand.window.use_keys(Keys({"superstep": "F9"}))
    hand.type("?")
    sheet = hand.window.findChild(ShortcutList)
    hand.qtbot.keyClicks(sheet.search, "superstep f9")
    assert sheet.shown == ["Superstep"]
    hand.click(sheet.change_button)
    hand.window.findChild(KeyDialog).close()


def test_keys_go_to_a_command_that_the_search_found(hand, dialog):
    hand.qtbot.keyClicks(dialog.search, "fit everything")
    assert dialog.command_label.text() == "Fit everything"
    hand.qtbot.keyClick(dialog.keys, Qt.Key.Key_9, CTRL | ALT)
    assert dialog.bound.changed == {"fit": "Ctrl+Alt+9"}


def test_where_the_search_finds_nothing_no_keys_can_be_given(hand, dialog):
    hand.qtbot.keyClicks(dialog.search, "no such command")
    assert not dialog.keys.isEnabled()
    dialog.search.clear()
    assert dialog.keys.isEnabled()
