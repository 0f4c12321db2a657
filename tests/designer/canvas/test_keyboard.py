"""Everything the mouse can do, keys can do, through the same commands."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication

from designer.canvas.verbs.keys import shortcuts
from designer.model import edits
from runtime.document.definition import DirectEdge, FanInEdge
from tests.designer.canvas.conftest import Bench

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def test_delete_and_undo_bring_back_nodes_edges_and_groups(bench: Bench) -> None:
    before = bench.design
    bench.view.select({"rank_by_reach"})
    bench.key(Qt.Key.Key_Delete)
    assert "rank_by_reach" not in bench.scene.nodes
    assert "graph-rank" not in bench.scene.edges.figures
    assert bench.steps == 1
    bench.document.undo_stack.undo()
    assert bench.design == before
    assert bench.scene.nodes.keys() == {node.id for node in before.workflow.nodes}
    assert bench.scene.edges.figures.keys() == {
        edge.id for edge in before.workflow.edges
    }
    assert len(bench.scene.edges.figures["join"].segments) == 3


def test_case_155_select_all_delete_undo_redo_fifty_times(bench: Bench) -> None:
    full = len(bench.design.workflow.nodes)
    for _ in range(50):
        bench.key(Qt.Key.Key_A, CTRL)
        bench.key(Qt.Key.Key_Delete)
        assert (len(bench.scene.nodes), len(bench.scene.edges.figures)) == (0, 0)
        assert bench.view.hint.isVisible()
        bench.document.undo_stack.undo()
        assert len(bench.scene.nodes) == len(bench.design.workflow.nodes) == full
        bench.document.undo_stack.redo()
        bench.document.undo_stack.undo()
    assert len(bench.scene.edges.figures) == len(bench.design.workflow.edges)


def test_case_153_a_node_added_then_undone_leaves_delete_nothing_to_do(
    bench: Bench,
) -> None:
    bench.view.commands.add_node("filter")
    bench.document.undo_stack.undo()
    bench.key(Qt.Key.Key_Delete)
    assert bench.document.selection == frozenset()
    assert bench.steps == 0


def test_case_142_copy_and_paste_twice_makes_three_separate_pairs(bench: Bench) -> None:
    bench.view.select({"dependency_graph", "rank_by_reach"})
    bench.key(Qt.Key.Key_C, CTRL)
    bench.key(Qt.Key.Key_V, CTRL)
    first = bench.document.selection
    bench.key(Qt.Key.Key_V, CTRL)
    second = bench.document.selection
    assert len(first) == len(second) == 2
    assert not first & second
    pairs = {
        (e.source, e.target)
        for e in bench.design.workflow.edges
        if isinstance(e, DirectEdge)
    }
    for nodes in (first, second):
        assert sum({source, target} == set(nodes) for source, target in pairs) == 1
    assert bench.design.workflow.start == "installed_packages"


def test_case_145_rubbish_in_the_clipboard_is_refused_with_words(bench: Bench) -> None:
    QGuiApplication.clipboard().setText("neither nodes nor JSON")
    with bench.qtbot.waitSignal(bench.view.message):
        bench.key(Qt.Key.Key_V, CTRL)
    assert bench.steps == 0
    assert bench.view.toast.isVisible()


def test_duplicate_stands_beside_and_leaves_the_clipboard(bench: Bench) -> None:
    QGuiApplication.clipboard().setText("mine")
    bench.view.select({"age_check"})
    bench.key(Qt.Key.Key_D, CTRL)
    (copy,) = bench.document.selection
    x, y = bench.position("age_check")
    assert bench.position(copy) == (x + 24, y + 24)
    assert QGuiApplication.clipboard().text() == "mine"


def test_cut_removes_what_it_copied(bench: Bench) -> None:
    bench.view.select({"age_check"})
    bench.key(Qt.Key.Key_X, CTRL)
    assert "age_check" not in bench.scene.nodes
    bench.key(Qt.Key.Key_V, CTRL)
    assert any(node.title == "Age check" for node in bench.design.workflow.nodes)


@pytest.mark.parametrize(
    ("start", "key", "end"),
    [
        ("dependency_graph", Qt.Key.Key_Right, "rank_by_reach"),
        ("rank_by_reach", Qt.Key.Key_Left, "dependency_graph"),
        ("dependency_graph", Qt.Key.Key_Up, "classify_licences"),
        ("dependency_graph", Qt.Key.Key_Down, "age_check"),
        ("age_check", Qt.Key.Key_Right, "route_by_licence"),
    ],
)
def test_arrows_walk_along_wires_and_to_neighbours(
    bench: Bench, start: str, key: Qt.Key, end: str
) -> None:
    bench.view.select({start})
    bench.key(key)
    assert bench.document.selection == {end}


def test_an_arrow_without_a_selection_begins_at_the_left(bench: Bench) -> None:
    bench.key(Qt.Key.Key_Right)
    assert bench.document.selection == {"installed_packages"}


def test_nudges_in_a_row_are_one_step(bench: Bench) -> None:
    x, y = bench.position("age_check")
    bench.view.select({"age_check"})
    for _ in range(3):
        bench.key(Qt.Key.Key_Right, CTRL)
    bench.key(Qt.Key.Key_Down, CTRL | SHIFT)
    assert bench.position("age_check") == (x + 24, y + 48)
    assert bench.steps == 1


def test_a_wire_is_drawn_with_keys_alone(bench: Bench) -> None:
    bench.view.select({"graph-rank"})
    bench.view.delete_selection()
    bench.view.select({"dependency_graph"})
    bench.key(Qt.Key.Key_C)
    bench.key(Qt.Key.Key_Right)
    bench.key(Qt.Key.Key_Return)
    edges = [e for e in bench.design.workflow.edges if isinstance(e, DirectEdge)]
    assert ("dependency_graph", "rank_by_reach") in {
        (e.source, e.target) for e in edges
    }
    assert bench.view.gesture is None


def test_tab_leads_a_wire_drawn_with_keys_to_a_new_node(bench: Bench) -> None:
    bench.view.select({"dependency_graph"})
    bench.key(Qt.Key.Key_C)
    bench.key(Qt.Key.Key_Tab)
    assert bench.view.popup is not None
    bench.qtbot.keyClicks(bench.view.popup.field, "filter")
    bench.qtbot.keyClick(bench.view.popup.field, Qt.Key.Key_Return)
    (node,) = bench.document.selection
    made = bench.design.workflow.edges[-1]
    assert isinstance(made, DirectEdge)
    assert (made.source, made.target) == ("dependency_graph", node)
    assert (bench.view.gesture, bench.steps) == (None, 1)
    boxes = [box.rect for box in bench.scene.boxes.values()]
    # it covers none but itself
    assert sum(box.intersects(bench.scene.boxes[node].rect) for box in boxes) == 1


def test_tab_says_why_one_more_way_of_a_group_needs_a_node_that_is_there(
    bench: Bench,
) -> None:
    bench.view.select({"fan"})
    bench.key(Qt.Key.Key_C)
    bench.key(Qt.Key.Key_Tab)
    assert bench.view.popup is None
    assert bench.view.gesture is not None
    assert "arrow keys" in bench.view.toast.text()


def test_escape_drops_a_wire_drawn_with_keys(bench: Bench) -> None:
    bench.view.select({"dependency_graph"})
    bench.key(Qt.Key.Key_C)
    bench.key(Qt.Key.Key_Right)
    bench.key(Qt.Key.Key_Escape)
    assert bench.view.gesture is None
    assert bench.steps == 0
    assert bench.document.selection == {"dependency_graph"}  # one level back, not two
    bench.key(Qt.Key.Key_Escape)
    assert bench.document.selection == frozenset()


def test_control_enter_connects_the_first_chosen_to_the_second(bench: Bench) -> None:
    bench.view.select({"graph-rank"})
    bench.view.delete_selection()
    bench.view.select({"dependency_graph"})
    bench.view.select({"dependency_graph", "rank_by_reach"})
    bench.key(Qt.Key.Key_Return, CTRL)
    edges = [e for e in bench.design.workflow.edges if isinstance(e, DirectEdge)]
    assert ("dependency_graph", "rank_by_reach") in {
        (e.source, e.target) for e in edges
    }


def test_j_joins_the_chosen_into_the_last(bench: Bench) -> None:
    node = bench.view.commands.add_node("template")
    bench.view.select({"classify_licences"})
    bench.view.select({"classify_licences", "age_check"})
    bench.view.select({"classify_licences", "age_check", node})
    bench.key(Qt.Key.Key_J)
    joins = [
        e
        for e in bench.design.workflow.edges
        if isinstance(e, FanInEdge) and e.target == node
    ]
    assert [join.sources for join in joins] == [("classify_licences", "age_check")]
    assert bench.document.selection == {joins[0].id}


def test_tab_adds_at_the_pointer_and_enter_takes_the_first(bench: Bench) -> None:
    bench.key(Qt.Key.Key_Tab)
    assert bench.view.popup is not None
    bench.qtbot.keyClicks(bench.view.popup.field, "fltr")
    bench.qtbot.keyClick(bench.view.popup.field, Qt.Key.Key_Return)
    (node,) = bench.document.selection
    assert bench.scene.nodes[node].title == "Filter"
    assert bench.view.popup is None


@pytest.mark.parametrize("selected", ["join", ""])
def test_enter_opens_what_is_selected_or_the_workflow(
    bench: Bench, selected: str
) -> None:
    bench.view.select({selected} if selected else ())
    with bench.qtbot.waitSignal(bench.view.node_activated) as opened:
        bench.key(Qt.Key.Key_Return)
    assert opened.args == [selected]


def test_home_and_f_fit(bench: Bench) -> None:
    bench.view.camera.zoom_to(3)
    bench.key(Qt.Key.Key_Home)
    seen = bench.view.mapToScene(bench.view.viewport().rect()).boundingRect()
    assert seen.contains(bench.scene.drawing_rect())
    bench.view.select({"write_report"})
    bench.key(Qt.Key.Key_F)
    assert (
        bench.view.camera.centre() - bench.centre("write_report")
    ).manhattanLength() < 20
    assert bench.view.zoom == 1


def test_layout_is_one_step_for_all_or_for_the_selection(bench: Bench) -> None:
    before = dict(bench.design.positions)
    bench.key(Qt.Key.Key_L, CTRL)
    assert bench.steps == 1
    rects = [box.rect for box in bench.scene.boxes.values()]
    assert not any(a.intersects(b) for k, a in enumerate(rects) for b in rects[k + 1 :])
    bench.document.undo_stack.undo()
    assert dict(bench.design.positions) == before
    bench.view.select({"ask_a_person", "write_report"})
    bench.key(Qt.Key.Key_L)
    moved = {key for key, at in bench.design.positions.items() if at != before[key]}
    assert moved <= {"ask_a_person", "write_report"}


def test_the_overview_opens_with_m_and_leads_the_view(bench: Bench) -> None:
    bench.key(Qt.Key.Key_M)
    assert bench.view.minimap.isVisible()
    before = bench.view.camera.centre()
    bench.view.camera.zoom_to(2)
    bench.qtbot.mouseClick(
        bench.view.minimap,
        Qt.MouseButton.LeftButton,
        pos=bench.view.minimap.rect().topLeft(),
    )
    assert bench.view.camera.centre().x() < before.x()


def test_the_accessible_name_says_what_is_selected_and_its_state(bench: Bench) -> None:
    assert bench.view.accessibleName() == "Canvas: 8 nodes, nothing selected"
    bench.view.select({"age_check"})
    assert bench.view.accessibleName() == "Canvas: Age check · registry.ages"
    bench.view.select({"join"})
    assert (
        "Join into Route by licence of Classify licences" in bench.view.accessibleName()
    )


def test_space_tapped_adds_as_tab_does(bench: Bench) -> None:
    bench.qtbot.keyClick(bench.view, Qt.Key.Key_Space)
    assert bench.view.popup is not None
    assert QPointF(bench.view.popup.pos()).x() >= 0


def test_nodes_added_by_keys_stand_side_by_side(bench: Bench) -> None:
    """Three times Tab and Enter: each beside the one before, none on top of another."""
    bench.document.apply("Clear", edits.remove(bench.design, set(bench.scene.nodes)))
    # else they stand at the pointer
    bench.view.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, on=False)
    for _ in range(3):
        bench.key(Qt.Key.Key_Tab)
        assert bench.view.popup is not None
        bench.qtbot.keyClicks(bench.view.popup.field, "filter")
        bench.qtbot.keyClick(bench.view.popup.field, Qt.Key.Key_Return)
    rects = [bench.scene.boxes[node].rect for node in bench.scene.nodes]
    assert len({rect.y() for rect in rects}) == 1
    assert all(a.right() + 40 <= b.left() for a, b in pairwise(rects))


def test_what_is_pasted_twice_hides_nothing(bench: Bench) -> None:
    bench.view.select({"age_check", "write_report"})
    bench.key(Qt.Key.Key_C, CTRL)
    for _ in range(3):
        bench.key(Qt.Key.Key_V, CTRL)
    places = list(bench.design.positions.values())
    assert len(set(places)) == len(places)


def test_shift_and_an_arrow_walk_and_keep_what_is_selected(bench: Bench) -> None:
    bench.view.select({"dependency_graph"})
    bench.key(Qt.Key.Key_Right, SHIFT)
    assert bench.view.order == ["dependency_graph", "rank_by_reach"]


def test_e_goes_through_the_edges_of_a_node_and_arrows_lead_to_their_ends(
    bench: Bench,
) -> None:
    bench.view.select({"ask_a_person"})
    seen = []
    for _ in range(3):
        bench.key(Qt.Key.Key_E)
        seen += bench.document.selection
    assert seen == ["switch", "ask-report", "switch"]
    bench.key(Qt.Key.Key_E)
    bench.key(Qt.Key.Key_Right)
    assert bench.document.selection == {"write_report"}


def test_a_ring_shows_what_keys_mean_as_long_as_keys_are_used(bench: Bench) -> None:
    bench.view.activateWindow()
    bench.view.select({"dependency_graph"})
    bench.key(Qt.Key.Key_Right)
    assert [key for key, item in bench.scene.nodes.items() if item.focused] == [
        "rank_by_reach"
    ]
    bench.click(bench.body("age_check"))
    assert not any(item.focused for item in bench.scene.nodes.values())


def test_every_key_and_gesture_has_words_for_the_lists_of_them() -> None:
    rows = shortcuts()
    assert {
        ("J", "Join into the last chosen"),
        ("Ctrl+Del", "Delete and heal the wires"),
    } <= set(rows)
    assert all(keys and words for keys, words in rows)
    assert len({keys for keys, _ in rows}) == len(rows)
