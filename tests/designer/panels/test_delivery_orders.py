"""The task Delivery orders: nothing is tried before it is asked for, outcomes with their
orders side by side, other findings, and the way to a comparison.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton

from designer.panels.explore.lanes import rows_of
from designer.panels.explore.panel import OrdersPanel
from runtime.debug.protocol import (
    ExploreArguments,
    ExploredBody,
    ExploredCall,
    Notice,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import straight
from tests.designer.panels.explored import FIXED, OTHER, SWALLOWED, explored, lane
from tests.designer.panels.fakes import moment

Show = Callable[..., Any]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(show: Show, session: FakeSession) -> OrdersPanel:
    session.timeline.append(straight(6, queued=2))
    session.timeline.flush()
    session.look_at(moment(4), "past")
    session.viewing = "c4"
    session.delivery_orders.begin()
    made: OrdersPanel = show(OrdersPanel)
    return made


def press(button: QPushButton) -> None:
    QTest.mouseClick(button, LEFT)


def tell(session: FakeSession, found: ExploredBody) -> None:
    session.delivery_orders.on_notice(Notice(event="explored", body=found))
    session.delivery_orders.changed.emit()


def take(panel: OrdersPanel, session: FakeSession, found: ExploredBody) -> None:
    press(panel.explore_button)
    tell(session, found)


def click_row(panel: OrdersPanel, place: int) -> None:
    rect = panel.table.visualRect(panel.columns.index(place, 1))
    QTest.mouseClick(
        panel.table.viewport(), LEFT, Qt.KeyboardModifier.NoModifier, rect.center()
    )


def test_nothing_is_tried_before_the_user_asks(
    panel: OrdersPanel, session: FakeSession
) -> None:
    assert panel.stack.notice.text().startswith("Not explored yet.")
    assert session.commands == []
    press(panel.explore_button)
    ((command, arguments),) = session.commands
    assert command == "explore"
    assert isinstance(arguments, ExploreArguments)
    assert (arguments.checkpoint_id, arguments.live) == ("c4", False)
    assert panel.explore_button.text() == "Stop"
    press(panel.explore_button)
    assert session.commands[-1][0] == "explore_stop"
    assert panel.explore_button.text() == "Explore"


def test_progress_is_shown_and_what_was_found_stays_when_it_is_stopped(
    panel: OrdersPanel, session: FakeSession
) -> None:
    take(
        panel,
        session,
        explored(done=False, tries=5, planned=20, phase="orders", findings=()),
    )
    assert panel.progress.isVisible()
    assert panel.phase.text() == "5 of 20: other orders"
    press(panel.explore_button)
    assert not panel.progress.isVisible()
    assert [row.number for row in panel.columns.rows] == ["1", "2"]


def test_outcomes_stand_with_their_tries_and_the_other_one_is_shown_first(
    panel: OrdersPanel, session: FakeSession
) -> None:
    take(panel, session, explored())
    assert panel.sum.text() == "2 outcomes, 1 other finding"
    shown = [(row.number, row.words, row.tries) for row in panel.columns.rows]
    assert shown == [
        ("1", "As recorded: in the fixed order", "12"),
        ("2", "Age check before Rank by reach", "3"),
        ("!", "Cancellation swallowed", ""),
    ]
    assert panel.lanes.heads == ("Outcome 1", "Outcome 2")
    assert panel.lanes.words() == (
        "Outcome 1: Rank by reach, Age check\nOutcome 2: Age check, Rank by reach"
    )
    titles = [node.title for node in panel.tree.values.root.walk() if node.title]
    assert titles == ["State", "first"]


def test_another_finding_is_told_in_full_and_the_first_outcome_has_one_lane(
    panel: OrdersPanel, session: FakeSession
) -> None:
    take(panel, session, explored())
    click_row(panel, 2)
    assert panel.text.text() == SWALLOWED.text
    assert not panel.lanes.isVisible()
    assert not panel.compare_button.isEnabled()
    click_row(panel, 0)
    assert not panel.compare_button.isEnabled()
    assert panel.lanes.heads == ("Outcome 1",)
    assert not panel.text.isVisible()


def test_compare_shows_the_recorded_checkpoint_beside_the_other_outcome(
    panel: OrdersPanel, session: FakeSession
) -> None:
    take(panel, session, explored())
    press(panel.compare_button)
    assert ("view", "c5") in session.commands
    assert (session.base, session.base_store) == ("o2", "sqlite:outcomes.db")


def test_a_recorded_outcome_is_compared_with_the_first(
    panel: OrdersPanel, session: FakeSession
) -> None:
    first = FIXED.model_copy(update={"recorded_in": ""})
    second = OTHER.model_copy(update={"recorded_in": "c5"})
    take(panel, session, explored(outcomes=(first, second)))
    press(panel.compare_button)
    assert ("view", "c5") in session.commands
    assert session.base == "o1"


def test_without_a_recorded_outcome_there_is_nothing_to_compare_and_it_says_so(
    panel: OrdersPanel, session: FakeSession
) -> None:
    take(
        panel,
        session,
        explored(outcomes=(FIXED.model_copy(update={"recorded_in": ""}), OTHER)),
    )
    assert not panel.compare_button.isEnabled()
    assert "no checkpoint to compare" in panel.compare_button.toolTip()


def test_one_outcome_in_every_order_is_said_in_one_line(
    panel: OrdersPanel, session: FakeSession
) -> None:
    found = explored(outcomes=(FIXED,), count=1, findings=(), complete=True)
    take(panel, session, found)
    assert panel.sum.text() == "One outcome in every order"


def test_a_superstep_that_reaches_outside_is_explored_only_on_request(
    panel: OrdersPanel, session: FakeSession
) -> None:
    reason = "It reaches outside (Mail: e-mail), and each try would do that again."
    take(panel, session, explored(outcomes=(), count=0, findings=(), refused=reason))
    assert panel.stack.notice.text().endswith(reason)
    (action,) = panel.stack.notice.findChildren(QPushButton)
    press(action)
    arguments = session.commands[-1][1]
    assert arguments.live


def test_what_fails_says_why(panel: OrdersPanel, session: FakeSession) -> None:
    take(panel, session, ExploredBody(id="e1", checkpoint_id="c4", failed="No code."))
    assert panel.stack.notice.text().endswith("No code.")
    assert panel.explore_button.text() == "Explore"


def test_notices_of_an_exploration_before_are_not_taken(
    panel: OrdersPanel, session: FakeSession
) -> None:
    press(panel.explore_button)
    press(panel.explore_button)
    press(panel.explore_button)
    tell(session, explored(id="e1"))
    assert session.delivery_orders.body("c4") is None
    tell(session, explored(id="e2"))
    assert session.delivery_orders.outcomes("c4") == 2


def test_the_text_of_all_is_copied(panel: OrdersPanel, session: FakeSession) -> None:
    take(panel, session, explored())
    press(panel.copy_button)
    assert QApplication.clipboard().text().splitlines() == [
        "Superstep 5: 2 outcomes, 1 other finding (2 calls, 20 tries, 5 failures put in)",
        "1 As recorded: in the fixed order (12×)",
        "2 Age check before Rank by reach (3×)",
        "  Age check before Rank by reach.",
        "  State",
        "    ≠ first: 'rank' → 'age'",
        "! Cancellation swallowed",
        f"  {SWALLOWED.text}",
    ]


def test_of_many_calls_those_are_shown_that_are_not_at_work_at_the_same_time() -> None:
    calls = tuple(
        ExploredCall(executor=f"n{place}", title=f"N{place}") for place in range(30)
    )
    lanes = tuple(lane(place, (place, place + 1)) for place in range(30))
    swapped = (lane(0, (1, 2)), lane(1, (0, 1)), *lanes[2:])
    found = explored(
        calls=calls,
        outcomes=(
            FIXED.model_copy(update={"lanes": lanes}),
            OTHER.model_copy(update={"lanes": swapped}),
        ),
    )
    rows, left = rows_of(found, (0, 1))
    assert [row.title for row in rows] == ["N0", "N1"]
    assert left == 28


def test_the_close_button_leaves_the_task_and_ends_what_is_under_way(
    panel: OrdersPanel, session: FakeSession
) -> None:
    press(panel.explore_button)
    QTest.mouseClick(panel.close_button, LEFT)
    assert not session.delivery_orders.is_on
    assert session.commands[-1][0] == "explore_stop"
