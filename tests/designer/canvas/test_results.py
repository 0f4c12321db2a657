"""Recorded, live or pinned on the canvas: chosen in the menu of a node, marked at its
corner, and in words.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from designer.canvas.drawing.result_marks import result_mark_area
from designer.canvas.speech.describe import describe
from designer.canvas.verbs.menus import menu_for
from designer.canvas.verbs.results import TITLE
from runtime.debug.protocol import PinnedResult
from tests.designer.canvas.conftest import Bench

NODE = "rank_by_reach"
PIN = PinnedResult(sent=(7,))


@pytest.fixture
def outside(bench: Bench) -> Bench:
    """All node types reach outside; the pins of the document are the session's."""
    infos = bench.session.infos.values()
    bench.session.know(
        [info.model_copy(update={"reaches_outside": True}) for info in infos]
    )
    bench.document.breakpoints.changed.connect(
        lambda: bench.session.results.use_pins(
            bench.document.breakpoints.notes.pins.results
        )
    )
    return bench


def choices(bench: Bench, node: str = NODE) -> dict[str, QAction]:
    menu = menu_for(bench.view, bench.body(node))
    inner = [each for each in menu.findChildren(QMenu) if each.title() == TITLE]
    return {action.text(): action for action in inner[0].actions()} if inner else {}


def middle_of_mark(bench: Bench, zoom: float = 1.0) -> QPointF:
    return result_mark_area(bench.scene, NODE, zoom).center()


def test_a_node_that_does_not_reach_outside_has_no_choice(bench: Bench) -> None:
    assert not choices(bench)


def test_the_menu_of_a_node_chooses_and_shows_what_is_chosen(outside: Bench) -> None:
    assert choices(outside)["Recorded, where it fits"].isChecked()
    choices(outside)["Live: call again"].trigger()
    assert outside.session.results.choices == {NODE: "live"}
    assert choices(outside)["Live: call again"].isChecked()
    assert outside.scene.results == {NODE: "live"}
    assert outside.steps == 0


def test_a_result_is_pinned_edited_and_unpinned_by_the_menu(outside: Bench) -> None:
    edited: list[str] = []
    outside.session.results.edit_requested.connect(edited.append)
    assert not choices(outside)["Unpin"].isEnabled()
    choices(outside)["Pinned: my result"].trigger()
    choices(outside)["Pin a result…"].trigger()
    assert edited == [NODE, NODE]
    outside.document.breakpoints.pin(NODE, PIN)
    assert outside.scene.results == {NODE: "pinned"}
    choices(outside)["Edit the pinned result…"].trigger()
    assert len(edited) == 3
    choices(outside)["Unpin"].trigger()
    assert outside.scene.results == {}


def test_a_mark_says_what_it_means_by_tool_tip_and_in_speech(outside: Bench) -> None:
    outside.document.breakpoints.pin(NODE, PIN)
    tip = outside.view.results.tip(middle_of_mark(outside))
    assert "gives its pinned result on going on from the past" in tip
    assert "gives its pinned result" in describe(outside.scene, NODE)
    assert outside.view.results.tip(outside.body("age_check")) == ""


def test_a_mark_keeps_its_size_on_the_screen_from_far_away(outside: Bench) -> None:
    near = result_mark_area(outside.scene, NODE, 1.0)
    far = result_mark_area(outside.scene, NODE, 0.2)
    assert far.height() * 0.2 >= near.height() * 0.2
    assert far.height() > near.height()


def test_a_pin_inside_a_sub_workflow_has_no_mark_outside_of_it(outside: Bench) -> None:
    outside.document.breakpoints.pin(f"review/{NODE}", PIN)
    assert outside.scene.results == {}
