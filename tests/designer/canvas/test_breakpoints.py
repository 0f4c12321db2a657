"""Breakpoints on the canvas: by key, by a click at a corner, by the menu; marks at all
zooms, and in words.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QAccessible

from designer.canvas.drawing.breakpoints import breakpoint_at, place_of_mark
from designer.canvas.speech.describe import describe
from designer.canvas.speech.spoken import name_of
from designer.canvas.verbs.menus import menu_for
from designer.model import edits
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointHit,
    BreakpointStatus,
    Moment,
    StoppedBody,
)
from tests.designer.canvas.conftest import Bench, on_screen


def points(bench: Bench) -> list[tuple[str, str]]:
    notes = bench.document.breakpoints.notes
    return [(point.kind, point.where) for point in notes.breakpoints]


def mark(bench: Bench, key: str) -> QPointF:
    place = place_of_mark(bench.scene, key)
    assert place is not None
    return place


def test_f9_sets_what_fits_each_thing_and_deletes_it_again(bench: Bench) -> None:
    verbs = bench.view.breakpoints
    for key in ("rank_by_reach", "graph-rank", "join"):
        bench.view.select({key})
        verbs.toggle()
    assert points(bench) == [
        ("before", "rank_by_reach"),
        ("message", "graph-rank"),
        ("fires", "join"),
    ]
    assert set(bench.scene.breakpoints) == {"rank_by_reach", "graph-rank", "join"}
    verbs.toggle()
    assert points(bench)[-1] == ("message", "graph-rank")
    assert bench.steps == 0


def test_without_a_selection_f9_says_what_to_do(bench: Bench) -> None:
    told: list[str] = []
    bench.view.message.connect(told.append)
    bench.view.breakpoints.toggle()
    bench.view.breakpoints.turn()
    assert "press F9" in told[0]
    assert "F9 sets one" in told[1]


def test_a_click_at_the_corner_sets_one_and_further_clicks_turn_it(
    bench: Bench,
) -> None:
    corner = mark(bench, "age_check")
    bench.click(corner)
    assert points(bench) == [("before", "age_check")]
    assert not bench.view.selection
    bench.click(corner)
    assert not bench.scene.breakpoints["age_check"].filled
    bench.click(corner)
    assert bench.scene.breakpoints["age_check"].filled


def test_a_click_on_the_mark_of_an_edge_and_of_a_join_turns_it(bench: Bench) -> None:
    for key in ("graph-rank", "join"):
        bench.view.select({key})
        bench.view.breakpoints.toggle()
        bench.click(mark(bench, key))
        assert not bench.scene.breakpoints[key].filled


def test_in_a_run_the_corner_works_too(bench: Bench) -> None:
    bench.session.look_at(Moment(superstep=1))
    bench.click(mark(bench, "age_check"))
    assert points(bench) == [("before", "age_check")]


def test_a_drag_from_the_corner_moves_the_node(bench: Bench) -> None:
    before = bench.position("age_check")
    start = bench.scene.boxes["age_check"].rect.topLeft() + QPointF(4, 4)
    bench.drag(start, start + QPointF(48, 24))
    assert bench.position("age_check") == (before[0] + 48, before[1] + 24)
    assert points(bench) == []


def test_the_pointer_at_a_corner_shows_what_a_click_would_do(bench: Bench) -> None:
    corner = mark(bench, "age_check")
    bench.mouse("hover", corner)
    assert bench.view.breakpoints.ghost == "age_check"
    assert bench.view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    assert "sets a breakpoint" in bench.view.breakpoints.tip(corner)
    bench.click(corner)
    bench.mouse("hover", corner)
    assert bench.view.breakpoints.ghost == ""
    assert "before it runs" in bench.view.breakpoints.tip(corner)


@pytest.mark.parametrize("zoom", [0.1, 0.3, 0.5, 1.0, 2.0])
def test_a_mark_is_seen_and_hit_at_every_zoom(bench: Bench, zoom: float) -> None:
    bench.view.select({"age_check"})
    bench.view.breakpoints.toggle()
    bench.view.select(set())
    bench.view.camera.zoom_to(zoom)
    bench.view.camera.look_at(mark(bench, "age_check"))
    bench.qtbot.wait(1)
    place = mark(bench, "age_check")
    assert breakpoint_at(bench.scene, place, bench.view.zoom) == "age_check"
    image = on_screen(bench)
    ratio = image.devicePixelRatio()
    pixel = bench.px(place)
    colour = image.pixelColor(round(pixel.x() * ratio), round(pixel.y() * ratio))
    assert colour == bench.view.look.theme.bad


def test_two_clicks_at_one_place_leave_a_breakpoint_as_it_was(bench: Bench) -> None:
    bench.view.select({"age_check"})
    bench.view.breakpoints.toggle()
    corner = mark(bench, "age_check")
    bench.click(corner)
    bench.mouse("double", corner)
    assert bench.scene.breakpoints["age_check"].filled


def test_marks_and_words_say_what_the_run_says(bench: Bench) -> None:
    bench.document.breakpoints.put(
        Breakpoint(id="a", where="age_check", condition="message > 3"),
        Breakpoint(id="b", where="rank_by_reach"),
    )
    assert bench.scene.breakpoints["age_check"].sign == "bars"
    bench.session.know_breakpoints(
        BreakpointStatus(id="b", verified=False, reason="There is no such node.")
    )
    assert not bench.scene.breakpoints["rank_by_reach"].verified
    assert "There is no such node." in describe(bench.scene, "rank_by_reach")
    bench.session.stopped = StoppedBody(
        reason="breakpoint",
        status="",
        superstep=1,
        breakpoint=BreakpointHit(id="a", kind="before"),
    )
    bench.session.look_at(Moment(superstep=1))
    assert bench.scene.breakpoints["age_check"].sign == "triangle"
    assert "the run stands at" in name_of(bench.scene, "age_check")
    part = bench.view.accessible.part("age_check")
    assert "only if message > 3" in part.text(QAccessible.Text.Name)


def test_the_menu_of_a_node_and_of_an_edge_has_them(bench: Bench) -> None:
    def texts(key: str) -> list[str]:
        menu = menu_for(bench.view, bench.centre(key))
        found = [action.text().partition("\t")[0] for action in menu.actions()]
        menu.deleteLater()
        return found

    assert "Set a breakpoint" in texts("age_check")
    bench.view.breakpoints.toggle()
    assert "Delete the breakpoint" in texts("age_check")
    assert "Turn the breakpoint off" in texts("age_check")
    bench.view.breakpoints.turn()
    assert "Turn the breakpoint on" in texts("age_check")


def test_a_deleted_node_has_no_mark_and_its_breakpoint_comes_back_with_it(
    bench: Bench,
) -> None:
    bench.view.select({"age_check"})
    bench.view.breakpoints.toggle()
    bench.document.apply("Delete", edits.remove(bench.design, {"age_check"}))
    assert not bench.scene.breakpoints
    bench.document.undo_stack.undo()
    assert "age_check" in bench.scene.breakpoints
