"""What people do in the middle of it: edit, restore, delete, undo, search, change the
theme and close while a run goes, stands inside a superstep, or is compared.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.shell.workspace import Workspace
from runtime.debug.protocol import Breakpoint
from tests.designer.shell.support import Hand
from tests.end_to_end.test_breakpoints import endless, fan, opened, wait_shown
from tests.end_to_end.test_sub_workflows import (
    click_node,
    document,
    hand,
    wait_inside,
)

__all__ = ["hand"]
pytestmark = pytest.mark.slow
K = Qt.Key
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def listed(hand: Hand) -> BreakpointsPanel:
    panel = hand.workspace.panels["Breakpoints"]
    assert isinstance(panel, BreakpointsPanel)
    return panel


def stops_at(hand: Hand, folder: Path, node: str) -> Workspace:
    """A run that stands inside a superstep."""
    workspace = opened(hand, fan(folder))
    click_node(hand, node)
    hand.key(K.Key_F9)
    hand.key(K.Key_F5)
    hand.wait_stopped("breakpoint")
    wait_shown(hand)
    return workspace


def test_edit_after_a_stop_inside_a_sub_workflow_edits_it_and_runs_again(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, document(tmp_path))
    session = workspace.session
    workspace.document.breakpoints.put(
        Breakpoint(id="a", where="note", inside=("review",))
    )
    hand.key(K.Key_F5)
    hand.wait_stopped("breakpoint")
    wait_inside(hand)
    hand.click(hand.window.toolbar.buttons["edit"])
    hand.wait(lambda: session.mode == "edit")
    assert workspace.document.inside == ("review",)
    assert session.standing is None
    hand.show("Breakpoints")
    click_node(hand, "note")
    hand.key(K.Key_Delete)
    hand.wait(lambda: bool(listed(hand).rows.rows[0].fault))
    hand.key(K.Key_Z, CTRL)
    hand.wait(lambda: not listed(hand).rows.rows[0].fault)
    hand.key(K.Key_F5)
    hand.wait_stopped("breakpoint")
    wait_inside(hand)
    assert workspace.banner.text.startswith("Stopped before Note")


def test_the_node_of_a_breakpoint_is_deleted_while_the_run_stands_there_and_comes_back(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = stops_at(hand, tmp_path, "b")
    hand.click(hand.window.toolbar.buttons["edit"])
    hand.wait(lambda: workspace.session.mode == "edit")
    workspace.canvas.setFocus()
    click_node(hand, "b")
    hand.key(K.Key_F9, ALT)
    assert workspace.canvas.breakpoints.popover is not None
    hand.key(K.Key_Escape)
    hand.key(K.Key_Delete)
    assert "b" not in workspace.canvas.scene().boxes
    hand.key(K.Key_Z, CTRL)
    assert "b" in workspace.canvas.scene().boxes
    points = workspace.document.breakpoints.notes.breakpoints
    assert [point.where for point in points] == ["b"]
    hand.key(K.Key_F5)
    hand.wait_stopped("breakpoint")
    wait_shown(hand)


def test_a_theme_is_chosen_and_the_tab_closed_while_a_run_stands_inside_a_superstep(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = stops_at(hand, tmp_path, "b")
    click_node(hand, "c")
    hand.key(K.Key_F9, ALT)
    for theme in ("dark", "contrast-light", "light"):
        hand.window.choose_theme(theme)
        hand.window.restyling.finish()
    assert workspace.canvas.breakpoints.popover is not None
    hand.key(K.Key_W, CTRL)
    hand.wait(lambda: not hand.window.workspaces)
    again = opened(hand, tmp_path / "work.stepwell.json")
    wheres = [p.where for p in again.document.breakpoints.notes.breakpoints]
    assert wheres == ["b", "c"]


def test_restoring_while_two_moments_are_compared_keeps_the_window_usable(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, fan(tmp_path))
    session = workspace.session
    hand.key(K.Key_F5)
    hand.wait_stopped("finished")
    timeline = session.timeline
    session.view(timeline.header_at(1).id)
    session.compare_with(timeline.header_at(3).id)
    hand.wait(lambda: session.comparison is not None)
    session.restore(timeline.header_at(1).id)
    hand.wait(lambda: timeline.branch_count > 1)
    hand.key(K.Key_F5)
    hand.wait_stopped("finished")
    hand.wait(lambda: session.moment is not None)
    if session.comparison is not None:
        hand.press("Stop comparing")
    hand.wait(lambda: session.comparison is None)


def test_the_past_is_asked_while_a_run_goes_and_travelled_to(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = opened(hand, endless(tmp_path))
    session = workspace.session
    hand.key(K.Key_F5)
    hand.wait(lambda: session.running and session.timeline.rowCount() > 30)
    hand.key(K.Key_F, CTRL | SHIFT)
    hand.type("message == 7")
    hand.key(K.Key_Return)
    past = session.past
    hand.wait(lambda: bool(past.questions) and bool(past.questions[0].hits))
    past.view(0)
    hand.wait(lambda: session.mode == "past")
    assert session.running
    workspace.canvas.setFocus()
    hand.key(K.Key_F5, SHIFT)
    hand.wait(lambda: not session.running)
