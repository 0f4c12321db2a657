"""Keys of layouts without Latin letters reach whoever has the focus, and the commands
of the window.
"""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from designer.shell.keys.cheat_sheet import ShortcutList
from designer.shell.keys.rows import Keys
from tests.designer.shell.support import draw, live

PLAIN = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
# where X11 has these keys
D = 40
L = 46
M = 58
Z = 52
A = 38
ZERO = 19
SLASH = 61


def press(sign: str, place: int, held: Qt.KeyboardModifier = PLAIN) -> None:
    """A key of another layout to whatever has the focus, as Qt makes it of a press
    under X11.
    """
    text = "" if held & CTRL else sign
    event = QKeyEvent(QEvent.Type.KeyPress, ord(sign.upper()), held, place, 0, 0, text)
    QApplication.sendEvent(QApplication.focusWidget(), event)


def test_keys_of_the_canvas_work_in_layouts_that_do_not_have_them(hand):
    canvas = draw(hand).canvas
    canvas.setFocus()
    for layout, sign in (("Russian", "ь"), ("Greek", "μ"), ("Hebrew", "צ")):
        shown = not canvas.minimap.isHidden()
        press(sign, M)
        assert canvas.minimap.isHidden() is shown, layout
    canvas.camera.zoom_to(0.5)  # a French digit needs Shift
    press("à", ZERO, CTRL)
    assert canvas.zoom == 1.0


def test_the_timeline_takes_them_as_its_own_keys(hand):
    live(hand)
    strip = hand.show("Timeline").strip
    strip.setFocus()
    assert strip.base == ""
    press("ф", A)
    assert strip.base == "c3"


def test_commands_of_the_window_take_them_from_anywhere(hand):
    workspace = draw(hand)
    before = workspace.document.undo_stack.index()
    hand.show("Problems").setFocus()
    press("д", L, CTRL)  # Ctrl+L: lay out
    assert workspace.document.undo_stack.index() == before + 1
    workspace.document.undo_stack.clear()
    design = workspace.document.design
    press("я", Z, CTRL)  # undo cannot be done now
    assert workspace.document.design is design


def test_a_field_takes_letters_as_text_and_ctrl_and_letters_as_what_they_do(hand):
    workspace = draw(hand)
    workspace.document.select({workspace.document.design.workflow.nodes[0].id})
    field = next(
        one
        for one in hand.show("Properties").findChildren(QLineEdit)
        if one.isVisible()
    )
    field.setFocus()
    field.clear()
    press("в", D)
    assert field.text() == "в"
    press("ф", A, CTRL)
    assert field.selectedText() == "в"
    press("я", Z, CTRL)  # undone in the field, not in the document
    assert field.text() != "в"


def test_a_key_that_somebody_gave_to_a_command_stays_his_and_others_go_on(hand):
    canvas = draw(hand).canvas
    hand.window.use_keys(Keys({"canvas.snap-to-the-grid": "Ь"}))
    canvas.setFocus()
    snaps = canvas.snap
    shown = not canvas.minimap.isHidden()
    press("ь", M)  # M of a Latin keyboard shows the overview
    assert canvas.snap is not snaps
    assert canvas.minimap.isHidden() is not shown
    press("؟", SLASH, SHIFT)  # of an Arabic layout
    sheet = hand.window.findChild(ShortcutList)
    assert sheet is not None
    sheet.close()
