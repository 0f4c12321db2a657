"""A change of theme reaches every widget as if the sheet had been set at once, but in
slices.
"""

from __future__ import annotations

from itertools import count

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QLineEdit,
    QListWidget,
    QPushButton,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from designer.app import make_application
from designer.look.stylesheet import stylesheet
from designer.look.theme import Theme, load_theme
from designer.qt.layouts import put, row, stack
from designer.shell.settings.theme_change import Restyling

LIGHT = load_theme("light")
DARK = load_theme("dark")


@pytest.fixture
def tabs(qtbot: QtBot) -> QTabWidget:
    """Two tabs of widgets that the sheet has rules for; the second has never been in
    sight.
    """
    make_application()
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    restyling = Restyling(tabs)
    restyling.start(LIGHT)
    restyling.finish()
    for name in ("first", "second"):
        tabs.addTab(_page(), name)
    tabs.resize(400, 300)
    tabs.show()
    qtbot.waitExposed(tabs)
    return tabs


def _page() -> QWidget:
    page = QWidget()
    items = QListWidget()
    items.addItems(["an item", "another"])
    title = QLabel("A title")
    title.setProperty("role", "title")
    primary = QPushButton("Press")
    primary.setProperty("primary", True)
    put(
        page,
        stack(title, row(QLineEdit("typed"), primary, QPushButton("Other")), items),
    )
    return page


def slow(tabs: QTabWidget) -> Restyling:
    """Each step takes longer than a slice."""
    ticks = count()
    return Restyling(tabs, clock=lambda: float(next(ticks)))


def grabs(tabs: QTabWidget) -> list[QImage]:
    images = []
    for index in range(tabs.count()):
        tabs.setCurrentIndex(index)
        QApplication.processEvents()
        images.append(tabs.grab().toImage())
    return images


def assert_as_set_at_once(tabs: QTabWidget, theme: Theme) -> None:
    application = QApplication.instance()
    sheet = stylesheet(theme)
    assert isinstance(application, QApplication)
    assert application.styleSheet() == sheet
    in_slices = grabs(tabs)
    application.setStyleSheet(sheet + " ")  # Qt's own way
    at_once = grabs(tabs)
    application.setStyleSheet(sheet)
    assert in_slices == at_once


def test_slices_give_the_picture_that_setting_the_sheet_gives(
    tabs: QTabWidget, qtbot: QtBot
) -> None:
    light = grabs(tabs)
    restyling = slow(tabs)
    restyling.start(DARK)
    assert restyling.busy
    qtbot.waitUntil(lambda: not restyling.busy)
    assert grabs(tabs) != light
    assert_as_set_at_once(tabs, DARK)
    assert not [
        widget
        for widget in QApplication.allWidgets()
        if widget.testAttribute(Qt.WidgetAttribute.WA_SetStyle)
    ], "what is put into another widget later would keep its look"


def test_nothing_is_painted_before_what_is_in_sight_is_done(
    tabs: QTabWidget, qtbot: QtBot
) -> None:
    restyling = slow(tabs)
    restyling.start(DARK)
    assert not tabs.updatesEnabled()
    qtbot.waitUntil(tabs.updatesEnabled)
    qtbot.waitUntil(lambda: not restyling.busy)


def test_the_last_choice_counts_and_what_dies_meanwhile_is_left_out(
    tabs: QTabWidget, qtbot: QtBot
) -> None:
    restyling = slow(tabs)
    restyling.start(DARK)
    doomed = tabs.widget(1)
    tabs.removeTab(1)
    shiboken6.delete(doomed)
    QApplication.processEvents()
    tabs.addTab(_page(), "second")
    restyling.start(LIGHT)
    qtbot.waitUntil(lambda: not restyling.busy)
    assert tabs.updatesEnabled()
    assert_as_set_at_once(tabs, LIGHT)
