"""The tour points at real parts of the window, goes by keys and mouse, and can be left
at any moment.
"""

import pytest
from PySide6.QtCore import QPoint, Qt

from designer.shell.help.tour import STOPS, Tour
from tests.designer.shell.support import draw

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def start(hand):
    hand.window.actions_by_id["tour"].trigger()
    return hand.window.findChild(Tour)


def is_over(hand):
    hand.wait(lambda: hand.window.findChild(Tour) is None)
    return hand.window.focusWidget() is hand.workspace.canvas


def test_from_the_start_page_it_shows_an_example_and_is_never_begun_unasked(hand):
    assert hand.window.findChild(Tour) is None
    hand.click(hand.window.start_page.tour_button)
    assert hand.window.findChild(Tour) is not None
    assert hand.workspace.document.path is not None


def test_enter_goes_through_all_of_it(hand):
    draw(hand)
    tour = start(hand)
    seen = []
    for _ in STOPS:
        seen.append(tour.title.text())
        hand.key(Qt.Key.Key_Return)
    assert seen == [stop.title for stop in STOPS]
    assert is_over(hand)


@pytest.mark.parametrize("after", range(len(STOPS)))
def test_escape_leaves_it_at_each_stop_and_changes_nothing(hand, after):
    workspace = draw(hand)
    before = workspace.document.design
    tour = start(hand)
    for _ in range(after):
        hand.key(Qt.Key.Key_PageDown)
    assert tour.stop is STOPS[after]
    hand.key(Qt.Key.Key_Escape)
    assert is_over(hand)
    assert workspace.document.design is before


def test_it_goes_back_and_is_left_by_mouse(hand):
    draw(hand)
    tour = start(hand)
    hand.click(tour.next_button)
    hand.click(tour.back_button)
    assert tour.stop is STOPS[0]
    hand.click(tour.leave_button)
    assert is_over(hand)


def test_the_card_is_seen_whole_and_not_over_small_things_that_it_tells_of(hand):
    draw(hand)
    tour = start(hand)
    for stop in STOPS:
        assert hand.window.rect().contains(tour.geometry())
        target = stop.where(hand.window)
        assert target.isVisible()
        if target.height() < 60:
            assert not tour.geometry().contains(target.mapTo(hand.window, QPoint(0, 0)))
        tour.go(1)


def test_it_ends_when_another_workflow_comes_to_the_front(hand):
    draw(hand)
    start(hand)
    hand.window.new_document()
    assert is_over(hand)


def test_it_ends_with_its_workflow(hand):
    draw(hand)
    start(hand)
    hand.window.files.close(hand.workspace)
    hand.wait(lambda: hand.window.findChild(Tour) is None)


def test_it_ends_when_the_start_page_comes_to_the_front(hand):
    draw(hand)
    start(hand)
    hand.window.actions_by_id["start-page"].trigger()
    hand.wait(lambda: hand.window.findChild(Tour) is None)
