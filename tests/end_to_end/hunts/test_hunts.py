"""Twelve faults, each found and repaired in the real window, going on from before the
fault, in eight actions or fewer. `--log-cli-level=INFO` prints the actions.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit

from tests.designer.shell.support import Hand
from tests.end_to_end.builder import CTRL
from tests.end_to_end.hunts import planted
from tests.end_to_end.hunts.hunter import MOST_ACTIONS, Hunter

_log = logging.getLogger(__name__)


@pytest.fixture
def hunter(hand: Hand) -> Hunter:
    return Hunter(hand)


def ends_right(hunter: Hunter, fault: planted.Planted, before: int) -> None:
    """The run went on from a superstep before the fault, to the right output, in few
    actions.
    """
    taken_over = hunter.wait_for_new_branch()
    assert taken_over.superstep <= before
    assert hunter.read_outputs() == fault.right
    words = "; ".join(hunter.actions)
    _log.info("%s: %d actions: %s", fault.name, len(hunter.actions), words)
    assert len(hunter.actions) <= MOST_ACTIONS, hunter.actions


def test_a_lost_branch(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.LOST_BRANCH, tmp_path, "finished")
    hunter.look_at(1)
    hunter.select_edge("start-press")
    hunter.sees("message.kind == 'Public' false", "message.kind 'public'")
    hunter.edit()
    hunter.replace(hunter.editor.condition, "message.kind == 'public'")
    hunter.go_on()
    ends_right(hunter, planted.LOST_BRANCH, before=1)


def test_a_stale_answer(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.STALE_ANSWER, tmp_path, "finished")
    hunter.hand.wait(hunter.outputs.origin_button.isVisible)
    hunter.click("[Where from]", hunter.outputs.origin_button)
    hunter.sees("old wrote price", "read sent", rows=hunter.steps)
    hunter.click_row(hunter.selected.origin.tree, "7 · read sent")
    hunter.edit()
    hunter.replace(hunter.param("key"), "new_price")
    hunter.go_on()
    ends_right(hunter, planted.STALE_ANSWER, before=4)


def test_a_swapped_case(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.SWAPPED_CASE, tmp_path, "finished")
    hunter.look_at(1)
    hunter.select_edge("by-amount")
    hunter.sees("message < 1000 false", "message 5000")
    hunter.edit()
    hunter.replace(hunter.case(0).when, "message >= 1000")
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
    hunter.replace(hunter.param("key"), "vote_cid")
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
    hunter.edit()
    hunter.select_nothing()
    _key, reducer, *_ = hunter.editor.reducers.findChildren(QLineEdit)
    hunter.replace(reducer, "operator:add")
    hunter.go_on()
    ends_right(hunter, planted.WRONG_REDUCER, before=1)


def test_an_endless_loop(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.ENDLESS_LOOP, tmp_path, "limit")
    hunter.select_edge("way-out")
    hunter.sees("case 1 → end: message == 9 false")
    hunter.edit()
    hunter.replace(hunter.case(0).when, "message >= 9")
    hunter.go_on()
    ends_right(hunter, planted.ENDLESS_LOOP, before=6)


def test_a_silent_type_drop(hunter: Hunter, tmp_path: Path) -> None:
    hunter.start(planted.TYPE_DROP, tmp_path, "finished")
    hunter.sees("type of the message int", "types that shout takes str")
    hunter.select_node("count")
    hunter.edit()
    hunter.replace(hunter.param("function"), "work:count_in_words")
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
    hunter.use_editor(tmp_path, "rows=[]) -> list:", "rows=[]) -> list:\n    rows = []")
    hunter.start(fault, tmp_path, "finished")
    hunter.hand.wait(hunter.outputs.origin_button.isVisible)
    hunter.click("[Where from]", hunter.outputs.origin_button)
    hunter.sees("again sent", "gather sent", rows=hunter.steps)
    hunter.click_row(hunter.selected.origin.tree, "3 · gather sent")
    hunter.key(Qt.Key.Key_F12)
    hunter.edit_elsewhere(tmp_path / "work.py", fault.files["work.py"])
    hunter.look_at(1)
    hunter.key(Qt.Key.Key_F5)
    ends_right(hunter, fault, before=1)


@pytest.mark.painted
def test_a_changed_child(hunter: Hunter, tmp_path: Path) -> None:
    fault = planted.CHANGED_CHILD
    hunter.start(fault, tmp_path, "waiting")
    hunter.answer_yes()
    hunter.hand.wait_stopped("finished")
    hunter.hand.wait(hunter.outputs.origin_button.isVisible)
    hunter.click("[Where from]", hunter.outputs.origin_button)
    hunter.sees("tell sent", rows=hunter.steps)
    row = next(row for row in hunter.steps() if "tell sent" in row)
    hunter.click_row(hunter.selected.origin.tree, row.partition(" ←")[0])
    hunter.edit()
    hunter.replace_word(hunter.param("expression"), "prise", "price")
    hunter.key(Qt.Key.Key_S, CTRL, "Ctrl+S")
    [outward] = hunter.workspace.crumbs.buttons
    hunter.click("the crumb of the workflow", outward)
    hunter.go_on()
    ends_right(hunter, fault, before=5)
