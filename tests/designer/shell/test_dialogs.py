"""The questions: every button, Enter and Esc give what they say, and neither Esc nor Enter does harm."""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from designer.look.theme import Look
from designer.shell.dialogs import Choice, MessageBox, Questions

# Dialogs raise themselves, which the offscreen platform cannot.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
ENTER, ESCAPE = Qt.Key.Key_Return, Qt.Key.Key_Escape


@pytest.fixture
def questions(qtbot):
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.show()
    return Questions(parent, Look("light"))


def when_asked(qtbot, act):
    """Do something to the dialog as soon as it is open."""

    def look():
        box = QApplication.activeModalWidget()
        if isinstance(box, MessageBox) and box.isVisible():
            act(box)
        else:
            QTimer.singleShot(5, look)

    QTimer.singleShot(0, look)


def press(text, qtbot):
    return lambda box: qtbot.mouseClick(box.buttons[text], Qt.MouseButton.LeftButton)


def key(which, qtbot):
    return lambda box: qtbot.keyClick(box, which)


@pytest.mark.parametrize(
    ("how", "given"),
    [
        ("Save", Choice.SAVE),
        ("Discard", Choice.DISCARD),
        ("Cancel", Choice.CANCEL),
        (ENTER, Choice.SAVE),
        (ESCAPE, Choice.CANCEL),
    ],
)
def test_save_changes(questions, qtbot, how, given):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.save_changes("mine") is given


@pytest.mark.parametrize(
    ("how", "given"), [("Trust and run", True), ("Do not run", False), (ENTER, False), (ESCAPE, False)]
)
def test_nothing_is_trusted_by_accident(questions, qtbot, how, given):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.trust("/somewhere") is given


@pytest.mark.parametrize(("how", "given"), [("Recover", True), ("Discard", False), (ENTER, True), (ESCAPE, True)])
def test_nothing_is_thrown_away_by_accident(questions, qtbot, how, given):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.recover(["mine"]) is given


@pytest.mark.parametrize(("how", "given"), [("Save anyway", True), ("Cancel", False), (ENTER, False), (ESCAPE, False)])
def test_nobody_elses_change_is_overwritten_by_accident(questions, qtbot, how, given):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.overwrite_changed("mine") is given


def test_what_is_told_is_shown_as_text_not_as_markup(questions, qtbot):
    seen = []
    when_asked(qtbot, lambda box: (seen.append((box.title.text(), box.text.textFormat())), box.reject()))
    questions.tell("It <b>failed</b>", "Type <Foo> is not registered")
    assert seen == [("It <b>failed</b>", Qt.TextFormat.PlainText)]
