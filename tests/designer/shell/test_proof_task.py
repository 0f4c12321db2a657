"""The task Restore proof in the workspace: it takes the place of the inspector, is the
only task, and goes when it is left.
"""

from __future__ import annotations

from PySide6.QtCore import Qt

from designer.panels.verify.panel import ProofPanel
from runtime.debug.protocol import Moment
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, link_of, live


def opened(hand: Hand) -> ProofPanel:
    workspace = live(hand)
    workspace.session.view("c2")
    link_of(workspace).reply("inspect", Moment(header=header(2), superstep=1))
    workspace.open_proof()
    panel = workspace.panels["Restore proof"]
    assert isinstance(panel, ProofPanel)
    return panel


def test_the_task_takes_the_place_of_the_inspector_and_escape_gives_it_back(
    hand: Hand,
) -> None:
    panel = opened(hand)
    inspector = hand.workspace.areas["right-debug"]
    assert panel.isVisible()
    assert not inspector.isVisible()
    assert "verify" not in link_of(hand.workspace).commands
    hand.workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Escape)
    assert inspector.isVisible()
    assert not panel.isVisible()
    # The moment that was viewed stays.
    assert hand.workspace.session.viewing == "c2"
    hand.workspace.open_proof()
    hand.click(panel.close_button)
    assert not panel.isVisible()


def test_there_is_one_task_at_a_time(hand: Hand) -> None:
    panel = opened(hand)
    session = hand.workspace.session
    session.compare_with("c1")
    assert not panel.isVisible()
    assert hand.workspace.panels["Compare"].isVisible()
    assert not session.proof.is_on
    hand.workspace.open_proof()
    assert panel.isVisible()
    assert session.base == ""
    # A panel of the inspector that the user asks for ends the task.
    hand.workspace.show_panel("State")
    assert not session.proof.is_on
    assert hand.workspace.panels["State"].isVisible()


def test_check_all_asks_the_host_for_the_run_and_the_menu_has_it(hand: Hand) -> None:
    panel = opened(hand)
    link = link_of(hand.workspace)
    hand.click(panel.check_all_button)
    link.reply("open")
    asked = link.last("verify")["arguments"]
    assert (asked["run_id"], asked["checkpoints"]) == ("r1", [])
    hand.click(panel.check_all_button)
    assert link.last("verify_stop")["arguments"]["id"] == asked["id"]
