"""The tabs at the bottom: one may have the whole window, and the board more height."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from designer.shell.docks import BOTTOM_MOST
from tests.designer.shell.support import live


def double_click_tab(workspace, title):
    area = workspace.areas["bottom"]
    index = area.indexOf(workspace.panels[title])
    center = area.strip.tabRect(index).center()
    QTest.mouseClick(area.strip, Qt.MouseButton.LeftButton, pos=center)
    QTest.mouseDClick(area.strip, Qt.MouseButton.LeftButton, pos=center)
    QTest.mouseRelease(area.strip, Qt.MouseButton.LeftButton, pos=QPoint(center))


def test_a_double_click_gives_a_tab_the_whole_window_and_back(hand):
    workspace = live(hand)
    for title in ("Board", "Timeline", "Problems", "Output"):
        double_click_tab(workspace, title)
        panel = workspace.panels[title]
        assert not workspace.canvas.isVisible(), title
        assert panel.height() > workspace.height() * 0.9
        double_click_tab(workspace, title)
        assert workspace.canvas.isVisible(), title


def test_escape_gives_the_window_back_before_anything_else(hand):
    workspace = live(hand)
    double_click_tab(workspace, "Board")
    workspace.back_out()
    assert workspace.canvas.isVisible()
    assert workspace.session.mode == "live"


def test_what_needs_the_inspector_gives_the_window_back(hand):
    workspace = live(hand)
    double_click_tab(workspace, "Board")
    workspace.show_panel("Joins")
    assert workspace.panels["Joins"].isVisible()


def test_the_board_gets_more_height_and_at_most_its_share(hand):
    workspace = live(hand)
    hand.show("Timeline")
    low = workspace.areas["bottom"].height()
    hand.show("Board")
    high = workspace.areas["bottom"].height()
    assert low < high <= workspace.height() * BOTTOM_MOST + 1
    hand.show("Timeline")
    assert workspace.areas["bottom"].height() == low


def test_a_height_that_the_user_dragged_stays_for_all_tabs(hand):
    workspace = live(hand)
    workspace.docks.want_bottom([400, 200])
    hand.show("Board")
    assert workspace.areas["bottom"].height() == 200


def test_the_board_leads_to_the_list_of_events(hand):
    workspace = live(hand)
    hand.show("Board")
    board = workspace.panels["Board"]
    board.details.events.click()
    area = workspace.areas["bottom"]
    assert area.currentWidget() is workspace.panels["Log"]
