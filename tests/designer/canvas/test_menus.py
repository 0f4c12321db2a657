"""The context menus say what each entry would do now, and do it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QAction

from designer.canvas.verbs.menus import menu_for
from tests.designer.canvas.conftest import Bench


def entries(bench: Bench, place: QPointF) -> dict[str, QAction]:
    menu = menu_for(bench.view, place)
    return {action.text().split("\t")[0]: action for action in menu.actions()}


def test_the_bookmark_entry_sets_one_and_then_removes_it(bench: Bench) -> None:
    place = bench.body("age_check")
    entries(bench, place)["Bookmark"].trigger()
    assert bench.view.bookmarks.marked == ("age_check",)
    entries(bench, place)["Remove the bookmark"].trigger()
    assert bench.view.bookmarks.marked == ()


def test_disconnect_removes_the_wires_of_one_side(bench: Bench) -> None:
    place = bench.body("rank_by_reach")
    entries(bench, place)["Disconnect the inputs"].trigger()
    targets = {edge.id for edge in bench.design.workflow.edges}
    assert "graph-rank" not in targets
    assert bench.steps == 1


def test_what_cannot_be_done_says_why(bench: Bench) -> None:
    on_node = entries(bench, bench.body("installed_packages"))
    assert on_node["Start here"].toolTip() == "Runs start here already."
    assert not on_node["Start here"].isEnabled()
    on_canvas = entries(bench, bench.view.mapToScene(QPoint(20, 20)))
    assert "inside a sub-workflow" in on_canvas["Out of the sub-workflow"].toolTip()
