"""Many nodes at once: groups that are dragged, drawings that are prepared, and what a
move leaves alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QImage

from designer.canvas.drawing.prepared import PreparedDrawing
from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.gestures.move import CARRIED
from designer.look.theme import load_theme
from designer.model import edits
from designer.model.design import Design
from runtime.document.definition import DirectEdge
from tests.benchmarks.window_documents import layered
from tests.designer.canvas.conftest import Bench
from tests.designer.canvas.support import licence_audit
from tests.designer.canvas.test_scene import same


def is_fresh(scene: CanvasScene, design: Design) -> None:
    """The scene that followed is what would be drawn at once."""
    fresh = CanvasScene(load_theme("dark"))
    fresh.show(design, scene.infos)
    same(scene, fresh)
    fresh.dispose()


def shown_at(bench: Bench, place: QPointF) -> int:
    image: QImage = bench.view.viewport().grab().toImage()
    return image.pixel(bench.px(place))


@pytest.fixture
def many(bench: Bench) -> Bench:
    bench.document.apply("Many", layered(60))
    bench.view.camera.zoom_to(0.4)
    bench.view.camera.look_at(bench.scene.drawing_rect().center())
    return bench


@pytest.mark.parametrize("zoom", [0.3, 0.4, 1.0])
def test_a_group_is_seen_on_its_way_and_at_home_again_after_escape(
    many: Bench, zoom: float
) -> None:
    many.view.camera.zoom_to(zoom)
    group = sorted(many.scene.nodes)[: CARRIED + 1]
    many.view.select(group)
    inside = many.scene.boxes[group[0]].rect.topLeft() + QPointF(84, 8)
    way = QPointF(48, 704)
    start = many.centre(group[0])
    body = load_theme("dark").node.rgb()
    many.view.camera.look_at(start + way / 2)
    assert shown_at(many, inside) == body
    many.drag(start, start + way, release=False)
    assert many.scene.carried is not None
    assert shown_at(many, inside) != body
    assert shown_at(many, inside + way) == body
    many.key(Qt.Key.Key_Escape)
    assert many.scene.carried is None
    assert shown_at(many, inside) == body
    is_fresh(many.scene, many.design)


def test_one_node_dragged_from_afar_is_seen_on_its_way(bench: Bench) -> None:
    bench.view.camera.zoom_to(0.3)
    corner = bench.scene.boxes["age_check"].rect.topLeft()
    ground = shown_at(bench, QPointF(-600, -600))
    assert shown_at(bench, corner + QPointF(90, 20)) != ground
    bench.drag(
        bench.centre("age_check"),
        bench.centre("age_check") + QPointF(0, 600),
        release=False,
    )
    assert shown_at(bench, corner + QPointF(90, 20)) == ground
    assert shown_at(bench, corner + QPointF(90, 620)) != ground


def test_a_node_with_a_loose_edge_is_dragged_from_afar_like_any_other(
    bench: Bench,
) -> None:
    workflow = bench.design.workflow
    loose = DirectEdge(id="loose", source="age_check", target="nowhere")
    changed = workflow.model_copy(update={"edges": (*workflow.edges, loose)})
    bench.document.apply("x", Design(changed, bench.design.positions))
    bench.view.camera.zoom_to(0.3)
    corner = bench.scene.boxes["age_check"].rect.topLeft()
    ground = shown_at(bench, QPointF(-600, -600))
    bench.drag(
        bench.centre("age_check"),
        bench.centre("age_check") + QPointF(0, 600),
        release=False,
    )
    assert shown_at(bench, corner + QPointF(90, 620)) != ground


def test_a_carried_group_is_one_step_and_led_anew_when_it_is_let_go(
    many: Bench,
) -> None:
    group = sorted(many.scene.nodes)[: CARRIED + 5]
    many.view.select(group)
    before = dict(many.design.positions)
    steps = many.steps
    start = many.centre(group[0])
    many.drag(start, start + QPointF(96, 400))
    assert many.steps == steps + 1
    assert {key for key in before if many.position(key) != before[key]} == set(group)
    is_fresh(many.scene, many.design)
    many.document.undo_stack.undo()
    assert many.design.positions == before
    is_fresh(many.scene, many.design)


def test_wires_know_of_every_node_that_comes_into_their_way(bench: Bench) -> None:
    """A move leads those wires anew that look where something was or is; what is kept
    must be what would be drawn.
    """

    @settings(max_examples=30)
    @given(
        st.lists(
            st.tuples(
                st.sets(st.integers(0, 9), min_size=1),
                st.integers(-9, 9),
                st.integers(-9, 9),
            ),
            max_size=8,
        )
    )
    def law(moves: list[tuple[set[int], int, int]]) -> None:
        bench.document.apply("again", licence_audit())
        ids = sorted(bench.scene.nodes)
        for chosen, dx, dy in moves:
            nodes = {ids[k % len(ids)] for k in chosen}
            places = {
                n: (bench.position(n)[0] + dx * 56, bench.position(n)[1] + dy * 40)
                for n in nodes
            }
            bench.document.apply("move", edits.move(bench.design, places))
        is_fresh(bench.scene, bench.design)

    law()


def prepare(bench: Bench, positions: dict[str, Any]) -> PreparedDrawing:
    scene = bench.scene
    goal = replace(scene.design, positions=positions)
    prepared = PreparedDrawing(goal, scene.infos, scene.topology, scene.boxes)
    for _ in prepared.steps():
        assert not prepared.complete
    bench.scene.prepared = prepared
    return prepared


def test_a_drawing_that_was_prepare_is_taken_over_as_it_is(many: Bench) -> None:
    places = {
        node: (y * 1.5, x * 0.8) for node, (x, y) in many.design.positions.items()
    }
    prepared = prepare(many, places)
    many.document.apply("Turn", edits.move(many.design, places))
    assert many.scene.obstacles is prepared.obstacles
    assert many.scene.prepared is None
    is_fresh(many.scene, many.design)


def test_a_drawing_that_was_prepare_of_another_edit_is_not_shown(
    many: Bench,
) -> None:
    places = {node: (y, x) for node, (x, y) in many.design.positions.items()}
    prepared = prepare(many, places)
    many.document.apply("Other", edits.move(many.design, {"n3": (5.0, 5.0)}))
    assert many.scene.obstacles is not prepared.obstacles
    is_fresh(many.scene, many.design)


def test_a_layout_of_many_is_one_step_and_drawn_as_it_is(bench: Bench) -> None:
    bench.document.apply("Many", layered(340))
    before = bench.design
    steps = bench.steps
    bench.view.arranger.arrange()
    bench.qtbot.waitUntil(lambda: bench.design is not before)
    assert bench.steps == steps + 1
    is_fresh(bench.scene, bench.design)


def test_a_layout_is_dropped_when_the_workflow_is_edited_meanwhile(
    bench: Bench,
) -> None:
    bench.document.apply("Many", layered(340))
    arranger = bench.view.arranger
    arranger._take(bench.design, dict.fromkeys(bench.scene.nodes, (0.0, 0.0)))
    edited = edits.rename(bench.design, "n3", "Another")
    bench.document.apply("Rename", edited)
    bench.qtbot.waitUntil(lambda: arranger._slices is None)
    assert bench.design is edited
    is_fresh(bench.scene, bench.design)
