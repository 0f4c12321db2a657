"""The conventions of keys and mouse, row by row where no other module drives them; and
that a run refuses each edit.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QFocusEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.canvas.base import READ_ONLY
from designer.canvas.verbs.keys import KEYS
from tests.designer.canvas.conftest import Bench
from tests.designer.canvas.support import half_full

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
PLAIN = Qt.KeyboardModifier.NoModifier
K = Qt.Key
EMPTY = QPointF(60, 120)


def test_control_i_selects_what_was_not_selected(bench: Bench) -> None:
    bench.key(K.Key_A, CTRL)
    everything = bench.view.selection
    assert everything == {*bench.scene.nodes, *bench.scene.edges.figures}
    bench.document.select(["age_check", "fan"])
    bench.key(K.Key_I, CTRL)
    assert bench.view.selection == everything - {"age_check", "fan"}


def test_backspace_deletes_as_delete_does(bench: Bench) -> None:
    bench.document.select(["age_check"])
    bench.key(K.Key_Backspace)
    assert "age_check" not in bench.scene.nodes
    assert bench.steps == 1


def test_keys_zoom_in_and_out_and_to_a_hundred_per_cent(bench: Bench) -> None:
    bench.key(K.Key_Plus, CTRL)
    assert bench.view.zoom > 1
    bench.key(K.Key_0, CTRL)
    assert bench.view.zoom == 1
    bench.key(K.Key_Minus, CTRL)
    assert bench.view.zoom < 1


def wheel(
    bench: Bench, pixels: QPoint, angle: QPoint, modifiers: Qt.KeyboardModifier
) -> None:
    at = QPointF(400, 300)
    event = QWheelEvent(
        at,
        QPointF(bench.view.viewport().mapToGlobal(at.toPoint())),
        pixels,
        angle,
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.ScrollUpdate,
        False,
    )
    QApplication.sendEvent(bench.view.viewport(), event)


def test_two_fingers_move_the_view_and_with_control_they_zoom(bench: Bench) -> None:
    before = bench.view.mapToScene(QPoint(0, 0))
    wheel(bench, QPoint(-30, -20), QPoint(-30, -20), PLAIN)
    assert bench.view.mapToScene(QPoint(0, 0)) - before == QPointF(30, 20)
    assert bench.view.zoom == 1
    wheel(bench, QPoint(0, 40), QPoint(0, 40), CTRL)
    assert bench.view.zoom > 1


def test_control_alt_arrows_nudge_far(bench: Bench) -> None:
    x, y = bench.position("age_check")
    bench.document.select(["age_check"])
    bench.key(K.Key_Right, CTRL | ALT)
    bench.key(K.Key_Down, CTRL | SHIFT)
    bench.key(K.Key_Left, CTRL)
    assert bench.position("age_check") == (x + 48 - 8, y + 48)


def lost_focus(
    bench: Bench, reason: Qt.FocusReason = Qt.FocusReason.ActiveWindowFocusReason
) -> None:
    QApplication.sendEvent(bench.view, QFocusEvent(QEvent.Type.FocusOut, reason))


def by_move(bench: Bench) -> None:
    bench.drag(
        bench.body("age_check"),
        bench.body("age_check") + QPointF(50, 50),
        release=False,
    )


def by_copy(bench: Bench) -> None:
    bench.drag(
        bench.body("age_check"),
        bench.body("age_check") + QPointF(50, 50),
        release=False,
        modifiers=ALT,
    )


def by_wire(bench: Bench) -> None:
    bench.drag(bench.outlet("age_check"), QPointF(640, 650), release=False)


def by_keys(bench: Bench) -> None:
    bench.document.select(["age_check"])
    bench.key(K.Key_C)


def by_band(bench: Bench) -> None:
    bench.drag(QPointF(20, 120), QPointF(300, 600), release=False)


def by_cut(bench: Bench) -> None:
    bench.drag(
        QPointF(456, 380),
        QPointF(456, 440),
        release=False,
        modifiers=CTRL,
        button=Qt.MouseButton.RightButton,
    )


def by_space(bench: Bench) -> None:
    QTest.keyPress(bench.view, K.Key_Space)


GESTURES: list[Callable[[Bench], None]] = [
    by_move,
    by_copy,
    by_wire,
    by_keys,
    by_band,
    by_cut,
    by_space,
]


@pytest.mark.parametrize("begin", GESTURES)
def test_another_window_in_the_middle_of_a_gesture_leaves_nothing_stuck(
    bench: Bench, begin: Callable[[Bench], None]
) -> None:
    design = bench.design
    begin(bench)
    lost_focus(bench)
    assert bench.view.gesture is None
    assert not bench.view.space_held
    assert bench.scene.boxes["age_check"].rect.topLeft() == QPointF(
        *bench.position("age_check")
    )
    # The button is let go over the other window: the canvas never hears of it. What
    # comes then starts afresh.
    bench.mouse("hover", bench.centre("classify_licences"))
    assert bench.view.viewport().cursor().shape() == Qt.CursorShape.ArrowCursor
    bench.click(bench.body("classify_licences"))
    assert bench.view.selection == {"classify_licences"}
    assert bench.design is design
    assert bench.steps == 0


def test_a_menu_that_opens_leaves_a_wire_that_keys_draw(bench: Bench) -> None:
    by_keys(bench)
    lost_focus(bench, Qt.FocusReason.PopupFocusReason)
    assert bench.view.gesture is not None
    bench.view.cancel_gesture()


# --- a run is looked at ---------------------------------------------------------------------------------------------

LOOKS = {  # keys that change nothing but the view, the selection, or the clipboard
    (K.Key_Left, CTRL | SHIFT),
    (K.Key_Right, CTRL | SHIFT),
    (K.Key_A, CTRL),
    (K.Key_I, CTRL),
    (K.Key_C, CTRL),
    (K.Key_E, PLAIN),
    (K.Key_PageDown, PLAIN),
    (K.Key_PageUp, PLAIN),
    (K.Key_Up, ALT),
    (K.Key_F, PLAIN),
    (K.Key_F, SHIFT),
    (K.Key_B, CTRL | SHIFT),
    (K.Key_Home, PLAIN),
    (K.Key_M, PLAIN),
    (K.Key_G, PLAIN),
    (K.Key_Space, PLAIN),
    (K.Key_Period, PLAIN),
    (K.Key_0, CTRL),
    (K.Key_Plus, CTRL),
    (K.Key_Equal, CTRL),
    (K.Key_Minus, CTRL),
}


@pytest.fixture
def looking(bench: Bench) -> list[str]:
    """A run is shown, two nodes are selected; what the canvas says from now on."""
    heard: list[str] = []
    QApplication.clipboard().setText("")
    bench.session.look_at(half_full())
    bench.document.select(["rank_by_reach", "age_check"])
    bench.view.message.connect(heard.append)
    return heard


@pytest.mark.parametrize("press", sorted(set(KEYS) - LOOKS, key=str))
def test_a_run_refuses_each_key_that_edits_with_a_word(
    bench: Bench, looking: list[str], press: tuple[Qt.Key, Qt.KeyboardModifier]
) -> None:
    design = bench.design
    bench.key(*press)
    assert looking
    assert bench.design is design
    assert bench.view.gesture is None
    assert bench.view.popup is None


@pytest.mark.parametrize("press", sorted(LOOKS, key=str))
def test_a_run_can_be_looked_at_with_every_other_key(
    bench: Bench, looking: list[str], press: tuple[Qt.Key, Qt.KeyboardModifier]
) -> None:
    assert press in KEYS
    design = bench.design
    bench.key(*press)
    assert bench.design is design
    assert READ_ONLY not in looking


def arrow(bench: Bench) -> None:
    bench.key(K.Key_Right, CTRL)


def enter(bench: Bench) -> None:
    bench.key(K.Key_Return, CTRL)


def drag_node(bench: Bench) -> None:
    bench.drag(bench.body("age_check"), bench.body("age_check") + QPointF(50, 50))


def drag_wire(bench: Bench) -> None:
    bench.drag(bench.outlet("age_check"), bench.inlet("rank_by_reach"))


def cut_wire(bench: Bench) -> None:
    bench.drag(
        QPointF(456, 380),
        QPointF(456, 440),
        modifiers=CTRL,
        button=Qt.MouseButton.RightButton,
    )


def free_port(bench: Bench) -> None:
    bench.click(bench.outlet("age_check"), ALT)


def add_dot(bench: Bench) -> None:
    bench.click(QPointF(456, 406), ALT)


def add_by_double_click(bench: Bench) -> None:
    bench.mouse("double", EMPTY)
    bench.mouse("release", EMPTY)


EDITS: list[Callable[[Bench], None]] = [
    arrow,
    enter,
    drag_node,
    drag_wire,
    cut_wire,
    free_port,
    add_dot,
    add_by_double_click,
]


@pytest.mark.parametrize("edit", EDITS)
def test_a_run_refuses_each_gesture_that_edits_with_one_word(
    bench: Bench, looking: list[str], edit: Callable[[Bench], None]
) -> None:
    design = bench.design
    edit(bench)
    assert len(looking) == 1
    assert bench.design is design
    assert bench.view.gesture is None
    assert bench.view.popup is None
