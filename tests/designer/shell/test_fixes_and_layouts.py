"""In the whole window: a problem is found while drawing, led to, fixed by keys or
mouse; layouts by menu and keys.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from designer.model import edits
from designer.model.design import Design
from designer.model.inside import child
from designer.panels.problems import FIX, ProblemsPanel
from runtime.document.definition import NodeInfo
from tests.designer.model.test_fixes import nested
from tests.designer.shell.support import Hand, draw
from tests.runtime.test_validation import INFOS, alone, go, workflow

CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
# A popup raises itself and grabs the keyboard, which the offscreen platform cannot.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


def starved(hand: Hand) -> ProblemsPanel:
    """A drawing whose join waits for both ways of a switch, and the list with that
    problem.
    """
    workspace = draw(hand)
    drawing = workspace.document.design
    drawing, answer = edits.add_node(drawing, "template", (2000, 0), name="Both")
    drawing, _ = edits.connect_join(drawing, ["ask", "report"], answer)
    cut = edits.remove(drawing, {"ask->report"})
    workspace.document.apply("Starve", cut)
    panel = workspace.panels["Problems"]
    assert isinstance(panel, ProblemsPanel)
    hand.wait(
        lambda: any(
            problem.rule == "join-can-fill" for problem in workspace.checks.problems
        )
    )
    return panel


def row_of(panel: ProblemsPanel, rule: str) -> int:
    return next(
        at for at, problem in enumerate(panel.checks.problems) if problem.rule == rule
    )


def test_a_join_that_can_never_fill_is_led_to_and_fixed_by_keys(hand: Hand) -> None:
    panel = starved(hand)
    workspace = hand.workspace
    join = panel.checks.problems[row_of(panel, "join-can-fill")].location
    workspace.canvas.setFocus()
    workspace.document.select({join})
    before = workspace.document.design
    hand.key(Qt.Key.Key_Period, CTRL)
    assert panel.isVisible()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.actions()[0].text() == "Use the policy any"
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert "join-can-fill" not in [
        problem.rule for problem in workspace.checks.problems
    ]
    hand.key(Qt.Key.Key_Z, CTRL)
    assert workspace.document.design == before


def test_a_click_on_a_problem_selects_what_it_is_about_and_brings_it_into_view(
    desk: Hand,
) -> None:
    starved(desk)
    panel = desk.show("Problems")
    assert isinstance(panel, ProblemsPanel)
    workspace = desk.workspace
    row = row_of(panel, "join-can-fill")
    workspace.canvas.clock.reduce_motion = True
    workspace.canvas.camera.zoom_to(1)
    workspace.canvas.camera.look_at(workspace.canvas.mapToScene(-4000, -4000))
    panel.table.scrollTo(panel.rows.index(row, 0))
    desk.click(
        panel.table.viewport(),
        panel.table.visualRect(panel.rows.index(row, 0)).center(),
    )
    join = panel.checks.problems[row].location
    assert workspace.document.selection == {join}
    seen = workspace.canvas.mapToScene(
        workspace.canvas.viewport().rect()
    ).boundingRect()
    assert seen.intersects(workspace.canvas.scene().drawing_rect({join}))


def test_the_button_beside_a_problem_opens_its_fixes(desk: Hand) -> None:
    starved(desk)
    panel = desk.show("Problems")
    assert isinstance(panel, ProblemsPanel)
    row = row_of(panel, "join-can-fill")
    panel.table.scrollTo(panel.rows.index(row, 0))
    cell = panel.table.visualRect(panel.rows.index(row, FIX))
    desk.click(panel.table.viewport(), cell.center())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    menu.close()


def test_a_problem_inside_of_a_sub_workflow_is_fixed_from_outside_in_one_step(
    hand: Hand,
) -> None:
    workspace = hand.new_document()
    workspace.document.apply(
        "Draw", nested(workflow(go("a", "out"), start=""), "child")
    )
    hand.wait(
        lambda: any(
            problem.inside_rule == "start-exists"
            for problem in workspace.checks.problems
        )
    )
    before = workspace.document.design
    workspace.document.select({"child"})
    workspace.canvas.setFocus()
    hand.key(Qt.Key.Key_Period, CTRL)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.actions()[0].text() == "Start at a"
    QTest.keyClick(menu, Qt.Key.Key_Return)
    assert child(workspace.document.design, "child").workflow.start == "a"
    workspace.undo()
    assert workspace.document.design == before


def test_another_file_is_offered_for_one_that_is_not_there(
    desk: Hand, tmp_path: Path
) -> None:
    (tmp_path / "orders.csv").write_text("a\n1\n")
    workspace = draw(desk)
    workspace.session.infos.update(INFOS)
    workspace.document.apply("Draw", Design(alone("read_file", path="order.csv")))
    workspace.document.save(tmp_path / "w.stepwell.json")
    panel = desk.show("Problems")
    assert isinstance(panel, ProblemsPanel)
    desk.wait(
        lambda: any(
            problem.rule == "file-there" for problem in workspace.checks.problems
        )
    )
    cell = panel.table.visualRect(panel.rows.index(row_of(panel, "file-there"), FIX))
    desk.click(panel.table.viewport(), cell.center())
    assert workspace.document.design.workflow.nodes[0].params["path"] == "orders.csv"
    assert workspace.document.undo_stack.undoText() == "Use orders.csv"


def test_without_anything_to_fix_the_canvas_says_so(hand: Hand) -> None:
    workspace = hand.new_document()
    workspace.session.infos.clear()
    info = NodeInfo(type="output", title="Output", category="", icon="", outputs=())
    workspace.session.infos["output"] = info
    drawing, _ = edits.add_node(workspace.document.design, "output", (0, 0))
    workspace.document.apply("Add", drawing)
    workspace.checks.run()
    with hand.qtbot.waitSignal(workspace.message) as told:
        hand.key(Qt.Key.Key_Period, CTRL)
    assert told.args == ["No problem here has a quick fix."]


@pytest.mark.parametrize(
    ("key", "modifiers"),
    [(Qt.Key.Key_L, CTRL), (Qt.Key.Key_L, CTRL | ALT)],
    ids=["in layers", "organic"],
)
def test_layouts_by_keys_are_one_step(
    hand: Hand, key: Qt.Key, modifiers: Qt.KeyboardModifier
) -> None:
    workspace = draw(hand)
    workspace.canvas.setFocus()
    before = workspace.document.design
    steps = workspace.document.undo_stack.index()
    hand.key(key, modifiers)
    assert workspace.document.undo_stack.index() == steps + 1
    assert workspace.document.design.positions != before.positions


def test_every_layout_stands_in_the_menu_of_its_button(hand: Hand) -> None:
    draw(hand)
    menus = [
        menu
        for menu in hand.window.findChildren(QMenu)
        if "Layout, organic" in [a.text() for a in menu.actions()]
    ]
    texts = [
        [action.text().partition("\t")[0] for action in menu.actions()]
        for menu in menus
    ]
    assert [
        "Layout, left to right",
        "Layout, top to bottom",
        "Layout, organic",
        "Tidy new nodes, the rest stays",
        "Layout of the selection",
    ] in texts
