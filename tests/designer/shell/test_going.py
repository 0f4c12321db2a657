"""Run and Superstep say what they will do, do just that, and the keys go where a person
would go on.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLineEdit

from designer.model import edits
from runtime.debug.protocol import HeaderBody, OpenBody
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, draw, foresee, link_of, live, stand


def words(hand: Hand) -> tuple[str, str]:
    actions = hand.window.actions_by_id
    return actions["run"].text(), actions["superstep"].text()


def test_while_editing_they_start_a_new_run(hand: Hand) -> None:
    draw(hand)
    assert words(hand) == (
        "Start a new run",
        "Start a new run, and stop before superstep 1",
    )
    assert hand.window.toolbar.buttons["run"].text() == "Run"


def test_at_rest_they_go_on_with_the_branch_by_its_name(hand: Hand) -> None:
    workspace = live(hand)
    assert words(hand) == ("Continue the run", "One superstep")
    link_of(workspace).notice("checkpoints", {"headers": [header(4, branch="fork 2")]})
    stand(workspace, "step", 4)
    assert words(hand) == ("Continue fork 2", "One superstep of fork 2")
    assert hand.window.toolbar.buttons["run"].text() == "Continue"
    assert "Continue fork 2" in hand.window.toolbar.buttons["run"].toolTip()


def test_in_the_past_run_goes_on_from_what_is_viewed_and_not_with_the_live_run(
    hand: Hand,
) -> None:
    workspace = live(hand)
    link = link_of(workspace)
    workspace.session.view("c2")
    assert words(hand) == ("Run from #2 (fork)", "View the next checkpoint, #3")
    hand.key(Qt.Key.Key_F5)
    foresee(workspace)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c2"
    assert "continue" not in link.commands
    link.reply("restore", HeaderBody(header=header(4, parent="c2", branch="fork 2")))
    assert link.commands[-1] == "continue"


def test_after_the_last_checkpoint_of_a_branch_superstep_makes_one_more_from_it(
    hand: Hand,
) -> None:
    workspace = live(hand)
    link = link_of(workspace)
    link.notice(
        "checkpoints",
        {"headers": [header(4, parent="c1", branch="fork 2", superstep=1)]},
    )
    stand(workspace, "step", 4)
    workspace.session.view("c3")
    assert words(hand)[1] == "One superstep from #3 (fork)"
    hand.key(Qt.Key.Key_F10)
    foresee(workspace)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c3"
    link.reply("restore", HeaderBody(header=header(5, parent="c3", branch="fork 3")))
    assert link.commands[-1] == "step"


def test_a_run_that_is_known_to_fail_stays_in_editing_and_shows_the_first_error(
    hand: Hand,
) -> None:
    workspace = draw(hand)
    broken = edits.set_edge(
        workspace.document.design, "ask->report", condition="message.size >"
    )
    workspace.document.apply("Change condition", broken)
    hand.key(Qt.Key.Key_F5)
    panel = workspace.panels["Problems"]
    assert "start" not in link_of(workspace).commands
    assert workspace.session.mode == "edit"
    assert not workspace.session.starting
    assert panel.isVisible()
    assert workspace.document.selection == {"ask->report"}
    assert "Not started" in hand.window.status.text
    hand.key(Qt.Key.Key_Return)  # on the chosen row: to its field
    focused = QApplication.focusWidget()
    assert focused is not None
    assert workspace.panels["Properties"].isAncestorOf(focused)


@pytest.mark.parametrize("verb", ["run", "superstep"])
def test_the_focus_goes_from_a_verb_that_is_done_to_the_canvas_and_never_to_another_verb(
    hand: Hand, verb: str
) -> None:
    workspace = live(hand)
    button = hand.window.toolbar.buttons[verb]
    button.setFocus(Qt.FocusReason.TabFocusReason)
    hand.key(Qt.Key.Key_Space)
    link_of(workspace).notice("resumed", {"run_id": "r1"})
    assert not button.isEnabled()
    assert QApplication.focusWidget() is workspace.canvas


def test_after_restore_in_the_banner_the_focus_is_on_the_canvas(hand: Hand) -> None:
    workspace = live(hand)
    workspace.session.view("c2")
    restore = hand.button("Restore here", workspace.banner)
    restore.setFocus(Qt.FocusReason.TabFocusReason)
    hand.key(Qt.Key.Key_Space)
    foresee(workspace)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    link_of(workspace).reply(
        "restore", HeaderBody(header=header(4, parent="c2", branch="fork 2"))
    )
    assert QApplication.focusWidget() is workspace.canvas


def test_a_field_that_is_taken_away_gives_the_focus_to_no_verb(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.select({"classify"})
    workspace.rename()
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    workspace.document.apply(
        "Delete", edits.remove(workspace.document.design, ["classify"])
    )
    assert QApplication.focusWidget() not in hand.window.toolbar.buttons.values()
