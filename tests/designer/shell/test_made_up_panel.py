"""A panel that nobody knew before: one class and one line in `PANELS`, and it is part
of the window.
"""

import pytest
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout

from designer.panels import PANELS
from designer.panels.base import Panel
from designer.shell import workspace as workspace_module
from designer.shell.keys.rows import Keys
from runtime.debug.protocol import Moment
from tests.designer.fakes import header
from tests.designer.shell.support import draw, link_of, live
from tests.designer.shell.test_findings import search, shown, take

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


class Cost(Panel):
    """Shows the superstep of the moment, and goes on from its checkpoint on request."""

    title = "Cost"
    icon = "flag"
    restore_requested = Signal(str)

    def connect_to(self, host):
        self.restore_requested.connect(host.restore)

    def set_up(self):
        self.heard = []
        self.words = QLabel()
        self.field = QLineEdit()
        self.beside = QLabel("per run")
        layout = QVBoxLayout(self)
        layout.addWidget(self.words)
        layout.addWidget(self.field)
        self.session.viewed.connect(self.invalidate)

    @property
    def corner(self):
        return self.beside

    def follow_room(self, *, is_narrow, inspector_width):
        self.heard.append("room")

    def follow_settings(self, *, is_still):
        self.heard.append(("still", is_still))

    def follow_keys(self, keys):
        self.heard.append(keys.names["F5"])

    def unfinished(self):
        return ["a cost"] if self.field.text() else []

    def refresh(self):
        moment = self.session.seen
        if moment is not None:
            self.words.setText(f"superstep {moment.superstep}")
            self.badge_changed.emit(str(moment.superstep))


@pytest.fixture(autouse=True)
def one_line(monkeypatch):
    monkeypatch.setattr(workspace_module, "PANELS", (*PANELS, Cost))


def test_it_is_a_tab_with_its_own_corner_and_badge(desk):
    workspace = live(desk)
    bottom = workspace.areas["bottom"]
    titles = [bottom.tabText(index) for index in range(bottom.count())]
    assert titles[-1] == "Cost"
    panel = workspace.panels["Cost"]
    assert not panel.beside.isVisible()
    rect = bottom.tabBar().tabRect(bottom.indexOf(panel))
    desk.qtbot.mouseClick(bottom.tabBar(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert bottom.currentWidget() is panel
    assert panel.beside.isVisible()
    assert not workspace.panels["Timeline"].controls.isVisible()
    workspace.show_panel("Timeline")
    assert workspace.panels["Timeline"].controls.isVisible()
    assert not panel.beside.isVisible()


def test_it_gets_the_moments_of_the_session(desk):
    workspace = live(desk)
    workspace.show_panel("Cost")
    panel = workspace.panels["Cost"]
    assert panel.words.text() == "superstep 2"
    workspace.session.view("c1")
    link = link_of(workspace)
    link.reply("inspect", Moment(header=header(3), superstep=2))
    link.reply("inspect", Moment(header=header(1), superstep=0))
    assert panel.words.text() == "superstep 0"


def test_the_command_palette_leads_to_it(hand):
    workspace = draw(hand)
    palette = search(hand, "cost")
    assert shown(palette)[0] == "Go to Cost"
    take(hand, palette)
    assert hand.window.focusWidget() is workspace.panels["Cost"].field


def test_it_asks_the_workspace_and_follows_it(hand):
    workspace = live(hand)
    panel = workspace.panels["Cost"]
    panel.restore_requested.emit("c2")
    assert link_of(workspace).commands[-1] == "restore_plan"
    hand.window.use_keys(Keys({"run": "F9"}))
    hand.window.reduce_motion()
    assert "room" in panel.heard
    assert panel.heard[-2:] == ["F9", ("still", True)]


def test_what_is_typed_there_is_not_lost(desk):
    workspace = draw(desk)
    workspace.panels["Cost"].field.setText("12")
    assert workspace.unfinished() == ["a cost"]
    workspace.panels["Cost"].field.clear()
