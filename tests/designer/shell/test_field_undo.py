"""Ctrl+Z in a text field undoes what is typed there; with none of that left it goes on
to the document, never both.
"""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from designer.model import edits
from designer.panels.properties.workflow_editor import WorkflowEditor
from tests.designer.shell.support import draw

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def editing(hand):
    """The properties of a workflow with one step done to it, and nothing selected."""
    workspace = draw(hand)
    workspace.document.undo_stack.clear()
    workspace.document.apply(
        "Move", edits.set_workflow(workspace.document.design, max_supersteps=7)
    )
    workspace.document.select(())
    QApplication.processEvents()
    editor = workspace.panels["Properties"].editor
    assert isinstance(editor, WorkflowEditor)
    return editor


def write(hand, field, text):
    hand.click(field.viewport() if isinstance(field, QPlainTextEdit) else field)
    assert field.hasFocus()
    QTest.keyClick(field, Qt.Key.Key_End, CTRL)
    QTest.keyClicks(field, text)


def undo(hand):
    hand.key(Qt.Key.Key_Z, CTRL)


def field_named(editor, kind):
    return editor.name.editor() if kind is QLineEdit else editor.description.editor()


@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit])
def test_typing_is_undone_in_the_field_and_then_the_document_is(hand, editing, kind):
    document = editing.document
    field = field_named(editing, kind)
    before = field.text()
    write(hand, field, "abc")
    assert document.undo_stack.count() == 2
    undo(hand)
    assert field.text() == before
    # the typing is no step any more, and the one before still is
    assert document.undo_stack.index() == 1
    assert document.design.workflow.max_supersteps == 7
    undo(hand)
    assert document.undo_stack.index() == 0
    assert document.design.workflow.max_supersteps != 7
    assert editing.limit.text() == str(document.design.workflow.max_supersteps)
    assert field.hasFocus()


@pytest.mark.parametrize("redo", [(Qt.Key.Key_Y, CTRL), (Qt.Key.Key_Z, CTRL | SHIFT)])
@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit])
def test_what_was_undone_in_the_field_is_redone_there_by_all_keys_for_it(
    hand, editing, kind, redo
):
    document = editing.document
    field = field_named(editing, kind)
    before = field.text()
    write(hand, field, "abc")
    undo(hand)
    hand.key(*redo)
    assert field.text() == f"{before}abc"
    assert document.undo_stack.count() == 2


def test_redo_goes_on_to_the_document_as_well(hand, editing):
    write(hand, editing.name.editor(), "")
    undo(hand)
    hand.key(Qt.Key.Key_Y, CTRL)
    assert editing.document.design.workflow.max_supersteps == 7
    assert editing.limit.text() == "7"


@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit])
def test_what_is_settled_is_a_step_of_the_document_and_no_step_takes_back_another(
    hand, editing, kind
):
    document = editing.document
    field = field_named(editing, kind)
    before = field.text()
    write(hand, field, "abc")
    hand.workspace.canvas.setFocus()
    write(hand, field, "")
    undo(hand)
    assert field.text() == before
    assert (document.undo_stack.index(), document.undo_stack.count()) == (1, 2)


def test_enter_settles_a_line(hand, editing):
    field = editing.name.editor()
    write(hand, field, "abc")
    hand.key(Qt.Key.Key_Return)
    undo(hand)
    assert (
        editing.document.undo_stack.index(),
        editing.document.undo_stack.count(),
    ) == (1, 2)
    assert "abc" not in field.text()


def test_what_was_done_to_the_document_after_the_typing_is_undone_before_it(
    hand, editing
):
    document = editing.document
    field = editing.name.editor()
    write(hand, field, "abc")
    document.apply(
        "Something else", edits.set_workflow(document.design, description="new")
    )
    undo(hand)
    assert document.design.workflow.description != "new"
    assert field.text().endswith("abc")


def test_text_that_is_no_value_is_undone_in_its_field(hand, editing):
    field = editing.limit.editor()
    write(hand, field, "x")
    undo(hand)
    assert field.text() == "7"
    assert editing.document.undo_stack.index() == 1
