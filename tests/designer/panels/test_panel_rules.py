"""The rules of panels hold inside of panels, whatever the window says there, and
nowhere else.
"""

from PySide6.QtWidgets import QLabel, QWidget

from designer.look.stylesheet import stylesheet
from designer.look.theme import Look
from designer.panels.base import Panel
from tests.designer.fake_session import FakeSession


def section(parent):
    label = QLabel("Section", parent)
    label.setProperty("role", "section")
    label.ensurePolished()
    return label.font().pixelSize()


def test_a_rule_for_panels_wins_in_them_and_reaches_nothing_else(qtbot, qapp, document):
    look = Look("light")
    page = QWidget()
    panel = Panel(document, FakeSession(), look)
    page.setProperty("role", "panel")  # only the ground of one
    qtbot.addWidget(page)
    qtbot.addWidget(panel)
    qapp.setStyleSheet(stylesheet(look.theme))
    try:
        assert (section(page), section(panel)) == (15, 13)
    finally:
        qapp.setStyleSheet("")


def test_a_panel_has_no_sheet_of_its_own(qtbot, document):
    panel = Panel(document, FakeSession(), Look("dark"))
    qtbot.addWidget(panel)
    assert not panel.styleSheet()
