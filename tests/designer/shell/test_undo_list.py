"""The undo history is seen, and led to any of its steps and back, as by undoing and
redoing.
"""

import pytest
from PySide6.QtCore import Qt

from designer.shell.undo_list import UndoList
from tests.designer.shell.support import draw, live

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


def three_steps(hand):
    workspace = draw(hand)
    designs = [workspace.document.design]
    for _ in range(2):
        workspace.canvas.select({workspace.document.design.workflow.nodes[0].id})
        workspace.canvas.delete_selection()
        designs.append(workspace.document.design)
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Z, CTRL | ALT)
    return workspace, hand.window.findChild(UndoList), designs


def click(hand, steps, row):
    hand.click(steps.viewport(), steps.visualItemRect(steps.item(row)).center())


def test_each_step_is_listed_by_name_and_the_present_one_is_current(hand):
    workspace, history, _designs = three_steps(hand)
    stack = workspace.document.undo_stack
    texts = [history.steps.item(row).text() for row in range(history.steps.count())]
    assert [text.removesuffix(" (saved)") for text in texts[1:]] == [
        stack.text(at) for at in range(stack.count())
    ]
    assert history.steps.currentRow() == 3
    history.close()


def test_a_step_says_what_was_done_to_whom(desk):
    workspace = draw(desk)
    node = workspace.document.design.workflow.nodes[0]
    workspace.canvas.setFocus()
    workspace.document.select({node.id})
    desk.key(Qt.Key.Key_Right, CTRL)
    desk.key(Qt.Key.Key_B, CTRL)
    desk.key(Qt.Key.Key_Delete)
    stack = workspace.document.undo_stack
    texts = [stack.text(at) for at in range(stack.count())][-3:]
    assert texts == [
        f"Move {node.title}",
        f"Bookmark {node.title}",
        f"Delete {node.title}",
    ]


def test_a_click_goes_there_and_another_back(hand):
    workspace, history, designs = three_steps(hand)
    click(hand, history.steps, 1)
    assert workspace.document.design == designs[0]
    assert history.steps.currentRow() == 1
    click(hand, history.steps, 3)
    assert workspace.document.design == designs[2]
    history.close()


def test_enter_goes_there_too(hand):
    workspace, history, designs = three_steps(hand)
    hand.qtbot.keyClick(history.steps, Qt.Key.Key_Up)
    hand.qtbot.keyClick(history.steps, Qt.Key.Key_Return)
    assert workspace.document.design == designs[1]
    history.close()


def test_it_follows_what_is_done_meanwhile(hand):
    workspace, history, _designs = three_steps(hand)
    workspace.undo()
    assert history.steps.currentRow() == 2
    history.close()


def test_while_a_run_is_looked_at_nothing_is_undone(hand):
    live(hand)
    hand.window.show_history()
    history = hand.window.findChild(UndoList)
    assert not history.steps.isEnabled()
    assert "Ctrl+E" in history.says.text()
    history.close()


def test_it_goes_with_its_workflow(hand):
    _workspace, _history, _designs = three_steps(hand)
    hand.window.files.close(hand.workspace)
    hand.wait(lambda: hand.window.findChild(UndoList) is None)


def test_saving_marks_the_step_and_all_of_them_stay(hand):
    workspace, history, designs = three_steps(hand)
    history.close()
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_S, CTRL)
    hand.key(Qt.Key.Key_Z, CTRL | ALT)
    history = [
        found for found in hand.window.findChildren(UndoList) if found.isVisible()
    ][-1]
    texts = [history.steps.item(row).text() for row in range(history.steps.count())]
    assert [text.endswith("(saved)") for text in texts].count(True) == 1
    assert workspace.document.is_clean
    click(hand, history.steps, 1)
    assert workspace.document.design.positions == designs[0].positions
    assert not workspace.document.is_clean
    click(hand, history.steps, len(texts) - 1)
    assert workspace.document.is_clean
    history.close()
