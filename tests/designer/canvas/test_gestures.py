"""Every gesture, with real mouse events; each changes the document once at its end, or
not at all after Esc.
"""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from designer.canvas.gestures.drop import MIME
from designer.model import edits
from runtime.document.definition import DirectEdge, FanInEdge, SwitchEdge
from tests.designer.canvas.conftest import Bench, on_screen
from tests.designer.canvas.support import half_full

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


def edge(bench: Bench, source: str, target: str) -> DirectEdge | None:
    edges = [e for e in bench.design.workflow.edges if isinstance(e, DirectEdge)]
    return next((e for e in edges if (e.source, e.target) == (source, target)), None)


def test_case_141_dragging_three_nodes_is_one_step_that_undo_takes_back_exactly(
    bench: Bench,
) -> None:
    chosen = ("classify_licences", "age_check", "rank_by_reach")
    before = dict(bench.design.positions)
    bench.document.select(chosen)
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(48, 24))
    assert bench.steps == 1
    assert all(
        bench.position(key) == (before[key][0] + 48, before[key][1] + 24)
        for key in chosen
    )
    assert bench.position("ask_a_person") == before["ask_a_person"]
    bench.document.undo_stack.undo()
    assert dict(bench.design.positions) == before
    assert bench.scene.boxes["age_check"].rect.topLeft() == QPointF(
        *before["age_check"]
    )


def test_a_menu_reaches_a_wire_as_far_as_a_click_does(bench: Bench) -> None:
    bench.view.camera.zoom_to(0.4)
    wire = bench.scene.edges.figures["ask-report"].wires[0].path
    away = math.radians(wire.angleAtPercent(0.5) + 90)
    beside = (
        wire.pointAtPercent(0.5)
        + QPointF(math.cos(away), -math.sin(away)) * 5 / bench.view.zoom
    )
    bench.click(beside)
    assert bench.document.selection == {"ask-report"}
    assert bench.view.thing_at(beside) == "ask-report"


def test_case_162_a_hundred_moves_change_the_document_once_and_a_click_never(
    bench: Bench,
) -> None:
    heard: list[object] = []
    bench.document.changed.connect(heard.append)
    bench.click(bench.body("age_check"))
    assert heard == []
    bench.drag(
        bench.body("age_check"),
        bench.body("age_check") + QPointF(80, 160),
        steps=100,
        release=False,
    )
    assert heard == []
    bench.mouse("release", bench.body("age_check"))
    assert len(heard) == 1


def test_a_moved_node_snaps_to_eight_unless_the_grid_is_off(bench: Bench) -> None:
    x, y = bench.position("age_check")
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(13, 5))
    assert bench.position("age_check") == (x + 16, y + 8)
    bench.view.set_snap(False)
    x = bench.position("age_check")[0]
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(13, 5))
    assert bench.position("age_check")[0] == x + 13


def test_a_moved_node_comes_to_stand_level_with_what_it_is_wired_to(
    bench: Bench,
) -> None:
    bench.view.set_snap(False)
    bench.drag(
        bench.body("rank_by_reach"), bench.body("rank_by_reach") + QPointF(0, 60)
    )
    bench.view.set_snap(True)
    bench.drag(
        bench.body("rank_by_reach"), bench.body("rank_by_reach") + QPointF(0, -57)
    )
    assert bench.inlet("rank_by_reach").y() == bench.outlet("dependency_graph").y()


def test_case_162_escape_in_a_drag_puts_everything_back(bench: Bench) -> None:
    place = bench.scene.boxes["age_check"].rect
    figure = bench.scene.edges.figures["join"].bounds
    bench.drag(
        bench.body("age_check"),
        bench.body("age_check") + QPointF(200, 90),
        release=False,
    )
    assert bench.scene.boxes["age_check"].rect != place
    bench.key(Qt.Key.Key_Escape)
    assert bench.scene.boxes["age_check"].rect == place
    assert bench.scene.edges.figures["join"].bounds == figure
    bench.mouse("release", bench.body("age_check"))
    assert bench.steps == 0


def test_alt_drag_leaves_the_original_and_makes_a_copy(bench: Bench) -> None:
    place = bench.position("age_check")
    bench.drag(
        bench.body("age_check"), bench.body("age_check") + QPointF(0, 96), modifiers=ALT
    )
    (copy,) = bench.document.selection
    assert bench.position("age_check") == place
    assert bench.position(copy) == (place[0], place[1] + 96)
    assert bench.steps == 1


def test_a_wire_from_port_to_port_connects(bench: Bench) -> None:
    bench.drag(
        bench.outlet("classify_licences"), bench.inlet("age_check"), release=False
    )
    assert bench.view.gesture is not None
    assert bench.view.gesture.reason == "Age check takes Packages, not LicenceReport"  # type: ignore[attr-defined]
    bench.key(Qt.Key.Key_Escape)
    bench.drag(bench.outlet("installed_packages"), bench.inlet("age_check"))
    # the fan-out leads there already
    assert edge(bench, "installed_packages", "age_check") is None
    assert "already" in bench.view.toast.text()
    bench.view.select({"graph-rank"})
    bench.view.delete_selection()
    bench.drag(bench.outlet("dependency_graph"), bench.inlet("rank_by_reach"))
    assert edge(bench, "dependency_graph", "rank_by_reach") is not None
    assert bench.scene.edges.figures.keys() == {
        e.id for e in bench.design.workflow.edges
    }


@pytest.mark.parametrize(
    "way", [QPointF(-240, -160), QPointF(-200, 90), QPointF(500, 160)]
)
def test_a_wire_leaves_no_traces_wherever_it_is_drawn(
    bench: Bench, way: QPointF
) -> None:
    start = bench.outlet("age_check")
    bench.drag(start, start + way / 2, release=False)
    QApplication.processEvents()
    bench.mouse("move", start + way)
    QApplication.processEvents()
    pieces = on_screen(bench)
    bench.view.viewport().repaint()
    assert on_screen(bench) == pieces
    bench.key(Qt.Key.Key_Escape)
    QApplication.processEvents()
    pieces = on_screen(bench)
    bench.view.viewport().repaint()
    assert on_screen(bench) == pieces


def test_a_wire_drawn_backwards_from_an_input_connects_too(bench: Bench) -> None:
    bench.view.select({"graph-rank"})
    bench.view.delete_selection()
    bench.drag(bench.inlet("rank_by_reach"), bench.outlet("dependency_graph"))
    assert edge(bench, "dependency_graph", "rank_by_reach") is not None


def test_a_refused_type_changes_nothing_and_says_why(bench: Bench) -> None:
    with bench.qtbot.waitSignal(bench.view.message) as told:
        bench.drag(bench.outlet("age_check"), bench.inlet("rank_by_reach"))
    assert told.args == ["Rank by reach takes Graph, not AgeReport"]
    assert bench.steps == 0


def test_a_wire_has_the_colour_of_an_error_as_long_as_it_would_be_refused(
    bench: Bench,
) -> None:
    for end, role in (
        (bench.centre("rank_by_reach"), "bad"),
        (bench.outlet("age_check") + QPointF(90, 60), "accent"),
    ):
        bench.drag(bench.outlet("age_check"), end, release=False)
        picture = bench.view.viewport().grab().toImage()
        assert picture.pixelColor(bench.px(bench.outlet("age_check"))) == getattr(
            bench.view.look.theme, role
        )
        bench.key(Qt.Key.Key_Escape)


def test_only_ports_that_fit_get_a_ring(bench: Bench) -> None:
    bench.drag(
        bench.outlet("dependency_graph"),
        bench.outlet("dependency_graph") + QPointF(10, 60),
        release=False,
    )
    ringed = {key for key, item in bench.scene.nodes.items() if item.port == "accept"}
    assert ringed == {"rank_by_reach"}
    bench.key(Qt.Key.Key_Escape)
    assert not any(item.port for item in bench.scene.nodes.values())


def test_a_wire_dropped_on_a_join_bar_adds_a_source(bench: Bench) -> None:
    bench.view.commands.add_node("template", QPointF(500, 620))
    (node,) = bench.document.selection
    bench.view.select(())
    bar = bench.scene.edges.figures["join"].segments[1].center()
    bench.drag(bench.outlet(node), bar)
    join = next(e for e in bench.design.workflow.edges if isinstance(e, FanInEdge))
    assert join.sources == ("classify_licences", "rank_by_reach", "age_check", node)
    assert len(bench.scene.edges.figures["join"].segments) == 4


def test_several_selected_nodes_wired_from_one_become_a_join(bench: Bench) -> None:
    bench.view.commands.add_node("template", QPointF(480, 660))
    (node,) = bench.document.selection
    bench.view.select({"classify_licences"})
    bench.view.select({"classify_licences", "age_check"})
    bench.drag(bench.outlet("age_check"), bench.inlet(node))
    joins = [
        e
        for e in bench.design.workflow.edges
        if isinstance(e, FanInEdge) and e.target == node
    ]
    assert [set(join.sources) for join in joins] == [{"classify_licences", "age_check"}]


def test_wires_that_leave_a_diamond_are_the_ways_of_its_switch(bench: Bench) -> None:
    """A switch has no other gesture: what is drawn first is its default, then each wire
    is a case.
    """
    bench.view.select({"switch"})
    bench.view.delete_selection()
    for target in ("write_report", "ask_a_person", "ask_a_person"):
        bench.drag(bench.outlet("route_by_licence"), bench.inlet(target))
    switch = next(e for e in bench.design.workflow.edges if isinstance(e, SwitchEdge))
    assert (switch.default, [case.target for case in switch.cases]) == (
        "write_report",
        ["ask_a_person"] * 2,
    )
    # where its conditions are written
    assert bench.document.selection == {"route_by_licence"}
    assert edge(bench, "route_by_licence", "ask_a_person") is None


def test_a_diamond_added_before_a_node_is_a_switch_too(bench: Bench) -> None:
    bench.view.commands.add_node("template", QPointF(900, 640))
    (node,) = bench.document.selection
    diamond = bench.view.commands.add_node(
        "route", QPointF(800, 640), wired=[node], side="in"
    )
    switches = [
        e
        for e in bench.design.workflow.edges
        if isinstance(e, SwitchEdge) and e.source == diamond
    ]
    assert [switch.default for switch in switches] == [node]


def test_a_wire_dropped_on_nothing_asks_what_to_add_and_connects_it(
    bench: Bench,
) -> None:
    bench.drag(bench.outlet("age_check"), QPointF(560, 640))
    popup = bench.view.popup
    assert popup is not None
    titles = [popup.list.item(row).text() for row in range(popup.list.count())]
    assert titles == ["Text template", "Filter", "Function"]  # what takes an AgeReport
    bench.qtbot.keyClicks(popup.field, "te")
    bench.qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    (node,) = bench.document.selection
    assert edge(bench, "age_check", node) is not None
    assert bench.steps == 1
    assert bench.scene.boxes[node].inlet.x() == pytest.approx(560, abs=8)
    bench.document.undo_stack.undo()
    assert node not in bench.scene.nodes


def test_what_a_dropped_wire_adds_covers_no_node_beside_it(bench: Bench) -> None:
    beside = bench.scene.boxes["dependency_graph"].rect
    bench.drag(bench.outlet("classify_licences"), beside.topLeft() - QPointF(40, 20))
    popup = bench.view.popup
    assert popup is not None
    bench.qtbot.keyClick(popup.field, Qt.Key.Key_Return)
    (made,) = bench.view.chosen_nodes()
    rect = bench.scene.boxes[made].rect
    assert not any(
        box.rect.intersects(rect)
        for key, box in bench.scene.boxes.items()
        if key != made
    )
    assert bench.steps == 1


def test_escape_in_the_quick_add_drops_the_wire(bench: Bench) -> None:
    bench.drag(bench.outlet("age_check"), QPointF(560, 640))
    assert bench.view.popup is not None
    bench.qtbot.keyClick(bench.view.popup.field, Qt.Key.Key_Escape)
    assert bench.view.popup is None
    assert bench.view.gesture is None
    assert bench.steps == 0


def test_rubber_band_selects_adds_and_removes(bench: Bench) -> None:
    corner = QPointF(250, 200)
    bench.drag(corner, QPointF(420, 330))
    assert bench.document.selection >= {"classify_licences", "fan"}
    bench.drag(QPointF(250, 600), QPointF(300, 560), modifiers=SHIFT)
    assert {"classify_licences", "age_check"} <= bench.document.selection
    bench.drag(corner, QPointF(420, 330), modifiers=CTRL)
    assert "classify_licences" not in bench.document.selection
    assert "age_check" in bench.document.selection


def test_escape_in_a_rubber_band_brings_the_selection_back(bench: Bench) -> None:
    bench.view.select({"write_report"})
    bench.drag(QPointF(250, 200), QPointF(420, 330), release=False)
    assert bench.document.selection != {"write_report"}
    bench.key(Qt.Key.Key_Escape)
    assert bench.document.selection == {"write_report"}


def test_an_edge_group_is_one_thing_to_click(bench: Bench) -> None:
    figure = bench.scene.edges.figures["join"]
    bench.click(figure.segments[2].center())
    assert bench.document.selection == {"join"}
    bench.click(bench.scene.edges.figures["switch"].tags[1].rect.center())
    assert bench.document.selection == {"switch"}
    bench.click(bench.scene.edges.figures["fan"].wires[1].path.pointAtPercent(0.5))
    assert bench.document.selection == {"fan"}
    bench.click(QPointF(700, 700))
    assert bench.document.selection == frozenset()


def test_shift_click_adds_and_takes_away(bench: Bench) -> None:
    bench.click(bench.body("age_check"))
    bench.click(bench.body("write_report"), SHIFT)
    assert bench.document.selection == {"age_check", "write_report"}
    bench.click(bench.body("age_check"), SHIFT)
    assert bench.document.selection == {"write_report"}


@pytest.mark.parametrize("way", ["middle", "space"])
def test_panning_moves_the_view_and_nothing_else(bench: Bench, way: str) -> None:
    before = bench.view.camera.centre()
    if way == "space":
        bench.qtbot.keyPress(bench.view, Qt.Key.Key_Space)
    if way == "middle":
        button = Qt.MouseButton.MiddleButton
    else:
        button = Qt.MouseButton.LeftButton
    at = bench.view.mapToScene(QPoint(600, 300))
    bench.mouse("press", at, button)
    bench.mouse("move", at + QPointF(40, 20), button)
    bench.mouse("release", at, button)
    assert bench.view.camera.centre() - before == QPointF(-40, -20)
    assert bench.steps == 0
    if way == "space":
        bench.qtbot.keyRelease(bench.view, Qt.Key.Key_Space)
        assert bench.view.popup is None  # it was no tap


def test_the_wheel_zooms_at_the_pointer(bench: Bench) -> None:
    at = QPoint(900, 200)
    fixed = bench.view.mapToScene(at)
    bench.view.camera.zoom_by(1.4, at)
    assert bench.view.zoom == pytest.approx(1.4)
    assert (bench.view.mapToScene(at) - fixed).manhattanLength() < 2


def test_double_click_opens_a_node_and_on_nothing_adds_one(bench: Bench) -> None:
    with bench.qtbot.waitSignal(bench.view.node_activated) as opened:
        bench.mouse("double", bench.body("age_check"))
    assert opened.args == ["age_check"]
    bench.mouse("double", QPointF(600, 660))
    assert bench.view.popup is not None


def test_a_node_dropped_from_the_palette_stands_under_the_pointer(bench: Bench) -> None:
    data = QMimeData()
    data.setData(MIME, b"filter")
    at = bench.px(QPointF(600, 650))
    viewport = bench.view.viewport()
    buttons = Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(
        viewport, QDragEnterEvent(at, Qt.DropAction.CopyAction, data, buttons, none)
    )
    QApplication.sendEvent(
        viewport, QDropEvent(QPointF(at), Qt.DropAction.CopyAction, data, buttons, none)
    )
    (node,) = bench.document.selection
    assert bench.scene.nodes[node].title == "Filter"
    assert (bench.centre(node) - QPointF(600, 650)).manhattanLength() <= 8


def test_looking_at_a_run_selects_but_changes_nothing(bench: Bench) -> None:
    bench.session.look_at(half_full(), "past")
    before = bench.design
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(90, 90))
    bench.drag(bench.outlet("installed_packages"), bench.inlet("write_report"))
    bench.mouse("double", QPointF(600, 660))
    for key, modifiers in (
        (Qt.Key.Key_Delete, None),
        (Qt.Key.Key_D, CTRL),
        (Qt.Key.Key_X, CTRL),
        (Qt.Key.Key_V, CTRL),
    ):
        bench.view.select({"age_check"})
        bench.key(key, modifiers or Qt.KeyboardModifier.NoModifier)
    bench.key(Qt.Key.Key_Tab)
    assert bench.design is before
    assert bench.view.popup is None
    assert (
        "read-only" in bench.view.toast.text() or "editing" in bench.view.toast.text()
    )
    bench.click(bench.body("write_report"))
    assert bench.document.selection == {"write_report"}


def test_a_run_that_begins_ends_the_gesture(bench: Bench) -> None:
    bench.drag(
        bench.body("age_check"),
        bench.body("age_check") + QPointF(90, 90),
        release=False,
    )
    bench.session.look_at(half_full(), "past")
    bench.mouse("release", bench.body("age_check"))
    assert bench.steps == 0
    assert bench.scene.boxes["age_check"].rect.topLeft() == QPointF(
        *bench.position("age_check")
    )


def test_an_undo_in_the_middle_of_a_gesture_ends_it(bench: Bench) -> None:
    node = bench.view.commands.add_node("filter", QPointF(600, 660))
    bench.drag(bench.body(node), bench.body(node) + QPointF(50, 0), release=False)
    bench.document.undo_stack.undo()
    bench.mouse("move", QPointF(700, 660))
    bench.mouse("release", QPointF(700, 660))
    assert node not in bench.scene.nodes
    assert bench.document.undo_stack.canRedo()  # the gesture made no step


def test_a_rubber_band_goes_on_when_the_design_changes(bench: Bench) -> None:
    """What was typed in a field may be taken over while one draws it: that is no reason
    to let go.
    """
    bench.drag(QPointF(250, 200), QPointF(420, 330), release=False)
    bench.document.apply("Rename", edits.rename(bench.design, "age_check", "Age"))
    bench.mouse("move", QPointF(450, 600))
    bench.mouse("release", QPointF(450, 600))
    assert {"classify_licences", "age_check"} <= bench.document.selection


def test_what_is_gone_is_hovered_no_more(bench: Bench) -> None:
    bench.mouse("hover", bench.body("age_check"))
    bench.view.select({"age_check"})
    bench.view.delete_selection()
    assert bench.view.hover.key == ""
    bench.document.undo_stack.undo()
    bench.mouse("hover", bench.body("age_check"))
    assert bench.scene.nodes["age_check"].hovered


def test_case_158_deleting_what_is_under_the_pointer_clears_the_hover(
    bench: Bench,
) -> None:
    bench.mouse("hover", bench.body("age_check"))
    bench.view.select({"age_check"})
    bench.view.delete_selection()
    bench.mouse("hover", QPointF(330, 555))
    bench.mouse("hover", QPointF(10, 10))
    assert "age_check" not in bench.scene.nodes


def test_the_context_menu_offers_verbs_for_what_is_there(bench: Bench) -> None:
    from designer.canvas.verbs.menus import menu_for

    def texts(at: QPointF) -> list[str]:
        menu = menu_for(bench.view, at)
        found = [
            action.text().split("\t")[0]
            for action in menu.actions()
            if action.isEnabled() and action.text()
        ]
        menu.deleteLater()
        return found

    assert {"Open", "Connect from here", "Duplicate", "Delete"} <= set(
        texts(bench.body("age_check"))
    )
    assert "Make a fan-out of its source's edges" in texts(
        bench.scene.edges.figures["ask-report"].wires[0].path.pointAtPercent(0.5)
    )
    assert {"Add a node…", "Select all"} <= set(texts(QPointF(600, 660)))
    bench.session.look_at(half_full(), "past")
    looking = {
        f"Select what {way}" for way in ("comes before", "comes after", "is connected")
    }
    assert (
        set(texts(bench.body("age_check")))
        == {
            "Open",
            "Edit this in a copy",
            "Next edge",
            "Set a breakpoint",
            "Where does its message come from",
            "Copy",
            "Fit selection",
        }
        | looking
    )


def test_what_is_added_comes_into_view(bench: Bench) -> None:
    edge_of_view = bench.view.mapToScene(QPoint(1290, 400))
    node = bench.view.commands.add_node("filter", edge_of_view)
    seen = bench.view.mapToScene(bench.view.viewport().rect()).boundingRect()
    assert seen.contains(bench.scene.boxes[node].rect)
    assert (
        bench.view.camera.centre() - QPointF(660, 380)
    ).x() < 120  # no further than needed


def test_the_end_of_a_gesture_hovers_what_is_under_the_pointer(bench: Bench) -> None:
    bench.mouse("hover", bench.body("age_check"))
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(0, 80))
    bench.drag(QPointF(20, 700), QPointF(60, 720))
    assert bench.view.hover.key == ""
    assert not bench.scene.nodes["age_check"].hovered


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_names_are_never_markup(bench: Bench) -> None:
    bench.view.tell("<img src=x> takes <b>nothing</b>")
    assert bench.view.toast.textFormat() == Qt.TextFormat.PlainText
    bench.document.apply(
        "Rename", edits.rename(bench.design, "age_check", "<b>bold</b>")
    )
    bench.mouse("hover", bench.body("age_check"))
    QApplication.sendEvent(
        bench.view.viewport(),
        QHelpEvent(QEvent.Type.ToolTip, QPoint(5, 5), QPoint(5, 5)),
    )
    assert "&lt;b&gt;bold" in QToolTip.text()
    QToolTip.hideText()


def test_a_wire_drawn_to_the_rim_scrolls_and_goes_on(bench: Bench) -> None:
    before = bench.view.camera.centre()
    bench.document.apply(
        "Filter", edits.add_node(bench.design, "filter", (1076, 640))[0]
    )
    start = bench.outlet("filter")
    rim = bench.view.mapToScene(QPoint(1296, 500))
    bench.drag(start, rim, release=False)
    for _ in range(5):
        bench.view.edge_scroll.tick()
    assert bench.view.camera.centre().x() > before.x() + 40
    assert bench.view.gesture is not None
    # the pointer stayed, the drawing moved under it
    assert bench.view.gesture.pointer.scene.x() > rim.x() + 40
    bench.key(Qt.Key.Key_Escape)
    still = bench.view.camera.centre()
    bench.view.edge_scroll.tick()
    assert bench.view.camera.centre() == still


def test_only_the_button_that_began_a_drag_ends_it(bench: Bench) -> None:
    right = Qt.MouseButton.RightButton
    left = Qt.MouseButton.LeftButton
    before = bench.position("age_check")
    start = bench.body("age_check")
    bench.mouse("press", start, right)
    bench.mouse("press", start, left)
    bench.mouse("move", start + QPointF(40, 40), left)
    bench.mouse("release", start + QPointF(40, 40), right)
    assert bench.steps == 0
    bench.mouse("move", start + QPointF(80, 80), left)
    bench.mouse("release", start + QPointF(80, 80), left)
    assert bench.steps == 1
    assert bench.position("age_check") != before
