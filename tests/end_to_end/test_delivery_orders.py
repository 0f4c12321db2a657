"""Delivery orders in the window, with a real host and the process of an exploration."""

from __future__ import annotations

from pathlib import Path

from designer.panels.explore.panel import OrdersPanel
from tests.designer.shell.support import Hand
from tests.runtime.test_cli_explore import RACE, racing


def test_a_race_is_found_shown_and_compared_by_mouse(
    hand: Hand, tmp_path: Path
) -> None:
    path = racing(tmp_path)
    # Without threads the run itself is in the fixed order.
    code = RACE.replace("def note", "async def note")
    (tmp_path / "code_of_test.py").write_text(code)
    hand.window.files.open(path)
    workspace = hand.workspace
    session = workspace.session
    hand.wait(lambda: bool(session.infos))
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped("finished")
    session.view(session.timeline.header_at(1).id)
    hand.wait(lambda: session.viewing is not None)
    hand.window.actions_by_id["explore-orders"].trigger()
    panel = workspace.panels["Delivery orders"]
    assert isinstance(panel, OrdersPanel)
    hand.click(panel.explore_button)
    hand.wait(
        lambda: (
            panel.sum.text().startswith("2 outcomes, ")
            and not session.delivery_orders.exploring
        )
    )
    assert [row.words for row in panel.columns.rows[:2]] == [
        "As recorded: in the fixed order",
        "right before left",
    ]
    hand.click(panel.compare_button)
    hand.wait(lambda: session.comparison is not None)
    assert workspace.panels["Compare"].isVisible()
    assert session.viewing == session.timeline.header_at(2).id
    assert session.comparison is not None
    assert {change.section for change in session.comparison.differences} == {"messages"}
