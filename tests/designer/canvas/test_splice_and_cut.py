"""Splicing, cutting, disconnecting and dots, by mouse and keys: each is one step, and
Escape leaves nothing.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QDragMoveEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from designer.canvas.gestures.drop import MIME
from designer.canvas.gestures.move import MoveNodes
from designer.canvas.verbs.menus import menu_for
from designer.model import edits
from designer.model.design import Design
from runtime.document.definition import (
    DirectEdge,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    Selection,
    SwitchEdge,
)
from tests.designer.canvas.conftest import Bench, on_screen

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
RIGHT = Qt.MouseButton.RightButton


def said(design: Design) -> set[str]:
    return {edge.model_dump_json(exclude={"id"}) for edge in design.workflow.edges}


def pairs(bench: Bench) -> set[tuple[str, str]]:
    return {
        (e.source, e.target)
        for e in bench.design.workflow.edges
        if isinstance(e, DirectEdge)
    }


def edge(bench: Bench, key: str) -> object:
    return next(edge for edge in bench.design.workflow.edges if edge.id == key)


def middle(bench: Bench, key: str, wire: int = 0, at: float = 0.5) -> QPointF:
    return bench.scene.edges.figures[key].wires[wire].path.pointAtPercent(at)


def loose(
    bench: Bench, type: str = "template", at: tuple[float, float] = (300, 640)
) -> str:
    bench.document.apply("x", edits.add_node(bench.design, type, at)[0])
    bench.document.undo_stack.clear()
    return bench.design.workflow.nodes[-1].id


# --- splice


def test_a_loose_node_dropped_on_a_wire_goes_into_it_as_one_step(bench: Bench) -> None:
    node = loose(bench)
    before = bench.design
    onto = middle(bench, "graph-rank") - bench.centre(node) + bench.body(node)
    bench.drag(bench.body(node), onto, release=False)
    assert isinstance(bench.view.gesture, MoveNodes)
    assert bench.view.gesture.splice.spot is not None
    bench.mouse("release", onto)
    assert {("dependency_graph", node), (node, "rank_by_reach")} <= pairs(bench)
    assert ("dependency_graph", "rank_by_reach") not in pairs(bench)
    assert bench.steps == 1
    box = bench.scene.boxes[node].rect
    after = bench.scene.boxes["rank_by_reach"].rect
    assert after.left() >= box.right() + 40  # moved aside
    bench.document.undo_stack.undo()
    assert said(bench.design) == said(before)
    assert bench.design.positions == before.positions


@pytest.mark.parametrize("how", ["alt", "escape", "wired", "type"])
def test_nothing_is_spliced_with_alt_after_escape_when_wired_or_where_it_does_not_fit(
    bench: Bench, how: str
) -> None:
    node = loose(bench, "packages" if how == "type" else "template")
    if how == "wired":
        bench.document.apply("x", edits.connect(bench.design, "age_check", node)[0])
    before = said(bench.design)
    onto = middle(bench, "graph-rank") - bench.centre(node) + bench.body(node)
    bench.drag(bench.body(node), onto, release=False)
    if how == "alt":
        bench.mouse("move", onto + QPointF(1, 0), modifiers=ALT)
    if how == "escape":
        bench.key(Qt.Key.Key_Escape)
    gesture = bench.view.gesture
    assert not isinstance(gesture, MoveNodes) or gesture.splice.spot is None
    bench.mouse(
        "release",
        onto,
        modifiers=ALT if how == "alt" else Qt.KeyboardModifier.NoModifier,
    )
    assert said(bench.design) == before


def test_a_node_dropped_on_one_way_of_a_group_goes_into_that_way(bench: Bench) -> None:
    node = loose(bench)
    onto = middle(bench, "fan", 3, 0.6)
    bench.drag(bench.body(node), onto - bench.centre(node) + bench.body(node))
    fan = edge(bench, "fan")
    assert isinstance(fan, FanOutEdge)
    assert fan.targets == ("classify_licences", "dependency_graph", node)
    assert (node, "age_check") in pairs(bench)


def test_a_node_from_the_palette_goes_into_the_wire_under_it(bench: Bench) -> None:
    data = QMimeData()
    data.setData(MIME, b"template")
    at = QPointF(bench.px(middle(bench, "ask-report")))
    held = Qt.MouseButton.LeftButton
    none = Qt.KeyboardModifier.NoModifier
    move = QDragMoveEvent(at.toPoint(), Qt.DropAction.CopyAction, data, held, none)
    bench.view.dragMoveEvent(move)
    assert bench.view.palette_drop.splice.spot is not None
    bench.view.dropEvent(QDropEvent(at, Qt.DropAction.CopyAction, data, held, none))
    (node,) = bench.document.selection
    assert {("ask_a_person", node), (node, "write_report")} <= pairs(bench)
    assert bench.steps == 1


def test_s_puts_the_selected_node_into_the_selected_edge(bench: Bench) -> None:
    node = loose(bench)
    bench.view.select({node})
    bench.key(Qt.Key.Key_S)
    assert bench.steps == 0
    bench.view.select({node, "graph-rank"})
    bench.key(Qt.Key.Key_S)
    assert {("dependency_graph", node), (node, "rank_by_reach")} <= pairs(bench)
    assert bench.steps == 1


def test_tab_adds_a_node_into_the_edge_that_is_selected(bench: Bench) -> None:
    bench.view.select({"ask-report"})
    bench.key(Qt.Key.Key_Tab)
    popup = bench.view.popup
    assert popup is not None
    offered = {popup.list.item(row).text() for row in range(popup.list.count())}
    assert "Text template" in offered
    assert "Write report" not in offered  # it sends nothing on
    QTest.keyClicks(popup.field, "template")
    QTest.keyClick(popup.field, Qt.Key.Key_Return)
    (node,) = bench.document.selection
    assert {("ask_a_person", node), (node, "write_report")} <= pairs(bench)
    assert bench.steps == 1


# --- heal, cut, disconnect


def test_control_delete_heals_the_wires(bench: Bench) -> None:
    bench.view.select({"dependency_graph"})
    bench.key(Qt.Key.Key_Delete, CTRL)
    fan = edge(bench, "fan")
    assert isinstance(fan, FanOutEdge)
    assert fan.targets == ("classify_licences", "rank_by_reach", "age_check")
    assert bench.steps == 1


def test_what_cannot_be_healed_is_said_and_left(bench: Bench) -> None:
    said_: list[str] = []
    bench.view.message.connect(said_.append)
    bench.view.select({"route_by_licence"})
    bench.key(Qt.Key.Key_Delete, CTRL)
    assert bench.steps == 0
    assert "cannot be taken out" in said_[0]


def test_a_line_with_control_and_the_right_button_cuts_what_it_crosses_as_one_step(
    bench: Bench,
) -> None:
    at = middle(bench, "graph-rank")
    bench.drag(at - QPointF(0, 30), at + QPointF(0, 30), button=RIGHT, modifiers=CTRL)
    assert ("dependency_graph", "rank_by_reach") not in pairs(bench)
    upper = middle(bench, "fan", 1, 0.8)
    lower = middle(bench, "fan", 2, 0.8)
    bench.drag(
        upper - QPointF(0, 12), lower + QPointF(0, 12), button=RIGHT, modifiers=CTRL
    )
    # what is left of the fan-out
    assert ("installed_packages", "age_check") in pairs(bench)
    assert bench.steps == 2
    bench.document.undo_stack.undo()
    assert isinstance(edge(bench, "fan"), FanOutEdge)


def test_a_cut_shows_what_goes_and_escape_leaves_it(bench: Bench) -> None:
    at = middle(bench, "graph-rank")
    bench.drag(
        at - QPointF(0, 30),
        at + QPointF(0, 30),
        button=RIGHT,
        modifiers=CTRL,
        release=False,
    )
    assert list(bench.view.gesture.crossed) == ["graph-rank"]  # type: ignore[union-attr]
    bench.key(Qt.Key.Key_Escape)
    bench.mouse("release", at, RIGHT, CTRL)
    assert bench.steps == 0
    assert bench.view.gesture is None


def test_cutting_opens_no_menu(bench: Bench) -> None:
    at = bench.px(middle(bench, "graph-rank"))
    bench.mouse("press", middle(bench, "graph-rank"), RIGHT, CTRL)
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse,
        at,
        bench.view.viewport().mapToGlobal(at),
        modifiers := CTRL,
    )
    assert modifiers == event.modifiers()
    QApplication.sendEvent(bench.view.viewport(), event)
    assert bench.view.findChildren(QMenu) == []
    assert bench.view.gesture is not None
    bench.mouse("release", middle(bench, "graph-rank"), RIGHT, CTRL)
    assert bench.steps == 0


def test_the_default_of_a_switch_is_not_cut_off(bench: Bench) -> None:
    before = said(bench.design)
    figure = bench.scene.edges.figures["switch"]
    wire = next(
        k
        for k, wire in enumerate(figure.wires)
        if wire.way == 0 and wire.arrow is not None
    )
    at = middle(bench, "switch", wire, 0.5)
    bench.drag(at - QPointF(8, 8), at + QPointF(8, 8), button=RIGHT, modifiers=CTRL)
    assert said(bench.design) == before


def test_alt_click_frees_a_port_and_a_drag_from_it_does_not(bench: Bench) -> None:
    bench.click(bench.outlet("age_check"), ALT)
    join = edge(bench, "join")
    assert isinstance(join, FanInEdge)
    assert join.sources == ("classify_licences", "rank_by_reach")
    assert bench.steps == 1
    bench.click(bench.inlet("write_report"), ALT)  # it is the default of the switch
    assert bench.steps == 1
    bench.drag(bench.outlet("ask_a_person"), QPointF(900, 600), modifiers=ALT)
    assert bench.steps == 1


def begun(bench: Bench, gesture: str) -> None:
    """The middle of a gesture."""
    node = bench.design.workflow.nodes[-1].id
    match gesture:
        case "move" | "splice" | "copy":
            if gesture == "splice":
                onto = middle(bench, "graph-rank")
            else:
                onto = QPointF(640, 700)
            bench.drag(
                bench.body(node),
                onto - bench.centre(node) + bench.body(node),
                release=False,
                modifiers=ALT if gesture == "copy" else Qt.KeyboardModifier.NoModifier,
            )
        case "wire":
            bench.drag(bench.outlet("age_check"), bench.inlet(node), release=False)
        case "refused":
            bench.drag(
                bench.outlet("age_check"), bench.centre("rank_by_reach"), release=False
            )
        case "to the bar":
            bar = bench.scene.edges.figures["join"].segments[0].center()
            bench.drag(bench.outlet(node), bar, release=False)
        case "back":
            bench.drag(bench.inlet(node), bench.outlet("age_check"), release=False)
        case "cut":
            at = middle(bench, "graph-rank")
            bench.drag(
                at - QPointF(0, 30),
                at + QPointF(0, 30),
                button=RIGHT,
                modifiers=CTRL,
                release=False,
            )
        case "free":
            bench.mouse("press", bench.outlet("age_check"), modifiers=ALT)
        case "band":
            bench.drag(QPointF(40, 140), QPointF(500, 600), release=False)
        case "keys":
            bench.key(Qt.Key.Key_C)
            bench.key(Qt.Key.Key_Right)


@pytest.mark.parametrize(
    "gesture",
    [
        "move",
        "splice",
        "copy",
        "wire",
        "refused",
        "to the bar",
        "back",
        "cut",
        "free",
        "band",
        "keys",
    ],
)
def test_escape_in_any_gesture_leaves_nothing_in_the_document_and_on_the_screen(
    bench: Bench, gesture: str
) -> None:
    node = loose(bench)
    bench.view.select({node})
    QApplication.processEvents()
    design = bench.design
    before = on_screen(bench)
    begun(bench, gesture)
    QApplication.processEvents()
    assert bench.view.gesture is not None
    bench.key(Qt.Key.Key_Escape)
    assert [bench.view.gesture] == [None]
    assert bench.design is design
    assert bench.document.selection == {node}
    bench.mouse(
        "release",
        QPointF(20, 20),
        RIGHT if gesture == "cut" else Qt.MouseButton.LeftButton,
    )
    # no ring of the keyboard, nothing hovered
    bench.mouse("press", QPointF(20, 20), Qt.MouseButton.MiddleButton)
    bench.mouse("release", QPointF(20, 20), Qt.MouseButton.MiddleButton)
    bench.view.viewport().setCursor(Qt.CursorShape.ArrowCursor)
    assert bench.steps == 0
    QApplication.processEvents()
    assert on_screen(bench) == before
    assert bench.design is design


def test_control_shift_v_pastes_with_the_links_to_what_was_not_copied(
    bench: Bench,
) -> None:
    bench.view.select({"rank_by_reach"})
    bench.key(Qt.Key.Key_C, CTRL)
    bench.key(Qt.Key.Key_V, CTRL | SHIFT)
    (node,) = bench.document.selection
    assert ("dependency_graph", node) in pairs(bench)
    join = edge(bench, "join")
    assert isinstance(join, FanInEdge)
    assert join.sources[-1] == node
    assert bench.steps == 1


# --- to several, and into groups


def test_a_wire_dropped_on_one_of_several_selected_nodes_leads_to_all(
    bench: Bench,
) -> None:
    targets = [loose(bench, at=(700, 120 + 100 * k)) for k in range(2)]
    bench.view.select(set(targets))
    bench.drag(bench.outlet("ask_a_person"), bench.inlet(targets[0]), release=False)
    assert [bench.scene.nodes[target].port for target in targets] == ["in", "in"]
    bench.mouse("release", bench.inlet(targets[0]))
    fan = bench.design.workflow.edges[-1]
    assert isinstance(fan, FanOutEdge)
    assert (fan.source, set(fan.targets)) == ("ask_a_person", set(targets))
    assert bench.steps == 1


def test_control_enter_leads_from_the_first_chosen_to_all_others(bench: Bench) -> None:
    targets = [loose(bench, at=(700, 120 + 100 * k)) for k in range(2)]
    bench.view.select({"ask_a_person"})
    bench.view.select({"ask_a_person", targets[1]})
    bench.view.select({"ask_a_person", *targets})
    bench.key(Qt.Key.Key_Return, CTRL)
    fan = bench.design.workflow.edges[-1]
    assert isinstance(fan, FanOutEdge)
    assert (fan.source, fan.targets) == ("ask_a_person", (targets[1], targets[0]))
    assert bench.steps == 1
    # not the nodes: the next wire from one of them is of that one alone
    assert bench.document.selection == {fan.id}


def test_a_wire_back_to_one_of_several_selected_nodes_joins_all(bench: Bench) -> None:
    sources = [loose(bench, at=(500, 560 + 80 * k)) for k in range(2)]
    node = loose(bench, at=(800, 600))
    bench.view.select(set(sources))
    bench.drag(bench.inlet(node), bench.outlet(sources[1]))
    join = bench.design.workflow.edges[-1]
    assert isinstance(join, FanInEdge)
    assert (set(join.sources), join.target) == (set(sources), node)
    assert bench.steps == 1
    assert bench.document.selection == {join.id}


def test_j_adds_a_source_to_the_join_that_is_there(bench: Bench) -> None:
    node = loose(bench)
    bench.view.select({node})
    bench.view.select({node, "route_by_licence"})
    bench.key(Qt.Key.Key_J)
    join = edge(bench, "join")
    assert isinstance(join, FanInEdge)
    assert join.sources[-1] == node
    other = loose(bench, at=(300, 720))
    bench.view.select({other, "join"})
    bench.key(Qt.Key.Key_J)
    join = edge(bench, "join")
    assert isinstance(join, FanInEdge)
    assert join.sources[-1] == other


def test_a_wire_is_led_to_a_join_bar_by_keys(bench: Bench) -> None:
    node = loose(bench, at=(476, 560))
    bench.view.select({node})
    bench.key(Qt.Key.Key_C)
    for _ in range(6):
        bench.key(Qt.Key.Key_Right)
        if bench.view.gesture is not None and bench.view.gesture.join:  # type: ignore[attr-defined]
            break
    bench.key(Qt.Key.Key_Return)
    join = edge(bench, "join")
    assert isinstance(join, FanInEdge)
    assert join.sources[-1] == node
    assert bench.steps == 1


@pytest.mark.parametrize(
    ("group", "key"), [("switch", Qt.Key.Key_Down), ("fan", Qt.Key.Key_Down)]
)
def test_c_on_an_edge_group_adds_one_more_way_of_it(
    bench: Bench, group: str, key: Qt.Key
) -> None:
    source = edge(bench, group).source  # type: ignore[attr-defined]
    x, y = bench.position(source)
    node = loose(bench, at=(x, y + 300))
    bench.view.select({group})
    bench.key(Qt.Key.Key_C)
    for _ in range(4):
        if bench.view.gesture is not None and bench.view.gesture.target == node:  # type: ignore[attr-defined]
            break
        bench.key(key)
    bench.key(Qt.Key.Key_Return)
    made = edge(bench, group)
    ways = made.cases if isinstance(made, SwitchEdge) else made.targets  # type: ignore[attr-defined]
    assert (ways[-1].target if isinstance(made, SwitchEdge) else ways[-1]) == node
    assert bench.steps == 1
    assert bench.document.selection == {group}


def test_c_on_a_join_adds_a_source_and_escape_drops_the_wire(bench: Bench) -> None:
    node = loose(bench, at=(690, 640))
    bench.view.select({"join"})
    bench.key(Qt.Key.Key_C)
    bench.key(Qt.Key.Key_Down)
    bench.key(Qt.Key.Key_Escape)
    assert (bench.steps, bench.view.gesture) == (0, None)
    assert not any(item.port for item in bench.scene.nodes.values())
    bench.key(Qt.Key.Key_C)
    bench.key(Qt.Key.Key_Down)
    bench.key(Qt.Key.Key_Return)
    join = edge(bench, "join")
    assert isinstance(join, FanInEdge)
    assert join.sources[-1] == node


# --- groups are converted where they stand


def choose(bench: Bench, at: QPointF, text: str) -> None:
    menu = menu_for(bench.view, at)
    action = next(
        action for action in menu.actions() if action.text().split("\t")[0] == text
    )
    assert action.isEnabled()
    action.trigger()
    menu.deleteLater()


def test_kinds_are_turned_into_one_another_from_the_menu(bench: Bench) -> None:
    before = said(bench.design)
    choose(bench, middle(bench, "fan", 1), "Make a multi-selection")
    (key,) = [
        e.id for e in bench.design.workflow.edges if isinstance(e, MultiSelectionEdge)
    ]
    choose(bench, middle(bench, key, 1), "Make a fan-out of its source's edges")
    (key,) = [e.id for e in bench.design.workflow.edges if isinstance(e, FanOutEdge)]
    choose(bench, middle(bench, key, 1), "Make plain edges")
    choose(
        bench,
        middle(bench, "installed_packages->age_check"),
        "Make a fan-out of its source's edges",
    )
    assert said(bench.design) == before
    assert bench.steps == 4


def test_a_choice_of_one_way_is_a_switch_or_a_multi_selection(bench: Bench) -> None:
    ways = (
        Selection(target="write_report", when="message.ok"),
        Selection(target="age_check", when="!message.ok"),
    )
    many = MultiSelectionEdge(id="many", source="dependency_graph", selections=ways)
    workflow = bench.design.workflow
    bench.document.apply(
        "x",
        Design(
            workflow.model_copy(update={"edges": (*workflow.edges, many)}),
            bench.design.positions,
        ),
    )
    choose(bench, middle(bench, "many", 1), "Make a switch")
    switch = bench.design.workflow.edges[-1]
    assert isinstance(switch, SwitchEdge)
    assert ([case.when for case in switch.cases], switch.default) == (
        ["message.ok"],
        "age_check",
    )


# --- selection and alignment


def test_control_shift_and_an_arrow_select_what_comes_before_or_after(
    bench: Bench,
) -> None:
    bench.view.select({"rank_by_reach"})
    bench.key(Qt.Key.Key_Left, CTRL | SHIFT)
    assert bench.document.selection == {
        "installed_packages",
        "dependency_graph",
        "rank_by_reach",
        "graph-rank",
    }
    bench.view.select({"ask_a_person"})
    bench.key(Qt.Key.Key_Right, CTRL | SHIFT)
    assert bench.document.selection == {"ask_a_person", "write_report", "ask-report"}
    assert bench.steps == 0


def test_selected_nodes_are_put_in_line_from_the_menu_as_one_step(bench: Bench) -> None:
    bench.view.select({"classify_licences", "dependency_graph", "age_check"})
    x, y = bench.position("age_check")
    bench.document.apply("x", edits.move(bench.design, {"age_check": (x + 30, y)}))
    bench.document.undo_stack.clear()
    menu = menu_for(bench.view, bench.body("age_check"))
    inner = next(
        action.menu()
        for action in menu.actions()
        if action.text() == "Align and distribute"
    )
    assert isinstance(inner, QMenu)
    next(
        action for action in inner.actions() if action.text() == "Align left sides"
    ).trigger()
    assert {
        bench.position(node)[0]
        for node in ("classify_licences", "dependency_graph", "age_check")
    } == {268}
    assert bench.steps == 1
    menu.deleteLater()


# --- apart, and each to be had


def test_parallel_edges_self_loops_and_back_edges_are_each_picked_by_a_click(
    bench: Bench,
) -> None:
    workflow = bench.design.workflow
    more = (
        DirectEdge(id="twin", source="dependency_graph", target="rank_by_reach"),
        DirectEdge(id="loop", source="rank_by_reach", target="rank_by_reach"),
        DirectEdge(id="back", source="write_report", target="ask_a_person"),
    )
    changed = workflow.model_copy(update={"edges": (*workflow.edges, *more)})
    bench.document.apply(
        "x", Design(changed, {**bench.design.positions, "rank_by_reach": (560, 376)})
    )
    for key in ("graph-rank", "twin", "loop", "back"):
        bench.click(middle(bench, key))
        assert bench.document.selection == {key}


def test_a_back_edge_runs_clear_of_the_nodes_between(bench: Bench) -> None:
    back = DirectEdge(id="back", source="rank_by_reach", target="dependency_graph")
    far = DirectEdge(id="far", source="write_report", target="installed_packages")
    workflow = bench.design.workflow
    changed = workflow.model_copy(update={"edges": (*workflow.edges, back, far)})
    bench.document.apply("x", Design(changed, bench.design.positions))
    for key in ("back", "far"):
        figure = bench.scene.edges.figures[key]
        ends = bench.scene.topology.ends[key]
        hit = [
            node
            for node, box in bench.scene.boxes.items()
            if bench.scene.edges.wires_cross(figure, box.rect)
        ]
        assert set(hit) <= ends
