"""Sets of shortcuts of other programs; a person's own keys on top; keys of the canvas
and timeline are like others.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from designer.shell.keys.cheat_sheet import ShortcutList
from designer.shell.keys.dialog import KeyDialog
from designer.shell.keys.presets import PRESETS
from designer.shell.keys.rows import Keys, commands, refusal
from designer.shell.settings.settings import Settings
from tests.designer.shell.support import draw, live, opened

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
PLAIN = Qt.KeyboardModifier.NoModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


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


def choose_preset(hand, dialog, name):
    """By the keyboard, one after the other."""
    for _ in range(list(PRESETS).index(name) - dialog.preset.currentIndex()):
        hand.qtbot.keyClick(dialog.preset, Qt.Key.Key_Down)
    assert dialog.preset.currentData() == name


def press(hand, dialog, id, key, modifiers=PLAIN):
    dialog.choose(id)
    hand.qtbot.keyClick(dialog.keys, key, modifiers)


def shortcuts(hand, id):
    return [keys.toString() for keys in hand.window.actions_by_id[id].shortcuts()]


@pytest.mark.parametrize("name", PRESETS)
def test_no_key_of_a_set_means_two_things_at_one_place(name):
    keys = Keys({}, name)
    users = [
        (key, one.id, keys.user_of(key, one))
        for one in commands()
        for key in keys.of(one.id)
    ]
    assert [clash for clash in users if clash[2] is not None] == []


@pytest.mark.parametrize("name", PRESETS)
def test_a_set_names_only_commands_that_exist_and_keys_that_they_can_have(name):
    known = {command.id: command for command in commands()}
    assert PRESETS[name].keys.keys() <= known.keys()
    for id, keys in PRESETS[name].keys.items():
        assert [refusal(known[id], one) for one in keys] == [""] * len(keys)


def test_ids_of_commands_are_unique():
    ids = [command.id for command in commands()]
    assert len(ids) == len(set(ids))


def test_a_set_is_chosen_shown_in_tips_and_the_sheet_and_kept(hand, dialog, tmp_path):
    choose_preset(hand, dialog, "jetbrains")
    assert shortcuts(hand, "superstep") == ["F8"]
    assert "(F8)" in hand.window.toolbar.buttons["superstep"].toolTip()
    assert hand.window.actions_by_id["layout-organic"].shortcuts() == []
    close(hand)
    hand.workspace.canvas.setFocus()
    hand.type("?")
    sheet = hand.window.findChild(ShortcutList)
    assert "JetBrains" in sheet.windowTitle()
    hand.qtbot.keyClicks(sheet.search, "superstep f8")
    assert sheet.shown == ["Superstep"]
    sheet.close()
    assert Settings(tmp_path / "settings.json").values.preset == "jetbrains"
    with opened(hand.qtbot, tmp_path) as other:
        assert other.window.actions_by_id["superstep"].shortcut().toString() == "F8"


def test_the_start_page_has_the_keys_of_the_settings_from_the_beginning(hand, tmp_path):
    hand.window.use_keys(Keys({"new": "F7"}))
    with opened(hand.qtbot, tmp_path) as other:
        assert other.window.start_page.new_button.toolTip() == "An empty canvas (F7)"


def test_own_keys_stay_on_top_of_every_set_and_who_lost_its_keys_is_said(hand, dialog):
    press(hand, dialog, "new", Qt.Key.Key_F8)
    choose_preset(hand, dialog, "jetbrains")
    assert (shortcuts(hand, "new"), shortcuts(hand, "superstep")) == (["F8"], [])
    dialog.choose("superstep")
    assert "F8 is now “New workflow” (File)." in dialog.says.text()
    assert dialog.table.item(dialog.table.currentRow(), 2).text() == "(taken)"
    hand.click(dialog.reset_all)
    assert (shortcuts(hand, "new"), shortcuts(hand, "superstep")) == (
        ["Ctrl+N"],
        ["F8"],
    )


def test_back_to_the_set_gives_the_keys_of_the_set_not_ours(hand, dialog):
    choose_preset(hand, dialog, "vscode")
    press(hand, dialog, "commands", Qt.Key.Key_F7)
    dialog.choose("commands")
    hand.click(dialog.reset)
    assert shortcuts(hand, "commands") == ["Ctrl+Shift+P", "F1", "Ctrl+P"]
    assert hand.window.settings.values.shortcuts == {}


def test_a_key_of_the_canvas_is_changed_and_acts(hand, dialog):
    canvas = hand.workspace.canvas
    press(hand, dialog, "canvas.invert-the-selection", Qt.Key.Key_Y)
    close(hand)
    canvas.setFocus()
    canvas.select(frozenset())
    hand.key(Qt.Key.Key_I, CTRL)
    assert canvas.selection == frozenset()
    hand.key(Qt.Key.Key_Y)
    assert canvas.selection


def test_a_command_of_the_menu_that_the_canvas_does_too_has_one_key(hand, dialog):
    canvas = hand.workspace.canvas
    document = hand.workspace.document
    press(hand, dialog, "duplicate", Qt.Key.Key_U, CTRL)
    close(hand)
    canvas.setFocus()
    canvas.select({document.design.workflow.nodes[0].id})
    before = len(document.design.workflow.nodes)
    hand.key(Qt.Key.Key_D, CTRL)
    assert len(document.design.workflow.nodes) == before
    hand.key(Qt.Key.Key_U, CTRL)
    assert len(document.design.workflow.nodes) == before + 1
    assert canvas.key_names["Ctrl+D"] == "Ctrl+U"


def test_a_letter_of_a_set_acts_on_the_canvas_and_is_text_in_a_field(hand, dialog):
    choose_preset(hand, dialog, "vfx")
    close(hand)
    workspace = hand.workspace
    workspace.canvas.setFocus()
    workspace.canvas.select({workspace.document.design.workflow.nodes[0].id})
    hand.key(Qt.Key.Key_D, SHIFT)
    assert hand.window.actions_by_id["duplicate"].text() == "Duplicate\tShift+D"
    made = len(workspace.document.design.workflow.nodes)
    workspace.rename()
    hand.type("Dx")
    assert len(workspace.document.design.workflow.nodes) == made
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_X)
    assert len(workspace.document.design.workflow.nodes) == made - 1


def test_tab_moves_on_from_the_canvas_when_it_adds_no_node_there(hand):
    canvas = draw(hand).canvas
    hand.window.use_keys(Keys({"add-node": "Shift+A"}))
    canvas.setFocus()
    hand.key(Qt.Key.Key_A, SHIFT)
    assert canvas.popup is not None
    canvas.node_search.close()
    canvas.setFocus()
    hand.key(Qt.Key.Key_Tab)
    assert canvas.popup is None
    assert hand.window.focusWidget() is not canvas


def test_keys_that_the_canvas_needs_are_refused_with_a_reason(hand, dialog):
    press(hand, dialog, "delete", Qt.Key.Key_Left)
    assert "has a fixed meaning on the canvas" in dialog.says.text()
    assert not dialog.take.isEnabled()


def test_a_letter_is_free_for_the_canvas_where_only_the_timeline_has_it(hand, dialog):
    press(hand, dialog, "canvas.invert-the-selection", Qt.Key.Key_T)
    assert dialog.bound.of("canvas.invert-the-selection") == ("T",)
    assert dialog.bound.of("timeline.tags-of-the-checkpoint") == ("T",)


def test_a_second_key_is_added_replaced_and_removed(hand, dialog):
    dialog.choose("new")
    dialog.slot.setCurrentIndex(1)
    hand.qtbot.keyClick(dialog.keys, Qt.Key.Key_F7)
    assert shortcuts(hand, "new") == ["Ctrl+N", "F7"]
    dialog.slot.setCurrentIndex(1)
    hand.qtbot.keyClick(dialog.keys, Qt.Key.Key_F8)
    assert shortcuts(hand, "new") == ["Ctrl+N", "F8"]
    dialog.slot.setCurrentIndex(0)
    hand.click(dialog.none)
    assert shortcuts(hand, "new") == ["F8"]


def test_keys_of_the_timeline_are_changed_and_act(hand):
    workspace = live(hand)
    hand.window.use_keys(
        Keys(
            {
                "timeline.first-checkpoint-of-the-branch": "Q",
                "timeline.checkpoint-before": "P",
            }
        )
    )
    panel = hand.show("Timeline")
    strip = panel.strip
    strip.setFocus()
    hand.key(Qt.Key.Key_Home)
    assert workspace.session.mode == "live"
    assert panel.back_button.toolTip() == "Checkpoint before (P)"
    hand.key(Qt.Key.Key_Q)
    assert workspace.session.viewing == "c1"


def test_the_sheet_of_shortcuts_opens_with_another_key(hand):
    draw(hand)
    hand.window.use_keys(Keys({"shortcuts": "Ctrl+/"}))
    hand.workspace.canvas.setFocus()
    hand.type("?")
    assert hand.window.findChild(ShortcutList) is None
    hand.key(Qt.Key.Key_Slash, CTRL)
    hand.window.findChild(ShortcutList).close()


def test_tips_and_reasons_name_the_present_keys(hand):
    draw(hand)
    keys = Keys({"edit": "F7", "zoom-in": "Ctrl+F7", "new": "", "add-node": "Shift+A"})
    hand.window.use_keys(keys)
    assert (
        keys.translated("Go back to editing first (Ctrl+E).")
        == "Go back to editing first (F7)."
    )
    assert hand.window.start_page.new_button.toolTip() == "An empty canvas"
    assert hand.workspace.canvas.zoom_bar.more.toolTip() == "Zoom in (Ctrl+F7)"
    assert hand.workspace.panels["Palette"].search.property("keyCap") == "Shift+A"
    assert "press Shift+A to search" in hand.workspace.canvas.hint.text.text()
    assert {"Shift+A", "Ctrl+Shift+P"} <= {
        label.text() for label in hand.window.start_page.findChildren(QLabel)
    }
    hand.window.use_keys(Keys({}))
    assert hand.window.start_page.new_button.toolTip() == "An empty canvas (Ctrl+N)"
    assert hand.workspace.panels["Palette"].search.property("keyCap") == "Tab"
    assert hand.workspace.canvas.zoom_bar.more.toolTip() == "Zoom in (Ctrl++)"


def test_settings_of_an_unknown_set_are_ours():
    assert Keys({"no-such-command": "F7"}, "of a newer version").of("run") == ("F5",)


@pytest.mark.parametrize(
    ("name", "begins"), [("keys.html", b"<!doctype html>"), ("keys.pdf", b"%PDF")]
)
def test_the_sheet_is_saved_to_be_printed(hand, tmp_path, name, begins):
    draw(hand)
    hand.type("?")
    sheet = hand.window.findChild(ShortcutList)
    hand.somebody.export_to = tmp_path / name
    hand.click(sheet.save_button)
    written = (tmp_path / name).read_bytes()
    assert written.startswith(begins)
    assert b"Superstep" in written or name.endswith("pdf")
    sheet.close()


def test_a_sheet_that_cannot_be_saved_is_told(hand, tmp_path):
    draw(hand)
    hand.type("?")
    sheet = hand.window.findChild(ShortcutList)
    hand.somebody.export_to = tmp_path / "missing" / "keys.html"
    hand.click(sheet.save_button)
    assert hand.somebody.told[0][0] == "The shortcuts cannot be saved"
    sheet.close()
