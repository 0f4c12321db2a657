"""The context menus say what each entry would do now, and do it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QAction

from designer.canvas.verbs.menus import menu_for
from runtime.debug.protocol import Call, Item, Moment, NodeBody, Value
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


def looking_at_a_run(bench: Bench) -> None:
    bench.session.look_at(Moment(), "past")


def test_in_a_run_a_node_is_asked_where_its_message_comes_from(bench: Bench) -> None:
    looking_at_a_run(bench)
    entries(bench, bench.body("age_check"))[
        "Where does its message come from"
    ].trigger()
    node, answer = bench.session.elements[-1]
    assert node == "age_check"
    message = Item(
        checkpoint_id="c3", section="queue:2", value=Value(type="int", text="1")
    )
    answer(NodeBody(node=node, calls=(Call(received=(message,)),)))
    arguments, _ = bench.session.origins[-1]
    assert (arguments.address, arguments.checkpoint_id) == ("queue:2", "c3")


def test_a_node_without_a_message_says_so(bench: Bench) -> None:
    looking_at_a_run(bench)
    told: list[str] = []
    bench.view.message.connect(told.append)
    entries(bench, bench.body("age_check"))[
        "Where does its message come from"
    ].trigger()
    _, answer = bench.session.elements[-1]
    answer(NodeBody(node="age_check"))
    assert told == ["Age check got no message here, and none waits for it."]


def test_in_a_run_a_join_leads_to_its_ledger(bench: Bench) -> None:
    looking_at_a_run(bench)
    panels: list[str] = []
    bench.view.panel_requested.connect(panels.append)
    joins = [edge for edge in bench.design.workflow.edges if edge.join is not None]
    figure = bench.scene.figure(joins[0].id)
    assert figure is not None
    entries(bench, figure.segments[0].center())["Why does it wait"].trigger()
    assert panels == ["Joins"]
    assert bench.view.selection == {joins[0].id}


def test_while_editing_nothing_is_asked_about_a_run(bench: Bench) -> None:
    assert "Where does its message come from" not in entries(
        bench, bench.body("age_check")
    )
