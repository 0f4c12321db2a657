"""Windows stand on a screen that there is, and are no larger than it."""

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QWidget

from designer.panels.widgets.dialog import FRAME, Dialog
from designer.shell.placement import place_window, placed, screen_areas

WANTED = QSize(1600, 1000)
LAPTOP = QRect(0, 0, 1366, 728)
LARGE = QRect(0, 0, 2560, 1400)
RIGHT = QRect(2560, 0, 1920, 1040)  # a second screen
SCALED = QRect(0, 0, 1280, 680)  # 1920 × 1080 with a panel, at 150 %


@pytest.mark.parametrize("area", [LAPTOP, LARGE, SCALED])
def test_the_first_window_fits_its_screen_with_its_frame(area):
    rect = placed(None, WANTED, [area])
    assert area.contains(rect.marginsAdded(FRAME))
    assert rect.size() == WANTED.boundedTo(area.marginsRemoved(FRAME).size())


@pytest.mark.parametrize(
    "before", [QRect(100, 80, 900, 600), QRect(2700, 100, 1200, 800)]
)
def test_a_window_comes_back_where_it_was(before):
    assert placed(before, WANTED, [LARGE, RIGHT]) == before


def test_a_window_of_a_screen_that_is_gone_comes_to_the_middle_of_the_main_one():
    rect = placed(QRect(2700, 100, 1200, 800), WANTED, [LARGE])
    assert rect.size() == QSize(1200, 800)
    assert (rect.center() - LARGE.center()).manhattanLength() < 40


@pytest.mark.parametrize(
    "before",
    [QRect(900, 300, 1600, 1000), QRect(-300, -40, 1300, 700), QRect(0, 0, 1366, 768)],
)
def test_a_window_of_a_larger_screen_is_made_to_fit(before):
    assert LAPTOP.contains(placed(before, WANTED, [LAPTOP]).marginsAdded(FRAME))


def test_a_real_window_is_no_larger_than_its_screen(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    area = screen_areas()[0]
    place_window(window, "", QSize(9000, 9000), QSize(5000, 300))
    assert area.contains(window.geometry().marginsAdded(FRAME))
    saved = window.saveGeometry().toBase64().toStdString()
    again = QWidget()
    qtbot.addWidget(again)
    place_window(again, saved, QSize(100, 100), QSize(10, 10))
    assert again.geometry() == window.geometry()


def test_a_dialog_is_no_larger_than_its_screen(qtbot):
    dialog = Dialog()
    qtbot.addWidget(dialog)
    area = screen_areas()[0]
    dialog.setGeometry(area.right() - 50, area.bottom() - 20, 3000, 2000)
    dialog.show()
    assert area.contains(dialog.geometry())
