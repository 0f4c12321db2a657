"""Twelve faults. Each hunt begins in the real window as it stands after the run with
the fault, and ends when a fork of the run has come to the right output: with a value
that is edited in a copy, or with the workflow repaired. `--log-cli-level=INFO` prints
the actions.

What counts as one action: a click, a double-click, a key with its modifiers, and a
text that is typed in one go. To look at what is shown, and to wait, is none.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.designer.shell.support import Hand
from tests.end_to_end.hunts import planted
from tests.end_to_end.hunts.hunter import Hunter

# How many actions each hunt takes.
ACTIONS = {
    "lost_branch": 5,
    "stale_answer": 4,
    "swapped_case": 5,
    "late_message": 5,
    "state_conflict": 5,
    "starved_join": 5,
    "wrong_reducer": 4,
    "endless_loop": 5,
    "type_drop": 5,
    "failing_condition": 2,
    "aliasing_handler": 5,
    "changed_child": 4,
}
MOST_ON_AVERAGE = 5
_log = logging.getLogger(__name__)


@pytest.fixture
def hunter(hand: Hand) -> Iterator[Hunter]:
    # A list that was just opened takes no click as long as it may be the second one of
    # a double-click. A hand is slower than that.
    interval = QApplication.doubleClickInterval()
    QApplication.setDoubleClickInterval(0)
    yield Hunter(hand)
    QApplication.setDoubleClickInterval(interval)


def ends_right(hunter: Hunter, fault: planted.Planted, before: int) -> None:
    """The run went on from a superstep before its wrong end, to the right output, in
    as many actions as ACTIONS says.
    """
    taken_over = hunter.wait_for_new_branch()
    assert taken_over.superstep <= before
    assert hunter.read_outputs() == fault.right
    words = "; ".join(hunter.actions)
    _log.info("%s: %d actions: %s", fault.name, len(hunter.actions), words)
    assert len(hunter.actions) == ACTIONS[fault.name], hunter.actions


def test_a_hunt_takes_five_actions_on_average() -> None:
    assert {fault.name for fault in planted.PLANTED} == ACTIONS.keys()
    average = sum(ACTIONS.values()) / len(ACTIONS)
    _log.info("%.2f actions on average: %s", average, ACTIONS)
    assert average <= MOST_ON_AVERAGE


def test_a_lost_branch(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.LOST_BRANCH, tmp_path, "finished")
    hunter.select_edge("start-press")
    hunter.sees("message.kind == 'Public' false", "message.kind 'public'")
    hunter.edit()
    hunter.replace_word(hunter.editor.condition, "Public", "public")
    hunter.go_on()
    ends_right(hunter, planted.LOST_BRANCH, before=1)


def test_a_stale_answer(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.STALE_ANSWER, tmp_path, "finished")
    hunter.hand.wait(hunter.outputs.origin_button.isVisible)
    hunter.click("[Where from]", hunter.outputs.origin_button)
    hunter.sees("old wrote price", "read sent", rows=hunter.steps)
    hunter.edit_step("4 · old wrote price")
    hunter.type("42")
    hunter.fork_and_run()
    ends_right(hunter, planted.STALE_ANSWER, before=4)


def test_a_swapped_case(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.SWAPPED_CASE, tmp_path, "finished")
    hunter.select_edge("by-amount")
    hunter.sees("message < 1000 false", "message 5000")
    hunter.edit()
    hunter.replace_word(hunter.case(0).when, "<", ">=")
    hunter.go_on()
    ends_right(hunter, planted.SWAPPED_CASE, before=1)


def test_a_late_message(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.LATE_MESSAGE, tmp_path, "finished")
    hunter.select_edge("join")
    hunter.sees("Superstep 3 1 from quick", "Superstep 4 1 from slower")
    hunter.edit()
    hunter.choose(hunter.editor.policy, "all")
    hunter.go_on()
    ends_right(hunter, planted.LATE_MESSAGE, before=2)


def test_a_state_conflict(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.STATE_CONFLICT, tmp_path, "failed")
    banner = hunter.workspace.banner
    assert (
        "'ann' and 'cid' wrote different values to the state key 'vote'" in banner.text
    )
    hunter.select_node("cid")
    hunter.edit()
    hunter.replace_word(hunter.param("key"), "vote", "vote_cid")
    hunter.go_on()
    ends_right(hunter, planted.STATE_CONFLICT, before=1)


def test_a_starved_join(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.STARVED_JOIN, tmp_path, "stalled")
    cause = "branch not taken: start took the default in superstep 2"
    hunter.hand.wait(lambda: cause in hunter.workspace.banner.text)
    hunter.select_edge("join")
    hunter.edit()
    hunter.choose(hunter.editor.policy, "any")
    hunter.go_on()
    ends_right(hunter, planted.STARVED_JOIN, before=3)


def test_a_wrong_reducer(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.WRONG_REDUCER, tmp_path, "finished")
    hunter.hand.wait(hunter.outputs.origin_button.isVisible)
    hunter.click("[Where from]", hunter.outputs.origin_button)
    hunter.sees("bob wrote total, reduced with that of ann", rows=hunter.steps)
    hunter.edit_step("5 · bob wrote total")
    hunter.type("5")
    hunter.fork_and_run()
    ends_right(hunter, planted.WRONG_REDUCER, before=2)


def test_an_endless_loop(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.ENDLESS_LOOP, tmp_path, "limit")
    hunter.select_edge("way-out")
    hunter.sees("case 1 → end: message == 9 false")
    hunter.edit()
    hunter.replace_word(hunter.case(0).when, "9", "10")
    hunter.go_on()
    ends_right(hunter, planted.ENDLESS_LOOP, before=6)


def test_a_silent_type_drop(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.TYPE_DROP, tmp_path, "finished")
    hunter.sees("type of the message int", "types that shout takes str")
    hunter.select_node("count")
    hunter.edit()
    hunter.replace_word(hunter.param("function"), "count", "count_in_words")
    hunter.go_on()
    ends_right(hunter, planted.TYPE_DROP, before=1)


def test_a_failing_condition(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.FAILING_CONDITION, tmp_path, "failed")
    banner = hunter.workspace.banner
    assert "the message has no field scroe; did you mean 'score'?" in banner.text
    hunter.press("Use 'score'", banner)
    hunter.go_on()
    ends_right(hunter, planted.FAILING_CONDITION, before=2)


def test_a_handler_that_keeps_its_list(hunter: Hunter, tmp_path: Path) -> None:
    fault = planted.ALIASING_HANDLER
    hunter.start(fault, tmp_path, "finished")
    hunter.hand.wait(hunter.outputs.origin_button.isVisible)
    hunter.click("[Where from]", hunter.outputs.origin_button)
    hunter.sees("again sent", "gather sent", rows=hunter.steps)
    hunter.edit_step("4 · again sent")
    hunter.key(Qt.Key.Key_F2)
    hunter.wait_for_json()
    hunter.type('["a", "seen", "seen"]')
    hunter.fork_and_run()
    ends_right(hunter, fault, before=3)


@pytest.mark.painted
def test_a_changed_child(hunter: Hunter, tmp_path: Path) -> None:
    fault = planted.CHANGED_CHILD
    hunter.start(fault, tmp_path, "waiting")
    hunter.answer_yes()
    hunter.hand.wait_stopped("finished")
    hunter.hand.wait(hunter.outputs.origin_button.isVisible)
    hunter.click("[Where from]", hunter.outputs.origin_button)
    hunter.sees("tell sent", rows=hunter.steps)
    hunter.edit_step("10 · price handed up")
    hunter.type("price of the plan")
    hunter.fork_and_run()
    ends_right(hunter, fault, before=7)
