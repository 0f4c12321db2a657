"""Run asks when something was typed that is no value, and leads to it."""

import pytest
from PySide6.QtCore import Qt

from designer.model import edits
from tests.designer.shell.support import draw, link_of

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def mistype(hand):
    """`5 steps` over the limit of the workflow."""
    workspace = draw(hand)
    workspace.document.apply(
        "Set", edits.set_workflow(workspace.document.design, max_supersteps=70)
    )
    workspace.document.select(())
    editor = hand.show("Properties").editor
    field = editor.limit.editor()
    field.setFocus()
    field.selectAll()
    hand.type("5 steps")
    return workspace, field


@pytest.mark.parametrize("key", [Qt.Key.Key_F5, Qt.Key.Key_F10])
def test_running_asks_and_goes_to_the_field(hand, key):
    workspace, field = mistype(hand)
    hand.somebody.runs_without = False
    hand.key(key)
    asked = "run with 70 without: Supersteps of the workflow is '5 steps'. A whole number is needed."
    assert hand.somebody.asked[-1] == asked
    assert "open" not in link_of(workspace).commands
    assert field.hasFocus()
    assert field.text() == "5 steps"


def test_running_without_it_runs_with_what_was_there(hand):
    workspace, _field = mistype(hand)
    hand.key(Qt.Key.Key_F5)
    assert "open" in link_of(workspace).commands
    assert workspace.document.root.workflow.max_supersteps == 70


def test_nothing_is_asked_when_everything_typed_is_a_value(hand):
    workspace, _field = mistype(hand)
    hand.type("\b" * len(" steps"))
    hand.key(Qt.Key.Key_F5)
    assert "open" in link_of(workspace).commands
    assert not [asked for asked in hand.somebody.asked if asked.startswith("run with")]
    assert workspace.document.design.workflow.max_supersteps == 5
