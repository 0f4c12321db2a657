"""The task Delivery orders in the window: its menu opens it in the place of the
inspector, a comparison takes over, Esc leaves, and the timeline marks what was found.
"""

from __future__ import annotations

from PySide6.QtCore import Qt

from designer.panels.explore.panel import OrdersPanel
from designer.panels.timeline.tips import mark_tip
from designer.shell.workspace import Workspace
from runtime.debug.protocol import ExploredBody, Moment
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, link_of, live


def at_the_past(hand: Hand) -> tuple[Workspace, OrdersPanel]:
    workspace = live(hand)
    workspace.session.view("c2")
    link_of(workspace).reply("inspect", Moment(header=header(2), superstep=1))
    hand.window.actions_by_id["explore-orders"].trigger()
    panel = workspace.panels["Delivery orders"]
    assert isinstance(panel, OrdersPanel)
    return workspace, panel


def test_the_menu_opens_the_task_and_escape_and_the_cross_leave_it(hand: Hand) -> None:
    workspace, panel = at_the_past(hand)
    inspector = workspace.areas["right-debug"]
    assert panel.isVisible()
    assert not inspector.isVisible()
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Escape)
    assert inspector.isVisible()
    assert workspace.session.viewing == "c2"
    hand.window.actions_by_id["explore-orders"].trigger()
    hand.click(panel.close_button)
    assert inspector.isVisible()
    assert not panel.isVisible()


def test_a_comparison_takes_the_place_and_what_was_found_stays(hand: Hand) -> None:
    workspace, panel = at_the_past(hand)
    orders = workspace.session.delivery_orders
    orders.explore("c2")
    link = link_of(workspace)
    found = ExploredBody(id="e1", checkpoint_id="c2", superstep=2, count=2, done=True)
    link.notice("explored", found)
    assert not orders.exploring
    assert orders.outcomes("c2") == 2
    timeline = workspace.session.timeline
    row = timeline.row_of("c2")
    assert row is not None
    tip = mark_tip(workspace.session, row, None)
    assert "has 2 outcomes" in tip
    workspace.session.compare_with("c1")
    assert not panel.isVisible()
    assert workspace.panels["Compare"].isVisible()
    hand.window.actions_by_id["explore-orders"].trigger()
    assert panel.isVisible()
    assert workspace.session.base == ""
    assert orders.outcomes("c2") == 2


def test_there_is_one_task_at_a_time(hand: Hand) -> None:
    workspace, panel = at_the_past(hand)
    proof = workspace.panels["Restore proof"]
    hand.window.actions_by_id["restore-proof"].trigger()
    assert proof.isVisible()
    assert not panel.isVisible()
    hand.window.actions_by_id["explore-orders"].trigger()
    assert panel.isVisible()
    assert not workspace.session.proof.is_on
    workspace.show_panel("State")
    assert not workspace.session.delivery_orders.is_on
