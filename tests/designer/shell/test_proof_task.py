"""The task Restore proof in the workspace: it takes the place of the inspector, is the
only task, and goes when it is left.
"""

from __future__ import annotations

from designer.panels.verify.panel import ProofPanel
from runtime.debug.protocol import Moment
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, link_of, live


def opened(desk: Hand) -> ProofPanel:
    workspace = live(desk)
    workspace.session.view("c2")
    link_of(workspace).reply("inspect", Moment(header=header(2), superstep=1))
    workspace.open_proof()
    panel = workspace.panels["Restore proof"]
    assert isinstance(panel, ProofPanel)
    return panel


def test_the_task_takes_the_place_of_the_inspector_and_escape_gives_it_back(
    desk: Hand,
) -> None:
    panel = opened(desk)
    inspector = desk.workspace.areas["right-debug"]
    assert panel.isVisible()
    assert not inspector.isVisible()
    assert "verify" not in link_of(desk.workspace).commands
    # What Esc does in the window.
    desk.workspace.back_out()
    assert inspector.isVisible()
    assert not panel.isVisible()
    # The moment that was viewed stays.
    assert desk.workspace.session.viewing == "c2"
    desk.workspace.open_proof()
    desk.click(panel.close_button)
    assert not panel.isVisible()


def test_there_is_one_task_at_a_time(desk: Hand) -> None:
    panel = opened(desk)
    session = desk.workspace.session
    session.compare_with("c1")
    assert not panel.isVisible()
    assert desk.workspace.panels["Compare"].isVisible()
    assert not session.proof.is_on
    desk.workspace.open_proof()
    assert panel.isVisible()
    assert session.base == ""
    # A panel of the inspector that the user asks for ends the task.
    desk.workspace.show_panel("State")
    assert not session.proof.is_on
    assert desk.workspace.panels["State"].isVisible()


def test_check_all_asks_the_host_for_the_run_and_the_menu_has_it(desk: Hand) -> None:
    panel = opened(desk)
    link = link_of(desk.workspace)
    desk.click(panel.check_all_button)
    link.reply("open")
    asked = link.last("verify")["arguments"]
    assert (asked["run_id"], asked["checkpoints"]) == ("r1", [])
    desk.click(panel.check_all_button)
    assert link.last("verify_stop")["arguments"]["id"] == asked["id"]
