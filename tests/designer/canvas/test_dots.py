"""Reroute dots with real events: by mouse and by keyboard the same steps, drawn as the
file will say.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPointF, Qt

from designer.canvas.drawing.figures import Figure
from designer.canvas.drawing.picture import picture_area, render_image, render_svg
from designer.canvas.drawing.strokes import path_distance
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.menus import menu_for
from designer.model import edits
from designer.model.design import Design
from runtime.document.definition import DirectEdge, NodeDefinition, WorkflowDefinition
from tests.designer.canvas.conftest import Bench, on_screen
from tests.designer.canvas.support import half_full

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
WIRE = "graph-rank"
KEY = "rank_by_reach"


@pytest.fixture(autouse=True)
def room(bench: Bench) -> None:
    """A long level wire, with nothing above and below it."""
    places = {"dependency_graph": (60, 600), "rank_by_reach": (480, 600)}
    bench.document.apply("room", edits.move(bench.design, places))
    bench.document.undo_stack.clear()


def figure(bench: Bench, edge: str = WIRE) -> Figure:
    found = bench.scene.figure(edge)
    assert found is not None
    return found


def middle(
    bench: Bench, edge: str = WIRE, wire: int = 0, share: float = 0.5
) -> QPointF:
    return figure(bench, edge).wires[wire].path.pointAtPercent(share)


def dots(
    bench: Bench, edge: str = WIRE, key: str = KEY
) -> tuple[tuple[float, float], ...]:
    return bench.design.dots.get(edge, {}).get(key, ())


def double_click(bench: Bench, at: QPointF) -> None:
    bench.click(at)
    bench.mouse("double", at)
    bench.mouse("release", at)


def add(bench: Bench, *offsets: QPointF, edge: str = WIRE) -> None:
    """Dots on a wire, each dragged away as it is added."""
    for k, offset in enumerate(offsets):
        at = middle(bench, edge, share=0.3 + 0.4 * k)
        bench.drag(at, at + offset, modifiers=ALT)


@pytest.mark.parametrize("how", ["alt", "double", "key"])
def test_a_dot_is_added_as_one_step_by_mouse_and_by_key(bench: Bench, how: str) -> None:
    at = QPointF(round(middle(bench).x()), round(middle(bench).y()))
    if how == "alt":
        bench.click(at + QPointF(0, 4), ALT)
    elif how == "double":
        double_click(bench, at)
    else:
        bench.click(at)
        bench.key(Qt.Key.Key_R)
    assert dots(bench) == ((at.x(), at.y()),)
    assert "1 reroute dot" in describe(bench.scene, WIRE)
    assert bench.steps == 1
    assert bench.view.dots.chosen is not None
    bench.document.undo_stack.undo()
    assert bench.design.dots == {}
    assert bench.view.dots.chosen is None
    bench.document.undo_stack.redo()
    assert len(dots(bench)) == 1


def test_a_new_dot_is_dragged_on_in_the_same_gesture(bench: Bench) -> None:
    at = QPointF(340, 630)
    bench.drag(at, at + QPointF(0, 80), modifiers=ALT)
    assert dots(bench) == ((340, 710),)
    assert bench.steps == 1
    (wire,) = figure(bench).wires
    assert path_distance(wire.path, QPointF(*dots(bench)[0])) < 0.5
    assert wire.path.elementAt(0).y == bench.outlet("dependency_graph").y()


def test_a_dot_is_moved_in_eights_and_comes_to_lie_level_with_its_ends(
    bench: Bench,
) -> None:
    at = middle(bench)
    add(bench, QPointF(0, 80))
    start = QPointF(*dots(bench)[0])
    bench.drag(start, start + QPointF(13, -29))
    assert dots(bench) == ((start.x() + 16, start.y() - 32),)
    start = QPointF(*dots(bench)[0])
    bench.drag(start, QPointF(start.x(), at.y() + 3) + QPointF(40, 0), release=False)
    assert bench.scene.dragged_dots is not None
    assert bench.steps == 2
    bench.mouse("release", QPointF(start.x() + 40, at.y() + 30))
    assert bench.steps == 3


def test_a_dot_let_go_on_the_straight_line_is_removed(bench: Bench) -> None:
    at = middle(bench)
    add(bench, QPointF(0, 80))
    start = QPointF(*dots(bench)[0])
    bench.drag(start, at + QPointF(2, 1))
    assert bench.design.dots == {}
    assert bench.steps == 2
    bench.document.undo_stack.undo()
    assert dots(bench) == ((start.x(), start.y()),)


def test_delete_removes_the_chosen_dot_then_the_next_and_only_then_the_edge(
    bench: Bench,
) -> None:
    add(bench, QPointF(0, -60), QPointF(0, 60))
    assert len(dots(bench)) == 2
    bench.key(Qt.Key.Key_Delete)
    assert len(dots(bench)) == 1
    bench.key(Qt.Key.Key_Delete)
    assert bench.design.dots == {}
    assert WIRE in bench.scene.topology.edges
    bench.key(Qt.Key.Key_Delete)
    assert WIRE not in bench.scene.topology.edges
    assert bench.steps == 5


def test_dots_are_chosen_and_nudged_by_keys_as_one_step(bench: Bench) -> None:
    add(bench, QPointF(0, -60), QPointF(0, 60))
    first, second = dots(bench)
    bench.click(bench.body("age_check"))
    assert bench.view.dots.chosen is None
    bench.document.select([WIRE])
    bench.key(Qt.Key.Key_Period)
    bench.key(Qt.Key.Key_Up, CTRL)
    bench.key(Qt.Key.Key_Up, CTRL)
    assert dots(bench) == ((first[0], first[1] - 16), second)
    assert bench.steps == 3
    bench.key(Qt.Key.Key_Period)
    bench.key(Qt.Key.Key_Right, CTRL | SHIFT | ALT)
    assert dots(bench)[1] == (second[0] + 48, second[1])


def test_a_dot_added_by_key_comes_after_the_chosen_one(bench: Bench) -> None:
    add(bench, QPointF(0, -60))
    bench.key(Qt.Key.Key_R)
    assert len(dots(bench)) == 2
    assert bench.view.dots.chosen is not None
    assert bench.view.dots.chosen.place == 1
    assert dots(bench)[0][0] < dots(bench)[1][0]


def test_a_dot_added_between_two_comes_between_them(bench: Bench) -> None:
    add(bench, QPointF(-10, -60), QPointF(10, 60))
    a, b = dots(bench)
    at = figure(bench).wires[0].path.pointAtPercent(0.5)
    bench.click(at, ALT)
    assert (dots(bench)[0], dots(bench)[2]) == (a, b)


@pytest.mark.parametrize("new", [True, False])
def test_escape_puts_a_dragged_dot_back(bench: Bench, new: bool) -> None:
    if not new:
        add(bench, QPointF(0, 80))
    before = dots(bench)
    path = figure(bench).wires[0].path
    steps = bench.steps
    screen = on_screen(bench) if new else None
    start = middle(bench) if new else QPointF(*before[0])
    bench.drag(
        start,
        start + QPointF(50, 50),
        modifiers=ALT if new else Qt.KeyboardModifier.NoModifier,
        release=False,
    )
    assert figure(bench).wires[0].path != path
    bench.key(Qt.Key.Key_Escape)
    assert (dots(bench), bench.steps, figure(bench).wires[0].path) == (
        before,
        steps,
        path,
    )
    bench.mouse("release", start)
    assert (dots(bench), bench.steps) == (before, steps)
    if screen is not None:
        bench.mouse("hover", QPointF(60, 60))
        assert on_screen(bench) == screen


def test_escape_leaves_the_dot_before_the_edge(bench: Bench) -> None:
    add(bench, QPointF(0, 80))
    bench.key(Qt.Key.Key_Escape)
    assert bench.view.dots.chosen is None
    assert bench.view.selection == {WIRE}


def test_each_wire_of_a_group_has_its_own_dots(bench: Bench) -> None:
    for edge, target, wire in (
        ("fan", "age_check", 3),
        ("switch", "1", None),
        ("join", "classify_licences", 0),
    ):
        wires = figure(bench, edge).wires
        if wire is not None:
            number = wire
        else:
            number = next(k for k, w in enumerate(wires) if w.way == 1 and w.arrow)
        at = wires[number].path.pointAtPercent(0.6)
        bench.drag(at, at + QPointF(0, 40), modifiers=ALT)
        assert len(dots(bench, edge, target)) == 1, edge
    fan = figure(bench, "fan")
    assert [len(wire.dots) for wire in fan.wires] == [0, 0, 0, 1]
    assert figure(bench, "switch").dotted
    assert figure(bench, "join").dotted


def test_the_shared_part_of_a_group_has_no_dots(bench: Bench) -> None:
    stem = figure(bench, "fan").wires[0]
    bench.click(stem.path.pointAtPercent(0.3) + QPointF(0, 0), ALT)
    assert bench.design.dots == {}


def test_dots_follow_a_move_of_both_ends_also_while_it_is_dragged(bench: Bench) -> None:
    add(bench, QPointF(0, 80))
    (before,) = dots(bench)
    bench.document.select(["dependency_graph", "rank_by_reach"])
    bench.drag(
        bench.body("rank_by_reach"),
        bench.body("rank_by_reach") + QPointF(16, 24),
        release=False,
    )
    assert figure(bench).wires[0].dots == (QPointF(before[0] + 16, before[1] + 24),)
    bench.mouse("release", bench.body("rank_by_reach"))
    assert dots(bench) == ((before[0] + 16, before[1] + 24),)
    assert figure(bench).wires[0].dots == (QPointF(*dots(bench)[0]),)
    assert bench.steps == 2
    bench.drag(
        bench.body("rank_by_reach"), bench.body("rank_by_reach") + QPointF(16, 24)
    )
    bench.document.select(["rank_by_reach"])
    bench.drag(
        bench.body("rank_by_reach"),
        bench.body("rank_by_reach") + QPointF(0, 40),
        release=False,
    )
    still = figure(bench).wires[0].dots
    assert still == (QPointF(*dots(bench)[0]),)
    bench.key(Qt.Key.Key_Escape)
    assert figure(bench).wires[0].dots == still


def test_a_layout_leads_wires_without_dots_in_the_same_step(bench: Bench) -> None:
    add(bench, QPointF(0, 80))
    before = bench.design
    bench.key(Qt.Key.Key_L, CTRL)
    assert bench.design.dots == {}
    assert bench.steps == 2
    bench.document.undo_stack.undo()
    assert bench.design.dots == before.dots
    assert bench.design.positions == before.positions
    assert figure(bench).dotted


def test_a_copy_of_wired_nodes_has_the_dots_too(bench: Bench) -> None:
    add(bench, QPointF(0, 80))
    (at,) = dots(bench)
    bench.document.select(["dependency_graph", "rank_by_reach"])
    bench.key(Qt.Key.Key_D, CTRL)
    (copy,) = bench.design.dots.keys() - {WIRE}
    ((points),) = bench.design.dots[copy].values()
    assert points == ((at[0] + 24, at[1] + 24),)


def test_a_run_shows_dots_and_refuses_to_change_them(bench: Bench) -> None:
    add(bench, QPointF(0, 80))
    heard: list[str] = []
    bench.view.message.connect(heard.append)
    bench.session.look_at(half_full())
    before = bench.design
    at = QPointF(*dots(bench)[0])
    assert figure(bench).dotted
    bench.drag(at, at + QPointF(40, 40))
    bench.click(middle(bench, share=0.9), ALT)
    bench.document.select([WIRE])
    bench.key(Qt.Key.Key_R)
    assert bench.design is before
    assert len(heard) == 3
    assert all("read-only" in words for words in heard)


def loops() -> Design:
    nodes = tuple(NodeDefinition(id=id, type="function", name=id) for id in "ab")
    edges = (
        DirectEdge(id="there", source="a", target="b"),
        DirectEdge(id="again", source="a", target="b"),
        DirectEdge(id="back", source="b", target="a"),
        DirectEdge(id="self", source="a", target="a"),
    )
    return Design(
        WorkflowDefinition(start="a", nodes=nodes, edges=edges),
        {"a": (200, 300), "b": (700, 300)},
    )


@pytest.mark.parametrize("edge", ["there", "again", "back", "self"])
def test_back_edges_self_edges_and_parallels_run_through_their_dots_from_port_to_port(
    bench: Bench, edge: str
) -> None:
    bench.document.apply("loops", loops())
    bench.document.undo_stack.clear()
    at = middle(bench, edge, share=0.4)
    bench.drag(at, at + QPointF(16, 48), modifiers=ALT)
    key = "a" if edge in ("back", "self") else "b"
    ((x, y),) = dots(bench, edge, key)
    (wire,) = figure(bench, edge).wires
    assert wire.dots == (QPointF(x, y),)
    assert path_distance(wire.path, QPointF(x, y)) < 0.5
    start = wire.path.elementAt(0)
    source = "b" if edge == "back" else "a"
    assert QPointF(start.x, start.y) == bench.outlet(source)
    assert wire.arrow == bench.scene.boxes[key].tip
    assert wire.dashed == (edge in {"back", "self"})
    others = {"there", "again", "back", "self"} - {edge}
    assert not any(figure(bench, other).dotted for other in others)


def test_dots_are_in_pictures_and_in_the_far_view(bench: Bench) -> None:
    def rounds() -> int:
        svg = render_svg(bench.scene, "x")
        return svg.count(b"<circle") + svg.count(b"<ellipse")

    plain = rounds()
    bench.document.apply("dot", edits.set_dots(bench.design, WIRE, KEY, [(456, 500)]))
    assert rounds() == plain + 1
    image = render_image(bench.scene, 1.0)
    area = picture_area(bench.scene)
    at = QPointF(456, 500) - area.topLeft()
    assert image.pixelColor(at.toPoint()) == bench.scene.style_.colour("edge")
    lines = bench.scene.edges.hairlines(figure(bench))
    assert lines[0].p2() == QPointF(456, 500)
    assert figure(bench).bounds.contains(QPointF(456, 500))


def test_straighten_takes_all_dots_of_what_is_selected_in_one_step(
    bench: Bench,
) -> None:
    add(bench, QPointF(0, -60), QPointF(0, 60))
    bench.view.dots.choose(None)
    bench.view.dots.straighten()
    assert bench.design.dots == {}
    assert bench.steps == 3


def test_the_menu_of_a_wire_adds_and_straightens(bench: Bench) -> None:
    def choose(words: str, share: float) -> None:
        menu = menu_for(bench.view, middle(bench, share=share))
        next(
            action for action in menu.actions() if action.text().split("\t")[0] == words
        ).trigger()
        menu.deleteLater()

    choose("Add a reroute dot", 0.25)
    choose("Add a reroute dot", 0.75)
    first, second = dots(bench)
    assert second[0] - first[0] > 100  # each where the menu was opened
    choose("Remove the reroute dot", 0.25)
    assert dots(bench) == (second,)
    choose("Straighten the wires", 0.25)
    assert bench.design.dots == {}
    assert bench.steps == 4


def test_dots_survive_a_save_and_are_there_when_it_is_opened_again(
    bench: Bench, tmp_path: Path
) -> None:
    add(bench, QPointF(0, 80))
    bench.document.save(tmp_path / "dotted.stepwell.json")
    before = bench.design.dots
    bench.document.open(tmp_path / "dotted.stepwell.json")
    assert bench.design.dots == before
    assert figure(bench).dotted
    assert bench.view.dots.chosen is None


def test_a_node_dropped_on_a_wire_with_dots_stands_between_them(bench: Bench) -> None:
    add(bench, QPointF(-20, -60), QPointF(20, -60))
    first, second = dots(bench)
    design, node = edits.add_node(bench.design, "template", (600, 700))
    bench.document.apply("add", design)
    on = figure(bench).wires[0].path.pointAtPercent(0.5)
    bench.drag(bench.body(node), bench.body(node) + on - bench.centre(node))
    assert sorted(
        lines for edge in bench.design.dots.values() for lines in edge.values()
    ) == [(first,), (second,)]
    assert bench.steps == 4


def test_another_kind_of_edge_keeps_the_dots_of_its_wires(bench: Bench) -> None:
    at = figure(bench, "fan").wires[3].path.pointAtPercent(0.6)
    bench.drag(at, at + QPointF(0, 40), modifiers=ALT)
    (points,) = bench.design.dots["fan"].values()
    bench.view.commands.convert(["fan"], "direct")
    assert [*bench.design.dots.values()] == [{"age_check": points}]
    assert bench.steps == 2
    bench.document.undo_stack.undo()
    assert figure(bench, "fan").dotted
