"""A gesture is one class and one line in the table."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt

from designer.canvas.base import Canvas, Gesture, Press
from designer.canvas.gestures import table
from designer.canvas.gestures.move import MoveNodes
from designer.canvas.gestures.select import RubberBand
from tests.designer.canvas.conftest import Bench

SHIFT_ALT = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
EMPTY = QPointF(660, 700)


class StampNodes(Gesture):
    """A made-up gesture: Shift+Alt and a drag put a node at both ends of the way."""

    @classmethod
    def start(cls, canvas: Canvas, press: Press) -> Gesture | None:
        if not press.is_left or press.modifiers != SHIFT_ALT or not canvas.editable:
            return None
        return cls(canvas, press.pointer)

    def drag(self) -> None:
        self.canvas.status.emit("Release to stamp")

    def release(self) -> None:
        for place in (self.began.scene, self.pointer.scene):
            self.canvas.commands.add_node("template", place)


@pytest.fixture
def stamping(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    monkeypatch.setattr(table, "GESTURES", (StampNodes, *table.GESTURES))
    return bench


def test_a_made_up_gesture_needs_one_line_and_works_by_mouse(stamping: Bench) -> None:
    words: list[str] = []
    stamping.view.status.connect(words.append)
    before = set(stamping.scene.nodes)
    stamping.drag(EMPTY, EMPTY + QPointF(300, 0), modifiers=SHIFT_ALT)
    added = set(stamping.scene.nodes) - before
    assert len(added) == 2
    assert "Release to stamp" in words
    assert stamping.view.gesture is None
    assert stamping.steps == 2


def test_escape_cancels_it_and_an_edit_from_elsewhere_does_too(stamping: Bench) -> None:
    before = set(stamping.scene.nodes)
    stamping.drag(EMPTY, EMPTY + QPointF(90, 0), modifiers=SHIFT_ALT, release=False)
    assert isinstance(stamping.view.gesture, StampNodes)
    stamping.key(Qt.Key.Key_Escape)
    assert stamping.view.gesture is None
    stamping.mouse("release", EMPTY)

    stamping.drag(EMPTY, EMPTY + QPointF(90, 0), modifiers=SHIFT_ALT, release=False)
    stamping.document.undo_stack.clear()
    stamping.view.commands.set_start("write_report")
    assert stamping.view.gesture is None
    stamping.mouse("release", EMPTY)
    assert set(stamping.scene.nodes) == before


def test_a_press_that_it_does_not_take_begins_what_it_did_before(
    stamping: Bench,
) -> None:
    stamping.mouse("press", stamping.body("age_check"))
    assert isinstance(stamping.view.gesture, MoveNodes)
    stamping.mouse("release", stamping.body("age_check"))
    stamping.mouse("press", EMPTY)
    assert isinstance(stamping.view.gesture, RubberBand)
    stamping.mouse("release", EMPTY)


def test_a_press_closes_whatever_field_is_open(bench: Bench) -> None:
    popups = bench.view.popups
    assert len(popups) == 4
    bench.view.quick_add()
    assert bench.view.popup is not None
    bench.click(EMPTY)
    assert bench.view.popup is None
    bench.view.frames.add_note(EMPTY)
    assert bench.view.frame_text.field is not None
    bench.click(bench.body("age_check"))
    assert bench.view.frame_text.field is None
