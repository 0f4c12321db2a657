"""Disabled and bypassed nodes on the canvas: by key and menu, in one step, and as they
are drawn.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage

from designer.canvas.drawing.overlay import overlay_of
from designer.canvas.speech.describe import describe
from designer.canvas.speech.spoken import name_of
from designer.canvas.verbs.menus import menu_for
from designer.model import edits
from designer.model.files import dumps, loads
from runtime.debug.protocol import JoinMoment, JoinSource, Moment, NodeMoment
from tests.designer.canvas.conftest import Bench

_K = Qt.Key


def state(bench: Bench, node: str) -> str:
    found = bench.design.workflow.node(node)
    assert found is not None
    return found.off


def test_d_disables_the_selected_nodes_in_one_step_and_enables_them_again(
    bench: Bench,
) -> None:
    bench.click(bench.body("age_check"))
    bench.click(bench.body("rank_by_reach"), Qt.KeyboardModifier.ShiftModifier)
    before = bench.design
    bench.key(_K.Key_D)
    assert [
        state(bench, node) for node in ("age_check", "rank_by_reach", "ask_a_person")
    ] == ["disabled"] * 2 + [""]
    assert bench.steps == 1
    assert bench.document.undo_stack.undoText() == "Disable 2 nodes"
    bench.key(_K.Key_D)
    assert bench.design == before
    bench.document.undo_stack.undo()
    bench.document.undo_stack.undo()
    assert bench.design is before


def test_b_bypasses_and_takes_the_place_of_disabled(bench: Bench) -> None:
    bench.click(bench.body("age_check"))
    bench.key(_K.Key_D)
    bench.key(_K.Key_B)
    assert state(bench, "age_check") == "bypassed"
    bench.key(_K.Key_B)
    assert state(bench, "age_check") == ""


def test_the_menu_of_a_node_says_what_it_would_do_and_does_it(bench: Bench) -> None:
    menu = menu_for(bench.view, bench.body("age_check"))
    [entry] = [action for action in menu.actions() if action.text() == "Bypass\tB"]
    entry.trigger()
    assert state(bench, "age_check") == "bypassed"
    assert "Enable\tB" in [
        action.text()
        for action in menu_for(bench.view, bench.body("age_check")).actions()
    ]


def test_without_a_node_the_key_says_what_to_select(
    bench: Bench, told: list[str]
) -> None:
    bench.key(_K.Key_D)
    assert told == ["Select a node to disable it, or to enable it again."]


@pytest.fixture
def told(bench: Bench) -> list[str]:
    lines: list[str] = []
    bench.view.message.connect(lines.append)
    return lines


def test_what_is_off_stays_so_in_copies_and_in_the_file(bench: Bench) -> None:
    bench.click(bench.body("age_check"))
    bench.key(_K.Key_D)
    bench.key(_K.Key_D, Qt.KeyboardModifier.ControlModifier)
    [copy] = bench.view.chosen_nodes()
    assert copy != "age_check"
    assert state(bench, copy) == "disabled"
    again = loads(dumps(bench.design))
    assert {node.id for node in again.workflow.nodes if node.off} == {"age_check", copy}


def test_a_node_that_is_off_says_so_in_words(bench: Bench) -> None:
    bench.document.apply("off", edits.set_off(bench.design, ["age_check"], "disabled"))
    assert describe(bench.scene, "age_check") == "Age check · Disabled, registry.ages"
    moment = Moment(
        superstep=2,
        nodes={"age_check": NodeMoment(state="ran", detail="3 ms", superstep=2)},
    )
    bench.scene.set_overlay(
        overlay_of(moment, None, bench.design.workflow, running=False)
    )
    assert describe(bench.scene, "age_check") == "Age check · Disabled, ran now 3 ms"


@pytest.mark.parametrize("zoom", [1.0, 0.6, 0.25])
def test_on_disabled_and_bypassed_look_different_at_every_size(
    bench: Bench, zoom: float
) -> None:
    bench.view.camera.zoom_to(zoom)
    bench.view.camera.look_at(bench.centre("age_check"))

    def picture() -> QImage:
        area = bench.view.mapFromScene(
            bench.scene.boxes["age_check"].rect
        ).boundingRect()
        return bench.view.grab(area).toImage()

    seen = [picture()]
    for off in ("disabled", "bypassed"):
        bench.document.apply("off", edits.set_off(bench.design, ["age_check"], off))
        seen.append(picture())
    assert seen[0] != seen[1] != seen[2] != seen[0]


def test_a_screen_reader_hears_that_a_node_is_off(bench: Bench) -> None:
    bench.document.apply("off", edits.set_off(bench.design, ["age_check"], "bypassed"))
    assert "Bypassed" in name_of(bench.scene, "age_check")


def test_a_sub_workflow_that_is_off_leaves_its_nodes_off_when_it_is_expanded(
    bench: Bench,
) -> None:
    bench.view.select(frozenset({"dependency_graph", "rank_by_reach"}))
    bench.key(
        _K.Key_G,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    bench.key(_K.Key_D)
    [sub] = bench.view.chosen_nodes()
    assert state(bench, sub) == "disabled"
    steps = bench.steps
    bench.key(
        _K.Key_G,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    assert bench.steps == steps + 1
    assert [state(bench, node) for node in ("dependency_graph", "rank_by_reach")] == [
        "disabled"
    ] * 2


def test_wires_of_a_disabled_node_are_dotted_until_it_is_on_again(bench: Bench) -> None:
    def dashes() -> set[str]:
        figure = bench.scene.edges.figures["graph-rank"]
        return {bench.scene.edges.wire_pen(figure, wire)[2] for wire in figure.wires}

    plain = dashes()
    bench.document.apply(
        "off", edits.set_off(bench.design, ["rank_by_reach"], "disabled")
    )
    assert dashes() != plain
    bench.document.apply(
        "on", edits.set_off(bench.design, ["rank_by_reach"], "bypassed")
    )
    assert dashes() == plain
    bench.document.apply(
        "off", edits.set_off(bench.design, ["rank_by_reach"], "disabled")
    )
    bench.document.apply("gone", edits.remove(bench.design, ["rank_by_reach"]))
    assert not bench.scene.edges.silent


def test_a_join_with_a_disabled_source_counts_without_it(bench: Bench) -> None:
    design = edits.set_off(bench.design, ["age_check"], "disabled")
    sources = (("classify_licences", 1), ("rank_by_reach", 0), ("age_check", 0))
    told = [
        JoinSource(id=one, have=have, need=1, disabled=one == "age_check")
        for one, have in sources
    ]
    join = JoinMoment(
        edge="join",
        target="route_by_licence",
        policy="all",
        sources=tuple(told),
        held=1,
    )
    face = overlay_of(
        Moment(joins=(join,)), None, design.workflow, running=False
    ).joins["join"]
    assert face.segments == ("filled", "missing", "empty")
    assert face.text == "1 of 2 — waiting for Rank by reach"
    untold = overlay_of(Moment(), None, design.workflow, running=False).joins["join"]
    assert untold.text == "0 of 2"
