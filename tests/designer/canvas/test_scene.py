"""The scene is a projection: whatever happens to the document or the session, it shows
exactly that.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from designer.canvas.drawing.figures import figure_of, label_area
from designer.canvas.drawing.picture import render_image
from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.drawing.style import COMPACT, FULL
from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.look.fonts import load_fonts
from designer.look.theme import Look, load_theme
from designer.model import edits
from designer.model.design import FAR, Design
from designer.model.icons import NODE_ICONS
from runtime.debug.protocol import EdgeMoment, Moment, NodeMoment, ProgressBody
from runtime.document.definition import WorkflowDefinition
from runtime.document.problem import Problem
from tests.designer.canvas.conftest import Bench, on_screen
from tests.designer.canvas.gallery import gallery
from tests.designer.canvas.support import catalogue, half_full, licence_audit
from tests.designer.fake_session import FakeSession


def same(scene: CanvasScene, other: CanvasScene) -> None:
    """Two scenes that must look alike: boxes, figures, titles."""
    assert scene.boxes == other.boxes
    assert {key: item.title for key, item in scene.nodes.items()} == {
        k: i.title for k, i in other.nodes.items()
    }
    assert scene.edges.figures.keys() == other.edges.figures.keys()
    for key, figure in scene.edges.figures.items():
        twin = other.edges.figures[key]
        assert (
            figure.bounds,
            figure.tags,
            figure.segments,
            figure.hub,
            figure.label,
        ) == (
            twin.bounds,
            twin.tags,
            twin.segments,
            twin.hub,
            twin.label,
        )
        assert [w.path for w in figure.wires] == [w.path for w in twin.wires]
    assert {k: i.titled for k, i in scene.nodes.items()} == {
        k: i.titled for k, i in other.nodes.items()
    }


def test_the_scene_is_the_document_after_any_edits(bench: Bench) -> None:
    """Every edit is followed by what differs only; a scene made anew from the same
    design must be its equal.
    """
    types = sorted(catalogue())

    @settings(max_examples=40)
    @given(
        st.lists(
            st.tuples(
                st.integers(0, 7), st.integers(0, 10_000), st.integers(0, 10_000)
            ),
            max_size=14,
        )
    )
    def law(plan: list[tuple[int, int, int]]) -> None:
        bench.document.apply("again", licence_audit())
        for what, a, b in plan:
            try:
                bench.document.apply("edit", changed(bench.design, what, a, b, types))
            except edits.EditError:
                continue
            if what == 7:
                bench.document.undo_stack.undo()
        fresh = CanvasScene(load_theme("dark"))
        fresh.show(bench.design, bench.scene.infos)
        same(bench.scene, fresh)
        assert bench.scene.nodes.keys() == {
            node.id for node in bench.design.workflow.nodes
        }
        fresh.dispose()

    law()


def changed(design: Design, what: int, a: int, b: int, types: list[str]) -> Design:
    nodes = [node.id for node in design.workflow.nodes] or [""]
    edges = [edge.id for edge in design.workflow.edges] or [""]
    one = nodes[a % len(nodes)]
    two = nodes[b % len(nodes)]
    match what:
        case 0:
            return edits.add_node(design, types[a % len(types)], (a % 900, b % 700))[0]
        case 1:
            return edits.remove(design, {one})
        case 2:
            return edits.remove(design, {edges[a % len(edges)]})
        case 3:
            return edits.move(design, {one: (a % 1500, b % 900)})
        case 4:
            return edits.connect(design, one, two)[0]
        case 5:
            return edits.connect_join(
                design, list(dict.fromkeys((one, two))), nodes[(a + b) % len(nodes)]
            )[0]
        case 6:
            return edits.rename(design, one, "n" * (a % 40))
        case _:
            return edits.set_start(design, one)


def test_an_edit_far_away_touches_no_other_figure(bench: Bench) -> None:
    before = dict(bench.scene.edges.figures)
    bench.document.apply("move", edits.move(bench.design, {"ask_a_person": (880, 200)}))
    kept = {
        key
        for key, figure in bench.scene.edges.figures.items()
        if figure is before[key]
    }
    # the wires of the join look for nodes, but not there
    assert kept == {"fan", "graph-rank", "join"}


def test_a_long_wire_runs_round_a_node_in_its_way(bench: Bench) -> None:
    join = bench.scene.edges.figures["join"]
    assert not any(
        bench.scene.edges.wires_cross(join, bench.scene.boxes[n].rect)
        for n in ("write_report",)
    )
    bench.document.apply(
        "block", edits.move(bench.design, {"write_report": (500, 500)})
    )
    moved = bench.scene.edges.figures["join"]
    assert not bench.scene.edges.wires_cross(
        moved, bench.scene.boxes["write_report"].rect
    )
    bench.document.undo_stack.undo()
    assert [w.path for w in bench.scene.edges.figures["join"].wires] == [
        w.path for w in join.wires
    ]


def test_a_wire_runs_round_a_node_that_was_dragged_into_its_way(bench: Bench) -> None:
    bench.view.set_snap(False)
    for end in (QPointF(500, 500), QPointF(1076, 620)):
        bench.drag(bench.body("write_report"), end + QPointF(60, 12))
        figures = bench.scene.edges.figures
        fresh = {
            edge.id: figure_of(
                edge, bench.scene.boxes, bench.scene.topology, bench.scene.obstacles
            )
            for edge in bench.design.workflow.edges
        }
        assert {
            key: [w.path for w in figure.wires] for key, figure in figures.items()
        } == {
            key: [w.path for w in figure.wires]
            for key, figure in fresh.items()
            if figure is not None
        }


def test_of_nodes_on_top_of_each_other_the_upper_one_is_picked(bench: Bench) -> None:
    ids = [bench.view.commands.add_node("filter", QPointF(600, 660)) for _ in range(4)]
    bench.document.apply(
        "Stack", edits.move(bench.design, dict.fromkeys(ids, (600, 660)))
    )
    bench.document.apply("First", edits.move(bench.design, {ids[0]: (608, 664)}))
    assert bench.scene.node_at(QPointF(640, 690)) == ids[-1]


def test_a_moment_shows_its_states_and_back_to_editing_shows_none(bench: Bench) -> None:
    bench.session.look_at(half_full(), "past")
    faces = {key: item.face for key, item in bench.scene.nodes.items()}
    assert (faces["rank_by_reach"].words, faces["rank_by_reach"].detail) == (
        "Runs next",
        "s7",
    )  # type: ignore[union-attr]
    assert faces["ask_a_person"].questions == 1  # type: ignore[union-attr]
    assert bench.scene.overlay.joins["join"].segments == ("filled", "missing", "filled")
    texts = {mark.text for mark in bench.scene.marks if mark.text}
    assert texts == {"1", "2 of 3 — waiting for Rank by reach"}
    assert bench.view.legend.isVisible()
    bench.session.look_at(None, "edit")
    assert all(item.face is None for item in bench.scene.nodes.values())
    assert bench.scene.marks == []
    assert not bench.view.legend.isVisible()


def test_the_past_draws_the_graph_that_the_run_ran_with(bench: Bench) -> None:
    old = bench.design.workflow
    moment = half_full().model_copy(update={"definition": old.model_dump(mode="json")})
    bench.document.apply("delete", edits.remove(bench.design, {"rank_by_reach"}))
    bench.session.look_at(moment, "past")
    assert "rank_by_reach" in bench.scene.nodes
    assert bench.scene.boxes["age_check"].rect.topLeft() == QPointF(
        *bench.position("age_check")
    )
    bench.session.look_at(None, "edit")
    assert "rank_by_reach" not in bench.scene.nodes


def test_of_two_cases_to_one_target_only_the_one_taken_is_lit(bench: Bench) -> None:
    pair = ("route_by_licence", "ask_a_person")
    nodes = {"route_by_licence": NodeMoment(state="ran", superstep=2)}
    edge = EdgeMoment(queued=((*pair, 1),), cases=("1",))
    bench.session.look_at(
        Moment(superstep=2, decided=True, nodes=nodes, edges={"switch": edge}), "past"
    )
    figure = bench.scene.edges.figures["switch"]
    lit = {
        wire.way
        for wire in figure.wires
        if bench.scene.edges.wire_pen(figure, wire)[0] == "accent"
    }
    assert lit == {2}


def test_a_graph_that_cannot_be_read_is_said_and_the_present_one_shown(
    bench: Bench,
) -> None:
    moment = half_full().model_copy(update={"definition": {"nodes": "none"}})
    with bench.qtbot.waitSignal(bench.view.message):
        bench.session.look_at(moment, "past")
    assert "rank_by_reach" in bench.scene.nodes


def test_a_superstep_at_work_says_running_and_done_held(bench: Bench) -> None:
    bench.session.running = True
    bench.session.progress = ProgressBody(
        superstep=7, running={"rank_by_reach": 1.1}, done={"age_check": 0.312}
    )
    bench.session.look_at(half_full(), "live")
    faces = {key: item.face for key, item in bench.scene.nodes.items()}
    assert (faces["rank_by_reach"].words, faces["rank_by_reach"].detail) == (
        "Running",
        "1.1 s",
    )  # type: ignore[union-attr]
    assert (faces["age_check"].words, faces["age_check"].detail) == (
        "Done, held",
        "312 ms",
    )  # type: ignore[union-attr]
    assert faces["classify_licences"].words == "Done"  # type: ignore[union-attr] # that was the superstep before
    # pulses belong to a standstill
    assert not any(mark.path for mark in bench.scene.marks)


def test_problems_are_badges_while_editing_and_none_in_a_run(bench: Bench) -> None:
    bench.checks.find(
        Problem(severity="error", rule="a", message="", location="age_check"),
        Problem(severity="error", rule="b", message="", location="switch"),
        Problem(severity="warning", rule="c", message="", location="switch"),
        Problem(severity="error", rule="d", message="", location="route_by_licence"),
    )
    assert bench.scene.nodes["age_check"].problems == (1, 0)
    assert bench.scene.nodes["route_by_licence"].problems == (2, 1)


def test_the_tag_of_a_join_covers_neither_nodes_nor_wires(bench: Bench) -> None:
    bench.session.look_at(half_full(), "past")
    tag = next(mark for mark in bench.scene.marks if mark.leader is not None)
    assert not any(box.rect.intersects(tag.rect) for box in bench.scene.boxes.values())
    for figure in bench.scene.edges.figures.values():
        assert not bench.scene.edges.wires_cross(figure, tag.rect)


@pytest.mark.parametrize("zoom", [1.0, 0.5, 0.2])
def test_case_160_a_drag_leaves_no_traces(bench: Bench, zoom: float) -> None:
    """What is repainted piece by piece equals what is painted as a whole, at each level
    of detail.
    """
    assert (zoom > FULL, zoom > COMPACT) in {
        (True, True),
        (False, True),
        (False, False),
    }
    bench.session.look_at(None, "edit")
    bench.view.camera.zoom_to(zoom)
    bench.mouse("press", bench.body("age_check"))
    start = bench.body("age_check")
    for k in range(12):
        bench.mouse("move", start + QPointF(4 * k, -11 * k))
        QApplication.processEvents()
    bench.mouse("release", start + QPointF(48, -132))
    bench.view.select(())
    bench.mouse("hover", QPointF(640, 700))
    QApplication.processEvents()
    pieces = on_screen(bench)
    bench.view.viewport().repaint()
    assert on_screen(bench) == pieces


@pytest.mark.parametrize("zoom", [0.36, 0.5, 0.69, 1.0])
def test_badges_are_painted_inside_of_their_items_bounds(
    bench: Bench, zoom: float
) -> None:
    """They keep their size on the screen, so a small zoom makes them large in the
    scene.
    """
    bench.view.camera.zoom_to(zoom)
    # without wires, which would be repainted too
    node = bench.view.commands.add_node("filter", QPointF(600, 600))
    bench.view.select(())
    for kind in ("error", "warning"):
        bench.checks.find(Problem(severity=kind, rule="a", message="", location=node))
    bench.drag(bench.centre(node), bench.centre(node) + QPointF(0, 16), release=False)
    for _ in range(4):  # each one a repaint of no more than what moves
        QApplication.processEvents()
        bench.mouse("move", bench.centre(node) + QPointF(0, 24))
    QApplication.processEvents()
    pieces = on_screen(bench)
    bench.view.viewport().repaint()
    assert on_screen(bench) == pieces


def test_every_figure_paints_in_both_themes_at_every_detail(bench: Bench) -> None:
    design, moment = gallery()
    bench.document.apply("gallery", design)
    for theme in ("light", "dark"):
        bench.view.look.choose(theme)
        for shown in (None, moment):
            bench.session.look_at(shown, "past" if shown else "edit")
            for zoom in (1.0, 0.5, 0.2):
                bench.view.camera.zoom_to(zoom)
                image = bench.view.viewport().grab().toImage()
                assert image.pixelColor(image.width() - 1, 0) in (
                    load_theme(theme).canvas,
                    load_theme(theme).dot,
                )


def test_the_picture_of_the_whole_drawing(bench: Bench) -> None:
    image = render_image(bench.view.scene(), 2.0)
    area = bench.scene.drawing_rect().adjusted(-32, -32, 32, 32)
    assert (image.width(), image.height()) == ((area.size() * 2).toSize().toTuple())
    assert image.pixelColor(2, 2) == QColor("#131519")


def test_an_empty_canvas_explains_itself(bench: Bench) -> None:
    bench.document.apply("empty", Design(WorkflowDefinition()))
    assert bench.view.hint.isVisible()
    with bench.qtbot.waitSignal(bench.view.example_requested):
        bench.view.hint.example_button.click()
    bench.view.hint.add_button.click()
    assert bench.view.popup is not None


def test_open_and_close_a_hundred_times(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dead canvas hears nothing any more, and nothing of it is left to be called."""
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    load_fonts()
    document = Document()
    session = FakeSession(catalogue().values())
    look = Look("dark")
    document.apply("open", licence_audit())
    for k in range(100):
        view = CanvasView(document, session, look)  # type: ignore[arg-type]
        view.show()
        session.look_at(half_full() if k % 2 else None, "past" if k % 2 else "edit")
        document.select({"age_check"})
        view.dispose()
        view.close()
        view.deleteLater()
        document.select(())
        look.choose("light" if k % 2 else "dark")
        qtbot.wait(0)
    document.close()


def test_a_node_shows_its_own_icon_and_that_of_its_type_without_one(
    bench: Bench,
) -> None:
    workflow = bench.design.workflow
    nodes = tuple(
        node.model_copy(update={"icon": "timer"}) if node.id == "age_check" else node
        for node in workflow.nodes
    )
    bench.document.apply(
        "Icon",
        Design(workflow.model_copy(update={"nodes": nodes}), bench.design.positions),
    )
    assert bench.scene.nodes["age_check"].icon == "timer"
    assert bench.scene.nodes["rank_by_reach"].icon == "rank"


def test_an_icon_that_does_not_exist_is_that_of_the_type(bench: Bench) -> None:
    """Names come from files, and an icon is a file of ours: `../../x` is none."""
    bench.document.apply(
        "Icon", edits.set_icon(bench.design, "age_check", "../../../secret")
    )
    assert bench.scene.nodes["age_check"].icon == "clock"


def test_every_icon_that_can_be_chosen_exists() -> None:
    assert all(
        files("resources").joinpath(f"icons/{name}.svg").is_file()
        for name in NODE_ICONS
    )


@pytest.mark.parametrize("near", [36, 60, 90, 120, 200])
def test_title_and_tags_of_a_switch_stand_clear_of_the_nodes_near_it(
    bench: Bench, near: int
) -> None:
    x, y = bench.position("route_by_licence")
    bench.document.apply(
        "Nearer",
        edits.move(
            bench.design,
            {
                "ask_a_person": (x + 44 + near, y - 98),
                "write_report": (x + 300, y + 60),
            },
        ),
    )
    figure = bench.scene.edges.figures["switch"]
    assert figure.label is not None
    box = bench.scene.boxes["route_by_licence"]
    boxes = [box.rect for box in bench.scene.boxes.values()]
    assert not any(
        label_area(figure.label, box.label).intersects(rect) for rect in boxes
    )
    if near > 36 + 46:  # the least width of a tag
        assert not any(
            tag.rect.adjusted(0, 0, 8, 0).intersects(rect)
            for tag in figure.tags
            for rect in boxes
        )


def test_the_title_of_a_diamond_is_clear_of_the_bar_before_it(bench: Bench) -> None:
    bench.document.apply("No switch", edits.remove(bench.design, {"switch"}))
    item = bench.scene.nodes["route_by_licence"]
    bar = bench.scene.edges.figures["join"].segments
    assert item.titled
    # where the title begins
    assert item.box.rect.x() > max(rect.right() for rect in bar) + 8


def test_names_are_one_line_on_the_canvas(bench: Bench) -> None:
    name = "Two\nlines\u2028and " + "long " * 1000
    bench.document.apply("Rename", edits.rename(bench.design, "age_check", name))
    title = bench.scene.nodes["age_check"].title
    assert title.startswith("Two lines and long")
    assert len(title) <= 200
    assert bench.scene.boxes["age_check"].rect.width() == 248


def test_a_tag_ends_before_its_target(bench: Bench) -> None:
    """Else its wire would have to go back round the tag."""
    switch = next(edge for edge in bench.design.workflow.edges if edge.id == "switch")
    cases = [
        case.model_copy(update={"name": "a name that is much too long " * 3})
        for case in switch.cases
    ]  # type: ignore[union-attr]
    bench.document.apply("Long", edits.set_edge(bench.design, "switch", cases=cases))
    figure = bench.scene.edges.figures["switch"]
    assert all(
        tag.rect.right() + 8 < bench.scene.boxes[tag.target].rect.left()
        for tag in figure.tags
    )
    assert not any(wire.leftward for wire in figure.wires)


def test_a_file_may_place_a_node_anywhere(bench: Bench) -> None:
    """Places are numbers of a file: the canvas ends somewhere, and neither hangs nor
    loses a node on the way there.
    """
    far = {"age_check": (1e308, -1e308), "write_report": (-3e9, 7.0)}
    bench.document.apply("Far", edits.move(bench.design, far))
    assert bench.scene.boxes["age_check"].rect.topLeft() == QPointF(FAR, -FAR)
    # as long as nobody moves it
    assert bench.design.positions["age_check"] == (1e308, -1e308)
    around = bench.scene.boxes["age_check"].rect.adjusted(-20, -20, 20, 20)
    assert {figure.id for figure in bench.scene.edges.near(around)} >= {"fan", "join"}
    bench.view.camera.fit_all()
    bench.view.viewport().grab()
    bench.view.reveal("age_check")
    assert bench.scene.node_at(bench.centre("age_check")) == "age_check"


def test_a_fit_keeps_the_words_on_the_edges_where_a_narrower_rim_is_enough(
    bench: Bench,
) -> None:
    width = bench.scene.drawing_rect().width()
    for room, readable in ((40, True), (12, True), (0, False)):
        bench.view.resize(round(width * (FULL + 0.011)) + 2 * room, 760)
        QApplication.processEvents()
        bench.view.camera.fit_all()
        assert (bench.view.zoom > FULL) == readable
        seen = bench.view.mapToScene(bench.view.viewport().rect()).boundingRect()
        assert seen.contains(bench.scene.drawing_rect())


def test_a_count_does_not_cover_the_bar_that_it_leads_to(bench: Bench) -> None:
    queued = EdgeMoment(queued=(("rank_by_reach", "route_by_licence", 1),))
    bench.session.look_at(
        half_full().model_copy(update={"edges": {"join": queued}}), "past"
    )
    count = next(mark for mark in bench.scene.marks if mark.text == "1")
    assert count.rect.right() < bench.scene.edges.figures["join"].segments[1].left()


def test_a_layout_leaves_the_tags_of_a_switch_their_room_once(bench: Bench) -> None:
    bench.view.arranger.arrange("LR")
    tags = bench.scene.edges.figures["switch"].tags
    boxes = bench.scene.boxes
    gaps = [boxes[tag.target].rect.left() - tag.rect.right() for tag in tags]
    assert 24 <= min(gaps) <= 64


@pytest.mark.parametrize("chosen", ["ask-report", "switch"])
def test_the_head_of_a_wire_that_says_something_lies_on_top(
    bench: Bench, chosen: str
) -> None:
    """Two wires end at one port: the selected one shows its arrow, whichever came
    first.
    """
    bench.document.apply(
        "Less", edits.remove(bench.design, {"fan", "graph-rank", "join"})
    )
    bench.view.select({chosen})
    tip = bench.view.mapFromScene(bench.scene.boxes["write_report"].tip - QPointF(3, 0))
    assert (
        bench.view.viewport().grab().toImage().pixelColor(tip)
        == load_theme("dark").accent
    )


def test_a_checkpoint_of_the_past_does_not_show_what_the_live_run_does_meanwhile(
    bench: Bench,
) -> None:
    bench.session.running = True
    bench.session.progress = ProgressBody(
        superstep=9, running={"rank_by_reach": 1.1}, done={"age_check": 0.312}
    )
    bench.session.look_at(half_full(), "past")
    faces = bench.scene.overlay.nodes
    assert (faces["rank_by_reach"].words, faces["age_check"].words) == (
        "Runs next",
        "Ran now",
    )
