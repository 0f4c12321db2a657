"""A run that stands at a breakpoint or inside a superstep: banner, status bar, toolbar,
keys.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from designer.shell.workspace import Workspace
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointHit,
    DeliveryMoment,
    DeliveryPlace,
    HoldBody,
    InsideSuperstep,
    Moment,
    OpenBody,
    StartBody,
    StoppedBody,
    Value,
)
from tests.designer.fakes import header
from tests.designer.shell.support import Hand, draw, link_of, live

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
POINT = Breakpoint(id="a", where="rank", condition="message > 3")
STANDING = InsideSuperstep(
    superstep=3,
    deliveries=(
        DeliveryMoment(place=1, executor="classify", state="done", seconds=0.017),
        DeliveryMoment(
            place=2,
            executor="rank",
            state="next",
            messages=(Value(type="int", text="4"),),
        ),
        DeliveryMoment(place=3, executor="age", state="waiting"),
    ),
)


def stop(
    workspace: Workspace,
    reason: str = "breakpoint",
    *,
    standing: InsideSuperstep | None = STANDING,
    path: tuple[str, ...] = (),
    hit: bool = True,
) -> None:
    """The run stops before Rank by reach, in the words of the host."""
    link = link_of(workspace)
    place = DeliveryPlace(executor="rank", place=2, of=3, path=path)
    stopped = StoppedBody(
        reason=reason,
        status="IN_PROGRESS",
        superstep=2,
        run_id="r1",
        checkpoint_id="c3",
        breakpoint=BreakpointHit(id="a", kind="before", hit=2) if hit else None,
        delivery=place if standing is not None else None,
    )
    link.notice("stopped", stopped)
    definition = workspace.document.root.workflow.model_dump(mode="json")
    moment = Moment(
        header=header(3), superstep=2, standing=standing, definition=definition
    )
    link.reply("inspect", moment)


def test_the_banner_says_where_and_why_the_run_stands(desk: Hand) -> None:
    workspace = live(desk, moving=True)
    workspace.document.breakpoints.put(POINT)
    stop(workspace)
    text = workspace.banner.text
    assert text.startswith("Stopped before Rank by reach")
    assert "superstep 3, delivery 2 of 3" in text
    assert "because message > 3" in text
    assert "hit 2" in text
    assert "1 of 3 deliveries done" in text
    assert workspace.session.mode == "live"
    words = workspace.status_words()
    assert (words.mode, words.name) == ("live", "Live, paused in superstep 3")
    assert "before Rank by reach, delivery 2 of 3" in words.where
    assert "1 breakpoint" in words.there


def test_the_executor_is_selected_and_shown_as_the_next_delivery(desk: Hand) -> None:
    workspace = live(desk, moving=True)
    stop(workspace)
    assert workspace.document.selection == {"rank"}
    assert workspace.panels["Selected"].isVisible()
    faces = workspace.canvas.scene().overlay.nodes
    assert (faces["rank"].words, faces["rank"].detail) == ("Next delivery", "2/3")
    assert (faces["classify"].words, faces["classify"].detail) == (
        "Done, held",
        "17 ms",
    )
    assert faces["age"].state == "queued"
    legend = [row[2] for row in workspace.canvas.scene().overlay.legend]
    assert legend == ["1 done, held until the barrier", "next delivery"]


def test_a_breakpoint_for_one_stop_is_off_after_it(desk: Hand) -> None:
    workspace = live(desk, moving=True)
    workspace.document.breakpoints.put(POINT.model_copy(update={"once": True}))
    stop(workspace)
    (point,) = workspace.document.breakpoints.notes.breakpoints
    assert not point.enabled


def test_next_delivery_in_the_banner_steps_and_edit_opens_the_selection(
    desk: Hand,
) -> None:
    workspace = live(desk, moving=True)
    workspace.document.breakpoints.put(POINT)
    stop(workspace)
    desk.click(desk.button("Edit breakpoint", workspace.banner))
    assert workspace.document.selection == {"rank"}
    desk.click(desk.button("Next delivery", workspace.banner))
    link = link_of(workspace)
    assert link.last("step")["arguments"]["unit"] == "delivery"
    link.reply("step")
    link.notice("resumed", {"run_id": "r1"})
    assert workspace.banner.isHidden()


def test_a_run_inside_a_superstep_can_be_stopped(hand: Hand) -> None:
    workspace = live(hand, moving=True)
    stop(workspace)
    hand.key(Qt.Key.Key_F5, SHIFT)
    link = link_of(workspace)
    assert link.commands[-1] == "stop"
    link.reply("stop")
    stop(workspace, "cancelled", standing=None, hit=False)
    assert not hand.window.actions_by_id["stop"].isEnabled()


def test_a_host_that_is_lost_inside_a_superstep_leaves_the_run_at_its_barrier(
    desk: Hand,
) -> None:
    workspace = live(desk, moving=True)
    stop(workspace)
    link_of(workspace).close("gone")
    session = workspace.session
    assert not session.stands_inside
    assert session.stopped is not None
    assert (session.stopped.reason, session.stopped.delivery) == ("cancelled", None)


def test_a_delivery_inside_a_sub_workflow_is_one_of_its_node(desk: Hand) -> None:
    workspace = live(desk, moving=True)
    inside = DeliveryMoment(
        place=1, executor="deep", path=("rank#1",), state="next", seconds=None
    )
    stop(workspace, standing=InsideSuperstep(superstep=3, deliveries=(inside,)))
    faces = workspace.canvas.scene().overlay.nodes
    assert faces["rank"].words == "Next delivery"


def test_delivery_is_on_the_toolbar_and_f11(hand: Hand) -> None:
    workspace = live(hand)
    link = link_of(workspace)
    hand.click(hand.window.toolbar.buttons["delivery"])
    assert link.last("step")["arguments"]["unit"] == "delivery"
    link.reply("step")
    link.notice("resumed", {"run_id": "r1"})
    stop(workspace, "delivery", hit=False)
    hand.key(Qt.Key.Key_F11)
    assert link.commands.count("step") == 2


def test_while_editing_delivery_starts_a_run_at_its_input(hand: Hand) -> None:
    workspace = draw(hand)
    hand.key(Qt.Key.Key_F11)
    link_of(workspace).reply("open", OpenBody(workflow="w"))
    assert link_of(workspace).last("start")["arguments"]["stop_on_entry"] is True


def test_in_the_past_no_delivery_can_be_made_and_the_reason_is_said(hand: Hand) -> None:
    workspace = live(hand)
    workspace.session.view("c2")
    action = hand.window.actions_by_id["delivery"]
    assert not action.isEnabled()
    assert "Restore this checkpoint first" in action.toolTip()


def test_out_is_possible_only_inside_a_sub_workflow(hand: Hand) -> None:
    workspace = live(hand, moving=True)
    stop(workspace, "delivery", hit=False)
    assert not hand.window.actions_by_id["step-out"].isEnabled()
    link_of(workspace).notice("resumed", {"run_id": "r1"})
    stop(workspace, "delivery", path=("judge#1",), hit=False)
    hand.key(Qt.Key.Key_F11, SHIFT)
    assert link_of(workspace).last("step")["arguments"]["unit"] == "out"


@pytest.mark.parametrize(
    ("selected", "field"), [("rank", "node"), ("ask->report", "edge")]
)
def test_run_to_here_goes_to_what_is_selected(
    hand: Hand, selected: str, field: str
) -> None:
    workspace = live(hand)
    assert not hand.window.actions_by_id["run-to-here"].isEnabled()
    workspace.document.select({selected})
    hand.key(Qt.Key.Key_F10, CTRL)
    assert link_of(workspace).last("run_to")["arguments"][field] == selected


def test_run_to_here_while_editing_starts_a_run_for_it(hand: Hand) -> None:
    workspace = draw(hand)
    workspace.document.select({"rank"})
    hand.key(Qt.Key.Key_F10, CTRL)
    link = link_of(workspace)
    link.reply("open", OpenBody(workflow="w"))
    link.reply("start", StartBody(run_id="r1"))
    link.notice("resumed", {"run_id": "r1"})
    link.notice(
        "stopped",
        StoppedBody(reason="entry", status="", superstep=0, run_id="r1"),
    )
    assert "run_to" in link.commands
    assert link.last("run_to")["arguments"]["node"] == "rank"


def test_run_to_the_next_question_and_run_without_stopping(hand: Hand) -> None:
    workspace = live(hand)
    link = link_of(workspace)
    hand.window.actions_by_id["run-to-question"].trigger()
    assert link.last("run_to")["arguments"]["question"] is True
    link.reply("run_to")
    link.notice("resumed", {"run_id": "r1"})
    stop(workspace, "here", hit=False)
    workspace.document.breakpoints.put(POINT)
    hand.key(Qt.Key.Key_F5, CTRL)
    assert link.last("breakpoints")["arguments"]["muted"] is True
    assert link.commands[-1] == "continue"


def test_a_held_node_says_so_and_can_be_let_go(hand: Hand) -> None:
    workspace = live(hand)
    link = link_of(workspace)
    workspace.document.select({"rank"})
    action = hand.window.actions_by_id["hold"]
    action.trigger()
    assert link.last("hold")["arguments"] == {
        "executor": "rank",
        "inside": [],
        "run": "",
        "held": True,
    }
    link.reply("hold", HoldBody(held=(((), "rank"),)))
    assert workspace.canvas.scene().overlay.nodes["rank"].words == "Held"
    assert action.isChecked()
    action.trigger()
    assert link.last("hold")["arguments"]["held"] is False


def test_a_stop_on_the_users_own_key_is_no_trouble_at_a_barrier(desk: Hand) -> None:
    workspace = live(desk, moving=True)
    stop(workspace, "here", standing=None, hit=False)
    assert workspace.banner.text.startswith("Stopped after superstep 2")


def test_f9_mute_and_delete_all_reach_the_host(hand: Hand) -> None:
    workspace = live(hand)
    link = link_of(workspace)
    workspace.document.select({"rank"})
    hand.key(Qt.Key.Key_F9)
    assert link.last("breakpoints")["arguments"]["breakpoints"][0]["where"] == "rank"
    hand.key(Qt.Key.Key_F9, CTRL)
    sent = link.last("breakpoints")["arguments"]["breakpoints"][0]
    assert sent["enabled"] is False
    hand.window.actions_by_id["mute-breakpoints"].trigger()
    assert link.last("breakpoints")["arguments"]["muted"] is True
    hand.key(Qt.Key.Key_F9, CTRL | SHIFT)
    assert link.last("breakpoints")["arguments"]["breakpoints"] == []
    assert not workspace.document.undo_stack.canRedo()


def test_in_a_narrow_window_a_long_title_is_cut_with_a_tool_tip(desk: Hand) -> None:
    workspace = live(desk, moving=True)
    workspace.document.breakpoints.put(POINT)
    stop(workspace)
    title = next(
        label
        for label in workspace.banner.findChildren(QLabel)
        if label.text() == "Stopped before Rank by reach"
    )
    assert title.toolTip() == ""
    workspace.banner.setFixedWidth(300)
    workspace.banner.layout().activate()
    assert title.toolTip() == title.text()
