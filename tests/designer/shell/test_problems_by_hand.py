"""What is drawn wrong by mouse and keys is listed as it is drawn, each located, and
fixed from the list.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from designer.panels.problems import ProblemsPanel
from designer.shell.workspace import Workspace
from runtime.debug.protocol import CatalogueBody
from runtime.nodes import BUILT_IN, Catalogue
from tests.designer.shell.support import Hand, link_of

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
CATALOGUE = CatalogueBody(nodes=tuple(Catalogue(BUILT_IN).infos()))


@pytest.fixture
def workspace(hand: Hand) -> Workspace:
    workspace = hand.new_document()
    link_of(workspace).reply("catalogue", CATALOGUE)
    workspace.canvas.clock.reduce_motion = True
    workspace.canvas.setFocus()
    return workspace


def add(hand: Hand, title: str, at: tuple[float, float]) -> str:
    """A node by double click and typing, in the middle of `at`; its id."""
    view = hand.workspace.canvas
    QTest.mouseDClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.mapFromScene(QPointF(*at))
    )
    popup = view.popup
    assert popup is not None
    QTest.keyClicks(popup.field, title)
    QTest.keyClick(popup.field, K.Key_Return)
    (made,) = view.chosen_nodes()
    return made


def wire(hand: Hand, source: str, target: str) -> None:
    view = hand.workspace.canvas
    boxes = view.scene().boxes
    start = view.mapFromScene(boxes[source].outlet)
    end = view.mapFromScene(boxes[target].inlet)
    hand.drag(view.viewport(), start, end)
    hand.key(K.Key_Escape)


def rules(hand: Hand) -> list[str]:
    hand.workspace.checks.run()
    return [problem.rule for problem in hand.workspace.checks.problems]


def list_of(hand: Hand) -> ProblemsPanel:
    panel = hand.show("Problems")
    assert isinstance(panel, ProblemsPanel)
    return panel


def click_row(hand: Hand, rule: str) -> None:
    panel = list_of(hand)
    row = next(
        at for at, problem in enumerate(panel.checks.problems) if problem.rule == rule
    )
    index = panel.rows.index(row, 0)
    panel.table.scrollTo(index)
    hand.click(panel.table.viewport(), panel.table.visualRect(index).center())


def test_what_is_drawn_wrong_is_listed_located_and_fixed(
    hand: Hand, workspace: Workspace
) -> None:
    start = add(hand, "Input", (0, 0))
    first = add(hand, "Text template", (300, 0))
    lonely = add(hand, "Collect", (300, 240))
    last = add(hand, "Output", (620, 0))
    wire(hand, start, first)
    wire(hand, first, last)
    assert "reachable" in rules(hand)
    click_row(hand, "reachable")
    assert workspace.document.selection == {lonely}
    hand.workspace.canvas.setFocus()
    hand.key(K.Key_Delete)
    assert "reachable" not in rules(hand)
    wire(hand, first, first)
    assert "loop-has-exit" in rules(hand), "a node that leads to itself for ever"
    click_row(hand, "loop-has-exit")
    assert len(workspace.document.selection) == 1
    steps = workspace.document.undo_stack.index()
    hand.key(K.Key_Period, CTRL)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    QTest.keyClick(menu, K.Key_Return)
    assert workspace.document.undo_stack.index() == steps + 1
    assert "loop-has-exit" not in rules(hand)


def test_a_loop_without_an_exit_is_told_as_it_is_drawn(
    hand: Hand, workspace: Workspace
) -> None:
    start = add(hand, "Input", (0, 0))
    first = add(hand, "Text template", (300, 0))
    second = add(hand, "Text template", (600, 0))
    wire(hand, start, first)
    wire(hand, first, second)
    assert "loop-has-exit" not in rules(hand)
    wire(hand, second, first)
    assert "loop-has-exit" in rules(hand)
    click_row(hand, "loop-has-exit")
    assert workspace.document.selection
