"""Error edges on the canvas: drawn apart from all others, made by menu, mouse and keys;
and a node is cancelled.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, Qt

from designer.canvas.drawing.figures import error_port
from designer.canvas.drawing.overlay import overlay_of
from designer.canvas.gestures.rewire import ErrorWire
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.menus import menu_for
from designer.model import edits
from runtime.debug.protocol import Attempt, Moment, ProgressBody
from tests.designer.canvas.conftest import Bench


def chosen(bench: Bench, at: QPointF, text: str) -> None:
    """Choose an entry of the context menu."""
    menu = menu_for(bench.view, at)
    [action] = [
        action for action in menu.actions() if action.text().split("\t")[0] == text
    ]
    assert action.isEnabled()
    action.trigger()
    menu.deleteLater()


def texts(bench: Bench, at: QPointF) -> list[str]:
    menu = menu_for(bench.view, at)
    found = [
        action.text().split("\t")[0] for action in menu.actions() if action.isEnabled()
    ]
    menu.deleteLater()
    return found


def failing(bench: Bench) -> str:
    """The id of an error edge from the age check to a template."""
    node = bench.view.commands.add_node(
        "template", bench.body("age_check") + QPointF(400, 300)
    )
    bench.view.commands.connect_on_error("age_check", node)
    [edge] = [
        edge.id for edge in bench.design.workflow.edges if edge.kind == "on_error"
    ]
    return edge


def test_it_leaves_by_a_port_of_its_own_in_the_colour_of_errors(bench: Bench) -> None:
    edge = failing(bench)
    figure = bench.scene.edges.figures[edge]
    box = bench.scene.boxes["age_check"]
    [wire] = figure.wires
    assert figure.hub == error_port(box)
    assert figure.hub.y() >= box.outlet.y() + 14
    assert [tag.text for tag in figure.tags] == ["on error"]
    bench.view.select(set())
    assert bench.scene.edges.wire_pen(figure, wire) == ("bad", 1.5, "6 3")
    bench.view.select({edge})
    assert bench.scene.edges.wire_pen(figure, wire)[0] == "accent"
    assert bench.scene.edges.edge_at(figure.hub) == edge
    assert describe(bench.scene, edge).startswith("Failures of Age check to")


def test_an_edge_is_converted_by_its_menu_and_back(bench: Bench) -> None:
    def middle(edge: str) -> QPointF:
        return bench.scene.edges.figures[edge].wires[0].path.pointAtPercent(0.5)

    chosen(bench, middle("ask-report"), "Convert to on error")
    [edge] = [
        edge.id for edge in bench.design.workflow.edges if edge.kind == "on_error"
    ]
    assert bench.steps == 1
    chosen(bench, middle(edge), "Convert to a plain edge")
    assert [
        edge for edge in bench.design.workflow.edges if edge.kind == "on_error"
    ] == []


def test_failures_are_led_by_the_menu_and_the_mouse_to_a_node(bench: Bench) -> None:
    node = bench.view.commands.add_node(
        "template", bench.body("age_check") + QPointF(400, 300)
    )
    chosen(bench, bench.body("age_check"), "Send its failures to…")
    assert isinstance(bench.view.gesture, ErrorWire)
    bench.mouse("hover", bench.centre(node))
    bench.mouse("press", bench.centre(node))
    bench.mouse("release", bench.centre(node))
    edges = [
        (edge.source, edge.target)
        for edge in bench.design.workflow.edges
        if edge.kind == "on_error"
    ]
    assert edges == [("age_check", node)]


def test_failures_are_led_by_keys_only_to_nodes_that_take_them(bench: Bench) -> None:
    node = bench.view.commands.add_node(
        "template", bench.body("age_check") + QPointF(400, 300)
    )
    bench.view.start_wire("age_check", on_error=True)
    assert isinstance(bench.view.gesture, ErrorWire)
    assert (
        bench.view.gesture.refusal("rank_by_reach")
        == "Rank by reach takes Graph, and no failure"
    )
    bench.view.gesture.aim(node)
    bench.key(Qt.Key.Key_Return)
    edges = [
        (edge.source, edge.target)
        for edge in bench.design.workflow.edges
        if edge.kind == "on_error"
    ]
    assert edges == [("age_check", node)]


def test_a_wire_that_is_let_go_offers_nodes_that_take_failures_and_connects_the_chosen_one(
    bench: Bench,
) -> None:
    bench.view.start_wire("age_check", on_error=True)
    for kind in ("press", "release"):
        bench.mouse(kind, bench.body("age_check") + QPointF(300, 400))
    popup = bench.view.node_search.popup
    assert popup is not None
    offered = [popup.list.item(row).text() for row in range(popup.list.count())]
    assert "Text template" in offered
    assert "Rank by reach" not in offered
    popup.chosen.emit("template")
    [edge] = [edge for edge in bench.design.workflow.edges if edge.kind == "on_error"]
    assert edge.source == "age_check"


def test_its_condition_is_edited_in_place(bench: Bench) -> None:
    edge = failing(bench)
    [tag] = bench.scene.edges.figures[edge].tags
    assert bench.view.conditions._condition_at(tag.rect.center()) == (edge, 0)
    bench.document.apply(
        "x", edits.set_condition(bench.design, edge, 0, "message.attempts > 1")
    )
    assert bench.scene.edges.figures[edge].tags[0].mono


def test_a_node_that_runs_can_be_cancelled_and_no_other(bench: Bench) -> None:
    bench.session.running = True
    bench.session.progress = ProgressBody(superstep=1, running={"age_check": 1.0})
    bench.session.look_at(Moment(), "live")
    assert "Cancel this node" not in texts(bench, bench.body("rank_by_reach"))
    chosen(bench, bench.body("age_check"), "Cancel this node")
    assert bench.session.commands == [("cancel", "age_check")]


def test_the_face_of_a_node_says_which_attempt_runs(bench: Bench) -> None:
    def face(attempt: Attempt) -> tuple[str, str]:
        progress = ProgressBody(
            superstep=1, running={"age_check": 1.25}, attempts={"age_check": attempt}
        )
        shown = overlay_of(
            Moment(), progress, bench.design.workflow, running=True
        ).nodes["age_check"]
        return shown.words, shown.detail

    assert face(Attempt(number=2, most=3)) == ("Attempt 2/3", "1.2 s")
    assert face(Attempt(number=1, most=3, error="ValueError: no", wait=4)) == (
        "Waits 4 s",
        "1/3",
    )
