"""The cheat sheet has every key that acts, from the tables that act, and can be
searched and copied.
"""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QLineEdit

from designer.canvas.verbs import keys as canvas_keys
from designer.panels.timeline import keys as timeline_keys
from designer.qt.keys import as_shown, text_of
from designer.shell.actions import ACTIONS
from designer.shell.keys.cheat_sheet import ShortcutList
from designer.shell.keys.rows import Keys
from tests.designer.shell.support import draw, live

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def open_sheet(hand):
    draw(hand)
    hand.type("?")
    sheet = hand.window.findChild(ShortcutList)
    assert sheet is not None
    return sheet


def test_the_sheet_has_every_key_of_the_commands_the_canvas_and_the_timeline(hand):
    sheet = open_sheet(hand)
    listed = {as_shown(row.keys) for row in Keys({}).rows()}
    for spec in ACTIONS:
        assert not spec.shortcut or as_shown(spec.shortcut) in listed
    for press in canvas_keys.KEYS:
        assert text_of(press) in listed
    for press, entry in timeline_keys.KEYS.items():
        assert text_of(press) in listed
        assert entry.words in sheet.shown
    assert {words for _keys, words in canvas_keys.GESTURES} <= set(sheet.shown)
    sheet.close()


def test_a_key_stands_once_for_commands_that_the_canvas_has_too():
    keys = [as_shown(row.keys) for row in Keys({}).rows() if row.group != "Timeline"]
    assert len(keys) == len(set(keys))


def test_the_keys_of_one_command_stand_in_one_row(hand):
    sheet = open_sheet(hand)
    assert len(sheet.shown) == len(
        {(line.group, line.text) for line, _parts in sheet._rows}
    )
    redo = next(line for line, _parts in sheet._rows if line.text == "Redo")
    assert len(redo.keys) > 1
    hand.qtbot.keyClicks(sheet.search, redo.keys[1])
    assert "Redo" in sheet.shown
    caps = next(parts[1] for line, parts in sheet._rows if line is redo)
    assert [cap.text() for cap in caps.findChildren(QLabel)] == list(redo.keys)
    sheet.close()


def test_several_words_are_all_found_and_groups_without_a_match_are_gone(hand):
    sheet = open_sheet(hand)
    hand.qtbot.keyClicks(sheet.search, "timeline branch above")
    assert sheet.shown == ["Branch above"]
    assert [name for name, head in sheet._heads.items() if not head.isHidden()] == [
        "Timeline"
    ]
    hand.qtbot.keyClicks(sheet.search, " zzz")
    assert sheet.shown == []
    assert not sheet.nothing.isHidden()
    sheet.close()


def test_what_is_shown_is_copied_as_text(hand):
    sheet = open_sheet(hand)
    hand.qtbot.keyClicks(sheet.search, "superstep f10")
    hand.click(sheet.copy_button)
    assert QGuiApplication.clipboard().text().split() == ["Run", "F10", "Superstep"]
    sheet.close()


def test_the_keys_of_the_timeline_do_what_their_words_say(desk):
    workspace = live(desk)
    strip = desk.show("Timeline").strip
    strip.setFocus()
    desk.key(Qt.Key.Key_Home)
    assert workspace.session.viewing == "c1"
    desk.key(Qt.Key.Key_Escape)
    assert workspace.session.mode == "live"


def test_the_keys_are_seen_beside_their_words(hand):
    sheet = open_sheet(hand)
    for _entry, (_words, cap) in sheet._rows:
        assert cap.mapTo(sheet, cap.rect().topRight()).x() < sheet.width()
    sheet.close()


class LineOfX11(QLineEdit):
    """A line edit as it is on X11, where Ctrl+E is the end of the line, and Ctrl+U
    deletes it.
    """

    def event(self, event):
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        if (
            event.type() in kinds
            and event.key() in (Qt.Key.Key_E, Qt.Key.Key_U)
            and event.modifiers()
        ):
            event.accept()
            return True
        return super().event(event)


def test_commands_with_ctrl_act_while_a_field_has_the_focus_and_its_own_keys_stay_its_own(
    hand,
):
    workspace = live(hand)
    field = LineOfX11(workspace)
    field.show()
    field.setFocus()
    assert field.hasFocus()
    hand.type("abc")
    hand.key(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert field.selectedText() == "abc"
    hand.key(Qt.Key.Key_X, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == ""
    hand.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert field.text() == "abc"
    assert workspace.session.mode != "edit"
    hand.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert workspace.session.mode == "edit"


def test_a_key_of_ones_own_acts_in_a_field_too(hand):
    hand.window.use_keys(Keys({"start-page": "Ctrl+U"}))
    field = LineOfX11(draw(hand))
    field.show()
    field.setFocus()
    hand.key(Qt.Key.Key_U, Qt.KeyboardModifier.ControlModifier)
    assert hand.window.current is None
