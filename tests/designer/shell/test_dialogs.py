"""The questions: every button, Enter and Esc give what they say, and neither Esc nor
Enter does harm.
"""

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from designer.look.theme import Look
from designer.shell.files.dialogs import Choice, MessageBox, Questions, Recovery
from designer.shell.files.versions import Version, VersionDialog

# Dialogs raise themselves, which the offscreen platform cannot.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
ENTER = Qt.Key.Key_Return
ESCAPE = Qt.Key.Key_Escape


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
        if isinstance(box, MessageBox | VersionDialog) and box.isVisible():
            act(box)
        else:
            QTimer.singleShot(5, look)

    QTimer.singleShot(0, look)


def version(name):
    return Version(name, lambda: f"what {name} changes")


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
    ("how", "given"),
    [("Trust and run", True), ("Do not run", False), (ENTER, False), (ESCAPE, False)],
)
def test_nothing_is_trusted_by_accident(questions, qtbot, how, given):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.trust("/somewhere") is given


@pytest.mark.parametrize(
    ("how", "verb", "chosen"),
    [
        ("Recover", Recovery.RECOVER, {0, 1}),
        ("Discard", Recovery.DISCARD, {0, 1}),
        ("Ask again later", Recovery.LATER, {0, 1}),
        (ENTER, Recovery.RECOVER, {0, 1}),
        (ESCAPE, Recovery.LATER, set()),
    ],
)
def test_nothing_is_thrown_away_by_accident(questions, qtbot, how, verb, chosen):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.recover([version("mine"), version("yours")]) == (verb, chosen)


def test_what_each_version_would_change_is_told_when_it_is_looked_at(questions, qtbot):
    seen = []

    def look(box):
        seen.append(box.details.toPlainText())
        qtbot.keyClick(box.list, Qt.Key.Key_Down)
        seen.append(box.details.toPlainText())
        qtbot.keyClick(box.list, Qt.Key.Key_Return)

    when_asked(qtbot, look)
    assert questions.choose_backup("mine", [version("one"), version("two")]) == 1
    assert seen == ["what one changes", "what two changes"]


def test_one_that_is_not_checked_is_not_recovered(questions, qtbot):
    def uncheck(box):
        qtbot.keyClick(box.list, Qt.Key.Key_Space)
        qtbot.mouseClick(box.buttons["Recover"], Qt.MouseButton.LeftButton)

    when_asked(qtbot, uncheck)
    assert questions.recover([version("one"), version("two")]) == (
        Recovery.RECOVER,
        {1},
    )


@pytest.mark.parametrize(
    ("how", "given"),
    [("Save as…", True), ("Cancel", False), (ENTER, True), (ESCAPE, False)],
)
def test_a_file_that_cannot_be_written_leads_elsewhere(questions, qtbot, how, given):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.save_elsewhere("mine", "The file is read-only.") is given


@pytest.mark.parametrize(
    ("how", "given"),
    [("Save anyway", True), ("Cancel", False), (ENTER, False), (ESCAPE, False)],
)
def test_nobody_elses_change_is_overwritten_by_accident(questions, qtbot, how, given):
    when_asked(qtbot, press(how, qtbot) if isinstance(how, str) else key(how, qtbot))
    assert questions.overwrite_changed("mine") is given


def test_what_is_told_is_shown_as_text_not_as_markup(questions, qtbot):
    seen = []
    when_asked(
        qtbot,
        lambda box: (
            seen.append((box.title.text(), box.text.textFormat())),
            box.reject(),
        ),
    )
    questions.tell("It <b>failed</b>", "Type <Foo> is not registered")
    assert seen == [("It <b>failed</b>", Qt.TextFormat.PlainText)]
