"""Every command is reached in three ways, is off when it cannot be done, and says why."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QLineEdit

from designer.model.files import save
from designer.shell.actions import ACTIONS, MENUS
from designer.shell.find.command_palette import CommandPalette, rank
from designer.shell.keys.cheat_sheet import ShortcutList
from runtime.debug.protocol import HeaderBody, OpenBody
from tests.designer.fakes import header
from tests.designer.panels.fakes import design
from tests.designer.shell.support import draw, foresee, live, opened, stand

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
# A popup raises itself and grabs the keyboard, which the offscreen platform cannot.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
BY_ID = {spec.id: spec for spec in ACTIONS}


def enabled(hand):
    return {
        id_ for id_, action in hand.window.actions_by_id.items() if action.isEnabled()
    }


def test_ids_and_keys_are_unique_and_every_command_stands_in_a_menu():
    assert len(BY_ID) == len(ACTIONS)
    keys = [QKeySequence(spec.shortcut).toString() for spec in ACTIONS if spec.shortcut]
    assert len(set(keys)) == len(keys)
    assert all(spec.menu in MENUS for spec in ACTIONS)


def test_recent_workflows_stand_beside_open_and_quit_comes_last(hand):
    file = hand.window.menuBar().actions()[0].menu()
    texts = [action.text() for action in file.actions() if not action.isSeparator()]
    assert texts.index("Open recent") == texts.index("Open…") + 1
    assert texts[-1] == "Quit"


def test_recent_workflows_are_in_the_file_menu_alone(hand, tmp_path):
    path = tmp_path / "one.stepwell.json"
    save(path, design())
    hand.window.files.open(path)
    menus = {action.text(): action.menu() for action in hand.window.menuBar().actions()}
    recent = {
        name: action.menu()
        for name, menu in menus.items()
        for action in menu.actions()
        if action.text() == "Open recent"
    }
    assert list(recent) == ["File"]
    recent["File"].aboutToShow.emit()
    assert [action.text() for action in recent["File"].actions()] == [str(path)]


def test_without_a_document_only_what_makes_sense_is_on(hand):
    on = {
        "new",
        "open",
        "open-store",
        "attach",
        "import",
        "receive",
        "editor",
        "quit",
        "commands",
        "help",
        "guide",
        "tour",
        "change-shortcuts",
        "shortcuts",
        "about",
        "reset-layout",
        "reduce-motion",
    }
    assert enabled(hand) == on | {
        id_ for id_ in BY_ID if id_.startswith(("theme-", "scale-"))
    }


def test_what_is_off_says_why(hand):
    draw(hand)
    live(hand, "waiting")
    for spec in ACTIONS:
        action = hand.window.actions_by_id[spec.id]
        assert spec.text_in(hand.window).rstrip("…") in action.toolTip()
        if not action.isEnabled():
            assert spec.why(hand.window)
            assert spec.why(hand.window) in action.toolTip()


@pytest.mark.parametrize(
    ("reason", "on", "off"),
    [
        (
            "step",
            {"run", "superstep", "step-back", "edit"},
            {"pause", "stop", "undo", "delete", "layout", "restore"},
        ),
        ("waiting", {"step-back", "edit"}, {"run", "superstep", "pause", "stop"}),
        ("finished", {"run", "superstep", "edit"}, {"pause", "stop", "restore"}),
    ],
)
def test_a_run_that_stands(hand, reason, on, off):
    live(hand, reason)
    assert on <= enabled(hand)
    assert not off & enabled(hand)


def test_a_run_that_moves_can_be_held_and_nothing_else(hand):
    live(hand, moving=True)
    assert {"pause", "stop"} <= enabled(hand)
    assert not {"run", "superstep", "edit", "undo"} & enabled(hand)


def test_the_past_can_be_restored(hand):
    workspace = live(hand)
    hand.key(Qt.Key.Key_Left, ALT)
    assert (workspace.session.mode, workspace.session.viewing) == ("past", "c2")
    assert {"restore", "restore-choices", "back-to-live"} <= enabled(hand)
    hand.key(Qt.Key.Key_Return, CTRL | SHIFT)
    foresee(workspace)
    assert workspace.session._link.last("open")["arguments"]["document"] is not None
    workspace.session._link.reply("open", OpenBody(workflow="w"))
    assert workspace.session._link.last("restore")["arguments"]["checkpoint_id"] == "c2"


def test_superstep_in_the_past_looks_at_the_next_checkpoint_and_runs_nothing(hand):
    workspace = live(hand)
    workspace.session.view("c1")
    commands = len(workspace.session._link.sent)
    hand.key(Qt.Key.Key_F10)
    assert workspace.session.viewing == "c2"
    assert all(
        packet["command"] == "inspect"
        for packet in workspace.session._link.sent[commands:]
    )


def test_after_a_failure_run_restores_first_so_that_mended_code_is_taken(hand):
    workspace = live(hand, "failed")
    link = workspace.session._link
    hand.key(Qt.Key.Key_F5)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c3"
    assert "continue" not in link.commands
    stand(workspace, "restored")
    link.reply("restore", HeaderBody(header=header(4, parent="c3", cause="fork")))
    assert "continue" in link.commands


def test_a_menu_entry_a_key_and_the_palette_do_the_same(hand):
    hand.window.actions_by_id["new"].trigger()
    hand.key(Qt.Key.Key_N, CTRL)
    hand.key(Qt.Key.Key_P, CTRL | SHIFT)
    palette = hand.window.findChild(CommandPalette)
    hand.qtbot.keyClicks(palette.search, "new work")
    assert palette.found.item(0).text() == "New workflow"
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert len(hand.window.workspaces) == 3


def test_the_palette_finds_nodes_and_goes_there(hand):
    workspace = draw(hand)
    node = workspace.document.design.workflow.nodes[0]
    hand.click(hand.window.toolbar.field)
    palette = hand.window.findChild(CommandPalette)
    hand.qtbot.keyClicks(palette.search, node.title)
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Return)
    assert workspace.document.selection == {node.id}


def test_escape_leaves_the_palette_and_everything_as_it_was(hand):
    draw(hand)
    hand.window.show_commands()
    palette = hand.window.findChild(CommandPalette)
    hand.qtbot.keyClick(palette.search, Qt.Key.Key_Escape)
    hand.wait(lambda: hand.window.findChild(CommandPalette) is None)
    assert len(hand.window.workspaces) == 1


def test_better_matches_come_first():
    texts = ["Zoom in", "Stop", "Save as", "Superstep", "Step back"]
    assert sorted(
        filter(lambda text: rank("st", text) is not None, texts),
        key=lambda text: rank("st", text),
    ) == [
        "Stop",
        "Step back",
        "Superstep",
    ]
    assert rank("zzz", "Zoom") is None


@pytest.mark.parametrize(
    "key",
    [
        Qt.Key.Key_F,
        Qt.Key.Key_Delete,
        Qt.Key.Key_Home,
        Qt.Key.Key_Question,
        Qt.Key.Key_L,
    ],
)
def test_a_key_typed_into_a_text_field_is_text_and_no_command(hand, key):
    workspace = draw(hand)
    workspace.document.select({workspace.document.design.workflow.nodes[0].id})
    before = workspace.document.design
    zoom = workspace.canvas.zoom
    field = next(
        field
        for field in workspace.panels["Properties"].findChildren(QLineEdit)
        if field.isVisible()
    )
    field.setFocus()
    hand.qtbot.keyClick(field, key, text_modifiers(key))
    assert (workspace.document.design.workflow.nodes[0].id, workspace.canvas.zoom) == (
        before.workflow.nodes[0].id,
        zoom,
    )
    assert len(workspace.document.design.workflow.nodes) == len(before.workflow.nodes)
    assert hand.window.findChild(ShortcutList) is None


def text_modifiers(key):
    return SHIFT if key == Qt.Key.Key_Question else Qt.KeyboardModifier.NoModifier


def test_a_question_mark_on_the_canvas_lists_the_shortcuts(hand):
    draw(hand)
    hand.type("?")
    sheet = hand.window.findChild(ShortcutList)
    assert "Superstep" in sheet.shown
    hand.qtbot.keyClicks(sheet.search, "F10")
    assert sheet.shown == ["Superstep", "Run to here"]
    sheet.close()


def test_delete_on_the_canvas_is_the_command(desk):
    workspace = draw(desk)
    node = workspace.document.design.workflow.nodes[0].id
    workspace.document.select({node})
    desk.key(Qt.Key.Key_Delete)
    assert workspace.document.design.workflow.node(node) is None


def test_one_button_is_filled_the_one_to_press_now(hand):
    def filled():
        return [
            id_
            for id_, button in hand.window.toolbar.buttons.items()
            if button.property("primary")
        ]

    workspace = draw(hand)
    assert filled() == ["run"]
    workspace = live(hand, moving=True)
    assert filled() == ["pause"]
    stand(workspace, "step")
    assert filled() == ["run"]
    workspace.session.view("c1")
    assert filled() == []


def test_a_shortcut_of_the_settings_replaces_ours(qtbot, tmp_path, monkeypatch, hand):
    hand.window.settings.values.shortcuts["new"] = "Ctrl+Alt+N"
    hand.window.settings.write()
    with opened(qtbot, tmp_path) as other:
        assert other.window.actions_by_id["new"].shortcut().toString() == "Ctrl+Alt+N"


def test_escape_backs_out_of_the_past_one_level_at_a_time(hand):
    workspace = live(hand)
    workspace.session.view("c1")
    workspace.session.failed.emit("The checkpoint could not be restored", "it differs")
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Escape)
    assert (workspace.session.mode, "it differs" in workspace.banner.text) == (
        "past",
        False,
    )
    hand.key(Qt.Key.Key_Escape)
    assert workspace.session.mode == "live"


def test_the_keyboard_reaches_every_part_of_the_window(hand):
    workspace = draw(hand)
    workspace.panels["Palette"].refresh()
    workspace.canvas.setFocus()
    seen = []
    for _ in range(4):
        hand.key(Qt.Key.Key_F6, CTRL)
        focused = hand.window.focusWidget()
        seen.append(
            next(
                name
                for name, area in areas(workspace).items()
                if area is focused or area.isAncestorOf(focused)
            )
        )
    assert seen == ["inspector", "bottom", "left", "canvas"]


def areas(workspace):
    named = workspace.areas
    return {
        "canvas": workspace.canvas,
        "inspector": named["right-edit"],
        "bottom": named["bottom"],
        "left": named["left"],
    }


def test_f2_leads_to_the_name_of_what_is_selected(hand):
    workspace = draw(hand)
    node = workspace.document.design.workflow.nodes[0]
    workspace.document.select({node.id})
    hand.key(Qt.Key.Key_F2)
    hand.type("Another name")
    hand.key(Qt.Key.Key_Return)
    assert workspace.document.design.workflow.node(node.id).name == "Another name"


def test_a_second_key_does_the_same(hand):
    workspace = draw(hand)
    workspace.document.undo_stack.undo()
    hand.key(Qt.Key.Key_Z, CTRL | SHIFT)
    assert workspace.document.undo_stack.index() == 1


def test_disable_and_bypass_are_ticked_in_the_menu_when_the_selected_node_is_so(hand):
    draw(hand)
    actions = hand.window.actions_by_id
    document = hand.workspace.document
    node = document.design.workflow.nodes[0].id
    assert not actions["disable"].isEnabled()
    document.select({node})
    actions["disable"].trigger()
    assert document.design.workflow.nodes[0].off == "disabled"
    assert (actions["disable"].isChecked(), actions["bypass"].isChecked()) == (
        True,
        False,
    )
    actions["bypass"].trigger()
    assert (actions["disable"].isChecked(), actions["bypass"].isChecked()) == (
        False,
        True,
    )
    actions["bypass"].trigger()
    assert document.design.workflow.nodes[0].off == ""
    assert document.undo_stack.undoText() == "Enable"
